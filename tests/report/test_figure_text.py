from hypothesis import given
from hypothesis import strategies as st

from metajudge.report.figure_text import brackets, compact, signed, with_interval
from metajudge.report.part import Figure


@given(st.floats(-1, 1))
def test_a_share_or_coefficient_takes_at_most_four_characters(value: float) -> None:
    assert len(compact(value)) <= 4
    assert abs(float(compact(value)) - value) <= 0.005 + 1e-12


@given(st.floats(-1, 1))
def test_signed_says_the_sign_of_what_it_shows(value: float) -> None:
    text = signed(value)
    assert text.startswith("+") == (float(text) > 0)
    assert text.startswith("-") == (float(text) < 0)


def test_undefined_has_no_interval() -> None:
    figure = Figure(value=None, low=0.1, high=0.2, n=0, reason="none")
    assert with_interval(figure) == "–"
    assert brackets(figure) == ""


def test_a_figure_without_interval_stands_alone() -> None:
    assert with_interval(Figure(value=0.5, n=3)) == ".50"

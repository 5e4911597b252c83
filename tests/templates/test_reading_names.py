"""Names of readings: read, refused, written one way, ordered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from metajudge.report.part import Reading
from metajudge.templates.reading_names import (
    READING_ORDER,
    THRESHOLD_LAW,
    ReadingName,
    reading_named,
    reading_place,
)

READ = TypeAdapter(Reading)


@pytest.mark.parametrize("base", READING_ORDER)
def test_names_without_a_threshold_are_as_they_were(base: str) -> None:
    assert reading_named(base) == ReadingName(base)
    assert READ.validate_python(base) == str(reading_named(base)) == base


@pytest.mark.parametrize("number", ["0.6", ".6", "0.60", "0.600", "0.600000"])
def test_one_threshold_has_one_name(number: str) -> None:
    assert READ.validate_python(f"top@{number}") == "top@0.60"


@given(st.integers(1, 1_000_000), st.sampled_from(READING_ORDER))
def test_every_threshold_of_six_decimals_is_read_back(millionths: int, base: str) -> None:
    name = ReadingName(base, millionths / 1_000_000)
    assert reading_named(str(name)) == name


@pytest.mark.parametrize(
    "name", ["top@", "top@0", "top@0.000000", "top@1.01", "top@-0.5", "top@nan", "top@0.1234567",
             "top@0.6@0.7", "top@0.6\n", "top@ 0.6", "top@1e-3", "top@٠.٦", "top@0,6"]
)  # fmt: skip
def test_a_threshold_that_is_none_is_refused_with_the_law(name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        READ.validate_python(name)
    assert THRESHOLD_LAW in str(caught.value)


@pytest.mark.parametrize("name", ["tops", "", "@0.6", "Top", "batch@0.6"])
def test_a_reading_that_is_none_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(ValueError, match="top, prior_corrected, batch_corrected"):
        reading_named(name)
    with pytest.raises(ValidationError) as caught:
        READ.validate_python(name)
    assert caught.value.errors()[0]["type"] == "literal_error"


def test_the_plainer_reading_goes_first() -> None:
    names = ["batch_corrected", "top@0.70", "prior_corrected@0.10", "top@0.60", "top"]
    wanted = ["top", "top@0.60", "top@0.70", "prior_corrected@0.10", "batch_corrected"]
    assert sorted(names, key=reading_place) == wanted


@pytest.mark.parametrize(
    ("name", "divides", "blank", "needs"),
    [
        ("top", False, False, False),
        ("top@0.60", False, False, True),
        ("prior_corrected", True, True, True),
        ("prior_corrected@0.60", True, True, True),
        ("batch_corrected@0.60", True, False, True),
    ],
)
def test_what_a_reading_needs(name: str, divides: bool, blank: bool, needs: bool) -> None:
    found = reading_named(name)
    assert (found.divides_prior, found.asks_blank, found.needs_probabilities) == (
        divides,
        blank,
        needs,
    )

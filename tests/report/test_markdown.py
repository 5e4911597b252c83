import pytest

from metajudge.report.markdown import render_markdown
from metajudge.report.words import Language
from tests.report.factory import make_sweep
from tests.texts import check_rectangular


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_are_rectangular_even_with_hostile_names(language: Language) -> None:
    text = render_markdown(make_sweep(60, hostile=True).results, language)
    check_rectangular(text)


def test_hostile_text_is_escaped_outside_code() -> None:
    text = render_markdown(make_sweep(30, 2, hostile=True).results)
    outside = "".join(
        part for line in text.splitlines() if "`" not in line for part in (line, "\n")
    )
    assert "<script" not in outside
    assert "<img" not in outside


def test_holds_decision_ranking_guardrails_provenance() -> None:
    made = make_sweep(120, 6).results
    text = render_markdown(made)
    assert "**Winner** ✅" in text
    assert "### Ranking" in text
    assert "Guardrails broken: #" in text
    assert made.config_sha256 in text
    assert made.gold.sha256 in text
    assert text.count("<details>") == text.count("</details>")


def test_fits_a_comment() -> None:
    assert len(render_markdown(make_sweep(162, 40).results)) < 65_536


def test_no_safe_winner_and_nothing_ranked() -> None:
    assert "No safe winner" in render_markdown(make_sweep(30, 2, safe=False).results)
    assert "No safe winner" in render_markdown(make_sweep(10, 0).results)

import re

import pytest

from metajudge.report import consult_markdown
from metajudge.report.consult_markdown import render_consult_markdown
from metajudge.report.consult_results import ConsultReport
from metajudge.report.consult_rule import Decision
from metajudge.report.inert import markdown_text
from metajudge.report.words import Language
from tests.report.consult_factory import make_consult
from tests.texts import check_rectangular


def outside_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_judged_text_is_no_markup_mention_or_link(language: Language) -> None:
    text = render_consult_markdown(make_consult("collect", hostile=True), language)
    plain = outside_code(text)
    assert not re.search(r"<(?!/?(?:details|summary|sub)>)[a-zA-Z/!]", plain)
    assert not re.search(r"@\w|(?<![\\&])#\d|\bGH-\d|://|\bwww\.", plain)
    assert not re.search(r"(?<!\\)!\[|(?<!\\)\]\(", plain)
    assert "window.pwned=1&lt;/script&gt;" in plain


def test_an_issue_reference_without_a_hash_is_broken_up() -> None:
    assert markdown_text("closes GH-12 and gh-7") == "closes GH-\u200b12 and gh-\u200b7"
    assert markdown_text("1) first") == "1\\) first"


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_are_rectangular(language: Language, hostile: bool) -> None:
    text = render_consult_markdown(make_consult("collect", hostile=hostile), language)
    check_rectangular(text)


@pytest.mark.parametrize(
    ("decision", "head"),
    [
        ("adopt", "## Change of a metric: ADOPT ✅"),
        ("hold", "## Change of a metric: HOLD ⛔"),
        ("collect", "## Change of a metric: COLLECT FIRST ⏳"),
        ("nothing_changes", "## Change of a metric: NOTHING CHANGES ✅"),
    ],
)
def test_decision_rule_and_scores_are_not_folded(decision: Decision, head: str) -> None:
    report = make_consult(decision)
    text = render_consult_markdown(report)
    visible = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    assert visible.startswith(head)
    assert markdown_text(report.rule.sentence) in visible
    assert "| rise of over-credit | ≤ .02 |" in visible
    if decision != "nothing_changes":
        assert "| pass rate |" in visible
        assert "**Verdicts that change**: 101 of 600 claims" in visible
    assert text.count("<details>") == text.count("</details>")


def test_numbers_in_tables_need_no_escape_and_names_get_theirs() -> None:
    report = make_consult()
    numbers = {"score_was": 1.0, "score_now": 0.25}
    names = ("1.0", "[1]\n2", "[a](b)", "1. ٣", "* x")
    flipped = tuple(
        report.scores.flipped[0].model_copy(update={"answer_id": name, **numbers}) for name in names
    )
    scores = report.scores.model_copy(update={"flipped": flipped})
    text = render_consult_markdown(report.model_copy(update={"scores": scores}))
    assert "| 0.666 [.60 .80] |" in text
    heads = ("1.0", r"\[1\] 2", r"\[a\](b)", r"1\. ٣", r"\* x")
    for head in heads:
        assert f"| {head} | 1.0 | .25 |" in text


def big(report: ConsultReport) -> ConsultReport:
    """The same with endless names and texts."""
    endless = "很长的一句话 <b> | " * 4000
    texts = {
        name: shown.model_copy(update={"claim": endless}) for name, shown in report.texts.items()
    }
    side = report.current.model_copy(update={"name": endless, "judge": endless})
    return report.model_copy(
        update={"texts": texts, "current": side, "notes": (endless,) * 50, "proposed": side}
    )


def test_a_usual_one_is_short_and_no_other_exceeds_a_comment() -> None:
    assert len(render_consult_markdown(make_consult())) < 8_000
    text = render_consult_markdown(big(make_consult("collect", answers=2000)))
    assert len(text) < 65_536


def test_folds_that_do_not_fit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consult_markdown, "LIMIT", 3000)
    text = render_consult_markdown(make_consult())
    assert "Left out to fit a comment: Verdicts that change" in text
    assert len(text) < 3_200


def test_up_to_three_examples_a_direction() -> None:
    report = make_consult()
    text = render_consult_markdown(report)
    first = report.flips.directions[0]
    told = [line for line in text.splitlines() if line.startswith(f"- {first.was} → {first.now} ")]
    assert len(told) == 3
    assert report.texts[first.examples[0]].claim in told[0]


def test_hashes_are_there() -> None:
    report = make_consult()
    text = render_consult_markdown(report)
    assert report.sample.sha256 in text
    assert report.proposed.release_sha256 is not None
    assert report.proposed.release_sha256 in text


def test_a_correction_that_is_refused_names_its_side() -> None:
    text = render_consult_markdown(make_consult(failures=True))
    told = markdown_text("– corrected (proposed), the judges' error: a label has no gold claim")
    assert told in text

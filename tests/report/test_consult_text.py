import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from metajudge.report.consult_block import Block, Line, Shown, warning_lines
from metajudge.report.consult_results import ConsultReport
from metajudge.report.consult_rule import Decision
from metajudge.report.consult_text import print_consult
from metajudge.report.words import Language
from tests.report.consult_factory import make_consult
from tests.report.consult_factory_parts import figure
from tests.texts import words

VARIANTS = (
    {},
    {"gold": False},
    {"judges": True, "failures": True},
    {"chinese": True},
    {"hostile": True},
    {"once": True},
    {"answers": 3},
)


WARNINGS = (
    "1 clusters, under 30: intervals tend to be too narrow",
    "25 clusters, under 30: intervals tend to be too narrow",
    "the p is coarse",
)


def shown(report: ConsultReport, language: Language = "en", width: int = 80) -> str:
    file = io.StringIO()
    print_consult(report, Console(file=file, width=width, legacy_windows=False), language)
    return file.getvalue()


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_fits_the_terminal_and_obeys_nobody(
    variant: dict[str, bool], language: Language, width: int
) -> None:
    text = shown(make_consult("collect", **variant), language, width)  # type: ignore[arg-type]
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert not {"\x1b", "\x07", "\u202e", "\u2028", "\r"} & set(text)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("adopt", "ADOPT"),
        ("hold", "HOLD"),
        ("collect", "COLLECT FIRST"),
        ("nothing_changes", "NOTHING CHANGES"),
    ],
)
def test_the_decision_and_its_rule_come_before_any_figure(decision: Decision, said: str) -> None:
    text = shown(make_consult(decision))
    places = [text.index(part) for part in (said, "The rule", "≤ .02")]
    assert places == sorted(places)
    assert "Scores" not in text[: places[-1]]


def test_each_criterion_has_bound_finding_and_state() -> None:
    text = shown(make_consult("hold"))
    (line,) = [line for line in text.splitlines() if "✗" in line]
    assert words(line) == "rise of over-credit ≤ .02 +.06 [+.03 +.09] ✗ broken"
    assert "change of kappa ≥ -.02 +.04 [+.03 +.05] ✓ kept" in words(text)


def test_what_to_collect_is_counted_by_slice_with_the_reason_for_a_missing_number() -> None:
    text = words(shown(make_consult("collect")))
    assert "change of kappa labels inference · outside, true 180 240" in text
    assert "– pass-rate shift, half-width: the figure stands too near its bound" in text
    assert "? change of kappa: the bound lies inside the interval" in text


def test_policy_and_threshold_stand_with_the_scores() -> None:
    text = words(shown(make_consult()).split("Scores")[1].split("Verdicts that change")[0])
    assert "Before: lenient, passes from 0.5. After: strict, passes from 0.7." in text
    assert "mean score" in text
    assert "pass rate" in text


def test_a_threshold_keeps_its_digits() -> None:
    """Rounded to .67, a threshold of 0.666 would fail the answers that it is meant to pass."""
    assert "0.666 [.60 .80]" in shown(make_consult())


def test_a_proposed_threshold_that_is_as_near_as_it_gets_is_said_to_be() -> None:
    report = make_consult()
    kept = report.thresholds.pass_rate
    own = kept.model_copy(update={"threshold": figure(report.thresholds.proposed)})
    thresholds = report.thresholds.model_copy(update={"pass_rate": own})
    told = report.model_copy(update={"thresholds": thresholds})
    said = "pass rate: the proposed side's own threshold, 0.7, is as near as it gets."
    assert said in words(shown(told))
    assert "is as near as it gets" not in words(shown(report))
    assert "拟用一方自己的阈值0.7已是最接近的" in "".join(shown(told, "zh").split())


def test_flips_have_examples_and_what_gold_says() -> None:
    report = make_consult()
    text = shown(report)
    first = report.flips.directions[0]
    assert f"{first.was} → {first.now}" in text
    assert "right before" in text
    assert first.examples[0] in text or "…" in text
    assert "right before" not in shown(make_consult(gold=False))


def test_b34_undefined_figures_tell_their_reason() -> None:
    text = words(shown(make_consult(failures=True)))
    assert "– corrected (proposed), the judges' error: a label has no gold claim" in text
    chinese = "".join(shown(make_consult(failures=True), "zh").split())
    assert "校正后（拟用）、裁判误差所致：有标签没有标注陈述" in chinese
    alone = words(shown(make_consult(gold=False)))
    assert "– false-pass rate: there is no gold set to tell which answers should pass" in alone
    assert "There is no gold set: what part of the shift is the judges' error" in alone


def test_missing_replies_an_early_end_and_few_clusters_are_warned_of() -> None:
    report = make_consult("collect", failures=True, judges=True)
    text = words(shown(report))
    assert "Asking ended early: the budget is spent (the budget of 500 calls is spent)." in text
    assert "Claims without a reply: 0 current, 7 proposed" in text
    assert text.count("Few contexts stand behind some figures (12, under 30): intervals") == 1
    assert "Not asked: proposed with scripted:a: 40 claims have no reply" in text
    assert "2 answers have no score (no claim was read 2)" in text
    assert "template and judge" in text


def test_few_contexts_are_one_line_and_other_warnings_keep_their_parts() -> None:
    warned = [figure(0.5, 9).model_copy(update={"warning": warning}) for warning in WARNINGS]
    line = Line(tuple(map(Shown, warned)))
    blocks = [Block("a", "Scores", lines=(line,)), Block("b", "Flips", lines=(line, line))]
    few = "Few contexts stand behind some figures (1 to 25, under 30): intervals tend to be"
    assert warning_lines(blocks, "en") == (f"{few} too narrow", "Scores, Flips: the p is coarse")
    assert "（1 至 25 份，少于 30 份）" in warning_lines(blocks, "zh")[0]
    alone = line._replace(cells=line.cells[:1])
    assert "(1, under 30)" in warning_lines([Block("a", "Scores", lines=(alone,))], "en")[0]


def test_one_draw_is_said_to_be_one() -> None:
    text = words(shown(make_consult(once=True)))
    assert "Each claim was asked once" in text
    assert "– not measured" in text


def test_where_one_part_differs_the_whole_shift_is_its() -> None:
    report = make_consult()
    alone = report.parts.model_copy(update={"parts": report.parts.parts[:1]})
    text = words(shown(report.model_copy(update={"parts": alone})))
    assert "Only the policy differs: the whole shift is its." in text


def test_chinese_throughout() -> None:
    text = shown(make_consult("collect", chinese=True), "zh")
    for part in ("先收集", "规则", "未决", "改变的裁决", "变化来自哪里", "裁判误差", "阈值"):
        assert part in text
    assert "忠实度裁决@1.0.0" in text


def test_two_screens_hold_it() -> None:
    assert len(shown(make_consult()).splitlines()) <= 125
    assert len(shown(make_consult("collect", judges=True, failures=True)).splitlines()) <= 145


def test_b118_a_terminal_without_the_characters_still_prints() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    print_consult(make_consult(), Console(file=file, width=80), "zh")
    file.flush()
    assert b"faithfulness-verdict@1.0.0" in raw.getvalue()

"""What gold says about each kind of flip, and both sides on the same labels, by hand."""

from __future__ import annotations

from metajudge.release.consult.on_gold import on_gold
from metajudge.release.consult.shifts import scored
from metajudge.report.consult_results import OnGold
from tests.release.consult.worlds import gold_of, said, side

# gold:      y y i n | y y i n
LABELS = ("yyin", "yyin")
# summaries are the first two claims of each answer
KINDS = "ssoo" * 2


def found_of(was: tuple[str, ...], now: tuple[str, ...]) -> OnGold:
    gold = gold_of(LABELS, slices=KINDS)
    both = (said(*was), said(*now))
    scores = (
        scored(gold.bench, side("strict", 0.5), both[0]),
        scored(gold.bench, side("strict", 0.5), both[1]),
    )
    return on_gold(gold, both, scores)


def test_each_direction_tells_who_is_right() -> None:
    # idk->yes four times: gold is yes, yes (after is right), idk (before), no (neither)
    found = found_of(("iiii", "yyin"), ("yyyy", "yyin"))
    assert found.changed == 4 and (found.better, found.worse) == (2, 1)
    row = found.directions[0]
    assert (row.was, row.now, row.claims) == ("idk", "yes", 4)
    assert row.agrees_before.value == 0.25
    assert row.agrees_after.value == 0.5
    assert row.agrees_neither.value == 0.25
    assert row.slices == {"summary": 2, "off_context": 2}


def test_over_credit_and_summary_as_idk_and_their_paired_differences() -> None:
    found = found_of(("iiin", "iyin"), ("yyyn", "yyin"))
    assert found.current["summary_as_idk"].value == 0.75
    assert found.proposed["summary_as_idk"].value == 0.0
    assert found.differences["summary_as_idk"].value == -0.75
    assert found.current["over_credit"].value == 0.0
    assert found.proposed["over_credit"].value == 0.25
    assert found.differences["over_credit"].value == 0.25
    assert found.current["accuracy"].value == 0.625
    assert found.proposed["accuracy"].value == 0.875
    assert found.differences["accuracy"].value == 0.25
    assert found.current["coverage"].value == 1.0
    low, high = found.differences["over_credit"].low, found.differences["over_credit"].high
    assert low is not None and high is not None and low < 0.25 < high


def test_pass_agreement_and_score_error_against_gold_scores() -> None:
    # gold strict scores 0.5, 0.5: both pass at 0.5. Current: 0, 0.25 fail. Proposed: 0.5, 0.5.
    found = found_of(("iiii", "yiii"), ("yyin", "yyin"))
    assert found.current["pass_agreement"].value == 0.0
    assert found.proposed["pass_agreement"].value == 1.0
    assert found.differences["pass_agreement"].value == 1.0
    assert found.current["score_mae"].value == 0.375
    assert found.differences["score_mae"].value == -0.375
    assert found.current["score_bias"].value == -0.375


def test_a_failure_is_no_agreement_and_lowers_coverage() -> None:
    found = found_of(("yyin", "yyin"), ("fyin", "yyin"))
    assert found.proposed["coverage"].value == 0.875
    assert (found.better, found.worse) == (0, 1)
    assert found.directions[0].now == "failure"
    assert found.directions[0].agrees_before.value == 1.0

from __future__ import annotations

from collections.abc import Sequence

import pytest

from metajudge.errors import InputError
from metajudge.experiment.comparison import compare_results
from metajudge.experiment.comparison_words import Gap, verdict_in_words
from metajudge.report.comparison_results import RunComparison
from metajudge.report.part import Figure
from metajudge.report.results import ClaimKey, Results, TrialVerdicts
from tests.report.factory import make_sweep
from tests.selection.test_ranking import EAGER, GOLD, RIGHT, SLICES, TIMID

CANDIDATES = {"timid": TIMID, "right": RIGHT, "eager": EAGER}


def run(
    verdicts: dict[str, Sequence[str]] | None = None,
    gold: Sequence[str] = GOLD,
    **gold_info: object,
) -> Results:
    """A run whose candidates gave these verdicts on claims c0, c1, … of their own answers."""
    results = make_sweep(20, 1).results
    chosen = CANDIDATES if verdicts is None else verdicts
    binary = "supported" in gold
    labels = {label: list(gold).count(label) for label in dict.fromkeys(gold)}
    info: dict[str, object] = {"claims": len(gold), "labels": labels, "sha256": "a" * 64}
    return results.model_copy(
        update={
            "gold": results.gold.model_copy(update=info | gold_info),
            "claims": tuple(
                ClaimKey(
                    claim_id=f"c{i}",
                    answer_id=f"a{i}",
                    context_id=f"x{i}",
                    gold=label,
                    slice=None if binary else SLICES[i],
                    lang="en",
                )
                for i, label in enumerate(gold)
            ),
            "verdicts": tuple(
                TrialVerdicts(trial=name, reading="top", verdicts=tuple(said))  # type: ignore[arg-type]
                for name, said in chosen.items()
            ),
            "trials": (),
            "ranking": (),
            "resamples": 400,
            "guardrails": {"over_credit_above_baseline": 0.02},
            "decision": results.decision.model_copy(
                update={"winner": next(iter(chosen), None), "reading": "top"}
            ),
        }
    )


def test_two_trials_of_one_run() -> None:
    results = run()
    found = compare_results(results, results, "timid", "right")
    assert (found.a.trial, found.b.trial, found.claims) == ("timid", "right", 80)
    assert found.figures_a["summary_as_idk"].value == 0.6
    assert found.figures_b["summary_as_idk"].value == 0
    assert found.differences["summary_as_idk"].value == -0.6
    assert (found.better, found.worse, len(found.changed)) == (12, 0, 12)
    assert found.told_apart == {
        "summary_as_idk": True,
        "over_credit": False,
        "kappa": True,
        "accuracy": True,
    }
    everywhere = [cell for cell in found.changes if cell.slice is None and cell.was != cell.now]
    assert [(c.gold, c.was, c.now, c.claims) for c in everywhere] == [("yes", "idk", "yes", 12)]
    assert {c.slice for c in found.changes if c.was != c.now} == {None, "summary"}
    first = found.changed[0]
    assert (first.claim_id, first.gold, first.slice, first.was, first.now) == (
        "c0", "yes", "summary", "idk", "yes",
    )  # fmt: skip
    assert RunComparison.model_validate_json(found.model_dump_json()) == found


def test_two_runs_are_joined_by_claim_id_whatever_their_order() -> None:
    one = run({"only": RIGHT})
    other = run({"only": TIMID})
    turned = other.model_copy(
        update={
            "claims": other.claims[::-1],
            "verdicts": tuple(
                row.model_copy(update={"verdicts": row.verdicts[::-1]}) for row in other.verdicts
            ),
        }
    )
    usual, found = compare_results(one, other), compare_results(one, turned)
    assert found.model_dump(exclude={"changed"}) == usual.model_dump(exclude={"changed"})
    assert (found.better, found.worse) == (0, 12)
    assert found.only_a == found.only_b == ()


def test_claims_in_one_run_only_are_named_and_left_out() -> None:
    one, other = run({"only": RIGHT}), run({"only": TIMID})
    short = other.model_copy(
        update={
            "claims": other.claims[:70],
            "verdicts": tuple(
                row.model_copy(update={"verdicts": row.verdicts[:70]}) for row in other.verdicts
            ),
        }
    )
    found = compare_results(one, short)
    assert found.claims == 70
    assert found.only_a == tuple(f"c{i}" for i in range(70, 80))
    assert found.only_b == ()
    assert any("10 claims that only A has, 0 that only B has" in note for note in found.notes)
    assert compare_results(short, one).only_b == found.only_a


def test_another_gold_set_is_refused_and_both_are_named() -> None:
    one = run(name="halls", version="1.0.0")
    other = run(name="halls", version="1.1.0", sha256="b" * 64, split="test", policy_version="2")
    with pytest.raises(InputError) as refused:
        compare_results(one, other)
    gold, policy = refused.value.problems
    assert gold.field == "gold" and gold.got is not None
    assert "halls 1.0.0: split dev, 80 claims, sha256 aaaaaaaaaaaa" in gold.got
    assert "halls 1.1.0: split test, 80 claims, sha256 bbbbbbbbbbbb" in gold.got
    assert (policy.field, policy.got) == ("labelling policy", "halls 1.0.0: 1, halls 1.1.0: 2")


def test_another_labelling_policy_alone_is_refused() -> None:
    with pytest.raises(InputError, match="one version of the labelling policy"):
        compare_results(run(policy_version="1"), run(policy_version="1.1"))


def test_another_label_space_is_refused() -> None:
    gold = ["supported", "unsupported"] * 4
    binary = run({"only": ["yes", "no"] * 4}, gold)
    with pytest.raises(
        InputError, match=r"yes/no/idk, faithfulness 1\.0\.0: supported/unsupported"
    ):
        compare_results(run(), binary)


def test_binary_gold_is_compared_in_its_own_labels() -> None:
    gold = ["supported", "unsupported"] * 10
    results = run({"a": ["yes", "no"] * 10, "b": ["yes", "idk"] * 10}, gold)
    found = compare_results(results, results, "a", "b")
    assert (found.better, found.worse, len(found.changed)) == (0, 0, 10)
    assert found.differences["kappa"].value == 0
    assert found.differences["summary_as_idk"].value is None
    assert "summary-as-idk cannot be compared (no claim is a gold-yes claim" in found.sentence


def test_a_candidate_is_found_by_name_or_taken_from_the_decision() -> None:
    results = run()
    assert compare_results(results, results, trial_b="right (top)").a.trial == "timid"
    other = run({"right": RIGHT, "timid": TIMID}, created="later").model_copy(
        update={"name": "other"}
    )
    assert compare_results(results, other, "timid").b.trial == "timid"
    assert compare_results(results, other).b.trial == "right"
    with pytest.raises(InputError, match="Did you mean 'right'") as refused:
        compare_results(results, results, "rihgt")
    assert refused.value.problems[0].got == "'rihgt'"
    with pytest.raises(InputError, match="It has none: sweep first"):
        compare_results(run({}), run({}))


def test_a_candidate_is_not_compared_with_itself() -> None:
    results = run()
    with pytest.raises(InputError, match="two candidates"):
        compare_results(results, results, "right", "right")


def test_a_partial_run_says_so() -> None:
    results = run()
    stopped = results.calls.model_copy(update={"stopped": "budget"})
    partial = results.model_copy(update={"calls": stopped})
    notes = compare_results(results, partial, "timid", "right").notes
    assert "Run B stopped early: claims that it did not ask count as failures." in notes


def gap(name: str, value: float, low: float, high: float, apart: bool, **fields: object) -> Gap:
    figure = Figure(value=value, low=low, high=high, n=158)
    return Gap(name, figure, apart, **fields)  # type: ignore[arg-type]


def test_the_sentence_says_gain_cost_guardrail_and_what_is_not_seen() -> None:
    said = verdict_in_words(
        [
            gap("summary_as_idk", -0.12, -0.20, -0.05, True),
            gap("over_credit", 0.03, 0.004, 0.07, True, bound=0.02),
            gap("kappa", 0.02, -0.03, 0.07, False, p=0.41, unseen_below=0.081),
        ]
    )
    assert said.en == (
        "B is better on summary-as-idk -0.12 [-0.20, -0.05]; it costs over-credit +0.03 "
        "[0.00, +0.07], upper limit beyond the guardrail of +0.02; the difference of kappa, +0.02 "
        "[-0.03, +0.07], p 0.41, cannot be told from nothing (with these 158 claims a difference "
        "under about 0.08 is often not seen)."
    )
    assert said.zh == (
        "B 改善：概括判 idk 降低（-0.12 [-0.20, -0.05]）；代价是过度认可升高（+0.03 "
        "[0.00, +0.07]），上限超出护栏 +0.02；kappa 的差异 +0.02 [-0.03, +0.07]（p = 0.41）"
        "无法与零区分，仅凭这 158 条陈述，小于约 0.08 的差异多半看不出来。"
    )


def test_the_sentence_of_a_loss_and_of_no_difference() -> None:
    worse = verdict_in_words([gap("kappa", -0.2, -0.3, -0.1, True)])
    assert worse.en == "B is worse on kappa -0.20 [-0.30, -0.10]."
    assert worse.zh == "B 变差：kappa 降低（-0.20 [-0.30, -0.10]）。"
    same = verdict_in_words([gap("over_credit", 0, 0, 0, False, bound=0.02)])
    assert same.en == (
        "B cannot be told from A: over-credit is the same, upper limit within the guardrail of "
        "+0.02."
    )
    assert same.zh == "B 与 A 无法区分：过度认可没有变化，上限未超出护栏 +0.02。"


def test_the_sentence_of_what_is_undefined() -> None:
    gone = Gap("kappa", Figure(value=None, n=0, reason="one label"), False)
    said = verdict_in_words([gone])
    assert said.en == "B cannot be told from A: kappa cannot be compared (one label)."
    assert said.zh == "B 与 A 无法区分：kappa 无法比较（one label）。"

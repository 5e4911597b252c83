from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.intervals import wilson_interval
from metajudge.agreement.paired_score import paired_score_interval
from metajudge.selection.sensitivity import (
    NO_BEFORE,
    ControlRuns,
    Sensitivity,
    changes,
    drop,
    measure_controls,
    sensitivity,
)

LETTERS = {"y": 0, "n": 1, "i": 2, "f": 3, "-": NO_BEFORE}
YES, IDK, FAILURE = 0, 2, 3


def coded(word: str) -> Any:
    return np.asarray([LETTERS[letter] for letter in word], np.int64)


def probes(
    before: str, after: str, kind: str = "evidence_removed", contexts: Any = None
) -> ControlRuns:
    """Probes as words of y, n, i, f and - (no verdict before), each in a context of its own."""
    where = np.arange(len(after)) if contexts is None else np.asarray(contexts, np.int64)
    return ControlRuns("t", kind, coded(before), coded(after), where)


def weights(contexts: int, resamples: int = 400) -> Any:
    return cluster_weights(contexts, resamples, np.random.default_rng(3))


def reads(*runs: ControlRuns, contexts: int = 40) -> Sensitivity:
    return sensitivity(runs, weights(contexts))


def test_figures_by_hand() -> None:
    removed = probes("yyyyiify--", "iyfnyiiyyi")
    found = measure_controls([removed], weights(10))
    row = found.rows[0]
    change = changes(removed)
    assert change.yes.tolist() == [c == "y" for c in "yyyyiify--"]
    # yes-idk and yes-no stop; idk-yes becomes; failures on either side are neither.
    assert (int(change.stops.sum()), int(change.becomes.sum())) == (2, 1)
    assert (row.yes_before.value, row.yes_before.n) == (5 / 8, 8)
    assert (row.wrong.value, row.wrong.n) == (4 / 10, 10)
    assert (row.drop.value, row.drop.n, row.n) == (1 / 8, 8, 10)
    low, high = wilson_interval(4, 10)
    assert row.wrong.method == "Wilson, effective n"
    assert row.wrong.low is not None and abs(row.wrong.low - float(low)) < 0.02
    assert row.wrong.high is not None and abs(row.wrong.high - float(high)) < 0.02


def test_drop_without_failures_is_yes_before_minus_yes_after() -> None:
    found = measure_controls([probes("yyynii", "iyniyi")], weights(6)).rows[0]
    assert found.drop.value == pytest.approx(3 / 6 - 2 / 6)


def test_probes_made_from_no_claim_have_no_before() -> None:
    found = measure_controls([probes("---", "yii", kind="world_true")], weights(3)).rows[0]
    assert found.wrong.value == pytest.approx(1 / 3)
    assert found.yes_before.value is None and found.drop.value is None
    assert found.drop.reason == "no probe has a verdict before"


def test_few_contexts_and_even_changes_get_the_score_interval() -> None:
    few = drop(probes("yyyyyyyyii", "iiiiiiyyii"), weights(10))
    assert few.method == "paired score, effective n"
    size = 10 * 9 / 10  # one probe a context: the jackknife factor G / (G - 1)
    plain = paired_score_interval(2 * size / 10, 6 * size / 10, 0, 2 * size / 10)
    assert (few.low, few.high) == pytest.approx((float(plain.low), float(plain.high)))
    none = drop(probes("y" * 40, "y" * 40), weights(40))
    assert (none.value, none.method) == (0, "paired score, effective n")
    assert none.low is not None and none.high is not None and none.low < 0 < none.high
    every = drop(probes("y" * 40, "i" * 40), weights(40))
    assert every.value == 1 and every.low is not None and 0.8 < every.low < 1
    mixed = drop(probes("y" * 40, "i" * 30 + "y" * 10), weights(40))
    assert "paired" not in mixed.method and "percentile" in mixed.method
    assert mixed.low is not None and mixed.low == pytest.approx(0.6, abs=0.06)


def test_probes_of_one_context_count_as_one_cluster() -> None:
    before, after = "y" * 60, ("i" * 10 + "y" * 10) * 3
    alone = drop(probes(before, after), weights(60))
    together = drop(probes(before, after, contexts=[i // 10 for i in range(60)]), weights(6))
    assert alone.value == together.value == 0.5
    assert together.n_clusters == 6
    assert (together.low or 0) < (alone.low or 0)


def test_contexts_without_a_probe_keep_their_place_among_resamples() -> None:
    some = probes("y" * 35, "i" * 20 + "y" * 15)
    assert drop(some, weights(60)).value == drop(some, weights(35)).value
    assert drop(some, weights(60)).n_clusters == 35


def test_a_judge_that_reads_is_not_flagged() -> None:
    found = reads(
        probes("y" * 18 + "i" * 2, "i" * 17 + "y" + "ii"),
        probes("y" * 18 + "i" * 2, "i" * 20, kind="contexts_swapped"),
        probes("y" * 20, "y" * 20, kind="number_shifted"),
    )
    assert (found.cause, found.reason) == (None, None)
    assert found.drop.low is not None and found.drop.low > 0.5
    assert found.drop.n == 40


def test_constant_yes_is_always_yes() -> None:
    found = reads(probes("y" * 20, "y" * 20), probes("y" * 20, "y" * 20, "contexts_swapped"))
    assert found.cause == "always_yes"
    assert found.reason == (
        "says yes to 40 of 40 claims with their evidence and to 40 of 40 without it: "
        "yes to everything"
    )


def test_constant_idk_credits_nothing() -> None:
    found = reads(probes("i" * 40, "i" * 40))
    assert found.cause == "credits_nothing"
    assert found.reason == (
        "says yes to 0 of 40 claims with their evidence: "
        "a judge that credits nothing cannot be seen to read"
    )
    assert reads(probes("yyyy" + "i" * 36, "i" * 40)).cause == "credits_nothing"


def test_a_stable_judge_that_reads_only_the_claim_is_blind() -> None:
    said = "yyi" * 13 + "y"
    found = reads(probes(said, said))
    assert found.cause == "blind"
    assert found.reason is not None and found.reason.startswith(
        "says yes to 27 of 40 claims with their evidence and to 27 of 40 without it (drop 0.00"
    )


def test_failing_without_evidence_is_not_reading() -> None:
    found = reads(probes("y" * 40, "f" * 40))
    assert found.cause == "blind"
    assert found.drop.value == 0
    assert found.reason is not None and "(40 verdicts failed)" in found.reason


def test_a_drop_in_too_few_contexts_is_not_shown() -> None:
    contexts = [i // 10 for i in range(40)]
    found = reads(probes("y" * 40, "i" * 40, contexts=contexts), contexts=4)
    assert found.drop.low is not None and found.drop.low > 0
    assert found.cause == "too_few"
    assert found.reason is not None and found.reason.endswith(
        "fewer yes in 4 contexts and more in 0, too few contexts to tell from chance"
    )
    assert reads(probes("yyyy", "iiii"), contexts=4).cause == "too_few"
    contexts = [i // 5 for i in range(40)]
    assert reads(probes("y" * 40, "i" * 40, contexts=contexts), contexts=8).cause is None


def test_what_was_not_tested_is_not_taken_to_read() -> None:
    found = reads(probes("yyyyyy", "iiiiii", kind="number_shifted"))
    assert (found.cause, found.drop.value) == ("not_tested", None)
    assert found.reason == (
        "no probe of evidence_removed and contexts_swapped has a verdict before"
    )


def test_each_trial_is_judged_by_its_own_probes() -> None:
    one = probes("y" * 20, "i" * 20)
    other = ControlRuns("u", one.kind, one.before, one.before, one.contexts)
    found = measure_controls([one, other], weights(20)).sensitivity
    assert {trial: s.cause for trial, s in found.items()} == {"t": None, "u": "always_yes"}


Judge = Callable[[np.random.Generator, Any], Any]


def said_yes(rng: np.random.Generator, chance: Any) -> Any:
    return np.where(rng.random(len(chance)) < chance, YES, IDK)


def simulated(judge: str, rng: np.random.Generator, n: int = 60) -> Sensitivity:
    """One world: n claims in n / 2 contexts, their evidence removed or swapped for another's."""
    contexts = np.arange(n) // 2
    plausible = rng.beta(2, 1, size=n)
    always = np.ones(n)
    before, after = {
        "good": (0.8 * always, 0.1 * always),
        "weak": (0.7 * always, 0.4 * always),
        "constant yes": (0.99 * always, 0.99 * always),
        "constant idk": (0.01 * always, 0.01 * always),
        "blind": (plausible, plausible),
    }[judge]
    runs = [
        ControlRuns(
            "t", kind, said_yes(rng, before[part]), said_yes(rng, after[part]), contexts[part]
        )
        for kind, part in (
            ("evidence_removed", slice(0, n // 2)),
            ("contexts_swapped", slice(n // 2, n)),
        )
    ]
    return sensitivity(runs, cluster_weights(n // 2, 200, rng))


@pytest.mark.parametrize(
    ("judge", "cause", "least", "most"),
    [
        ("good", None, 0.99, 1.0),
        ("weak", None, 0.6, 1.0),
        ("constant yes", "always_yes", 0.95, 1.0),
        ("constant idk", "credits_nothing", 0.99, 1.0),
        ("blind", None, 0.0, 0.04),
    ],
)
def test_simulated_judges_are_told_apart(
    judge: str, cause: str | None, least: float, most: float
) -> None:
    rng = np.random.default_rng(11)
    causes = [simulated(judge, rng).cause for _ in range(300)]
    assert least <= np.mean([found == cause for found in causes]) <= most
    if judge.startswith("constant"):
        assert None not in causes


def test_shapes_and_codes_are_checked() -> None:
    with pytest.raises(ValueError, match="differ in n"):
        probes("yy", "y")
    with pytest.raises(ValueError, match="codes are 0 to 3"):
        probes("y", "-")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_nan_leaves_the_room(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 8))
    before = data.draw(st.text("ynif-", min_size=n, max_size=n))
    after = data.draw(st.text("ynif", min_size=n, max_size=n))
    contexts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    found = measure_controls([probes(before, after, contexts=contexts)], weights(4, 30))
    row, seen = found.rows[0], found.sensitivity["t"]
    for estimate in (row.yes_before, row.wrong, row.drop, seen.drop):
        numbers = (estimate.value, estimate.low, estimate.high)
        assert all(x is None or np.isfinite(x) for x in numbers)
        assert estimate.value is not None or estimate.reason
    assert (seen.cause is None) == (seen.reason is None)

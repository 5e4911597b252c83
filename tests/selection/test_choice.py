from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Bounds, Measurer, Ranked, rank, selection_luck
from metajudge.selection.choice import _chosen
from metajudge.selection.rule import Guardrails
from tests.selection.test_ranking import CONSTANT, EAGER, FAILING, GOLD, LOOSE, RIGHT, SLICES, TIMID
from tests.selection.test_worlds import SIZES, TABLE, simulate
from tests.selection.worlds import names, ranking, world

POOL = {**CONSTANT, "right": RIGHT, "timid": TIMID, "eager": EAGER, "failing": FAILING}


def luck(measurer: Measurer, ranked: tuple[Ranked, ...], **options: object):  # type: ignore[no-untyped-def]
    usual: dict[str, object] = {
        "target": "summary_as_idk",
        "bounds": LOOSE,
        "baseline": None,
        "rng": np.random.default_rng(5),
        "outer": 200,
    }
    return selection_luck(measurer, ranked, **(usual | options))  # type: ignore[arg-type]


@pytest.mark.parametrize("baseline", [None, "timid", "right"])
def test_on_the_sample_itself_the_guardrails_are_those_of_rank(baseline: str | None) -> None:
    measurer = world(GOLD, POOL, slices=SLICES)
    row = None if baseline is None else measurer.candidates.first_of(baseline)
    allowed, _, kappa = Guardrails(measurer, LOOSE, row).on(np.ones((1, 80)))
    ranked = ranking(measurer, bounds=LOOSE, baseline=baseline)
    assert {r.index for r in ranked if r.safe} == set(np.flatnonzero(allowed[0]).tolist())
    values = [e.figures["kappa"].value for e in measurer.measure()]
    assert kappa[0] == pytest.approx(values)


def test_every_guardrail_can_be_lifted() -> None:
    measurer = world(GOLD, POOL, slices=SLICES)
    lifted = Bounds(None, None, None, None, None)
    assert Guardrails(measurer, lifted, 0).on(np.ones((1, 80))).allowed.all()


def test_equal_targets_go_to_kappa_then_to_the_name() -> None:
    losses = np.asarray([[0.1, 0.1, 0.2], [0.1, 0.1, 0.1], [np.nan, 0.3, 0.2], [0.1, 0.1, 0.1]])
    kappa = np.asarray([[0.5, 0.6, 0.9], [0.5, 0.5, 0.4], [0.9, 0.1, 0.1], [0.1] * 3])
    allowed = np.asarray([[True] * 3, [True] * 3, [True, True, False], [False] * 3])
    found = _chosen(losses, allowed, kappa, np.asarray([1, 0, 2]))
    assert found.astype(int).tolist() == [[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]]


def test_a_clear_winner_is_no_luck() -> None:
    measurer = world(GOLD, POOL, slices=SLICES)
    ranked = ranking(measurer, bounds=LOOSE)
    found = luck(measurer, ranked)
    assert names(ranked, measurer)[0] == "right"
    assert (found.winner, found.apparent) == (ranked[0].index, 0)
    assert found.win_shares[ranked[0].index] > 0.95
    assert found.optimism == pytest.approx(0, abs=1e-9)


def test_the_best_of_many_equal_wordings_looks_better_than_it_is() -> None:
    sizes = {name: n // 4 for name, n in SIZES.items()}
    apparent, corrected = [], []
    for seed in range(25):
        made = simulate([TABLE] * 12, sizes, np.random.default_rng(seed))
        bounds = Bounds(over_credit_upper=0.2)
        ranked = made.rank(baseline=None, bounds=bounds)
        found = luck(made.measurer, ranked, bounds=bounds)
        apparent.append(found.apparent)
        corrected.append(found.corrected)
    truth = TABLE["summary"][2]
    assert np.mean(apparent) < truth - 0.02
    assert abs(np.mean(corrected) - truth) < abs(np.mean(apparent) - truth)
    assert np.mean(corrected) > np.mean(apparent)


def test_without_a_safe_winner_the_reason_is_given_and_shares_remain() -> None:
    measurer = world(GOLD, {"eager": EAGER, "failing": FAILING}, slices=SLICES)
    found = luck(measurer, ranking(measurer, bounds=Bounds()), bounds=Bounds())
    assert (found.winner, found.corrected) == (None, None)
    assert found.reason == "no candidate qualifies"
    assert found.no_winner_share + found.win_shares.sum() == pytest.approx(1)


def test_flips_and_blindness_stay_as_found() -> None:
    measurer = world(GOLD, {"right": RIGHT, "timid": TIMID}, slices=SLICES)
    blind = ranking(measurer, bounds=LOOSE, insensitive={"right": "it does not read"})
    found = luck(measurer, blind)
    assert measurer.candidates.keys[found.winner].trial == "timid"
    assert found.win_shares[0] == 0


def test_an_undefined_target_is_never_chosen() -> None:
    measurer = world(["no", "idk"] * 20, {"a": ["no", "idk"] * 20})
    ranked = ranking(measurer, bounds=Bounds(over_credit_upper=None))
    found = luck(measurer, ranked, bounds=Bounds(over_credit_upper=None))
    assert (found.winner, found.no_winner_share) == (None, 1)


def test_nothing_measured() -> None:
    measurer = world(GOLD, {"a": RIGHT}, slices=SLICES)
    assert luck(measurer, ()).reason == "nothing was measured"


def test_seeded_and_in_any_order_of_candidates() -> None:
    def told(order: list[str]) -> dict[str, float]:
        measurer = world(GOLD, {name: POOL[name] for name in order}, slices=SLICES)
        ranked = rank(measurer, measurer.measure(), target="kappa", bounds=LOOSE, baseline=None)
        found = luck(measurer, ranked, target="kappa")
        keys = [key.trial for key in measurer.candidates.keys]
        return dict(zip(keys, found.win_shares.tolist(), strict=True)) | {
            "corrected": found.corrected
        }

    usual = told(list(POOL))
    assert told(list(POOL)) == usual
    assert told([*POOL][::-1]) == pytest.approx(usual)

"""The luck of the best of many, in worlds where it is known."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Bounds, CandidateCodes, CandidateKey
from metajudge.selection.tuning import luck as luck_module
from metajudge.selection.tuning.luck import tuning_luck
from metajudge.selection.tuning.tune import Tunables
from metajudge.selection.tuning.verdicts import Tuning
from tests.selection.tuning.test_tune import LIFTED, columns

RIGHT = 0.7


def equals(seed: int, rows: int = 40, bounds: Bounds = LIFTED) -> Tunables:
    """Judges that are right in 0.7 of the claims, each by itself."""
    rng = np.random.default_rng(seed)
    place = columns(160, seed=seed)
    wrong = (place.gold + rng.integers(1, 3, (rows, len(place.gold)))) % 3
    codes = np.where(rng.random(wrong.shape) < RIGHT, place.gold, wrong)
    keys = tuple(CandidateKey(f"t{row:02}", "top") for row in range(rows))
    shares = np.full((*codes.shape, 3), np.nan, np.float32)
    return Tunables(place, CandidateCodes(keys, codes, shares), bounds=bounds)


def best(tunables: Tunables, settings: list[Tuning], target: str) -> int:
    return int(tunables.evaluate(settings).best_first(target)[0])


def test_the_best_of_forty_equal_judges_is_not_as_good_as_it_looks() -> None:
    settings = [Tuning((row,)) for row in range(40)]
    apparent, corrected, unseen = [], [], []
    for seed in range(12):
        tunables = equals(seed)
        winner = best(tunables, settings, "accuracy")
        found = tuning_luck(
            tunables, settings, "accuracy", winner=winner, rng=np.random.default_rng(seed)
        )
        assert found.winner == winner and found.corrected is not None
        apparent.append(found.apparent)
        corrected.append(found.corrected)
        honest = tunables.cross_fitted(settings, "accuracy")
        assert honest is not None
        unseen.append(float(honest.values["accuracy"][0, 0]))
    assert np.mean(apparent) > RIGHT + 0.05
    assert abs(np.mean(corrected) - RIGHT) < abs(np.mean(apparent) - RIGHT) / 2
    assert np.mean(unseen) == pytest.approx(RIGHT, abs=0.02)


def test_blocks_of_resamples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tunables, settings = equals(3), [Tuning((row,)) for row in range(40)]

    def run() -> tuple[float | None, list[float]]:
        found = tuning_luck(
            tunables, settings, "kappa", winner=0, rng=np.random.default_rng(1), resamples=50
        )
        return found.corrected, found.win_shares.tolist()

    whole = run()
    monkeypatch.setattr(luck_module, "CELLS", 100)
    assert run() == whole


def test_breakers_of_guardrails_are_chosen_on_no_resample() -> None:
    tunables = equals(4, bounds=Bounds(0.0, None, None, None, None))
    settings = [Tuning((row,)) for row in range(40)]
    found = tuning_luck(
        tunables, settings, "accuracy", winner=None, rng=np.random.default_rng(1), resamples=20
    )
    assert found.no_winner_share == 1.0 and found.win_shares.sum() == 0.0
    assert found.apparent is None and found.reason == "no candidate qualifies"


def test_an_undefined_target_is_never_chosen() -> None:
    tunables = equals(5, rows=3)
    bare = Tunables(
        tunables.columns,
        CandidateCodes(
            tunables.candidates.keys,
            np.full_like(tunables.candidates.codes, 3),
            tunables.candidates.probabilities,
        ),
        bounds=LIFTED,
    )
    found = tuning_luck(
        bare, [Tuning((0,))], "summary_as_idk", winner=0, rng=np.random.default_rng(1), resamples=5
    )
    assert found.apparent == 0.0, "a judge that always fails calls no summary idk"

"""The promise of a watch where a judge's noise is as uneven as it can be within its limit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metajudge.agreement.table import FAILURE, IDK, NO, YES
from metajudge.gold.claim import Claim
from metajudge.release.bundle import Release, read_release
from metajudge.release.watch import Watch, open_watch
from metajudge.release.watch_canary import compared, sizes_of
from metajudge.release.watch_state import Component, Noise, Series
from metajudge.selection.readings import Read
from tests.release.watched import released

LIMIT = 0.05


def claims_of(sizes: list[int], not_yes: float) -> list[Claim]:
    """Contexts of these sizes; the last share of each is not yes in gold."""
    return [
        Claim.model_validate(
            {
                "claim_id": f"{context}-{place}",
                "answer_id": f"x{context}",
                "context_id": f"x{context}",
                "claim": "c",
                "label": "idk" if place >= size * (1 - not_yes) else "yes",
            }
        )
        for context, size in enumerate(sizes)
        for place in range(size)
    ]


def years_with_an_alarm(claims: list[Claim], flips: np.ndarray, years: int, *, over: bool) -> int:
    """Of years of 365 runs that ask a fifth of the contexts each."""
    sizes, rng = sizes_of(claims), np.random.default_rng(11)
    names = list(dict.fromkeys(claim.context_id for claim in claims))
    places = {name: [i for i, c in enumerate(claims) if c.context_id == name] for name in names}
    stored = np.array([IDK if claim.label == "idk" else YES for claim in claims])
    means = {"verdicts": LIMIT * sizes.every.evenness, "coverage": 0.02 * sizes.every.evenness}
    if over:
        means["over_credit"] = LIMIT * sizes.not_yes.evenness
    alarms = 0
    for _ in range(years):
        parts = {name: Component.fresh(mean) for name, mean in means.items()}
        for _ in range(365):
            drawn = rng.permutation(len(names))[: len(names) // 5]
            part = sorted(i for k in drawn for i in places[names[k]])
            other = np.where(stored[part] == YES, NO, YES)
            fresh = np.where(rng.random(len(part)) < flips[part], other, stored[part])
            read = Read(
                fresh[:, None].astype(np.int8),
                np.full((len(part), 1, 3), np.nan),
                np.full((len(part), 1), -1),
            )
            batches = compared([claims[i] for i in part], stored[part], read, sizes).batches
            parts = {name: parts[name].after(batches[name]) for name in parts}
            e = Series.model_construct(components=parts, runs=()).log_e
            if e >= math.log(20):
                alarms += 1
                break
    return alarms


@pytest.mark.parametrize("where", ["small contexts", "large contexts"])
def test_noise_in_contexts_of_one_size_is_within_the_limit(where: str) -> None:
    """Each claim weighs the same, as in the flip rate that the limit comes from."""
    sizes = [2] * 20 + [8] * 20
    claims = claims_of(sizes, 0.5)
    small = np.array([sizes[int(claim.context_id[1:])] == 2 for claim in claims])
    among = small if where == "small contexts" else ~small
    flips = np.where(among, LIMIT * len(claims) / among.sum(), 0.0)
    assert flips.mean() == pytest.approx(LIMIT)
    assert years_with_an_alarm(claims, flips, 3, over=False) == 0


def test_noise_in_claims_that_gold_does_not_call_yes_is_within_a_measured_limit() -> None:
    claims = claims_of([4] * 40, 0.25)
    among = np.array([claim.label == "idk" for claim in claims])
    flips = np.where(among, LIMIT * len(claims) / among.sum(), 0.0)
    assert years_with_an_alarm(claims, flips, 3, over=False) == 0
    assert years_with_an_alarm(claims, flips, 1, over=True) == 1


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    home = tmp_path_factory.mktemp("promised")
    released(home)
    return read_release(home / "releases" / "faithfulness-verdict" / "1.0.0")


def test_a_measured_limit_says_nothing_of_over_credit(release: Release) -> None:
    opened = open_watch(release, release.folder / release.manifest.gold.path, noise=0.02)
    noises = {
        "declared": Noise(source="declared", limit=0.02),
        "evidence": Noise(source="evidence", limit=0.02),
        "two_draws": Noise(source="two_draws", limit=None),
    }
    for source, noise in noises.items():
        watched = Watch(release, opened.canary, noise)
        names = set(watched.begin().now.components)
        assert ("over_credit" in names) is (source != "evidence")
        assert set(watched.limits) == names


def test_a_release_whose_replies_were_never_readable_is_watched_for_verdicts(
    release: Release,
) -> None:
    opened = open_watch(release, release.folder / release.manifest.gold.path, noise=0.02)
    lost = replace(opened.canary, stored=np.full(len(opened.canary.claims), FAILURE))
    assert set(replace(opened, canary=lost).begin().now.components) == {"verdicts", "over_credit"}

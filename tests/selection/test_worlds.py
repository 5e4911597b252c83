"""Selection in simulated worlds, where the truth is known.

A judge has a confusion table by kind of claim. Candidates are wordings of that judge: on most
claims they say the same, on one in ten each draws its verdict anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.table import Clusters
from metajudge.selection import (
    Bounds,
    CandidateCodes,
    CandidateFigures,
    CandidateKey,
    ClaimColumns,
    Measurer,
    Ranked,
    detections,
    rank,
)

WORLDS = 200
OWN = 0.1
"""Share of claims on which each wording draws a verdict of its own."""
PER_ANSWER = 4
GOLD = {"summary": 0, "literal": 0, "contradiction": 1, "off_context": 2}
TABLE = {
    "summary": (0.58, 0.02, 0.40),
    "literal": (0.97, 0.01, 0.02),
    "contradiction": (0.01, 0.97, 0.02),
    "off_context": (0.01, 0.02, 0.97),
}
"""P(yes), P(no), P(idk) by kind of claim."""
SIZES = {"summary": 240, "literal": 200, "contradiction": 240, "off_context": 240}


class World(NamedTuple):
    measurer: Measurer
    figures: tuple[CandidateFigures, ...]

    def rank(self, target: str = "summary_as_idk", **options: object) -> tuple[Ranked, ...]:
        usual: dict[str, object] = {"bounds": Bounds(), "baseline": 0} | options
        return rank(self.measurer, self.figures, target=target, **usual)  # type: ignore[arg-type]


def kinds(sizes: Mapping[str, int]) -> np.ndarray:
    """Kinds of claims, dealt out so that an answer holds several."""
    names = np.repeat(list(sizes), list(sizes.values()))
    return names[np.argsort(np.arange(len(names)) * 0.6180339887 % 1)]


def said(table: Mapping[str, Sequence[float]], kind: np.ndarray, draw: np.ndarray) -> np.ndarray:
    names, place = np.unique(kind, return_inverse=True)
    edges = np.cumsum([table[name] for name in names], axis=1)[:, :2]
    return (draw[:, None] > edges[place]).sum(1)


def simulate(
    tables: Sequence[Mapping[str, Sequence[float]]],
    sizes: Mapping[str, int],
    rng: np.random.Generator,
    extra: Mapping[str, np.ndarray] | None = None,
    resamples: int = 200,
) -> World:
    """A sweep of one judge under wordings with these tables; `extra` are verdicts as they are."""
    kind = kinds(sizes)
    n = len(kind)
    shared = rng.random(n)
    rows = []
    for table in tables:
        own = rng.random(n) < OWN
        rows.append(said(table, kind, np.where(own, rng.random(n), shared)))
    names = [f"w{i}" for i in range(len(rows))]
    rows += list((extra or {}).values())
    names += list(extra or {})
    answers = Clusters(np.arange(n) // PER_ANSWER, -(-n // PER_ANSWER))
    columns = ClaimColumns(
        gold=np.asarray([GOLD[name] for name in kind]),
        slices=kind,
        langs=np.full(n, "en"),
        answers=answers,
        contexts=answers,
        binary=False,
        n_claims=n,
    )
    codes = np.asarray(rows, np.int64)
    candidates = CandidateCodes(
        tuple(CandidateKey(name, "top") for name in names),
        codes,
        np.full((*codes.shape, 3), np.nan, np.float32),
    )
    weights = cluster_weights(answers.n_clusters, resamples, rng)
    measurer = Measurer(columns, candidates, weights, "answer", 0.95)
    return World(measurer, light_figures(measurer))


def light_figures(measurer: Measurer) -> tuple[CandidateFigures, ...]:
    """The figures that `rank` reads, and no others."""
    shares = {n: measurer.shares(n) for n in ("summary_as_idk", "over_credit", "coverage")}
    shares["accuracy"] = measurer.shares("accuracy")
    kappa = measurer.coefficients(measurer.table_sums(), COEFFICIENTS["cohen_kappa"])
    return tuple(
        CandidateFigures(
            table=np.zeros((3, 4), np.int64),
            figures={"kappa": kappa[i], **{name: row[i] for name, row in shares.items()}},
            labels={},
            slices={},
            languages={},
        )
        for i in range(len(measurer.candidates.keys))
    )


def better_by(gap: float) -> dict[str, tuple[float, ...]]:
    """The judge with a wording that turns `gap` of the summaries from idk to yes."""
    yes, no, idk = TABLE["summary"]
    return {**TABLE, "summary": (yes + gap, no, idk - gap)}


def worlds(
    tables: Sequence[Mapping[str, Sequence[float]]], sizes: Mapping[str, int], seed: int
) -> Iterator[World]:
    rng = np.random.default_rng(seed)
    return (simulate(tables, sizes, rng) for _ in range(WORLDS))


def false_win(ranked: Sequence[Ranked], baseline: int | None = 0) -> bool:
    """Whether the first row is set above the others though nothing differs.

    To be left with the baseline, because the others are not shown to be safe, is no win.
    """
    rivals = any(row.safe for row in ranked[1:])
    alone = ranked[0].safe and not any(row.tied_with_first for row in ranked)
    return alone and (rivals or ranked[0].index != baseline)


def test_acceptance_2_the_right_wording_is_found_at_twice_the_detectable_gap() -> None:
    rng = np.random.default_rng(3)
    pilot = simulate([TABLE], SIZES, rng)
    (found,) = detections(pilot.measurer, 0, rng, figures=["summary_as_idk"])
    assert found.difference is not None
    gap = 2 * found.difference
    assert 0.05 < gap < 0.30
    right = 3
    tables = [better_by(gap) if i == right else TABLE for i in range(6)]
    first = lost = 0
    for world in worlds(tables, SIZES, seed=11):
        ranked = world.rank()
        place = next(row for row in ranked if row.index == right)
        first += ranked[0] is place and place.safe
        lost += place.safe and ranked[0] is not place and not place.tied_with_first
    assert first >= 0.95 * WORLDS
    assert lost == 0


@pytest.mark.parametrize("target", ["summary_as_idk", "kappa", "accuracy"])
@pytest.mark.parametrize("wordings", [2, 6])
def test_acceptance_2_no_false_win_where_nothing_differs(target: str, wordings: int) -> None:
    wins = sum(false_win(w.rank(target)) for w in worlds([TABLE] * wordings, SIZES, seed=5))
    assert wins <= 0.05 * WORLDS


def test_acceptance_2_no_false_win_without_a_baseline_among_many_wordings() -> None:
    rows = [w.rank(baseline=None) for w in worlds([TABLE] * 12, SIZES, seed=6)]
    assert sum(false_win(ranked, None) for ranked in rows) <= 0.05 * WORLDS
    told_worse = [row.rank > 1 for ranked in rows for row in ranked[1:] if row.safe]
    assert np.mean(told_worse) <= 0.05


def test_acceptance_2_few_summaries_make_no_false_win_though_intervals_are_too_bold() -> None:
    """With some 5 claims changed, the bootstrap interval alone names a winner far more often."""
    sizes = {**SIZES, "summary": 60}
    wins = bold = 0
    for world in worlds([TABLE] * 2, sizes, seed=8):
        ranked = world.rank(baseline=None)
        wins += false_win(ranked, None)
        gap = ranked[1].difference
        bold += gap is not None and gap.excludes_zero
    assert wins <= 0.05 * WORLDS
    assert bold > 2 * wins


def test_acceptance_2_nothing_safe_says_so() -> None:
    eager = {**TABLE, "off_context": (0.5, 0.0, 0.5)}
    for world in islice(worlds([eager] * 3, SIZES, seed=2), 20):
        assert not any(row.safe for row in world.rank())


BAD = ("constant yes", "constant idk", "blind", "failing")


def with_bad_judges(rng: np.random.Generator) -> World:
    kind = kinds(SIZES)
    gold = np.asarray([GOLD[name] for name in kind])
    extra = {
        "constant yes": np.zeros(len(kind), np.int64),
        "constant idk": np.full(len(kind), 2),
        # It knows every answer by heart, so all figures are perfect; it does not read.
        "blind": gold,
        "failing": np.where(rng.random(len(kind)) < 0.3, 3, gold),
    }
    return simulate([TABLE, better_by(0.2)], SIZES, rng, extra)


@pytest.mark.parametrize("baseline", [0, None])
def test_acceptance_3_bad_judges_are_never_selected_and_the_reason_is_right(
    baseline: int | None,
) -> None:
    rng = np.random.default_rng(21)
    story = "says yes to 92 of 100 claims whose evidence was removed"
    for _ in range(WORLDS):
        world = with_bad_judges(rng)
        ranked = world.rank(baseline=baseline, insensitive={"blind": story, "w0": None})
        keys = world.measurer.candidates.keys
        by_name = {keys[row.index].trial: row for row in ranked}
        broken = {name: {b.guardrail: b for b in by_name[name].broken} for name in BAD}
        assert all(broken[name] for name in BAD)
        assert keys[ranked[0].index].trial in {"w0", "w1"}
        assert "over_credit_upper" in broken["constant yes"]
        assert broken["constant yes"]["over_credit_upper"].got == pytest.approx(1)
        assert broken["constant idk"]["kappa_above"].got == pytest.approx(0)
        assert set(broken["blind"]) == {"insensitive"}
        assert broken["blind"]["insensitive"].reason == story
        short = broken["failing"]["coverage"]
        assert short.by == pytest.approx(0.98 - short.got)  # type: ignore[operator]
        assert 0.2 < short.by < 0.4  # type: ignore[operator]


def test_acceptance_3_without_controls_the_blind_judge_would_win() -> None:
    """Why the controls are needed: nothing else in a sweep tells it from a perfect judge."""
    world = with_bad_judges(np.random.default_rng(21))
    first = world.rank()[0]
    assert world.measurer.candidates.keys[first.index].trial == "blind"

"""What gold says: both sides on the same labelled claims, and who is right where they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.paired import mcnemar
from metajudge.agreement.table import to_binary
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Bench, Said, passed, scores_of
from metajudge.release.consult.flips import directions, examples, one_way
from metajudge.release.consult.shifts import Scored
from metajudge.report.consult_results import GoldFlip, OnGold
from metajudge.report.figure import figure, number
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.scoring.answers import score_answers
from metajudge.scoring.policies import Policy
from metajudge.selection.columns import GOLD_CODES, CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer
from metajudge.selection.shares import SHARES

CLAIM_SHARES = ("over_credit", "summary_as_idk", "under_credit", "accuracy", "coverage")
COMPARED = "one with a score on gold labels and on verdicts"


@dataclass(frozen=True)
class GoldBench:
    """Labelled claims.

    Attributes:
        bench: The claims and their resamples.
        binary: Whether gold says supported or unsupported only.
    """

    bench: Bench
    binary: bool

    @cached_property
    def labels(self) -> Ints:
        """Gold label codes, shape (n,)."""
        return np.asarray([GOLD_CODES[claim.label] for claim in self.bench.claims], np.int64)

    @cached_property
    def columns(self) -> ClaimColumns:
        """The claims as the selection's figures take them."""
        return ClaimColumns(
            gold=self.labels,
            slices=self.bench.slices,
            langs=self.bench.languages,
            answers=self.bench.answers,
            contexts=self.bench.contexts,
            binary=self.binary,
            n_claims=len(self.labels),
        )

    def as_labels(self, codes: Ints) -> Ints:
        """Verdict codes in the gold set's label space."""
        return to_binary(codes) if self.binary else codes

    def scores(self, policy: Policy) -> Floats:
        """Answer scores on gold labels, shape (A,); unsupported counts as no."""
        codes, n = self.bench.answers
        sure = np.eye(3)[self.labels]
        return scores_of(score_answers(policy, self.labels, codes, n, sure))


def on_gold(gold: GoldBench, said: tuple[Said, Said], sides: tuple[Scored, Scored]) -> OnGold:
    """Both sides held against gold labels, first draw.

    Args:
        gold: The labelled claims.
        said: Both sides' verdicts, current first.
        sides: Both sides' answer scores.
    """
    was, now = said
    right = [gold.as_labels(one.first) == gold.labels for one in said]
    test = mcnemar(*right)
    claims = _claim_figures(gold, said)
    answers = _answer_figures(gold, sides)
    rows = {**claims, **answers}
    return OnGold(
        changed=int((was.first != now.first).sum()),
        better=test.better,
        worse=test.worse,
        mcnemar_p=number(test.mid_p),
        directions=tuple(
            _direction(gold, said, before, after) for before, after in directions(was, now)
        ),
        current={name: figure(row.was) for name, row in rows.items()},
        proposed={name: figure(row.now) for name, row in rows.items()},
        differences={name: figure(row.shift) for name, row in rows.items()},
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One figure of both sides and its paired difference, proposed minus current."""

    was: Estimate
    now: Estimate
    shift: Estimate


def _claim_figures(gold: GoldBench, said: tuple[Said, Said]) -> dict[str, _Row]:
    codes = np.stack([one.first for one in said]).astype(np.int64)
    keys = (CandidateKey("current", "top"), CandidateKey("proposed", "top"))
    chances = np.stack([one.probabilities[:, 0] for one in said]).astype(np.float32)
    bench = gold.bench
    measurer = Measurer(
        gold.columns, CandidateCodes(keys, codes, chances), bench.weights, "context", bench.level
    )
    rows = {name: _share_row(gold, measurer, name, codes) for name in CLAIM_SHARES}
    sums = measurer.table_sums()
    one, other = measurer.coefficients(sums, COEFFICIENTS["cohen_kappa"])
    rows["kappa"] = _Row(one, other, measurer.differences("kappa", 0)[1])
    return rows


def _share_row(gold: GoldBench, measurer: Measurer, name: str, codes: Ints) -> _Row:
    one, other = measurer.shares(name)
    everything = np.ones(codes.shape[1], np.bool_)
    part = SHARES[name].of(gold.columns, codes, everything)
    among = np.broadcast_to(part.denominator, codes.shape)[0]
    hits = part.numerator
    shift = gold.bench.of_claims.share_shift(hits[0], hits[1], among, SHARES[name].kind)
    return _Row(one, other, shift)


def _answer_figures(gold: GoldBench, sides: tuple[Scored, Scored]) -> dict[str, _Row]:
    was, now = sides
    truths = [gold.scores(side.candidate.policy) for side in sides]
    known = np.asarray(np.isfinite(truths).all(0), np.bool_)
    both = np.asarray(known & np.isfinite([was.values, now.values]).all(0), np.bool_)
    gaps, same = [], []
    for side, truth in zip(sides, truths, strict=True):
        gaps.append(np.where(both, side.values - truth, 0.0))
        same.append(side.passed == passed(truth, side.candidate.threshold))
    wrong = should_fail(gold, now.candidate)
    return {
        "pass_agreement": _passing_row(gold, same[0], same[1], known, "with a gold score"),
        "score_bias": _mean_row(gold, gaps, both),
        "score_mae": _mean_row(gold, [np.abs(gap) for gap in gaps], both),
        "false_pass_rate": _passing_row(gold, was.passed, now.passed, wrong, "that should fail"),
    }


def _passing_row(gold: GoldBench, was: Masks, now: Masks, among: Masks, kind: str) -> _Row:
    units, told = gold.bench.of_answers, f"in an answer {kind}"
    return _Row(
        units.share(was, among, told),
        units.share(now, among, told),
        units.share_shift(was, now, among, told),
    )


def should_fail(gold: GoldBench, proposed: Candidate) -> Masks:
    """Gold answers that do not pass by the proposed policy and threshold on gold labels."""
    truth = gold.scores(proposed.policy)
    return np.asarray(np.isfinite(truth) & ~passed(truth, proposed.threshold), np.bool_)


def _mean_row(gold: GoldBench, values: list[Floats], counted: Masks) -> _Row:
    units = gold.bench.of_answers
    return _Row(
        units.mean(values[0], counted, COMPARED),
        units.mean(values[1], counted, COMPARED),
        units.mean_shift(values[0], values[1], counted, COMPARED),
    )


def _direction(gold: GoldBench, said: tuple[Said, Said], before: int, after: int) -> GoldFlip:
    moved = one_way(*said, before, after)
    was_right, now_right = (gold.as_labels(one.first) == gold.labels for one in said)
    units, kind = gold.bench.of_claims, "one that changes so"
    slices = Counter(name for name in gold.bench.slices[moved].tolist() if name)
    return GoldFlip(
        was=VERDICT_CODES[before],
        now=VERDICT_CODES[after],
        claims=int(moved.sum()),
        agrees_before=figure(units.share(was_right, moved, kind)),
        agrees_after=figure(units.share(now_right, moved, kind)),
        agrees_neither=figure(units.share(~was_right & ~now_right, moved, kind)),
        slices=dict(slices.most_common()),
        examples=examples(gold.bench, moved),
    )

"""Does the pinned judge still answer as it did? Asked again about the gold claims of dev."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field

from metajudge.agreement.arrays import Ints
from metajudge.agreement.bootstrap import cluster_shares, cluster_weights
from metajudge.agreement.estimate import estimate_share
from metajudge.agreement.rates import share, share_coefficient
from metajudge.errors import (
    JudgeSpecError,
    MissingExtraError,
    ModelFileError,
    Problem,
    ReleaseError,
)
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge, Scalar
from metajudge.release.asking import Asking, Verdicts, open_judges, replayed
from metajudge.release.evidence import Evidence, How
from metajudge.release.verify_case import CannotCheckError, Case
from metajudge.report.figure import figure, number, rounded
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.report.part import Figure, Part
from metajudge.runner.call import Stopped
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.compare import compare
from metajudge.selection.guardrails import Bounds
from metajudge.selection.measure import Measurer
from metajudge.selection.readings import CLASSES
from metajudge.verdicts.verdict import Reply

THEN, NOW = 0, 1
LEFT_OPEN = ("missing", "transport", "timeout")
"""Failures that say nothing about the judge where asking ended early."""


class IdentityChange(Part):
    """One thing about the judge that is not as it was pinned."""

    name: str
    pinned: Scalar
    now: Scalar


class LiveCheck(Part):
    """What the judge says now, against what it said when the release was made."""

    identity: tuple[IdentityChange, ...]
    claims: int = Field(description="Gold claims of dev that both answers are there for.")
    not_asked: int = Field(description="Claims that an early end left out.")
    changed: Figure = Field(description="Share of claims with another verdict.")
    allowed: float = Field(description="Share that repeats of the judge alone may change.")
    directions: dict[str, int] = Field(description="`idk->yes` -> claims")
    right_then: Figure = Field(description="Share of right verdicts in the stored replies.")
    right_now: Figure
    difference: Figure = Field(description="Now minus then, paired.")
    better: int = Field(description="Claims that were wrong and are right.")
    worse: int
    mcnemar_p: float = Field(description="Exact, two-sided; takes claims as independent.")
    swap_p: float | None = Field(description="Exact by context; null where undefined.")
    as_pinned: bool
    sentence: str
    stopped: Stopped | None = Field(
        default=None, description="Why asking ended early; null where it did not."
    )


class _Pair(NamedTuple):
    """Stored and new verdicts of the same claims.

    Attributes:
        claims: The claims that are compared.
        binary: Whether gold says supported/unsupported only.
        codes: Shape (2, n), then and now.
        not_asked: Claims left out.
    """

    claims: tuple[Claim, ...]
    binary: bool
    codes: Ints
    not_asked: int


def ask_again(
    case: Case,
    evidence: Evidence,
    store: Store,
    budget: Budget,
    observer: Observer | None = None,
) -> LiveCheck:
    """Asks the pinned judge about the dev claims again, and compares.

    Args:
        case: A release whose replies and gold set are there.
        evidence: Its evidence.
        store: For the new replies; one that holds those of the release is refused.
        budget: Hard limits.
        observer: Is told how the run goes.

    Raises:
        CannotCheckError: The gold set is not there or not the pinned one, the judge is not here, or
            no claim is answered.
        ReleaseError: The store has the replies that the release was made from.
        MetajudgeError: The judge refuses the key.
    """
    gold, candidate = case.golds["dev"], case.release.candidate
    try:
        judges = open_judges([candidate])
    except (JudgeSpecError, ModelFileError, MissingExtraError) as error:
        raise CannotCheckError(str(error)) from error
    asking = Asking([candidate], gold, store, judges, budget, observer=observer)
    _check_fresh(asking, store, case.replies)
    asking.ask()
    (then,) = replayed([candidate], gold, case.replies)
    (now,) = asking.verdicts()
    stopped = asking.stopped
    pair = _pair(gold, then, now, early=stopped is not None)
    told = None if stopped is None else stopped.message or str(stopped.stopped)
    if not pair.claims:
        reason = told or "the judge gave no answer"
        raise CannotCheckError(reason, None if stopped is None else stopped.stopped)
    changes = _identity(candidate.judge.identity, judges[candidate.judge.name])
    found = _compared(pair, changes, evidence)
    return found if stopped is None else found.model_copy(update={"stopped": stopped.stopped})


def _check_fresh(asking: Asking, store: Store, stored: Mapping[str, Reply]) -> None:
    known = store.get_many(asking.keys())
    old = [key for key, reply in known.items() if reply.created and stored.get(key) == reply]
    if old:
        law = (
            "the judge is asked again only where its answers are not stored, and this store has "
            f"{len(old)} of the replies that the release was made from"
        )
        mend = "Name another file, or leave --store out."
        raise ReleaseError(Problem(str(Path(store.path)), law, mend, field="--store"))


def _identity(pinned: Mapping[str, Scalar], judge: Judge) -> tuple[IdentityChange, ...]:
    now = judge.identity
    return tuple(
        IdentityChange(name=name, pinned=pinned.get(name), now=now.get(name))
        for name in dict.fromkeys((*pinned, *now))
        if pinned.get(name) != now.get(name)
    )


def _pair(gold: GoldSet, then: Verdicts, now: Verdicts, *, early: bool) -> _Pair:
    """Both verdicts of each claim; a call that an early end left open is no verdict."""
    open_ = np.isin(now.read.classes[:, 0], [CLASSES.index(name) for name in LEFT_OPEN])
    kept = np.flatnonzero(~open_ if early else np.ones_like(open_))
    claims = gold.judged().claims
    codes = np.stack([side.read.codes[kept, 0] for side in (then, now)]).astype(np.int64)
    binary = gold.manifest.label_space == "binary"
    left_out = len(claims) - len(kept)
    return _Pair(tuple(claims[i] for i in kept.tolist()), binary, codes, left_out)


def _measurer(pair: _Pair, how: How) -> Measurer:
    columns = claim_columns(pair.claims, binary=pair.binary)
    groups = max(columns.contexts.n_clusters, 1)
    weights = cluster_weights(groups, how.resamples, np.random.default_rng(how.seed))
    keys = (CandidateKey("then", "top"), CandidateKey("now", "top"))
    unknown = np.full((*pair.codes.shape, 3), np.nan, np.float32)
    codes = CandidateCodes(keys, pair.codes, unknown)
    return Measurer(columns, codes, weights, "context", 1 - how.alpha)


def _compared(pair: _Pair, identity: tuple[IdentityChange, ...], evidence: Evidence) -> LiveCheck:
    measurer = _measurer(pair, evidence.how)
    found = compare(measurer, NOW, THEN)
    right = [figure(estimate) for estimate in measurer.shares("accuracy")]
    changed = _changed(pair, measurer)
    allowed = _allowed(evidence)
    another = any(change.name == "model" for change in identity)
    moved = changed.low is not None and changed.low > allowed
    apart = found.told_apart("accuracy")
    gap = figure(found.differences["accuracy"])
    ways = Counter(
        f"{VERDICT_CODES[was]}->{VERDICT_CODES[now]}"
        for was, now in zip(*pair.codes.tolist(), strict=True)
        if was != now
    )
    return LiveCheck(
        identity=identity,
        claims=len(pair.claims),
        not_asked=pair.not_asked,
        changed=changed,
        allowed=rounded(allowed),
        directions=dict(sorted(ways.items())),
        right_then=right[THEN],
        right_now=right[NOW],
        difference=gap,
        better=found.mcnemar.better,
        worse=found.mcnemar.worse,
        mcnemar_p=rounded(found.mcnemar.exact),
        swap_p=number(found.swap_p["accuracy"]),
        as_pinned=not (another or moved or apart),
        sentence=_sentence(another, moved, gap.value if apart else None),
    )


def _changed(pair: _Pair, measurer: Measurer) -> Figure:
    """Share of changed verdicts, with Wilson's interval at the effective size by context."""
    differs = pair.codes[THEN] != pair.codes[NOW]
    sums = cluster_shares(
        measurer.columns.contexts.codes, share(differs, np.ones_like(differs, np.bool_))
    )
    return figure(estimate_share(sums, share_coefficient("changed", "asked"), measurer.level)[0])


def _sentence(another: bool, moved: bool, gap: float | None) -> str:
    if another:
        return "The judge is not as pinned: it is another model."
    if gap is not None:
        way = "right more often" if gap > 0 else "right less often"
        return f"The judge is not as pinned: it is {way} than it was, by more than chance."
    if moved:
        return (
            "The judge is not as pinned: it changes more verdicts than its repeats do. That it is "
            "right more or less often than it was is not shown."
        )
    return "Nothing says that the judge behaves otherwise than when it was pinned."


def _allowed(evidence: Evidence) -> float:
    """The flip rate over repeats at most: what was measured, or else what a guardrail allows."""
    measured = evidence.carried.flip_rate
    if measured is not None and measured.high is not None:
        return measured.high
    bound = evidence.carried.guardrails.get("flip_rate", Bounds().flip_rate)
    return 0.0 if bound is None else bound

"""How well supported claims are by a screen or a judge: one score a claim, 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats
from metajudge.gold.goldset import GoldSet
from metajudge.judges.baseline import MODEL, coverage
from metajudge.judges.judge import Judge, Scalar
from metajudge.release.application import DEFAULT_STORE
from metajudge.release.asking import Asking
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.runner.call import RunReport
from metajudge.runner.door import OpenDoor
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.runner.reply_json import is_lasting
from metajudge.runner.store import Store
from metajudge.scoring.policies import parse_policy
from metajudge.selection.calibrate import told_shares
from metajudge.templates.catalogue import Wording, catalogue, catalogue_wording, read_wordings
from metajudge.verdicts.verdict import Reply

ScoreKind = Literal["coverage", "probability", "label"]
"""`coverage`: of a claim's wording, 0 where a number of it is not in the context; `probability`:
P(yes); `label`: 1 for yes, 0 for no and idk. A claim without a score passes nothing."""


@dataclass(frozen=True)
class CallSettings:
    """How calls are made.

    Attributes:
        store: File of the reply store; replies in it are not asked for again.
        recordings: Recordings that are loaded into it first.
        budget: Hard limits over all calls together.
        observer: Is told how the runs go.
    """

    store: str | Path = DEFAULT_STORE
    recordings: Sequence[str | Path] = ()
    budget: Budget = field(default_factory=Budget)
    observer: Observer | None = None


class Asked(NamedTuple):
    """Scores of claims, and the account of how they were had.

    Attributes:
        scores: Shape (n,), 0 to 1; nan where there is none.
        kind: What a score is.
        open: Shape (n,) as a set of places: claims that an early end left unasked.
        reports: Accounts of the runs.
        tokens: Mean tokens for one claim; None where replies tell none.
        usd: Mean price of one claim in USD; None where it is not known.
    """

    scores: Floats
    kind: ScoreKind
    open: frozenset[int]
    reports: tuple[RunReport, ...] = ()
    tokens: float | None = None
    usd: float | None = None


@contextmanager
def open_judges() -> Iterator[Callable[[JudgePin], Judge]]:
    """Each judge opened once, whoever asks it and how often, so that a model is loaded once."""
    found: dict[str, Judge] = {}

    def judge_of(pin: JudgePin) -> Judge:
        if pin.name not in found:
            found[pin.name] = pin.opened()
        return found[pin.name]

    try:
        yield judge_of
    finally:
        with OpenDoor() as door:
            door.close_judges(found.values())


def is_wording(spec: str) -> bool:
    """Whether a screen counts n-grams itself, so that nothing is asked."""
    return spec == MODEL


def covered(gold: GoldSet) -> Asked:
    """Coverage of each claim's wording by its context."""
    scores = []
    for claim in gold.claims:
        found = coverage(claim.claim, gold.passages(claim))
        scores.append(found.share if found.numbers_match else 0.0)
    return Asked(np.asarray(scores, np.float64), "coverage", frozenset())


def wording_of(template: str, where: str = "--template") -> Wording:
    """A shipped template by name, or one of a file.

    Raises:
        TemplateError: There is none.
    """
    if template in catalogue() or not template.endswith((".yaml", ".yml")):
        return catalogue_wording(template, where)
    return next(iter(read_wordings([Path(template)]).values()))


def candidate_of(pin: JudgePin, template: str, reading: str = "top") -> Candidate:
    """A judge under a template, each label by its own name."""
    return Candidate(
        name=template,
        variants=(wording_of(template),),
        policy=parse_policy("strict"),
        threshold=0.5,
        judge=pin,
        reading=reading,
    )


def fingerprints(candidate: Candidate) -> dict[str, str]:
    """SHA-256 of every template that a candidate asks with, by label."""
    return {
        source.label: source.fingerprint
        for wording in candidate.variants
        for source in wording.by_language.values()
    }


def ask(
    candidate: Candidate,
    gold: GoldSet,
    judge: Judge,
    store: Store,
    settings: CallSettings,
    *,
    before: Sequence[RunReport] = (),
    kind: ScoreKind | None = None,
) -> Asked:
    """Scores of claims by a judge; what the store holds is not asked again.

    Where a reply has label probabilities the score is P(yes), and claims without any have no
    score; where none has, it is 1 for yes and 0 for no and idk.

    Args:
        candidate: The judge with its template and reading.
        gold: The claims; labels are not looked at.
        judge: The candidate's judge, of `open_judges`; it stays open.
        store: Where replies are kept.
        settings: Budget and observer.
        before: Accounts of earlier runs, which the budget pays for too.
        kind: What a score has to be; None takes what the replies have. Where it is a probability
            and a reply has none, the claim has no score.
    """
    budget = settings.budget.left(before)
    asking = Asking(
        [candidate],
        gold,
        store,
        {candidate.judge.name: judge},
        budget=budget,
        observer=settings.observer,
    ).ask(keep_open=True)
    (said,) = asking.verdicts()
    codes, chances = said.read.codes[:, 0], told_shares(said.read.probabilities[:, 0, 0])
    likely = bool(np.isfinite(chances).any())
    kind = kind or ("probability" if likely else "label")
    labels = np.where(codes == 3, np.nan, (codes == 0).astype(np.float64))
    scores = np.where(codes == 3, np.nan, chances) if kind == "probability" else labels
    tokens, usd = _spent(asking.replies, len(codes))
    open_claims = _open(asking) if asking.stopped is not None else frozenset()
    return Asked(scores, kind, open_claims, tuple(asking.reports), tokens, usd)


def _open(asking: Asking) -> frozenset[int]:
    """Claims of which some call has no reply that is kept, so that the next run asks it."""
    planned = [call for calls in asking.plan().calls.values() for call in calls]
    seen = {place for call in planned for place in call.claims}
    kept = {key for key, reply in asking.replies.items() if is_lasting(reply)}
    missing = {place for call in planned if call.call.key not in kept for place in call.claims}
    return frozenset(missing | (set(range(len(asking.claims))) - seen))


def _spent(replies: Mapping[str, Reply], n_claims: int) -> tuple[float | None, float | None]:
    """Mean tokens and price of one claim; None unless every reply that was had tells them."""
    told = [r for r in replies.values() if r.failure is None]
    if not told or not n_claims:
        return None, None
    scale = len(replies) / len(told) / n_claims
    tokens = [
        r.prompt_tokens + r.completion_tokens
        for r in told
        if r.prompt_tokens is not None and r.completion_tokens is not None
    ]
    usd = [r.cost_usd for r in told if r.cost_usd is not None]
    return (
        scale * sum(tokens) if len(tokens) == len(told) else None,
        scale * sum(usd) if len(usd) == len(told) else None,
    )


def identity_changes(pinned: Mapping[str, Scalar], now: Mapping[str, Scalar]) -> tuple[str, ...]:
    """What of a judge is not as it was when the cut-offs were fitted."""
    return tuple(
        f"{name}: was {pinned.get(name)!r}, is {now.get(name)!r}"
        for name in sorted({*pinned, *now})
        if pinned.get(name) != now.get(name)
    )

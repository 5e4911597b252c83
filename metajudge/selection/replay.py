"""From stored replies to verdicts: pure, so that a new policy or reading costs no call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from metajudge.gold.claim import Claim
from metajudge.runner.trial import Plan, PlannedCall, Trial
from metajudge.templates.source import PromptSource
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.passages import joined
from metajudge.verdicts.table import FAILURE_CODE, VerdictRow, VerdictTable
from metajudge.verdicts.verdict import FAILURES, LABELS, Reply, Verdict

Codes = np.ndarray[tuple[int, ...], np.dtype[np.int8]]
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

NOT_ASKED = Reply(text="", failure="missing", failure_detail="not asked in this run")
NO_CONTEXT = "missing: no facts were extracted from the context, so nothing could be asked"


@dataclass(frozen=True, slots=True)
class Variant:
    """One order of the labels of one trial, read.

    Attributes:
        codes: Shape (n, r), label codes as the judge gave them.
        failures: Shape (n, r), index in `FAILURES`; -1 where there is a label.
        probabilities: Shape (n, r, 3), nan where there are none.
        priors: Label prior of each claim's template, shape (n, 3), nan where not measured.
        batch_priors: Mean label probabilities over the claims that the same template judged, shape
            (n, 3): the prior of batch calibration (Zhou et al. 2024, eq. 4), which needs no call.
        by_template: Content-free prior by template label and dialect.
        details: Claim index -> failure class and detail, first draw.
    """

    codes: Codes
    failures: Codes
    probabilities: Floats
    priors: Floats
    batch_priors: Floats
    by_template: Mapping[str, tuple[float, float, float]]
    details: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrialReplay:
    """One trial, read.

    Attributes:
        trial: The trial.
        variants: One per order of the labels.
        reasons: Claim index -> the judge's reason, first variant and draw.
    """

    trial: Trial
    variants: tuple[Variant, ...]
    reasons: Mapping[int, str] = field(default_factory=dict)


def replay(plan: Plan, replies: Mapping[str, Reply]) -> tuple[TrialReplay, ...]:
    """Every trial's verdicts; a call without a reply is a failure of class `missing`."""
    grouped: dict[tuple[int, int], list[PlannedCall]] = {}
    for calls in plan.calls.values():
        for planned in calls:
            grouped.setdefault((planned.trial, planned.variant), []).append(planned)
    return tuple(
        _replay_trial(trial, index, plan.claims, grouped, replies)
        for index, trial in enumerate(plan.trials)
    )


def _replay_trial(
    trial: Trial,
    index: int,
    claims: Sequence[Claim],
    grouped: Mapping[tuple[int, int], Sequence[PlannedCall]],
    replies: Mapping[str, Reply],
) -> TrialReplay:
    variants: list[Variant] = []
    reasons: dict[int, str] = {}
    for number, wording in enumerate(trial.variants):
        read = _read_calls(grouped.get((index, number), ()), claims, replies, trial)
        if number == 0:
            reasons = {
                row.claim: row.verdict.reason
                for row in read.rows
                if row.repeat == 0 and row.verdict.reason
            }
        sources = [wording.source_for(claim.lang) for claim in claims]
        variants.append(_variant(read, sources, (len(claims), trial.repeats)))
    return TrialReplay(trial, tuple(variants), reasons)


class _Calls(NamedTuple):
    """Verdicts of one order of the labels.

    Attributes:
        rows: One per claim and draw that was planned.
        blank: Verdicts on content-free claims by template.
    """

    rows: list[VerdictRow]
    blank: Mapping[str, Sequence[VerdictRow]]


def _read_calls(
    planned_calls: Sequence[PlannedCall],
    claims: Sequence[Claim],
    replies: Mapping[str, Reply],
    trial: Trial,
) -> _Calls:
    rows: list[VerdictRow] = []
    blank: dict[str, list[VerdictRow]] = {}
    pieces: dict[tuple[int, int], list[Verdict]] = {}
    for planned in planned_calls:
        verdicts = _verdicts(planned, claims, replies)
        if not planned.claims:
            row = VerdictRow(0, 0, verdicts[0])
            blank.setdefault(planned.source.fingerprint, []).append(row)
            continue
        for claim, verdict in zip(planned.claims, verdicts, strict=True):
            if planned.passage is None:
                rows.append(VerdictRow(claim, planned.repeat, verdict))
            else:
                pieces.setdefault((claim, planned.repeat), []).append(verdict)
    rule = trial.form.rule or "any"
    rows += [VerdictRow(*place, _joined(parts, rule)) for place, parts in pieces.items()]
    return _Calls(rows, blank)


def _joined(parts: Sequence[Verdict], rule: Literal["any", "all"]) -> Verdict:
    """The verdict on a context whose passages were judged apart; it has no probabilities."""
    codes = [FAILURE_CODE if v.label is None else LABELS.index(v.label) for v in parts]
    code = int(joined(np.asarray(codes, np.int8), rule))
    if code == FAILURE_CODE:
        lost = next(verdict for verdict in parts if verdict.label is None)
        return Verdict(None, lost.failure, detail=lost.detail)
    return Verdict(LABELS[code])


def _verdicts(
    planned: PlannedCall, claims: Sequence[Claim], replies: Mapping[str, Reply]
) -> tuple[Verdict, ...]:
    reply = replies.get(planned.call.key, NOT_ASKED)
    numbers = [str(i) for i in range(1, max(len(planned.claims), 1) + 1)]
    texts = [claims[i].claim for i in planned.claims] or None
    return parse_reply(reply, planned.source, numbers, texts)


def _variant(read: _Calls, sources: Sequence[PromptSource], shape: tuple[int, int]) -> Variant:
    table = VerdictTable.from_rows(read.rows)
    probabilities = np.full((*shape, 3), np.nan)
    probabilities[table.claim, table.repeat] = table.probabilities
    failures = np.full(shape, FAILURES.index("missing"), np.int8)
    failures[table.claim, table.repeat] = table.failure
    details = {
        row.claim: f"{row.verdict.failure}: {row.verdict.detail or 'no detail'}"
        for row in read.rows
        if row.repeat == 0 and row.verdict.failure
    }
    planned = {row.claim for row in read.rows}
    details |= {claim: NO_CONTEXT for claim in range(shape[0]) if claim not in planned}
    priors = np.full((shape[0], 3), np.nan)
    batch_priors = np.full((shape[0], 3), np.nan)
    by_template: dict[str, tuple[float, float, float]] = {}
    for source in {s.fingerprint: s for s in sources}.values():
        mine = [i for i, s in enumerate(sources) if s.fingerprint == source.fingerprint]
        judged = probabilities[mine].reshape(-1, 3)
        judged = judged[np.isfinite(judged[:, 0])]
        if len(judged):
            batch_priors[mine] = judged.mean(0)
        mean = VerdictTable.from_rows(read.blank.get(source.fingerprint, ())).mean_probabilities()
        if mean is None:
            continue
        priors[mine] = mean
        by_template[f"{source.label} · {source.dialect.name}"] = (
            float(mean[0]),
            float(mean[1]),
            float(mean[2]),
        )
    codes = table.grid(table.top_labels(), *shape)
    return Variant(codes, failures, probabilities, priors, batch_priors, by_template, details)

"""Trials, and the calls that measure them.

A trial is wording x judge x context form x claims per call. A rotated dialect makes several
variants of one trial, one per order of the labels; their verdicts are averaged, and each is
reported by itself too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge, Request, Scalar, Subject, call_key
from metajudge.runner.bulk import collector_at_rest
from metajudge.runner.call import Call
from metajudge.templates.catalogue import Wording
from metajudge.templates.message import Message
from metajudge.templates.source import PromptSource

TOP_LOGPROBS = 20
# Stand-ins for context and claim that carry no content (Zhao et al. 2021, section 4: "N/A", the
# empty string and "[MASK]"); their label probabilities are the template's prior.
CONTENT_FREE = ("N/A", "", "[MASK]")


@dataclass(frozen=True, slots=True)
class Trial:
    """What is measured: one judge under one wording.

    Attributes:
        name: Unique in its experiment.
        judge: The judge's spec.
        variants: One wording per order of the labels; one only where nothing is rotated.
        repeats: Draws per claim, at least 1.
    """

    name: str
    judge: str
    variants: tuple[Wording, ...]
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call and what its reply is about.

    Attributes:
        call: The request with its key.
        source: The template that made the messages and says how to read the reply.
        trial: Index of the trial.
        variant: Index of the trial's variant.
        repeat: 0-based draw.
        claims: Indices of the claims asked about, in the order of the prompt; () when the call
            measures the label prior.
    """

    call: Call
    source: PromptSource
    trial: int
    variant: int
    repeat: int
    claims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Every call of an experiment, grouped by judge and in prefix order within each."""

    trials: tuple[Trial, ...]
    claims: tuple[Claim, ...]
    calls: Mapping[str, tuple[PlannedCall, ...]]

    def distinct(self, judge: str) -> list[Call]:
        """The judge's calls, each key once, in the order in which they go out."""
        return list({planned.call.key: planned.call for planned in self.calls[judge]}.values())


@collector_at_rest()
def plan_calls(
    trials: Sequence[Trial],
    gold: GoldSet,
    judges: Mapping[str, Judge],
    *,
    with_priors: bool = True,
) -> Plan:
    """The calls that measure `trials` on the claims that count in `gold`.

    Calls are sorted by their messages, which is the order of a prefix tree: whatever is asked
    about one context comes together, by any template, while its prefix is warm.

    Args:
        trials: What to measure.
        gold: Where claims and contexts come from.
        judges: Opened judges by spec; only identities are used here.
        with_priors: Plan the content-free calls for templates read from token probabilities.
    """
    claims = gold.judged().claims
    by_judge: dict[str, list[PlannedCall]] = {trial.judge: [] for trial in trials}
    for index, trial in enumerate(trials):
        judge = judges[trial.judge]
        for variant, wording in enumerate(trial.variants):
            maker = _Maker(judge, index, variant)
            for repeat in range(trial.repeats):
                by_judge[trial.judge] += maker.for_claims(wording, gold, claims, repeat)
            if with_priors and judge.gives_logprobs:
                by_judge[trial.judge] += maker.for_priors(wording, claims)
    ordered = {
        spec: tuple(sorted(calls, key=lambda planned: _prefix(planned.call.request)))
        for spec, calls in by_judge.items()
    }
    return Plan(tuple(trials), claims, ordered)


def reads_probabilities(source: PromptSource) -> bool:
    """Whether a template's verdict stands at the reply's first token."""
    return (
        source.answer.form == "label_only"
        and not source.answer.json_
        and source.claims_per_call == 1
    )


@dataclass(frozen=True, slots=True)
class _Maker:
    judge: Judge
    trial: int
    variant: int

    def for_claims(
        self, wording: Wording, gold: GoldSet, claims: Sequence[Claim], repeat: int
    ) -> Iterator[PlannedCall]:
        for chunk in _chunks(claims, wording):
            source = wording.source_for(claims[chunk[0]].lang)
            texts = tuple(claims[i].claim for i in chunk)
            passages = gold.passages(claims[chunk[0]])
            messages = source.render(passages, texts, claims[chunk[0]].question)
            subject = Subject(passages, texts, source)
            yield self._planned(source, messages, subject, repeat, chunk)

    def for_priors(self, wording: Wording, claims: Sequence[Claim]) -> Iterator[PlannedCall]:
        languages = dict.fromkeys(claim.lang for claim in claims)
        sources = {s.fingerprint: s for s in map(wording.source_for, languages)}
        for source in sources.values():
            if not reads_probabilities(source):
                continue
            for filler in CONTENT_FREE:
                messages = source.render((filler,), (filler,), filler or "N/A")
                subject = Subject((filler,), (filler,), source)
                yield self._planned(source, messages, subject, 0, ())

    def _planned(
        self,
        source: PromptSource,
        messages: tuple[Message, ...],
        subject: Subject,
        repeat: int,
        chunk: tuple[int, ...],
    ) -> PlannedCall:
        wants = TOP_LOGPROBS if self.judge.gives_logprobs and reads_probabilities(source) else 0
        most = 1 if wants and self.judge.label_in_one_token else source.max_tokens
        request = Request(messages, most, wants, repeat, subject)
        identity: Mapping[str, Scalar] = self.judge.identity
        call = Call(call_key(identity, request), request)
        return PlannedCall(call, source, self.trial, self.variant, repeat, chunk)


def _chunks(claims: Sequence[Claim], wording: Wording) -> Iterator[tuple[int, ...]]:
    """Indices of claims that share a context, a question and a language, a call's worth each."""
    groups: dict[tuple[str, str, str | None], list[int]] = {}
    for index, claim in enumerate(claims):
        groups.setdefault((claim.context_id, claim.lang, claim.question), []).append(index)
    for (_, lang, _), members in groups.items():
        size = wording.source_for(lang).claims_per_call
        for start in range(0, len(members), size):
            yield tuple(members[start : start + size])


def _prefix(request: Request) -> tuple[object, ...]:
    return (*((m.role, m.content) for m in request.messages), request.repeat)

"""Trials, and the calls that measure them.

A trial is wording x judge x context form x claims per call x perturbation. A rotated dialect makes
several variants of one trial, one per order of the labels; their verdicts are averaged, and each is
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
from metajudge.runner.truths import TruthsFound, truths_of
from metajudge.templates.catalogue import Wording
from metajudge.templates.context_form import RAW, ContextForm
from metajudge.templates.perturb import Perturbation
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
        form: How the context reaches the judge.
        perturbation: What was changed that should not matter; None for nothing. `variants` hold
            what of it changes the wording.
    """

    name: str
    judge: str
    variants: tuple[Wording, ...]
    repeats: int = 1
    form: ContextForm = RAW
    perturbation: Perturbation | None = None


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
        passage: Index of the passage that was shown by itself; None when all were shown.
    """

    call: Call
    source: PromptSource
    trial: int
    variant: int
    repeat: int
    claims: tuple[int, ...]
    passage: int | None = None


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
    truths: TruthsFound | None = None,
) -> Plan:
    """The calls that measure `trials` on the claims that count in `gold`.

    Calls are sorted by their messages, which is the order of a prefix tree: whatever is asked
    about one context comes together, by any template, while its prefix is warm.

    Args:
        trials: What to measure.
        gold: Where claims and contexts come from.
        judges: Opened judges by spec; only identities are used here.
        with_priors: Plan the content-free calls for templates read from token probabilities.
        truths: Facts that the judges extracted from contexts, for trials of the form `truths`.
            Claims whose context has none yet are left out of the plan.
    """
    claims = gold.judged().claims
    by_judge: dict[str, list[PlannedCall]] = {trial.judge: [] for trial in trials}
    for index, trial in enumerate(trials):
        judge = judges[trial.judge]
        for variant, wording in enumerate(trial.variants):
            maker = _Maker(judge, trial, index, variant, truths or {})
            for repeat in range(trial.repeats):
                by_judge[trial.judge] += maker.for_claims(wording, gold, claims, repeat)
            if with_priors and judge.gives_logprobs:
                by_judge[trial.judge] += maker.for_priors(wording, claims)
    ordered = {spec: tuple(sorted(calls, key=prefix_order)) for spec, calls in by_judge.items()}
    return Plan(tuple(trials), claims, ordered)


def reads_probabilities(source: PromptSource) -> bool:
    """Whether a template's verdict stands at the reply's first token."""
    return (
        source.answer.form == "label_only"
        and not source.answer.json_
        and source.claims_per_call == 1
    )


def request_for(
    judge: Judge, subject: Subject, question: str | None = None, repeat: int = 0
) -> Request:
    """The call that asks a judge about a subject, the same for every plan.

    Args:
        judge: Who is asked, for what it can do.
        subject: Passages, texts (at most `claims_per_call`) and template.
        question: What was asked, for templates that show it.
        repeat: 0-based draw.

    Raises:
        TemplateError: The template shows the question, and there is none.
    """
    source = subject.prompt
    messages = source.render(subject.passages, subject.claims, question)
    wants = TOP_LOGPROBS if judge.gives_logprobs and reads_probabilities(source) else 0
    most = 1 if wants and judge.label_in_one_token else source.max_tokens
    return Request(messages, most, wants, repeat, subject)


@dataclass(frozen=True, slots=True)
class _Maker:
    judge: Judge
    asked: Trial
    trial: int
    variant: int
    truths: TruthsFound

    def for_claims(
        self, wording: Wording, gold: GoldSet, claims: Sequence[Claim], repeat: int
    ) -> Iterator[PlannedCall]:
        change = self.asked.perturbation
        for chunk in _chunks(claims, wording):
            first = claims[chunk[0]]
            source = wording.source_for(first.lang)
            order = chunk[::-1] if change is not None and change.reverses_claims else chunk
            texts = tuple(claims[i].claim for i in order)
            if change is not None:
                texts = tuple(map(change.claim, texts))
            for passage, passages in self._contexts(gold, first):
                call = self._call(Subject(passages, texts, source), first.question, repeat)
                yield PlannedCall(call, source, self.trial, self.variant, repeat, order, passage)

    def _contexts(
        self, gold: GoldSet, claim: Claim
    ) -> Iterator[tuple[int | None, tuple[str, ...]]]:
        """What the judge is shown of a claim's context: once, or passage by passage."""
        form, passages = self.asked.form, gold.passages(claim)
        if form.kind == "truths":
            found = truths_of(self.truths, self.asked.judge, form, claim)
            if found is None:
                return
            passages = found
        if self.asked.perturbation is not None:
            passages = self.asked.perturbation.passages(passages)
        if form.kind == "chunks" and len(passages) > 1:
            yield from ((index, (text,)) for index, text in enumerate(passages))
        else:
            yield None, passages

    def for_priors(self, wording: Wording, claims: Sequence[Claim]) -> Iterator[PlannedCall]:
        languages = dict.fromkeys(claim.lang for claim in claims)
        sources = {s.fingerprint: s for s in map(wording.source_for, languages)}
        for source in sources.values():
            if not reads_probabilities(source):
                continue
            for filler in CONTENT_FREE:
                call = self._call(Subject((filler,), (filler,), source), filler or "N/A", 0)
                yield PlannedCall(call, source, self.trial, self.variant, 0, ())

    def _call(self, subject: Subject, question: str | None, repeat: int) -> Call:
        request = request_for(self.judge, subject, question, repeat)
        identity: Mapping[str, Scalar] = self.judge.identity
        return Call(call_key(identity, request), request)


def _chunks(claims: Sequence[Claim], wording: Wording) -> Iterator[tuple[int, ...]]:
    """Indices of claims that share a context, a question and a language, a call's worth each."""
    groups: dict[tuple[str, str, str | None], list[int]] = {}
    for index, claim in enumerate(claims):
        groups.setdefault((claim.context_id, claim.lang, claim.question), []).append(index)
    for (_, lang, _), members in groups.items():
        size = wording.source_for(lang).claims_per_call
        for start in range(0, len(members), size):
            yield tuple(members[start : start + size])


def prefix_order(planned: PlannedCall) -> tuple[object, ...]:
    """Sort key that puts calls into the order of a prefix tree of their messages."""
    request = planned.call.request
    return (*((m.role, m.content) for m in request.messages), request.repeat)

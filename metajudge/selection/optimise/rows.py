"""Gold claims as rows of an optimiser: two parts by context, a score a row, and feedback in words.

A score is only what an optimiser is led by; candidates are chosen by the figures of `measure`.
"""

from __future__ import annotations

import difflib
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metajudge.errors import ExperimentError, Problem
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.gold.split import group_share, split_group
from metajudge.selection.columns import GOLD_CODES, SUMMARY_SLICES
from metajudge.verdicts.verdict import LABELS, Verdict

NOT_THE_PROMPT = frozenset({"timeout", "transport", "missing"})
"""Failures that say nothing about a prompt."""
_SAID = {
    "en": {
        "right": "Right: people say {gold}.",
        "wrong": "Wrong: the judge said {said}, and people say {gold}.",
        "over": (
            "Wrong, and the worse error: the judge said {said}, and people say {gold}. What the "
            "context does not support must not pass."
        ),
        "failed": "No label could be read: {said}. People say {gold}.",
        "lost": "The call failed ({said}); this says nothing about the instruction.",
        "refused": "The instruction could not be used: {said}.",
        "span": "Evidence that people marked: “{text}”",
        "note": "People wrote: “{text}”",
    },
    "zh": {
        "right": "正确：人工标注为{gold}。",
        "wrong": "错误：裁判回答{said}，人工标注为{gold}。",
        "over": "错误，而且更严重：裁判回答{said}，人工标注为{gold}。材料不支持的内容不得通过。",
        "failed": "读不出标签：{said}。人工标注为{gold}。",
        "lost": "调用失败（{said}），与指令无关。",
        "refused": "指令无法使用：{said}。",
        "span": "标注者标出的依据：“{text}”",
        "note": "标注者写道：“{text}”",
    },
}


class Parts(NamedTuple):
    """Two parts of a gold set that share no context group."""

    train: GoldSet
    validation: GoldSet


def parts_by_context(gold: GoldSet, share: float, seed: int) -> Parts:
    """A gold set in two, context groups whole; what an optimiser learns from, and what chooses.

    Groups that hold the same text are one. They stand in an order of the seed; the first of them,
    up to `share` of the claims, are for learning, at least one group for each part.

    Args:
        gold: Its judged claims are divided; the sealed test split is no part of it.
        share: Share of the claims to learn from, between 0 and 1.
        seed: Another seed divides otherwise.

    Raises:
        ExperimentError: There are fewer than two context groups.
    """
    judged = gold.judged()
    groups: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    joined = _joined(judged)
    for claim in judged.claims:
        group = joined[split_group(judged.contexts[claim.context_id])]
        groups.setdefault(group, set()).add(claim.context_id)
        counts[group] += 1
    if len(groups) < 2:
        law = "an optimiser learns from some contexts and is judged on others"
        mend = "Give it claims of two contexts or more."
        raise ExperimentError(
            Problem(gold.manifest.name, law, mend, got=f"{len(groups)} context group")
        )
    order = sorted(groups, key=lambda group: (group_share(group, f"optimise/{seed}"), group))
    taken = 0
    first: list[str] = []
    for group in order[:-1]:
        if first and taken + counts[group] / 2 > share * len(judged.claims):
            break
        first.append(group)
        taken += counts[group]
    inside = {context for group in first for context in groups[group]}
    outside = {context for group in order[len(first) :] for context in groups[group]}
    return Parts(judged.of_contexts(inside), judged.of_contexts(outside))


def _joined(gold: GoldSet) -> dict[str, str]:
    """The group that each context group is dealt with: the first one that shares a text with it."""
    lead = {split_group(context): split_group(context) for context in gold.contexts.values()}
    seen: dict[str, str] = {}
    for context in gold.contexts.values():
        own, text = lead[split_group(context)], _plain("\n".join(context.passages))
        first = seen.setdefault(text, own) if text else own
        if lead[first] != own:
            lead = {group: lead[first] if led == own else led for group, led in lead.items()}
    return lead


@dataclass(frozen=True, slots=True)
class Costs:
    """What errors cost in a row's score, as multiples of an ordinary error.

    Attributes:
        over_credit: A gold-not-yes claim called yes; at least 1.
        summary_as_idk: A gold-yes summary or aggregation called idk; at least 1.
    """

    over_credit: float = 2.0
    summary_as_idk: float = 1.0

    def __post_init__(self) -> None:
        if min(self.over_credit, self.summary_as_idk) < 1:
            law = "an error that counts more costs at least as much as an ordinary one"
            raise ExperimentError(Problem("costs", law, "Give 1 or more.", got=repr(self)))

    def score(self, claim: Claim, verdict: Verdict) -> float | None:
        """1 for a right verdict, 0 for the dearest error; None where the call itself failed.

        A reply without a readable label is an ordinary error.
        """
        if verdict.failure in NOT_THE_PROMPT:
            return None
        dearest = max(self.over_credit, self.summary_as_idk)
        return 1.0 - self._cost(claim, verdict) / dearest

    def _cost(self, claim: Claim, verdict: Verdict) -> float:
        gold = GOLD_CODES[claim.label]
        if verdict.label is None:
            return 1.0
        code = LABELS.index(verdict.label)
        binary = claim.label in ("supported", "unsupported")
        if gold == (min(code, 1) if binary else code):
            return 0.0
        if code == 0:
            return self.over_credit
        if code == 2 and gold == 0 and claim.slice in SUMMARY_SLICES:
            return self.summary_as_idk
        return 1.0


class Scored(NamedTuple):
    """A row's score, 0 to 1, and what a proposer is told about it."""

    score: float
    feedback: str


class RowScores:
    """Scores rows, remembers them, and counts what an optimiser never says; safe for threads.

    A call that failed is no bad prompt: its row gets what the same claim got last, or else the
    mean of all rows so far, so that it moves no candidate (0.5 before anything was answered).

    Attributes:
        neutral: Rows that were scored so.
        mismatches: Rows that were scored otherwise when they were scored again.
    """

    def __init__(self, costs: Costs, feedback: Feedback) -> None:
        self.neutral = 0
        self.mismatches = 0
        self._costs, self._feedback = costs, feedback
        self._lock = threading.Lock()
        self._known: dict[tuple[int, str], float] = {}
        self._last: dict[str, float] = {}
        self._sum, self._n = 0.0, 0

    def scored(self, candidate: int, claim: Claim, verdict: Verdict, word: str) -> Scored:
        """The score of a candidate on a claim.

        Args:
            candidate: Number of the proposal.
            claim: The claim.
            verdict: What the judge said.
            word: The same in words.
        """
        score = self._costs.score(claim, verdict)
        with self._lock:
            if score is None:
                self.neutral += 1
                score = self._last.get(claim.claim_id, self._sum / self._n if self._n else 0.5)
            else:
                self._last[claim.claim_id] = score
                self._sum, self._n = self._sum + score, self._n + 1
            before = self._known.setdefault((candidate, claim.claim_id), score)
            if before != score:
                self.mismatches += 1
                self._known[candidate, claim.claim_id] = score
        return Scored(score, self._feedback.of(claim, verdict, word))

    def refused(self, why: str) -> Scored:
        """A row of an instruction that could not be used: nothing was asked, so 0."""
        return Scored(0.0, self._feedback.refused(why))

    def mean(self, candidate: int) -> float | None:
        """Mean score of a candidate over the claims that it was asked; None for none."""
        with self._lock:
            mine = [score for (number, _), score in self._known.items() if number == candidate]
        return sum(mine) / len(mine) if mine else None


class Feedback:
    """What people said about a claim, in words for a proposer.

    Notes and evidence count that were given with the gold label. What is left out is counted by
    reason in `left_out`, and what is used in `used`.

    Args:
        gold: The claims that are learned from.
        language: `en` or `zh`: the language of the sentences.
        words: Dialect's word by label, for the gold label in words.
        annotators: Whose notes and evidence are used; () for everybody's.

    Raises:
        ExperimentError: An annotator is named who labelled nothing; near names are suggested.
    """

    def __init__(
        self,
        gold: GoldSet,
        language: str,
        words: Mapping[str, str],
        annotators: Sequence[str] = (),
    ) -> None:
        self.used: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._texts = _SAID["zh" if language == "zh" else "en"]
        self._words = {**words, "supported": words.get("yes", "supported")}
        self._annotators = frozenset(annotators)
        known = sorted({a.annotator for claim in gold.claims for a in claim.annotations})
        problems = [_no_annotator(name, known) for name in annotators if name not in known]
        if problems:
            raise ExperimentError(problems)
        self._of_people = {claim.claim_id: self._said(gold, claim) for claim in gold.claims}

    def of(self, claim: Claim, verdict: Verdict, said: str) -> str:
        """What a proposer is told about a verdict on a claim."""
        gold = self._words.get(claim.label, claim.label)
        told = self._texts[self._kind(claim, verdict)].format(said=said, gold=gold)
        return "\n".join((told, *self._of_people.get(claim.claim_id, ())))

    def refused(self, why: str) -> str:
        """What a proposer is told about an instruction that could not be used."""
        return self._texts["refused"].format(said=why)

    def _kind(self, claim: Claim, verdict: Verdict) -> str:
        if verdict.failure in NOT_THE_PROMPT:
            return "lost"
        if verdict.label is None:
            return "failed"
        if Costs().score(claim, verdict) == 1:
            return "right"
        return "over" if verdict.label == "yes" else "wrong"

    def _said(self, gold: GoldSet, claim: Claim) -> tuple[str, ...]:
        found = dict.fromkeys(self._people(gold, claim))
        self.used[f"{'with' if found else 'without'} words of people"] += 1
        return tuple(found)

    def _people(self, gold: GoldSet, claim: Claim) -> Iterator[str]:
        passages = _plain("\n".join(gold.passages(claim)))
        notes = [claim.note] if claim.note else []
        spans = list(claim.spans)
        if not claim.annotations and not notes and not spans:
            self.left_out["no annotation kept"] += 1
        for annotation in claim.annotations:
            if self._annotators and annotation.annotator not in self._annotators:
                self.left_out["of an annotator who was not named"] += 1
            elif annotation.label != claim.label:
                self.left_out["given with another label than gold"] += 1
            elif not (annotation.note or annotation.spans):
                self.left_out["a label without note and evidence"] += 1
            else:
                notes += [annotation.note] if annotation.note else []
                spans += annotation.spans
        for span in spans:
            if _plain(span) in passages:
                self.used["evidence"] += 1
                yield self._texts["span"].format(text=span)
            else:
                self.left_out["evidence that is not in the context"] += 1
        for note in notes:
            self.used["note"] += 1
            yield self._texts["note"].format(text=" ".join(note.split()))


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _no_annotator(name: str, known: Sequence[str]) -> Problem:
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    mend = f"There are: {', '.join(known) or 'none'}."
    if near:
        mend = f"Did you mean {folded[near[0]]!r}?"
    law = "feedback is taken from annotators who labelled claims of this set"
    return Problem("feedback_from", law, mend, got=repr(name))

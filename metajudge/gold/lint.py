"""What is wrong or doubtful in a gold set that reads well: `gold check`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metajudge.counted import counted
from metajudge.errors import short_repr
from metajudge.gold.claim import SLICES, TWO_LABELS, Claim, Slice, Split
from metajudge.gold.counts import GoldCounts, count_claims
from metajudge.gold.finding import Finding, Severity
from metajudge.gold.label_words import own_label_word
from metajudge.gold.lint_acts import act_findings, standing_acts
from metajudge.gold.lint_votes import vote_findings
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.near import folded, near_pairs
from metajudge.gold.policy import KIND_SLICES

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

__all__ = ["Finding", "LintReport", "check_goldset"]
_SUMMARISING = (*KIND_SLICES["summary"], *KIND_SLICES["aggregation"])
"""Slices that summary-as-idk is counted in."""
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class LintReport:
    """Findings, errors first, and the counts of the set."""

    findings: tuple[Finding, ...]
    counts: GoldCounts

    @property
    def passed(self) -> bool:
        """Whether there is no error."""
        return all(finding.severity != "error" for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """Findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)


def check_goldset(goldset: GoldSet) -> LintReport:
    """Every finding about a gold set, in the order of severity, check and claim.

    Duplicates, label words and policy are looked for in all claims, shares and minimum counts in
    the judged ones only.

    Raises:
        GoldError: The log of an annotator cannot be read.
    """
    counts = count_claims(goldset)
    findings = [finding for check in _CHECKS for finding in check(goldset)]
    findings += _small_cells(goldset, counts)
    acts = standing_acts(goldset)
    findings += vote_findings(goldset, acts)
    findings += act_findings(goldset, acts)
    findings.sort(key=lambda finding: _SEVERITIES.index(finding.severity))
    return LintReport(tuple(findings), counts)


def _policy(goldset: GoldSet) -> Iterator[Finding]:
    """Labels that the labelling policy does not allow for their slice."""
    policy = goldset.manifest.labelling_policy
    binary = {"supported": {"yes"}, "unsupported": {"no", "idk"}}
    for claim in goldset.claims:
        allowed = policy.slice_labels.get(claim.slice) if claim.slice else None
        if allowed is not None and not binary.get(claim.label, {claim.label}) & set(allowed):
            message = (
                f"slice {claim.slice!r} has the labels {', '.join(allowed)} by policy "
                f"{policy.version!r}, this claim has {claim.label!r}"
            )
            mend = "Change the label or the slice, or the policy with a new version."
            yield Finding("error", "label-breaks-policy", claim.claim_id, message, mend)


def _duplicates(goldset: GoldSet) -> Iterator[Finding]:
    """Claims that say the same about the same context, or about contexts that differ by blanks."""
    same: dict[tuple[str, str | None, str], list[Claim]] = defaultdict(list)
    for claim in goldset.claims:
        same[claim.context_id, claim.question, folded(claim.claim)].append(claim)
    for claims in same.values():
        if len(claims) < 2:
            continue
        where = ", ".join(claim.claim_id for claim in claims)
        if len({claim.label for claim in claims}) > 1:
            yield _conflict(claims, where, goldset)
        elif len({claim.answer_id for claim in claims}) < len(claims):
            message = "one answer makes the claim more than once"
            yield Finding("warning", "duplicate-claim", where, message, "Keep one of them.")
        else:
            message = "several answers make the same claim of the same context"
            mend = "Keep them if each answer is scored; they are not independent evidence."
            yield Finding("note", "repeated-claim", where, message, mend)
    yield from _nearly_one_context(goldset)


def _conflict(claims: Sequence[Claim], where: str, goldset: GoldSet) -> Finding:
    """Two labels of one claim: of one answer an error, of several answers a warning."""
    of_answer: dict[str, set[str]] = defaultdict(set)
    for claim in claims:
        of_answer[claim.answer_id].add(claim.label)
    message = f"one claim has the labels {' and '.join(sorted({claim.label for claim in claims}))}"
    mend = _settle(goldset)
    by_people = all(claim.label_source != "model" for claim in claims)
    if by_people and all(len(labels) == 1 for labels in of_answer.values()):
        message += ", in several answers"
        mend += ", or keep them: answers differ in what stands before the sentence."
        return Finding("warning", "conflicting-labels", where, message, mend)
    return Finding("error", "conflicting-labels", where, message, f"{mend}.")


def _nearly_one_context(goldset: GoldSet) -> Iterator[Finding]:
    """One claim with two labels in contexts that differ by nothing but blanks."""
    plain = {
        name: " ".join(" ".join(context.passages).split())
        for name, context in goldset.contexts.items()
    }
    if len(set(plain.values())) == len(plain):
        return
    same: dict[tuple[str, str | None, str], list[Claim]] = defaultdict(list)
    for claim in goldset.claims:
        same[plain[claim.context_id], claim.question, folded(claim.claim)].append(claim)
    for claims in same.values():
        labels = sorted({claim.label for claim in claims})
        if len(labels) > 1 and len({claim.context_id for claim in claims}) > 1:
            where = ", ".join(claim.claim_id for claim in claims)
            message = (
                f"one claim has the labels {' and '.join(labels)} in contexts that differ by "
                "blanks only"
            )
            mend = f"{_settle(goldset)}, or make it one context."
            yield Finding("warning", "conflicting-contexts", where, message, mend)


def _settle(goldset: GoldSet) -> str:
    command = f"metajudge label {goldset.path or goldset.manifest.name} --as NAME"
    return f"Label them with `{command} --only all`, and settle with `{command} --adjudicate`"


def _leaks(goldset: GoldSet) -> Iterator[Finding]:
    """What dev and test share: nearly the same contexts or claims, or one answer."""
    if goldset.manifest.split is None:
        mend = "Run `metajudge gold split`."
        yield Finding("note", "no-split", goldset.manifest.name, "no split is declared", mend)
        return
    split: dict[str, Split | None] = {}
    answers: dict[str, set[Split | None]] = defaultdict(set)
    for claim in goldset.claims:
        split[claim.context_id] = goldset.split_of(claim)
        answers[claim.answer_id].add(split[claim.context_id])
    contexts = [goldset.contexts[name] for name in split if goldset.contexts[name].passages]
    for pair in near_pairs(["\n".join(context.passages) for context in contexts]):
        ids = contexts[pair.first].context_id, contexts[pair.second].context_id
        if split[ids[0]] != split[ids[1]]:
            message = f"dev and test share a context (similarity {pair.similarity})"
            mend = "Run `metajudge gold split`, or give both one `group`."
            yield Finding("error", "context-across-splits", ", ".join(ids), message, mend)
    for pair in near_pairs([claim.claim for claim in goldset.claims]):
        first, second = goldset.claims[pair.first], goldset.claims[pair.second]
        if split[first.context_id] != split[second.context_id]:
            message = f"dev and test have nearly the same claim (similarity {pair.similarity})"
            where = f"{first.claim_id}, {second.claim_id}"
            mend = "Reword one, or give both contexts one `group`."
            yield Finding("warning", "near-duplicate-across-splits", where, message, mend)
    for answer, splits in answers.items():
        if len(splits) > 1:
            message = "claims of one answer stand in both splits"
            mend = "Give the answer's contexts one `group`."
            yield Finding("error", "answer-across-splits", answer, message, mend)


def _label_words(goldset: GoldSet) -> Iterator[Finding]:
    for claim in goldset.claims:
        word = own_label_word(claim.claim, claim.label)
        if word is not None:
            message = f"the claim contains {word!r}, a word of its own label {claim.label!r}"
            mend = "Reword it, so that no judge can copy the label."
            yield Finding("warning", "label-word-in-claim", claim.claim_id, message, mend)


def _spans(goldset: GoldSet) -> Iterator[Finding]:
    for claim in goldset.claims:
        passages = goldset.passages(claim)
        for span in claim.spans:
            if not any(span in passage for passage in passages):
                message = f"the span {short_repr(span)} is not in any passage, letter by letter"
                mend = "Copy it from the passage."
                yield Finding("warning", "span-not-in-context", claim.claim_id, message, mend)


def _left_out(goldset: GoldSet) -> Iterator[Finding]:
    """Rows that do not count."""
    name = goldset.manifest.name
    excluded = [claim.claim_id for claim in goldset.claims if claim.exclude]
    by_model = [claim for claim in goldset.claims if claim.label_source == "model"]
    if excluded:
        message = (
            f"{counted(len(excluded), 'claims are')} marked exclude: {', '.join(excluded[:10])}"
        )
        message += " …" if len(excluded) > 10 else ""
        yield Finding("note", "excluded", name, message, "They count nowhere.")
    if by_model:
        message = (
            f"{counted(len(by_model), 'claims are')} labelled by a model and left out of agreement"
        )
        yield Finding("warning", "model-labelled", name, message, "Have people label them.")
    if not goldset.judged().claims:
        message = "no claim counts: all wait for a label, are excluded or labelled by a model"
        yield Finding("error", "nothing-to-judge", name, message, "Have people label claims.")


def _contexts(goldset: GoldSet) -> Iterator[Finding]:
    metric = goldset.manifest.metric
    used = {claim.context_id for claim in goldset.every_claim}
    for name, context in goldset.contexts.items():
        if not context.passages:
            right = "no" if metric in TWO_LABELS else "idk"
            mend = f"Only {right} or unsupported can be right here."
            yield Finding("warning", "empty-context", name, "the context is empty", mend)
        if name not in used:
            mend = "Remove it, or add claims."
            yield Finding("note", "unused-context", name, "no claim uses the context", mend)


def _small_cells(goldset: GoldSet, counts: GoldCounts) -> Iterator[Finding]:
    """Labels, languages and slices with too few judged claims to say anything about."""
    name = goldset.manifest.name
    least = goldset.manifest.min_slice_n
    labels, langs, slices = counts.by("label"), counts.by("lang"), counts.by("slice")
    for label in metric_labels(goldset.manifest.metric, goldset.manifest.label_space):
        if (label,) not in labels:
            message, mend = f"no claim has the label {label!r}", "Add some, or change label_space."
            yield Finding("warning", "label-absent", name, message, mend)
    for lang in goldset.manifest.languages:
        if (lang,) not in langs:
            message, mend = f"no claim is in the language {lang!r}", "Add some, or remove it."
            yield Finding("warning", "language-absent", name, message, mend)
    if any(claim.slice for claim in goldset.claims):
        yield from _small_slices(name, {kind: slices.get((kind,), 0) for kind in SLICES}, least)


def _small_slices(name: str, counts: Mapping[Slice, int], least: int) -> Iterator[Finding]:
    """Slices with few judged claims or none, and no claim for the default target."""
    for kind, found in counts.items():
        if 0 < found < least:
            message = f"slice {kind!r} has {counted(found, 'judged claims')}, the least is {least}"
            yield Finding("warning", "small-slice", name, message, "Add claims of this slice.")
    absent = [kind for kind, found in counts.items() if not found]
    if absent and least > 0:
        message = f"no judged claim is of the slices {', '.join(absent)}; the least is {least}"
        yield Finding("note", "small-slice", name, message, "Add claims of those you care for.")
    if not any(counts[kind] for kind in _SUMMARISING):
        message = (
            f"no judged claim is of the slices {' or '.join(_SUMMARISING)}, so summary-as-idk, the "
            "default target of a selection, will be undefined"
        )
        mend = (
            "Choose the kind of claim on the labelling page (`metajudge label`), or give the "
            "claims a slice column."
        )
        yield Finding("warning", "no-summary-claims", name, message, mend)


_CHECKS: tuple[Callable[[GoldSet], Iterator[Finding]], ...] = (
    _policy,
    _duplicates,
    _leaks,
    _label_words,
    _spans,
    _left_out,
    _contexts,
)

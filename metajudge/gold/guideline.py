"""What annotators are told, made from the labelling policy: the guideline as an object.

It says what the labels mean, what counts as support in this set, how to treat hard cases, and the
set's own rules, with worked examples, in English or Chinese. The texts stand in `guideline_texts/`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from metajudge.errors import GoldError
from metajudge.gold.claim import (
    SLICES,
    SPACE_LABELS,
    SUPPORT_KINDS,
    GoldLabel,
    LabellingPolicy,
    LabelSpace,
    MetricName,
    Slice,
    Strict,
    SupportKind,
    TernaryLabel,
)
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.metric_texts import MetricTexts, label_words, metric_texts
from metajudge.gold.policy import KIND_SLICES
from metajudge.gold.strict_yaml import parse_yaml

GuidelineLanguage = Literal["en", "zh"]
Standing = Literal["counts", "does_not_count", "left_to_rules"]


class LabelText(NamedTuple):
    """One label, its name in the language of the guideline, and what it means."""

    label: GoldLabel
    name: str
    text: str


class Example(NamedTuple):
    """A worked example; where the rules of the set decide, `label` is None and `why` is empty."""

    passage: str
    claim: str
    label: GoldLabel | None
    why: str


class KindText(NamedTuple):
    """One kind of support, and what the policy says of it.

    Attributes:
        kind: Its code.
        name: In the language of the guideline.
        definition: What it is.
        standing: Whether it counts.
        ruling: The same as a rule for annotators.
        slices: Slices whose labels depend on it.
        examples: One that this kind alone supports, one that is contradicted, one not stated.
    """

    kind: SupportKind
    name: str
    definition: str
    standing: Standing
    ruling: str
    slices: tuple[Slice, ...]
    examples: tuple[Example, ...]


class TopicText(NamedTuple):
    """How to treat a hard case; `key` names it."""

    key: str
    name: str
    text: str
    examples: tuple[Example, ...]


class SliceText(NamedTuple):
    """One slice, the kinds of support its labels depend on, and the labels it may have.

    Attributes:
        slice: Its code.
        name: In the language of the guideline.
        text: What it is.
        kinds: Kinds of support that its labels depend on.
        labels: Those that the policy allows; () for any.
    """

    slice: Slice
    name: str
    text: str
    kinds: tuple[SupportKind, ...]
    labels: tuple[GoldLabel, ...]


class ChangeText(NamedTuple):
    """One change of the policy: its version, what it changed in words, when and why."""

    version: str
    text: str
    time: str | None
    why: str | None


class Guideline(NamedTuple):
    """The guideline of one labelling policy, in sections.

    Attributes:
        lang: Its language.
        title: Of the page.
        version: The policy's version, in words.
        lead: What to do, in short.
        labels: The labels of the set's space.
        kinds: Every kind of support.
        topics: Hard cases.
        rules: The set's own rules, as its authors wrote them.
        slices: Every slice.
        changes: Earlier first.
        headings: Heading of each section by the section's name here.
        words: Short words by code, such as `context`, `claim`, `no_rules` and each standing.
    """

    lang: GuidelineLanguage
    title: str
    version: str
    lead: str
    labels: tuple[LabelText, ...]
    kinds: tuple[KindText, ...]
    topics: tuple[TopicText, ...]
    rules: tuple[str, ...]
    slices: tuple[SliceText, ...]
    changes: tuple[ChangeText, ...]
    headings: dict[str, str]
    words: dict[str, str]

    def name_of(self, label: GoldLabel | None) -> str:
        """A label's name in the language of the guideline; for None, who decides."""
        names = {text.label: text.name for text in self.labels}
        return self.words["open"] if label is None else names[label]


class _Named(Strict):
    name: str
    text: str


class _Case(Strict):
    claim: str
    why: str


class _SupportedCase(Strict):
    claim: str
    when_it_counts: str
    when_not: str


class _Kind(Strict):
    name: str
    definition: str
    counts: str
    does_not_count: str
    left_to_rules: str
    passage: str
    supported: _SupportedCase
    contradicted: _Case
    unstated: _Case


class _TopicCase(_Case):
    passage: str
    label: TernaryLabel


class _Topic(_Named):
    when_common_knowledge_counts: str | None = None
    examples: tuple[_TopicCase, ...]


class _Texts(Strict):
    title: str
    version: str
    lead: str
    headings: dict[str, str]
    words: dict[str, str]
    labels: dict[LabelSpace, dict[GoldLabel, _Named]]
    kinds: dict[SupportKind, _Kind]
    topics: dict[str, _Topic]
    slices: dict[Slice, _Named]


def guideline(
    policy: LabellingPolicy,
    label_space: LabelSpace = "ternary",
    lang: GuidelineLanguage = "en",
    metric: MetricName = "faithfulness",
) -> Guideline:
    """The guideline that a labelling policy makes.

    Kinds of support, hard cases and slices are about claims against a context; the guideline of a
    metric about anything else has its question, its labels and the set's own rules.

    Args:
        policy: What counts as support, and the set's own rules.
        label_space: Of the gold set; in a binary set, no and idk are both `unsupported`.
        lang: `en` or `zh`.
        metric: What the set is gold for.
    """
    texts, other = _texts(lang), metric_texts(metric, lang)
    if other is not None:
        return _of_metric(texts, other, policy, lang, metric_labels(metric, label_space))
    return Guideline(
        lang=lang,
        title=texts.title,
        version=texts.version.format(version=policy.version),
        lead=texts.lead,
        labels=tuple(
            LabelText(label, *_pair(texts.labels[label_space][label]))
            for label in SPACE_LABELS[label_space]
        ),
        kinds=tuple(_kind(texts, kind, policy, label_space) for kind in SUPPORT_KINDS),
        topics=tuple(_topic(key, texts, policy, label_space) for key in texts.topics),
        rules=policy.rules,
        slices=tuple(_slice(texts, name, policy, label_space) for name in SLICES),
        changes=_changes(texts, policy),
        headings=texts.headings,
        words=texts.words,
    )


def _of_metric(
    texts: _Texts,
    other: MetricTexts,
    policy: LabellingPolicy,
    lang: GuidelineLanguage,
    labels: Iterable[GoldLabel],
) -> Guideline:
    shown = [(label, label_words(other, label, lang)) for label in labels]
    return Guideline(
        lang=lang,
        title=texts.title,
        version=texts.version.format(version=policy.version),
        lead=other.ask + texts.words["gap"] + other.lead,
        labels=tuple(
            LabelText(
                label,
                label if words.name == label else f"{label}（{words.name}）",
                words.text,
            )
            for label, words in shown
        ),
        kinds=(),
        topics=(),
        rules=policy.rules,
        slices=(),
        changes=_changes(texts, policy),
        headings=texts.headings,
        words=texts.words | {"claim": other.unit, "context": other.evidence},
    )


def standing_of(policy: LabellingPolicy, kind: SupportKind) -> Standing:
    """What a policy says of a kind of support."""
    counts = policy.support.get(kind)
    return "left_to_rules" if counts is None else "counts" if counts else "does_not_count"


@lru_cache
def _texts(lang: GuidelineLanguage) -> _Texts:
    name = f"{lang}.yaml"
    file = files("metajudge.gold").joinpath("guideline_texts", name)
    return parse_yaml(file.read_text(encoding="utf-8"), name, _Texts, GoldError)


def _pair(named: _Named) -> tuple[str, str]:
    return named.name, named.text


def _in_space(label: TernaryLabel, space: LabelSpace) -> GoldLabel:
    if space == "ternary":
        return label
    return "supported" if label == "yes" else "unsupported"


def _kind(texts: _Texts, kind: SupportKind, policy: LabellingPolicy, space: LabelSpace) -> KindText:
    text, standing = texts.kinds[kind], standing_of(policy, kind)
    words = {label: _in_space(label, space) for label in ("yes", "no", "idk")}
    ruling: str = getattr(text, standing).format_map(words)
    return KindText(
        kind=kind,
        name=text.name,
        definition=text.definition,
        standing=standing,
        ruling=ruling,
        slices=KIND_SLICES[kind],
        examples=(
            _supported(text, standing, space),
            Example(text.passage, *_case(text.contradicted, _in_space("no", space))),
            Example(text.passage, *_case(text.unstated, _in_space("idk", space))),
        ),
    )


def _case(case: _Case, label: GoldLabel) -> tuple[str, GoldLabel, str]:
    return case.claim, label, case.why


def _supported(text: _Kind, standing: Standing, space: LabelSpace) -> Example:
    """The example that this kind of support alone supports: its label turns on the policy."""
    case = text.supported
    if standing == "left_to_rules":
        return Example(text.passage, case.claim, None, "")
    if standing == "counts":
        return Example(text.passage, case.claim, _in_space("yes", space), case.when_it_counts)
    return Example(text.passage, case.claim, _in_space("idk", space), case.when_not)


def _topic(key: str, texts: _Texts, policy: LabellingPolicy, space: LabelSpace) -> TopicText:
    topic = texts.topics[key]
    counts = standing_of(policy, "common_knowledge") == "counts"
    return TopicText(
        key,
        topic.name,
        (topic.when_common_knowledge_counts if counts else None) or topic.text,
        tuple(
            Example(case.passage, *_case(case, _in_space(case.label, space)))
            for case in topic.examples
        ),
    )


def _slice(texts: _Texts, name: Slice, policy: LabellingPolicy, space: LabelSpace) -> SliceText:
    allowed = (_in_space(label, space) for label in policy.slice_labels.get(name, ()))
    kinds = tuple(kind for kind in SUPPORT_KINDS if name in KIND_SLICES[kind])
    return SliceText(name, *_pair(texts.slices[name]), kinds, tuple(dict.fromkeys(allowed)))


def _changes(texts: _Texts, policy: LabellingPolicy) -> tuple[ChangeText, ...]:
    found = []
    for change in policy.changes:
        parts = (
            texts.words["turned_on" if counts else "turned_off"].format(kind=texts.kinds[kind].name)
            for kind, counts in change.support.items()
        )
        text = texts.words["between"].join(parts)
        found.append(ChangeText(change.version, text, change.time, change.why))
    return tuple(found)

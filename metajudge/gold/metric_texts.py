"""What annotators are asked for a metric that is not about claims: question, unit, labels."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Literal

from metajudge.errors import GoldError
from metajudge.gold.claim import GoldLabel, MetricName, Strict, TernaryLabel
from metajudge.gold.strict_yaml import parse_yaml

Spoken = Literal["en", "zh"]


class LabelWords(Strict):
    """A label's name, what it means in a few words, and in a sentence."""

    name: str
    means: str
    text: str


class MetricTexts(Strict):
    """What annotators read in place of claim, context and support.

    Attributes:
        unit: What is judged, where other sets have a claim.
        evidence: What it is judged against, where other sets have a context.
        empty: Said of evidence without text.
        ask: The question that a label answers.
        lead: What to do, in short.
        labels: The labels that the metric has.
    """

    unit: str
    evidence: str
    empty: str
    ask: str
    lead: str
    labels: dict[TernaryLabel, LabelWords]


class _Texts(Strict):
    otherwise: str
    metrics: dict[MetricName, MetricTexts]


def metric_texts(metric: MetricName, lang: Spoken) -> MetricTexts | None:
    """The texts of a metric; None where claims are judged, as for faithfulness.

    >>> metric_texts("context_relevance", "en").unit
    'Question'
    >>> metric_texts("context_recall", "en") is None
    True
    """
    return _texts(lang).metrics.get(metric)


def label_words(texts: MetricTexts, label: GoldLabel, lang: Spoken) -> LabelWords:
    """The words of a label of either space; `unsupported` is whatever is not yes."""
    if label == "unsupported":
        rest = _texts(lang).otherwise
        return LabelWords(name=label, means=rest, text=rest)
    if label == "supported":
        return texts.labels["yes"].model_copy(update={"name": label})
    return texts.labels[label]


@lru_cache
def _texts(lang: Spoken) -> _Texts:
    name = f"metrics.{lang}.yaml"
    file = files("metajudge.gold").joinpath("guideline_texts", name)
    return parse_yaml(file.read_text(encoding="utf-8"), name, _Texts, GoldError)

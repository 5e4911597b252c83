"""Every text of the labelling page, in English and Chinese, in one table."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from metajudge.counted import filled
from metajudge.gold.claim import LabelSpace, MetricName
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.metric_texts import label_words, metric_texts

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
HTML_LANGUAGE: dict[Language, str] = {"en": "en", "zh": "zh-CN"}
WORDS: dict[str, tuple[str, str]] = {
    key: (en, zh)
    for key, (en, zh) in json.loads(
        files("metajudge.labelling").joinpath("texts", "page.json").read_text(encoding="utf-8")
    ).items()
}
"""Key -> English, Chinese; the same placeholders in both."""


def word(
    key: str, language: Language, metric: MetricName = "faithfulness", /, **values: object
) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    Args:
        key: Of the text.
        language: Of the text.
        metric: What the set is gold for: it has words of its own for what is judged, against what,
            and for the labels.
        **values: By placeholder.

    >>> word("progress_n", "en", done=3, total=10)
    '3 of 10'
    >>> word("claim", "en"), word("claim", "en", "context_relevance")
    ('Claim', 'Question')
    """
    text = _of_metric(metric, language).get(key) or WORDS[key][LANGUAGES.index(language)]
    return filled(text, values) if values else text


@cache
def _of_metric(metric: MetricName, language: Language) -> dict[str, str]:
    """Texts that a metric has in place of the usual ones."""
    texts = metric_texts(metric, language)
    if texts is None:
        return {}
    found = {
        "claim": texts.unit,
        "context": texts.evidence,
        "empty_context": texts.empty,
        "your_label": texts.ask,
    }
    for label in metric_labels(metric):
        found[f"label.{label}"] = label_words(texts, label, language).name
    for space in get_args(LabelSpace):
        for label in metric_labels(metric, space):
            found[f"means.{label}"] = label_words(texts, label, language).means
    return found

"""What people read after a check, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from metajudge.counted import filled
from metajudge.gold.claim_rows import script_language
from metajudge.metrics.selfcheck.checked import CheckedUnit, Decision

Language = Literal["en", "zh"]

REFUSAL: Mapping[Language, str] = {
    "en": "I cannot give an answer that the available material supports.",
    "zh": "现有材料不足以支持一个可靠的回答。",
}
HAND_OVER: Mapping[Language, str] = {
    "en": "A colleague will look at this question and answer it.",
    "zh": "这个问题将转由人工处理并答复。",
}
_UNITS: Mapping[Language, Mapping[str, tuple[str, str]]] = {
    "en": {"sentences": ("sentence", "sentences"), "claims": ("claim", "claims")},
    "zh": {"sentences": ("句", "句"), "claims": ("条陈述", "条陈述")},
}
_WHY: Mapping[Language, Mapping[Decision, str]] = {
    "en": {
        "passed": "Supported by the context: {yes} of {n} {units}.",
        "stripped": "Taken out, as not supported by the context or not checked: {removed} of "
        "{sentences} sentences.",
        "refused": "Held back. Supported by the context: {yes} of {n} {units}.",
        "handed_over": "Handed over. Supported by the context: {yes} of {n} {units}.",
        "reported": "Shown all the same. Supported by the context: {yes} of {n} {units}.",
        "unchecked": "Shown all the same. Could not be checked: {failed} of {n} {units}.",
    },
    "zh": {
        "passed": "{n} {units}中有 {yes} {units}得到材料支持。",
        "stripped": "{sentences} 句中删去了 {removed} 句：材料不支持，或未能核查。",
        "refused": "未予显示：{n} {units}中只有 {yes} {units}得到材料支持。",
        "handed_over": "已转人工：{n} {units}中只有 {yes} {units}得到材料支持。",
        "reported": "照常显示，但 {n} {units}中只有 {yes} {units}得到材料支持。",
        "unchecked": "照常显示，但 {n} {units}中有 {failed} {units}未能核查。",
    },
}
_NOTHING: Mapping[Language, str] = {
    "en": "Nothing to check: the answer states nothing.",
    "zh": "无需核查：回答没有陈述任何内容。",
}
_NO_CHECK: Mapping[Language, Mapping[bool, str]] = {
    "en": {
        True: "Shown unchecked, as the check could not be made ({detail}).",
        False: "Held back, as the check could not be made ({detail}).",
    },
    "zh": {
        True: "未经核查而显示：核查未能进行（{detail}）。",
        False: "未予显示：核查未能进行（{detail}）。",
    },
}
_LINES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "no": "contradicted by the context: {text}",
        "idk": "not in the context: {text}",
        "": "not checked ({failure}): {text}",
    },
    "zh": {
        "no": "与材料矛盾：{text}",
        "idk": "材料未提及：{text}",
        "": "未核查（{failure}）：{text}",
    },
}


@lru_cache(maxsize=256)
def language_of(lang: str) -> Language:
    """The language of the texts for a language tag: Chinese for `zh…`, English for all others."""
    return "zh" if lang.replace("_", "-").partition("-")[0].casefold() == "zh" else "en"


def language_by_script(text: str) -> str:
    """The language of a text whose language nobody named."""
    return "en" if text.isascii() else script_language(text)


def text_for(lang: str, usual: Mapping[Language, str], own: Mapping[str, str]) -> str:
    """The text of a language: the user's for this very tag or its language, else the usual one."""
    language = language_of(lang)
    return own.get(lang) or own.get(language) or usual[language]


def why(decision: Decision, lang: str, kind: str, counts: Mapping[str, int]) -> str:
    """One sentence about a decision.

    Args:
        decision: The decision.
        lang: Language tag of the answer.
        kind: `sentences` or `claims`.
        counts: `yes`, `failed`, `n` units, `removed` and all `sentences`.
    """
    language = language_of(lang)
    one, several = _UNITS[language][kind]
    units = one if counts["n"] == 1 else several
    return filled(_WHY[language][decision], {"units": units, **counts})


def nothing_to_check(lang: str) -> str:
    """Why an answer without a statement passes."""
    return _NOTHING[language_of(lang)]


def no_check(lang: str, detail: str, *, shown: bool) -> str:
    """Why an answer is shown or held back that could not be checked at all."""
    return _NO_CHECK[language_of(lang)][shown].format(detail=detail)


def line(unit: CheckedUnit, lang: str) -> str:
    """One line about a unit that is not supported or was not checked."""
    pattern = _LINES[language_of(lang)][unit.label or ""]
    return pattern.format(text=unit.text, failure=unit.failure)

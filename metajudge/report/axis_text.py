"""Names of perturbation axes, their levels and effects, as people read them."""

from __future__ import annotations

from metajudge.report.words import Language, word, word_or_code

REPEATS = "repeats"
_AT = f"{REPEATS} at "
_TEMPERATURE = "temperature "
_DRAW = "draw "
_FACTORS = ("template", "context_form", "claims_per_call")


def axis_text(axis: str, language: Language) -> str:
    """An axis in words.

    >>> axis_text("passage_order", "en"), axis_text("repeats at 0.7", "zh"), axis_text("mine", "en")
    ('order of passages', '重复（温度 0.7）', 'mine')
    """
    if axis.startswith(_AT):
        return word("axis.repeats_at", language, t=axis.removeprefix(_AT))
    return word_or_code("axis", axis, language)


def axis_level_text(level: str, language: Language) -> str:
    """A level of an axis in words; codes without a text stay.

    >>> axis_level_text("temperature 0.7", "zh"), axis_level_text("reversed", "en")
    ('温度 0.7', 'reversed')
    """
    if level.startswith(_TEMPERATURE):
        return word("level.temperature", language, t=level.removeprefix(_TEMPERATURE))
    if level.startswith(_DRAW):
        return word("level.draw", language, n=level.removeprefix(_DRAW))
    if level == "server's temperature":
        return word("level.server", language)
    return word_or_code("level", level, language)


def effect_text(effect: str, language: Language) -> str:
    """An effect with its factors in words.

    >>> effect_text("(context_form: truths - raw) x (claims_per_call: 5 - 1)", "en")
    '(context form: truths − raw) × (claims per call: 5 − 1)'
    """
    text = effect.replace(") x (", ") × (").replace(" - ", " − ")
    for factor in _FACTORS:
        text = text.replace(f"{factor}: ", f"{word(f'factor.{factor}', language)}: ")
    return text

"""Templates for tests of the prompt lint: sound ones, to be spoilt in one place."""

from __future__ import annotations

from typing import Any

from metajudge.templates import Template
from metajudge.templates.prompt_lint import PromptFinding, lint_template

SOUND: dict[str, dict[str, Any]] = {
    "en": {
        "definitions": {
            "yes": "the context backs every part of the claim.",
            "no": "the context contradicts some part of the claim.",
            "idk": "the context does not say whether the claim holds.",
        },
        "rules": ["Use no knowledge of your own."],
    },
    "zh": {
        "definitions": {
            "yes": "陈述的每一部分都有材料支持。",
            "no": "陈述中有某一部分与材料矛盾。",
            "idk": "材料没有提到陈述的某一部分。",
        },
        "rules": ["不得使用你自己的知识。"],
    },
}


def template(language: str = "en", **changes: Any) -> Template:
    """The sound template of a language; `yes`, `no`, `idk`, `rule` spoil a text or add a rule."""
    base = SOUND[language]
    definitions = {label: changes.pop(label, text) for label, text in base["definitions"].items()}
    rules = [*base["rules"], *([changes.pop("rule")] if "rule" in changes else [])]
    fields = {
        "name": "spoilt",
        "version": "1.0.0",
        "family": "spoilt",
        "language": language,
        "definitions": {label: text for label, text in definitions.items() if text},
        "rules": rules,
    }
    return Template.model_validate(fields | changes)


def found(language: str = "en", **changes: Any) -> tuple[PromptFinding, ...]:
    """What is found in the sound template with these changes."""
    return lint_template(template(language, **changes))


def codes(language: str = "en", **changes: Any) -> set[str]:
    """Names of the checks that fire."""
    return {finding.code for finding in found(language, **changes)}

"""One line of `templates lint`."""

from __future__ import annotations

from dataclasses import dataclass

from metajudge.gold.finding import Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
CODES = (
    "rule-contradicts-definition",
    "rules-contradict",
    "definitions-overlap",
    "only-contradictions-and-unsupported",
    "yes-without-support",
    "label-before-reason",
    "form-contradicted",
    "reason-not-in-form",
    "reason-hint-unused",
    "example-without-reason",
    "no-compound-rule",
    "no-knowledge-rule",
    "forced-choice",
    "idk-means-unsure",
    "placeholder-left",
    "threshold-in-words",
    "double-negation",
    "too-long",
    "language-mixed",
    "label-word-not-offered",
    "label-word-written-out",
    "label-word-everyday",
    "rule-repeated",
    "examples-of-one-label",
    "template-against-policy",
    "policy-not-told",
    "labels-not-of-gold",
    "language-not-covered",
    "example-leaks-gold",
    "text-leaks-gold",
    "label-word-in-claims",
)
"""Every check; those after `examples-of-one-label` need a gold set."""
_LONGEST_QUOTE = 120


@dataclass(frozen=True, slots=True)
class PromptFinding:
    """One thing to look at in a template.

    Attributes:
        severity: `error`: the template contradicts itself, or holds gold. `warning`: verdicts are
            likely to suffer. `note` is for knowledge.
        code: Name of the check, one of `CODES`.
        where: The template's file, or its name, version and language where it has none.
        field: Of the template, e.g. `rules[1]`; None where it is about the whole.
        line: 1-based line of the field in the file; None where there is no file.
        quote: The text that was found, cut to 120 characters; None where something is missing.
        why: What is wrong with it, as a clause.
        mend: What to do.
    """

    severity: Severity
    code: str
    where: str
    field: str | None
    line: int | None
    quote: str | None
    why: str
    mend: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding before it has its place in a file; attributes as those of `PromptFinding`."""

    severity: Severity
    code: str
    field: str | None
    quote: str | None
    why: str
    mend: str

    def placed(self, where: str, line: int | None) -> PromptFinding:
        """The finding at its place."""
        quote = None if self.quote is None else shortened(self.quote)
        return PromptFinding(
            self.severity, self.code, where, self.field, line, quote, self.why, self.mend
        )


def shortened(text: str) -> str:
    """The text on one line, cut to 120 characters.

    >>> shortened("a  b")
    'a b'
    """
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"

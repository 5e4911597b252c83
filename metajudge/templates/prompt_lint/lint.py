"""All findings about templates, by themselves and beside a gold set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metajudge.errors import TemplateError
from metajudge.gold.goldset import GoldSet
from metajudge.templates.lint import template_problems
from metajudge.templates.prompt_lint.against_policy import policy_doubts
from metajudge.templates.prompt_lint.against_texts import (
    GoldTexts,
    label_word_doubts,
    leak_doubts,
)
from metajudge.templates.prompt_lint.answers import answer_doubts
from metajudge.templates.prompt_lint.clauses import Clause, clauses_of
from metajudge.templates.prompt_lint.contradictions import contradictions
from metajudge.templates.prompt_lint.echoes import echoes
from metajudge.templates.prompt_lint.finding import SEVERITIES, Doubt, PromptFinding
from metajudge.templates.prompt_lint.gaps import gaps
from metajudge.templates.prompt_lint.place import PlacedTemplate
from metajudge.templates.prompt_lint.wording import wording_doubts
from metajudge.templates.prompt_lint.words import LintWords, lint_words
from metajudge.templates.template import Template


def lint_template(
    template: Template,
    *,
    where: str | None = None,
    lines: Mapping[str, int] | None = None,
    gold: GoldSet | None = None,
) -> tuple[PromptFinding, ...]:
    """Every finding about one template.

    Args:
        template: A template without faults.
        where: Its file; None takes its label.
        lines: 1-based line by field, e.g. `{"rules[1]": 12}`; None where it has no file.
        gold: The set that it is to be measured on; its policy and texts are compared too.

    Returns:
        Errors first, then warnings and notes; () where there is nothing to look at.

    Raises:
        TemplateError: The template has faults, such as a label without a definition.
    """
    return lint_templates([PlacedTemplate(template, where or template.label, lines or {})], gold)


def lint_templates(
    placed: Sequence[PlacedTemplate], gold: GoldSet | None = None
) -> tuple[PromptFinding, ...]:
    """Every finding about several templates, errors first, else in the order given.

    Beside a gold set, also the languages of its claims that a wording among them lacks.

    Raises:
        TemplateError: With every fault of the templates.
    """
    problems = [problem for one in placed for problem in template_problems(one.template, one.where)]
    if problems:
        raise TemplateError(problems)
    texts = None if gold is None else GoldTexts(gold)
    findings = [
        doubt.placed(one.where, one.line(doubt.field))
        for one in placed
        for doubt in _doubts(one.template, texts)
    ]
    if gold is not None:
        findings += _languages(placed, gold)
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def _doubts(template: Template, texts: GoldTexts | None) -> Iterator[Doubt]:
    words = lint_words(template.language)
    clauses = clauses_of(template, words)
    yield from _contradictions(template, clauses, words)
    yield from answer_doubts(template, words)
    yield from gaps(template, clauses, words)
    yield from wording_doubts(template, words, everyday=texts is None)
    if texts is not None:
        yield from policy_doubts(template, clauses, texts.gold)
        yield from leak_doubts(template, texts)
        yield from label_word_doubts(template, texts)


def _contradictions(
    template: Template, clauses: Sequence[Clause], words: LintWords
) -> Iterator[Doubt]:
    """What the word lists tell, and of other rules what repeats a definition."""
    told = list(contradictions(template, clauses))
    yield from told
    known = {doubt.field for doubt in told}
    yield from (doubt for doubt in echoes(clauses, words) if doubt.field not in known)


def _languages(placed: Sequence[PlacedTemplate], gold: GoldSet) -> Iterator[PromptFinding]:
    """Wordings that judge claims of some language in another language's words."""
    spoken: dict[str, list[PlacedTemplate]] = {}
    for one in placed:
        spoken.setdefault(one.template.name, []).append(one)
    wanted = {claim.lang.partition("-")[0].casefold() for claim in gold.judged().claims}
    for name, ones in spoken.items():
        missing = sorted(wanted - {one.template.language for one in ones})
        if missing:
            why = (
                f"{gold.manifest.name} has claims in {', '.join(missing)}, and {name} would judge "
                f"them in {', '.join(one.template.language for one in ones)}"
            )
            mend = "Write the wording in that language too, or leave those claims out."
            doubt = Doubt("warning", "language-not-covered", "language", None, why, mend)
            yield doubt.placed(ones[0].where, ones[0].line("language"))

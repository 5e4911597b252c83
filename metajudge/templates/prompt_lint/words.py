"""The word lists of `templates lint`, one file a language: `lint_words/<language>.yaml`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict

from metajudge.gold.claim import SupportKind


def _compiled(texts: str | list[str]) -> re.Pattern[str]:
    """One expression, or a list of which any fits."""
    text = texts if isinstance(texts, str) else "|".join(texts)
    return re.compile(text, re.IGNORECASE)


Expression = Annotated[re.Pattern[str], BeforeValidator(_compiled)]


class LintWords(BaseModel):
    """One language's expressions; labels stand in the texts as `⟦yes⟧` when they are searched.

    Attributes:
        clause_end: Where a clause ends.
        scope_end: Where a negation no longer reaches.
        negation: Words that negate what follows.
        concession: Words such as *even if*: what follows does not limit what is said.
        kinds: Names of each kind of support.
        shut_out: A way of shutting out knowledge that has no negation.
        literal_only: That only what is written counts.
        qualified: After a kind: what narrows it, so that nothing is said of the kind as such.
        unfit: Before a kind: a word that makes it a bad one.
        counts, counts_not: That something counts as support, or does not.
        merely: Before a kind: *only*, as in "can only be inferred".
        absence: That the context does not say something.
        contradiction: That the context and the claim are at odds.
        of_itself: That the context is at odds with itself.
        no_contradiction: That something is no contradiction.
        support: That the context backs something.
        only: *only*.
        fails, passes: What becomes of a claim, without a label.
        some_and_other: That one part of a claim is so and another otherwise.
        hedged: *unless*, *otherwise*: a clause that holds in some cases.
        every_part, any_part: That all parts of a claim count, or that one is enough.
        parts: Anything about the parts of a claim.
        context_only: That the context and nothing else counts.
        knowledge_told: Anything else that settles whether knowledge from outside counts.
        unsure: That the judge does not know.
        reasoning: That the judge is to write reasons.
        label_then_reason, reason_then_label: In which order.
        one_word: That nothing but the label is to be written.
        json: That the answer is JSON; `json_` here.
        threshold: A number that the judge is to estimate.
        double_negation: Two negations in one clause.
        label_first: Before a clause's first label, where the clause begins with it.
        assign, assigned_end: Before and after a label that is written out where one is given.
        assign_not: Before a label: that it is not to be given.
        names_label: Before any word that is to be answered.
        everyday: Label words that occur in ordinary text.
        gives_label: Before a text in quotes: that it is what is to be answered.
        said_anyway: Words of which every rule is full, and that say nothing of a case.
        foreign_run: A run of another language's words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    clause_end: Expression
    scope_end: Expression
    negation: Expression
    concession: Expression
    kinds: dict[SupportKind, Expression]
    shut_out: Expression
    literal_only: Expression
    qualified: Expression
    unfit: Expression
    counts: Expression
    counts_not: Expression
    merely: Expression
    absence: Expression
    contradiction: Expression
    of_itself: Expression
    no_contradiction: Expression
    support: Expression
    only: Expression
    fails: Expression
    passes: Expression
    some_and_other: Expression
    hedged: Expression
    every_part: Expression
    any_part: Expression
    parts: Expression
    context_only: Expression
    knowledge_told: Expression
    unsure: Expression
    reasoning: Expression
    label_then_reason: Expression
    reason_then_label: Expression
    one_word: Expression
    json_: Expression
    threshold: Expression
    double_negation: Expression
    label_first: Expression
    assign: Expression
    assigned_end: Expression
    assign_not: Expression
    names_label: Expression
    everyday: frozenset[str]
    gives_label: Expression
    said_anyway: Expression
    foreign_run: Expression


@cache
def lint_words(language: str) -> LintWords:
    """The word lists of a language that templates can have.

    >>> bool(lint_words("zh").only.search("只有矛盾才判否"))
    True
    """
    path = resources.files("metajudge.templates") / "lint_words" / f"{language}.yaml"
    return LintWords(**yaml.safe_load(path.read_text(encoding="utf-8")))

"""What an optimiser starts from: checked before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from metajudge.errors import ExperimentError, Problem, TemplateError
from metajudge.gold.claim import Claim, Context
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.selection.optimise.rows import Feedback, parts_by_context
from metajudge.selection.optimise.spec import Optimiser
from metajudge.templates.pool import Pool, PoolCase, check_pool
from metajudge.templates.proposals import Proposals
from metajudge.templates.template import Template


class Start(NamedTuple):
    """What is known before anything is asked.

    Attributes:
        proposals: With the template that is rewritten as number 0.
        feedback: What people said about the claims that are learned from.
        train: Claims to learn from.
        validation: Claims that choose; no context group of them is in `train`.
        proposer: The proposing judge's spec; None where nothing is written.
        from_pool: Ids of the claims in `train` that are cases of a pool.
    """

    proposals: Proposals
    feedback: Feedback
    train: GoldSet
    validation: GoldSet
    proposer: str | None
    from_pool: frozenset[str]


def start_from(
    template: Template,
    gold: GoldSet,
    optimiser: Optimiser,
    pool: Pool | None,
    proposer: Judge | None,
) -> Start:
    """Divide the claims and get everything ready; nothing is asked.

    Raises:
        ExperimentError: No proposing model, claims of the test split, none of the language, fewer
            than two context groups, or an annotator who is not there.
        TemplateError: Several claims a call, texts that cannot be told apart, a pool with cases
            that are judged.
    """
    _check(template, gold, optimiser, proposer)
    mine = gold.judged()
    spoken = {c.lang for c in mine.claims if c.lang.partition("-")[0] == template.language}
    mine = mine.subset(langs=spoken)
    if pool is None:
        train, validation = parts_by_context(mine, optimiser.train_share, optimiser.seed)
        from_pool: frozenset[str] = frozenset()
    else:
        check_pool(pool, gold)
        train, validation = _pool_gold(pool, template, mine), mine
        from_pool = frozenset(claim.claim_id for claim in train.claims)
    words = {str(label): word for label, word in template.dialect.words.items()}
    feedback = Feedback(train, template.language, words, optimiser.feedback_from)
    proposals = Proposals(
        template,
        optimiser.method,
        most_examples=optimiser.examples,
        hidden=list(dict.fromkeys(_texts(train, validation))),
    )
    named = proposer.spec if proposer is not None and optimiser.writes else None
    return Start(proposals, feedback, train, validation, named, from_pool)


def _check(template: Template, gold: GoldSet, optimiser: Optimiser, proposer: Judge | None) -> None:
    problems = []
    if optimiser.writes and proposer is None:
        law = f"{optimiser.tool} needs a model that proposes instructions, and none is named"
        problems.append(Problem("optimiser", law, "Name a proposing judge.", field="proposer"))
    if any(gold.split_of(claim) == "test" for claim in gold.claims):
        law = "an optimiser sees claims of the dev split only"
        problems.append(Problem(gold.manifest.name, law, "Give it `gold.subset('dev')`."))
    if not any(c.lang.partition("-")[0] == template.language for c in gold.judged().claims):
        law = f"no claim is in the template's language ({template.language})"
        problems.append(
            Problem(gold.manifest.name, law, "Take a template of the claims' language.")
        )
    if problems:
        raise ExperimentError(problems)
    if template.claims_per_call != 1:
        law = "an optimiser asks about one claim a call"
        mend = "Set claims_per_call to 1; a proposal can be put back on several afterwards."
        raise TemplateError(Problem(template.label, law, mend, field="claims_per_call"))


def _texts(*parts: GoldSet) -> Iterable[str]:
    for gold in parts:
        for claim in gold.claims:
            yield claim.claim
            yield from gold.passages(claim)


def _pool_gold(pool: Pool, template: Template, gold: GoldSet) -> GoldSet:
    """The pool's cases of a language as claims, each with a context of its own."""
    cases = [case for case in pool.cases if case.lang == template.language]
    if not cases:
        law = f"the pool has no case in the template's language ({template.language})"
        raise TemplateError(Problem(pool.where, law, "Add some."))
    claims = [_pool_claim(f"pool:{number}", case) for number, case in enumerate(cases)]
    contexts = {
        claim.context_id: Context(context_id=claim.context_id, passages=(case.context,))
        for claim, case in zip(claims, cases, strict=True)
    }
    manifest = gold.manifest.model_copy(update={"label_space": "ternary", "split": None})
    return GoldSet(manifest, tuple(claims), contexts)


def _pool_claim(name: str, case: PoolCase) -> Claim:
    return Claim(
        claim_id=name,
        answer_id=name,
        context_id=name,
        claim=case.claim,
        label=case.label,
        lang=case.lang,
        note=case.reason,
    )

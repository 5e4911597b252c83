"""What only the whole experiment can show to be wrong, found before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metajudge.errors import ExperimentError, InputError, Problem, TemplateError, short_repr
from metajudge.gold.claim import SPACE_LABELS
from metajudge.gold.goldset import GoldSet
from metajudge.gold.near import folded, near_pairs
from metajudge.judges.baseline import compares_wording
from metajudge.judges.judge import Judge
from metajudge.runner.trial import Trial
from metajudge.scoring.policies import Policy, check_policy, parse_policy
from metajudge.templates.catalogue import Wording
from metajudge.templates.serving import serving_problems
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply

SHORTEST_PART = 20
"""Characters from which a text inside another counts as a part of it."""
_CREDITED = {"supported": "yes", "unsupported": "no"}


def checked_policies(
    texts: Sequence[str], sources: Iterable[PromptSource], gold: GoldSet, where: str
) -> tuple[Policy, ...]:
    """The policies by name, each with a value for every label that templates and gold use.

    Raises:
        ExperimentError: With every policy that is unknown, doubled, or lacks a value.
    """
    offered = {str(label) for source in sources for label in source.dialect.words}
    space = SPACE_LABELS[gold.manifest.label_space]
    needed = sorted(offered | {_CREDITED.get(label, label) for label in space})
    policies: dict[str, Policy] = {}
    problems: list[Problem] = []
    for index, text in enumerate(texts):
        try:
            policy = parse_policy(text, where)
            check_policy(policy, needed, where)
        except InputError as error:
            problems += error.problems
            continue
        if policy.name in policies:
            law = "every policy stands once"
            field = f"policies[{index}]"
            problems.append(Problem(where, law, "Take one out.", field=field, got=repr(text)))
        policies[policy.name] = policy
    if problems:
        raise ExperimentError(problems)
    return tuple(policies.values())


def check_metric(sources: Iterable[PromptSource], gold: GoldSet, where: str) -> None:
    """Templates ask the question that the gold set answers.

    Raises:
        TemplateError: With every template made for another metric.
    """
    problems = list(serving_problems(sources, gold.manifest.metric, where))
    if problems:
        raise TemplateError(problems)


def check_prompts(sources: Iterable[PromptSource], gold: GoldSet) -> None:
    """Right answers read as their own labels, and examples are none of what is judged.

    Raises:
        TemplateError: With every word and example that is wrong.
    """
    templates = {s.fingerprint: s for s in sources if isinstance(s, Template)}
    problems = [
        problem
        for template in templates.values()
        for problem in (
            *_misread_words(template),
            *_misread_examples(template),
            *_leaking_examples(template, gold),
        )
    ]
    if problems:
        raise TemplateError(list(dict.fromkeys(problems)))


def check_questions(wordings: Iterable[Wording], gold: GoldSet) -> None:
    """Every claim has what its template shows of it.

    Raises:
        TemplateError: With every claim whose template shows a question that it does not have.
    """
    missing: dict[str, str] = {}
    for wording in wordings:
        for claim in gold.judged().claims:
            source = wording.source_for(claim.lang)
            shows = isinstance(source, Template) and source.show_question
            if shows and not (claim.question or "").strip():
                missing.setdefault(claim.claim_id, source.label)
    if missing:
        where = str(gold.path or gold.manifest.name)
        mend = "Add the question, or set show_question to false in the template."
        raise TemplateError(
            Problem(
                where,
                f"{label} shows the user's question, and the claim has none",
                mend,
                field="question",
                got=f"claim_id {claim_id!r}",
            )
            for claim_id, label in missing.items()
        )


def check_extractors(trials: Iterable[Trial], judges: Mapping[str, Judge], where: str) -> None:
    """Who is to list facts can write.

    Raises:
        ExperimentError: With every judge that compares wording and is given the form `truths`.
    """
    unable = {
        judges[trial.judge].spec: str(trial.form)
        for trial in trials
        if trial.form.kind == "truths" and compares_wording(judges[trial.judge])
    }
    if unable:
        mend = (
            "Leave truths out of context_forms, or take the baseline into an experiment of its own."
        )
        raise ExperimentError(
            Problem(
                where,
                f"{spec} compares wording and writes nothing, so it can list no facts",
                mend,
                field="context_forms",
                got=repr(form),
            )
            for spec, form in unable.items()
        )


def _misread_words(template: Template) -> Iterator[Problem]:
    for label, word in template.dialect.words.items():
        read = _read_as(template, template.sample_answer(label))
        if read != label:
            law = f"an answer with the word for {label} must be read as {label}, not as {read}"
            mend = "Choose a plainer word."
            yield Problem(template.label, law, mend, field=f"labels.{label}", got=short_repr(word))


def _misread_examples(template: Template) -> Iterator[Problem]:
    for index, example in enumerate(template.examples):
        sample = template.sample_answer(example.label, example.reason)
        read = _read_as(template, sample)
        if read != example.label:
            law = f"the example's answer must be read as {example.label}, not as {read}"
            mend = "Reword its reason: it must hold no verdict of its own."
            field = f"examples[{index}]"
            yield Problem(template.label, law, mend, field=field, got=short_repr(sample))


def _read_as(template: Template, answer: str) -> str:
    verdict = parse_reply(Reply(answer, "stop"), template, ["1"])[0]
    return str(verdict.label or verdict.failure)


def _leaking_examples(template: Template, gold: GoldSet) -> Iterator[Problem]:
    """Examples that are, nearly or in part, what the gold set holds in any of its splits."""
    if not template.examples:
        return
    claims = [(claim.claim_id, claim.claim) for claim in gold.claims]
    contexts = [
        (context.context_id, text)
        for context in gold.contexts.values()
        for text in (*context.passages, "\n".join(context.passages))
    ]
    found = {
        "claim": _alike([example.claim for example in template.examples], claims),
        "context": _alike([example.context for example in template.examples], contexts),
    }
    for index, example in enumerate(template.examples):
        for field, names in found.items():
            if index in names:
                yield Problem(
                    template.label,
                    f"an example is none of what is judged, in any split, but this is {field} "
                    f"{names[index]!r}, or nearly so",
                    "Take an example from elsewhere.",
                    field=f"examples[{index}].{field}",
                    got=short_repr(getattr(example, field)),
                )


def _alike(texts: Sequence[str], known: Sequence[tuple[str, str]]) -> dict[int, str]:
    """By place of a text: the id of the known one it is nearest to, or that it is a part of."""
    pairs = near_pairs([*texts, *(text for _, text in known)])
    first = len(texts)
    alike = {
        pair.first: known[pair.second - first][0]
        for pair in sorted(pairs, key=lambda pair: pair.similarity)
        if pair.first < first <= pair.second
    }
    bare = [(name, folded(text)) for name, text in known]
    for index, text in enumerate(map(folded, texts)):
        inside = (name for name, whole in bare if len(text) >= SHORTEST_PART and text in whole)
        alike.setdefault(index, next(inside, ""))
    return {index: name for index, name in alike.items() if name}

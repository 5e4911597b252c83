"""`--to deepeval`: a template class, a faithfulness metric and a groundedness metric.

DeepEval's own metric has the judge extract truths first, puts all claims of an answer in one call
and wants JSON. The emitted metric asks as the release does; the template class alone asks the
release's words the way DeepEval does, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.emit.boxed import all_in_one
from metajudge.release.emit.kinds import DropIn, Kind, kind_named
from metajudge.release.emit.limits import (
    READING_CONDITION,
    conditions_head,
    credits,
    described,
    form_differences,
    identity,
    judge_conditions,
    reading_differences,
)
from metajudge.release.emit.notes import notes
from metajudge.release.emit.python_text import module_text
from metajudge.release.emit.sheet import UNSURE, Sheet, sheets_of
from metajudge.scoring.policies import DROPPED, Policy
from metajudge.templates.dialect import LabelName
from metajudge.templates.frame import frame_for
from metajudge.templates.placeholders import fill
from metajudge.templates.template import Template

_OWN_WORDS: dict[LabelName, str] = {"yes": "yes", "no": "no", "idk": UNSURE}
_STEPS = {
    "en": (
        "Split the actual output into the claims it makes; pass over greetings and refusals.",
        "For each claim, decide whether the retrieval context supports it: {options}",
        "The mark is the share of claims that are {counted}.",
        "Use nothing but the retrieval context.",
    ),
    "zh": (
        "把 actual output 拆成一条条陈述；问候语和拒答不算陈述。",
        "逐条判断 retrieval context 是否支持该陈述：{options}",
        "得分为选“{counted}”的陈述所占的比例。",
        "只依据 retrieval context 判断。",
    ),
}
_USES = """\
    from {module} import faithfulness_metric
    metric = faithfulness_metric(model, claims=["…"])  # asks, reads and scores as the release
    metric.measure(test_case)

    # DeepEval's own metric with the release's words; see below in what it differs
    from {module} import ReleaseFaithfulnessTemplate
    FaithfulnessMetric(
        evaluation_template=ReleaseFaithfulnessTemplate,
        penalize_ambiguous_claims={flag},
        threshold={threshold:g},
        model=model,
    )

Needs DeepEval {versions} (tested with {tested}) and nothing else. DeepEval reports its use to its
makers unless DEEPEVAL_TELEMETRY_OPT_OUT=YES is in the environment before it is imported."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The module and its notes.

    Raises:
        ReleaseError: The policy is none of DeepEval's two, or the prompt shows the question.
    """
    kind = kind_named("deepeval")
    sheets = sheets_of(release, languages)
    flag = _checked_flag(release, sheets)
    module, notes_file = kind.file_names(release.manifest.name, languages)
    differences = (*reading_differences(release), *form_differences(release))
    conditions = (
        *judge_conditions(release),
        "Claims are given with claims=…; else DeepEval extracts them with a prompt of its own, "
        "which the release's figures know nothing of.",
        "DeepEval's models take one text: the system line stands before the user's message.",
        READING_CONDITION,
        "An answer without claims, or without any readable label, has no score: an error is raised "
        "where DeepEval would give 1. Pass ignore_errors to evaluate() to go on.",
    )
    uses = _USES.format(
        module=module.removesuffix(".py"),
        flag=flag,
        threshold=release.candidate.threshold,
        versions=kind.versions,
        tested=kind.tested,
    )
    told = {
        "faithfulness_metric differs from the release:": differences,
        conditions_head(differences): conditions,
        "ReleaseFaithfulnessTemplate in DeepEval's own metric differs from the release:": (
            _template_differences(sheets)
        ),
    }
    title = f"for DeepEval: faithfulness under the policy {release.candidate.policy.name}."
    return DropIn(
        files={
            module: module_text(
                described(f"{release.ref} {title}", uses, told),
                _constants(release, kind, sheets, flag),
                "deepeval.py.txt",
            ),
            notes_file: notes(release.ref, title, uses, told),
        },
        differences=differences,
        conditions=conditions,
    )


def _constants(release: Release, kind: Kind, sheets: Sequence[Sheet], flag: bool) -> dict[str, Any]:
    offered = sheets[0].template.dialect.words
    return {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "PENALIZE": flag,
        "CREDIT": credits(release.candidate.policy, offered),
        "LANGUAGES": {sheet.language: sheet.plain() for sheet in sheets},
        "BOXED": {sheet.language: _boxed(sheet.template) for sheet in sheets},
        "STEPS": {sheet.language: _steps(sheet.template, flag) for sheet in sheets},
    }


def _boxed(template: Template) -> dict[str, Any]:
    words = {label: _OWN_WORDS[label] for label in template.dialect.words}
    plain = all_in_one(template, words).plain()
    return {name: plain[name] for name in ("messages", "empty_context", "claims_per_call")}


def _steps(template: Template, flag: bool) -> list[str]:
    words = {str(label): word for label, word in template.dialect.words.items()}
    joint = frame_for(template.language, template.frame).option_joint
    options = [
        f"{word}{joint}{fill(template.definitions[label], words)}"
        for label, word in template.dialect.words.items()
    ]
    supported = ("yes",) if flag else ("yes", "idk")
    counted = [word for label, word in words.items() if label in supported]
    told = {"options": " / ".join(options), "counted": " / ".join(counted)}
    steps = [line.format(**told) for line in _STEPS[template.language]]
    return [*steps, *(fill(rule, words) for rule in template.rules)]


def _template_differences(sheets: Sequence[Sheet]) -> tuple[str, ...]:
    return (
        "DeepEval has the judge extract truths from the context and judges those, not the context; "
        "the figures of the release do not hold for that.",
        "all claims of an answer are asked in one call and answered as DeepEval's JSON, with its "
        "words yes, no and borderline (idk in older versions); the release asks "
        f"{sheets[0].template.claims_per_call} a call"
        + ("" if sheets[0].template.answer.json_ else " and takes no JSON")
        + ".",
        "verdicts are placed by their order, and a verdict that DeepEval cannot read is dropped "
        "from the denominator.",
    )


def _flag(policy: Policy) -> bool | None:
    """`penalize_ambiguous_claims`, True too where there is no idk; None where neither fits."""
    yes, no, idk = policy.credit
    if policy.from_probabilities or (yes, no) != (1.0, 0.0):
        return None
    return {None: True, 0.0: True, 1.0: False}.get(idk if idk != DROPPED else -1.0)


def _checked_flag(release: Release, sheets: Sequence[Sheet]) -> bool:
    policy, problems = release.candidate.policy, []
    flag = _flag(policy)
    if flag is None:
        law = (
            "DeepEval scores idk as support (lenient) or as none (strict) through "
            f"penalize_ambiguous_claims, and cannot express the policy {policy.name}"
        )
        mend = "Emit ragas, dspy or chat, or release it under lenient or strict."
        problems.append(Problem(release.ref, law, mend, field="policy.name", got=policy.name))
    if any(sheet.template.show_question for sheet in sheets):
        law = "DeepEval's verdict step does not see the user's question, which this template shows"
        mend = "Emit ragas, dspy or chat."
        problems.append(Problem(release.ref, law, mend, field="template.show_question"))
    if flag is None or problems:
        raise ReleaseError(problems)
    return flag

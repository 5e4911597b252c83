"""`--to mlflow`: the arguments of `make_judge`, and a module that judges and scores with them.

MLflow puts the instructions into a system prompt of its own, gives the filled-in fields as JSON in
the user's message, and asks for a JSON object with the label and a rationale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.emit.decoding import decoding, openai_model
from metajudge.release.emit.kinds import DropIn, kind_named
from metajudge.release.emit.limits import (
    conditions_head,
    credits,
    described,
    form_differences,
    identity,
    judge_conditions,
    needs_labels_only,
    reading_differences,
)
from metajudge.release.emit.own_form import calls_difference, form_difference, sheet_with_form
from metajudge.release.emit.python_text import module_text
from metajudge.release.emit.sheet import Sheet, sheets_of
from metajudge.templates.template import Template

_VARIABLES = {"context": "{{ inputs }}", "claims": "{{ outputs }}"}
_VARIABLE = re.compile(r"\{\{\s*[A-Za-z_]")
_USES = """\
    from {module} import claim_judge, faithfulness_scorer
    judge = claim_judge(language="{language}", model="openai:/…")
    judge(inputs=context, outputs=claim)                   # one claim
    evaluate(data=[{{"inputs": {{"context": ["…"]}}, "outputs": {{"claims": ["…"]}}}}],
             scorers=[faithfulness_scorer(judge, language="{language}")])

Needs MLflow {versions} (tested with {tested}, and with pandas where it is mlflow-skinny)."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The module, and a JSON file a language.

    Raises:
        ReleaseError: The policy scores from probabilities, the prompt shows the question, or its
            words would be read as variables.
    """
    kind = kind_named("mlflow")
    needs_labels_only(release, "MLflow")
    sheets = sheets_of(release, languages)
    asked = {sheet.language: sheet_with_form(sheet.template) for sheet in sheets}
    _check(release, sheets, asked)
    module, *files = kind.file_names(release.manifest.name, languages)
    differences = (
        "instructions stand in MLflow's own system prompt, context and claim follow as JSON texts "
        "in the user's message, and the label is asked for in a JSON object with a rationale; the "
        "figures of the release do not hold for it.",
        form_difference("MLflow"),
        *calls_difference(sheet.template for sheet in sheets),
        *reading_differences(release),
        *form_differences(release),
    )
    conditions = (
        *judge_conditions(release),
        "MLflow gives the label without checking it against the words offered; the scorer does, "
        "and a claim without a label stays in the denominator, uncredited. So does a claim whose "
        "call MLflow gave up on.",
    )
    told = {
        "Differs from the release:": differences,
        conditions_head(differences): conditions,
    }
    uses = _USES.format(
        module=module.removesuffix(".py"),
        language=languages[0],
        versions=kind.versions,
        tested=kind.tested,
    )
    policy = release.candidate.policy
    title = f"{release.ref} for MLflow: faithfulness under the policy {policy.name}."
    arguments = {language: _arguments(release, sheet) for language, sheet in asked.items()}
    constants = {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "NAME": release.manifest.name,
        "CREDIT": credits(policy, sheets[0].labels),
        "ARGUMENTS": arguments,
        "LANGUAGES": {language: _filling(sheet) for language, sheet in asked.items()},
    }
    texts = {module: module_text(described(title, uses, told), constants, "mlflow.py.txt")}
    for file, (language, given) in zip(files, arguments.items(), strict=True):
        told_json = {"make_judge": given, "language": language, **_scored(constants)}
        texts[file] = json.dumps(told_json, ensure_ascii=False, indent=2)
    return DropIn(texts, differences, conditions)


def _arguments(release: Release, sheet: Sheet) -> dict[str, Any]:
    """Arguments of `make_judge`; the value type in JSON Schema, as MLflow itself stores it."""
    model = openai_model(release)
    return {
        "name": release.manifest.name,
        "instructions": _instructions(sheet),
        "feedback_value_type": {"type": "string", "enum": [w[0] for w in sheet.labels.values()]},
        "inference_params": decoding(release),
        **({} if model is None else {"model": f"openai:/{model}"}),
        **({"generate_rationale_first": True} if _reason_first(release, sheet) else {}),
    }


def _reason_first(release: Release, sheet: Sheet) -> bool:
    source = release.candidate.variants[0].by_language[sheet.language]
    return source.answer.form == "reason_first"


def _instructions(sheet: Sheet) -> str:
    return "\n\n".join(
        "".join(p if isinstance(p, str) else _VARIABLES[p["place"]] for p in pieces)
        for _, pieces in sheet.messages
    )


def _filling(sheet: Sheet) -> dict[str, Any]:
    """What the module needs to show passages and to know labels."""
    context = [["context", [{"place": "context"}]]]
    return {**sheet.plain(), "messages": context}


def _scored(constants: dict[str, Any]) -> dict[str, Any]:
    names = ("RELEASE", "RELEASE_SHA256", "POLICY", "THRESHOLD", "CREDIT")
    return {name.lower(): constants[name] for name in names}


def _check(release: Release, sheets: Sequence[Sheet], asked: dict[str, Sheet]) -> None:
    problems = []
    for sheet in sheets:
        template: Template = sheet.template
        if template.show_question:
            law = "MLflow's judges know inputs and outputs only, and this template shows a question"
            mend = "Emit inspect, phoenix or chat."
            problems.append(Problem(template.label, law, mend, field="show_question"))
            continue
        fixed = [p for _, pieces in asked[sheet.language].messages for p in pieces]
        held = [p for p in fixed if isinstance(p, str) and _VARIABLE.search(p)]
        if held:
            law = "MLflow reads {{ name }} in instructions as a variable and refuses unknown ones"
            mend = "Take the double braces out of the template, or emit chat."
            problems.append(Problem(template.label, law, mend, got=repr(held[0][:60])))
    if problems:
        raise ReleaseError(problems)

"""`--to phoenix`: a classification evaluator of claims, and an evaluator of whole answers.

The classification evaluator is Phoenix's own: rails and scores are the release's, the label comes
through a JSON schema. The evaluator of answers asks, reads and scores as the release does.
"""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.release.bundle import Release
from metajudge.release.emit.decoding import decoding
from metajudge.release.emit.kinds import DropIn, kind_named
from metajudge.release.emit.limits import (
    READING_CONDITION,
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

_USES = """\
    from {module} import ReleaseFaithfulness, classifier
    answers = ReleaseFaithfulness(llm, language="{language}")   # asks, reads, scores as the release
    answers.evaluate({{"context": ["…"], "claims": ["…"]}})

    claims = classifier(llm, language="{language}")             # Phoenix's own way, one claim each
    claims.evaluate({{"context": ["…"], "claim": "…"}})

Needs arize-phoenix-evals {versions} (tested with {tested}) and nothing else."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The module.

    Raises:
        ReleaseError: The policy scores from probabilities.
    """
    kind = kind_named("phoenix")
    needs_labels_only(release, "Phoenix")
    sheets = sheets_of(release, languages)
    (module,) = kind.file_names(release.manifest.name, languages)
    differences = (*reading_differences(release), *form_differences(release))
    conditions = (
        *judge_conditions(release),
        "Phoenix's OpenAI client sends the system line as a developer message unless the model's "
        "name begins with gpt-.",
        READING_CONDITION,
    )
    uses = _USES.format(
        module=module.removesuffix(".py"),
        language=languages[0],
        versions=kind.versions,
        tested=kind.tested,
    )
    told = {
        "ReleaseFaithfulness differs from the release:": differences,
        conditions_head(differences): conditions,
        "classifier differs from the release besides:": (
            form_difference("Phoenix"),
            *calls_difference(sheet.template for sheet in sheets),
            "a reply without a label that is offered raises an error; such a claim is to be kept "
            "in the denominator, uncredited.",
        ),
    }
    policy = release.candidate.policy
    title = f"{release.ref} for Phoenix: faithfulness under the policy {policy.name}."
    constants = {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "NAME": release.manifest.name,
        "CREDIT": credits(policy, sheets[0].labels),
        "DECODING": decoding(release),
        "LANGUAGES": {sheet.language: sheet.plain() for sheet in sheets},
        "CLASSIFIED": {sheet.language: _classified(sheet) for sheet in sheets},
    }
    text = module_text(described(title, uses, told), constants, "phoenix.py.txt")
    return DropIn({module: text}, differences, conditions)


def _classified(sheet: Sheet) -> dict[str, object]:
    return {**sheet_with_form(sheet.template).plain(), "form": sheet.form}

"""`--to inspect`: a scorer for Inspect that keeps verdict, failure and score apart."""

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
from metajudge.release.emit.python_text import module_text
from metajudge.release.emit.sheet import sheets_of

_USES = """\
    from {module} import release_faithfulness
    Task(dataset=[Sample(input="…", metadata={{"context": ["…"], "claims": ["…"]}})],
         scorer=release_faithfulness(language="{language}", model="…"))

Needs Inspect {versions} (tested with {tested}) and nothing else."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The scorer module.

    Raises:
        ReleaseError: The policy scores from probabilities.
    """
    kind = kind_named("inspect")
    needs_labels_only(release, "Inspect")
    sheets = sheets_of(release, languages)
    (module,) = kind.file_names(release.manifest.name, languages)
    differences = (*reading_differences(release), *form_differences(release))
    conditions = (
        *judge_conditions(release),
        READING_CONDITION,
        "A call that Inspect gives up on is an error of its sample, not a claim without a label.",
    )
    uses = _USES.format(
        module=module.removesuffix(".py"),
        language=languages[0],
        versions=kind.versions,
        tested=kind.tested,
    )
    told = {
        "Differs from the release:": differences,
        conditions_head(differences): conditions,
    }
    policy = release.candidate.policy
    title = f"{release.ref} for Inspect: faithfulness under the policy {policy.name}."
    constants = {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "CREDIT": credits(policy, sheets[0].labels),
        "DECODING": decoding(release),
        "LANGUAGES": {sheet.language: sheet.plain() for sheet in sheets},
    }
    text = module_text(described(title, uses, told), constants, "inspect.py.txt")
    return DropIn({module: text}, differences, conditions)

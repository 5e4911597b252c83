"""`--to dspy`: a judge that sends the release's own messages, a signature, and saved programs.

The saved program of a language is what `dspy.Predict(...).load` reads. It holds the question; the
messages are then written by DSPy's adapter. The judge of the module keeps the release's messages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from metajudge.release.bundle import Release
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
from metajudge.release.emit.sheet import Sheet, sheets_of

_FIELDS = {
    "CONTEXT_IS": "The passages that the claim is judged against.",
    "CLAIM_IS": "One statement of the answer.",
    "VERDICT_IS": "The label.",
}
_USES = """\
    from {module} import ReleaseJudge, verdict_signature
    said = ReleaseJudge("{language}")(passages=["…"], claims=["…"])   # said.verdicts, said.score

    program = dspy.Predict(verdict_signature("{language}"))
    program.load("{program}")

Needs DSPy {versions} (tested with {tested}) and nothing else."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The module and one saved program a language.

    Raises:
        ReleaseError: The policy scores from probabilities.
    """
    kind = kind_named("dspy")
    needs_labels_only(release, "DSPy")
    sheets = sheets_of(release, languages)
    module, *programs = kind.file_names(release.manifest.name, languages)
    differences = (*reading_differences(release), *form_differences(release))
    conditions = (*judge_conditions(release), READING_CONDITION)
    uses = _USES.format(
        module=module.removesuffix(".py"),
        language=languages[0],
        program=programs[0],
        versions=kind.versions,
        tested=kind.tested,
    )
    told = {
        "ReleaseJudge differs from the release:": differences,
        conditions_head(differences): conditions,
        "verdict_signature and the saved programs differ from the release:": (
            "DSPy's adapter writes the messages and sets the answer form; the figures of the "
            "release do not hold for them.",
        ),
    }
    policy = release.candidate.policy
    title = f"{release.ref} for DSPy: faithfulness under the policy {policy.name}."
    constants = {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "CREDIT": credits(policy, sheets[0].labels),
        **_FIELDS,
        "LANGUAGES": {
            sheet.language: {**sheet.plain(), "instructions": _instructions(sheet)}
            for sheet in sheets
        },
    }
    files = {module: module_text(described(title, uses, told), constants, "dspy.py.txt")}
    files |= {
        file: json.dumps(_program(sheet), ensure_ascii=False, indent=2)
        for file, sheet in zip(programs, sheets, strict=True)
    }
    return DropIn(files, differences, conditions)


def _instructions(sheet: Sheet) -> str:
    """The question without its last line, which sets the answer form."""
    return sheet.template.question_block.rpartition("\n")[0].rstrip()


def _program(sheet: Sheet) -> dict[str, object]:
    """The state of a `Predict` over the signature, without a model and demonstrations."""
    prefixes = ("Context:", "Claim:", "Verdict:")
    fields = [
        {"prefix": prefix, "description": told}
        for prefix, told in zip(prefixes, _FIELDS.values(), strict=True)
    ]
    return {
        "traces": [],
        "train": [],
        "demos": [],
        "signature": {"instructions": _instructions(sheet), "fields": fields},
        "lm": None,
        "metadata": {"dependency_versions": {}},
    }

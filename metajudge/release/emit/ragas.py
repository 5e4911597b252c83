"""`--to ragas`: a prompt object and a faithfulness metric scored by the release's policy.

Ragas' models give structured answers only, so a release that asks for plain text is asked in JSON
here, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.release.bundle import Release
from metajudge.release.emit.boxed import as_object
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
from metajudge.release.emit.notes import notes
from metajudge.release.emit.python_text import module_text
from metajudge.release.emit.sheet import sheets_of

_USES = """\
    from {module} import ReleaseFaithfulness
    metric = ReleaseFaithfulness(llm=llm, language="{language}")
    await metric.ascore(user_input="…", response="…", retrieved_contexts=["…"], claims=["…"])

Needs Ragas {versions} (tested with {tested}), its modern models (llm_factory), and nothing else.
Ragas reports its use to its makers unless RAGAS_DO_NOT_TRACK=true is in the environment before it
is imported."""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The module and its notes.

    Raises:
        ReleaseError: The policy scores from probabilities.
    """
    kind = kind_named("ragas")
    needs_labels_only(release, "Ragas")
    boxes = [as_object(sheet.template) for sheet in sheets_of(release, languages)]
    module, notes_file = kind.file_names(release.manifest.name, languages)
    differences = (
        *reading_differences(release),
        *form_differences(release),
        *dict.fromkeys(box.differs for box in boxes if box.differs is not None),
    )
    conditions = (
        *judge_conditions(release),
        "Claims are given with claims=…; else Ragas extracts statements with a prompt of its own, "
        "which the release's figures know nothing of.",
        "Ragas' models take one text: the system line stands before the user's message. Its client "
        "may add a schema of the answer to the request.",
        "A verdict that is none of the words offered stays in the denominator, uncredited. A reply "
        "that Ragas cannot parse raises its error.",
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
    title = f"for Ragas: faithfulness under the policy {policy.name}."
    constants = {
        **identity(release),
        "SUPPORTED": [*kind.bounds(), kind.tested],
        "CREDIT": credits(policy, boxes[0].sheet.labels),
        "LANGUAGES": {
            box.sheet.language: {**box.sheet.plain(), "question": box.question} for box in boxes
        },
    }
    text = module_text(described(f"{release.ref} {title}", uses, told), constants, "ragas.py.txt")
    return DropIn(
        {module: text, notes_file: notes(release.ref, title, uses, told)}, differences, conditions
    )

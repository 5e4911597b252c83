"""A template for frameworks that state the form of the answer themselves.

Question, definitions, rules and examples stay as they are. The template's own line on the form of
the answer goes, since two such lines would contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from metajudge.release.emit.sheet import Sheet, sheet_of
from metajudge.templates.dialect import LabelName
from metajudge.templates.frame import frame_for
from metajudge.templates.placeholders import fill
from metajudge.templates.template import Template

Answered = Callable[[LabelName], str]
_QUOTED = ">"


def sheet_with_form(
    template: Template, line: str | None = None, answered: Answered | None = None
) -> Sheet:
    """The sheet of one claim a call, with another answer form.

    Args:
        template: The release's.
        line: What is said of the answer's form; None where the framework says it elsewhere, and
            only what a reason holds is left to say.
        answered: What an example shows as the answer of a label; None for the label's word.
    """
    bare = one_label(template)
    lines = bare.question_block.split("\n")[:-1]
    by_word = {word: label for label, word in bare.dialect.words.items()}
    for place, text in enumerate(lines):
        shown = place > 0 and lines[place - 1].startswith(_QUOTED)
        if answered is not None and shown and text in by_word:
            lines[place] = answered(by_word[text])
    while lines and not lines[-1]:
        lines.pop()
    last = reason_line(template) if line is None else line
    return sheet_of(bare, "\n".join([*lines, *([last] if last else [])]))


def reason_line(template: Template) -> str | None:
    """What a reason is to hold, as a line of its own; None where the release asks for none."""
    if template.answer.form == "label_only":
        return None
    frame = frame_for(template.language, template.frame)
    words = {str(label): word for label, word in template.dialect.words.items()}
    hint = fill(template.reason_hint, words) if template.reason_hint else frame.reason_hint
    return frame.json_hint.replace("{hint}", hint)


def one_label(template: Template) -> Template:
    """The template asked for the label of one claim and nothing else."""
    raw = template.model_dump(by_alias=True)
    alone = {"answer": {"form": "label_only"}, "claims_per_call": 1, "reason_hint": None}
    return Template.model_validate(raw | alone)


def form_difference(framework: str) -> str:
    """What `sheet_with_form` does otherwise than the release."""
    return (
        f"leaves out the release's line on the form of the answer, since {framework} states its "
        "own; the judge answers in another form than the figures were measured with."
    )


def calls_difference(templates: Iterable[Template]) -> tuple[str, ...]:
    """That one claim is asked at a time, where the release puts several into a call."""
    most = max(template.claims_per_call for template in templates)
    return (f"asks one claim a call; the release asks up to {most}.",) if most > 1 else ()

"""A template asked for JSON that frameworks parse, whatever answer form it asks for itself.

One claim a call is answered as `{"verdict": "…"}`; several as one object with a list in it,
`{"verdicts": [{"id": 1, "verdict": "…"}, …]}`. Words, definitions, rules and whether a reason comes
first stay the release's.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from metajudge.release.emit.sheet import Sheet, sheet_of
from metajudge.templates.catalogue import changed
from metajudge.templates.dialect import LabelName
from metajudge.templates.template import Template

_MOST_CLAIMS = 100
_OBJECT = {"en": ("a JSON list", "a JSON object"), "zh": ("JSON列表", "JSON对象")}


class Boxed(NamedTuple):
    """A template in JSON form.

    Attributes:
        sheet: Its sheet.
        question: Definitions, rules, examples and the answer form, as the prompt has them.
        differs: In what its prompt differs from the release's; None where it does not.
    """

    sheet: Sheet
    question: str
    differs: str | None


def as_object(template: Template) -> Boxed:
    """A template asked for JSON, with as many claims a call as it has."""
    form = {"form": template.answer.form, "json": True}
    asked = changed(template, template.label, labels=template.dialect, answer=form)
    differs = None
    if not template.answer.json_:
        differs = (
            f"asks for JSON, the framework's answer form; the release asks for plain text "
            f"({template.answer.form}). Its figures were not measured with JSON."
        )
    if template.claims_per_call == 1:
        return Boxed(sheet_of(asked), asked.question_block, differs)
    differs = differs or (
        "asks for the list of verdicts inside an object, as the framework parses it; the release "
        "asks for the list alone."
    )
    question = _question(asked)
    return Boxed(sheet_of(asked, question), question, differs)


def all_in_one(template: Template, words: dict[LabelName, str]) -> Sheet:
    """A template asked for all claims of an answer in one call, in the framework's own words.

    Args:
        template: The release's.
        words: A word for each label that it offers.

    Raises:
        TemplateError: The words cannot stand beside each other.
    """
    batch = changed(
        template,
        template.label,
        labels={"name": "framework", "words": words},
        answer={"form": template.answer.form, "json": True},
        claims_per_call=_MOST_CLAIMS,
    )
    return sheet_of(batch, _question(batch))


def _question(batch: Template) -> str:
    lines = batch.question_block.split("\n")
    samples = {batch.sample_answer(e.label, e.reason) for e in batch.examples}
    lines = [_in_object(line) if line in samples else line for line in lines]
    plain, in_object = _OBJECT[batch.language]
    shape = json.loads(batch.sample_answer(next(iter(batch.dialect.words)), "…"))[0]
    shown = f"[{json.dumps({**shape, 'verdict': '…'}, ensure_ascii=False)}, …]"
    lines[-1] = lines[-1].replace(plain, in_object).replace(shown, _in_object(shown))
    return "\n".join(lines)


def _in_object(entries: str) -> str:
    return f'{{"verdicts": {entries}}}'

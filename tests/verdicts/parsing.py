"""Templates in every answer form, and what the parser makes of a reply to one."""

from __future__ import annotations

from metajudge.templates.dialect import RELATION, WORDS, Dialect
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply, Verdict

DEFINITIONS = {"yes": "backed", "no": "conflicts", "idk": "not given"}
BINARY = Dialect(name="binary", words={"yes": "yes", "no": "no"})
NUMBERS = Dialect(
    name="numbers",
    words={"yes": "1", "no": "0"},
    spellings={"yes": ("true",), "no": ("false",)},
)


def template(
    form: str = "label_only",
    *,
    json: bool = False,
    dialect: Dialect = WORDS["en"],
    language: str = "en",
    claims_per_call: int = 1,
) -> Template:
    return Template.model_validate(
        {
            "name": "t",
            "version": "1.0.0",
            "family": "t",
            "language": language,
            "labels": dialect.model_dump(),
            "definitions": {label: DEFINITIONS[label] for label in dialect.words},
            "answer": {"form": form, "json": json},
            "claims_per_call": claims_per_call,
        }
    )


LABEL_ONLY = template()
REASON_FIRST = template("reason_first")
LABEL_FIRST = template("label_first")
JSON = template("reason_first", json=True)
JSON_LABEL_FIRST = template("label_first", json=True)
ZH = template("reason_first", dialect=RELATION["zh"], language="zh")


def read(text: str, asked: Template = LABEL_ONLY, finish: str | None = "stop") -> Verdict:
    (verdict,) = parse_reply(Reply(text, finish_reason=finish), asked, ["1"])
    assert (verdict.label is None) != (verdict.failure is None)
    return verdict


def outcome(text: str, asked: Template = LABEL_ONLY, finish: str | None = "stop") -> str:
    verdict = read(text, asked, finish)
    return str(verdict.label or verdict.failure)

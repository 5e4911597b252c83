"""Drop-ins of several releases, and a loopback judge that answers whatever way it is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.release.bundle import Release
from metajudge.release.emit.writing import emitted, write_texts
from metajudge.templates.frame import frame_for
from metajudge.templates.template import Template
from tests.loopback import Answer, Script, ServerCall, chat
from tests.release.emit.made import (
    LABELS,
    PASSAGES,
    Own,
    asked_claims,
    made,
    own_path,
    own_template,
    reply_text,
)

SHAPES: Mapping[str, Mapping[str, Any]] = {
    "label": {"name": "summary-tolerant"},
    "reason": {"name": "evidence-first"},
    "list": {
        "name": "literal",
        "claims_per_call": 3,
        "answer": {"form": "label_only", "json": True},
    },
}
"""Answer forms of releases, as changes of a shipped template."""
UNREADABLE = tuple(claim for claim, label in LABELS.items() if label is None)
"""Claims whose replies have no label."""

_CLAIM_HEADS = tuple(f"\n\n{frame_for(language).claim_head}" for language in ("en", "zh"))


class Case(NamedTuple):
    """One answer to be judged through a drop-in.

    Attributes:
        shape: Key in `SHAPES`.
        language: `en` or `zh`.
        policy: The release's.
        claims: What the answer claims.
    """

    shape: str
    language: str
    policy: str = "strict"
    claims: tuple[str, ...] = tuple(LABELS)

    @property
    def name(self) -> str:
        """What its folder is called."""
        kept = "".join(c if c.isalnum() else "-" for c in self.policy)
        return f"{self.shape}-{self.language}-{kept}-{len(self.claims)}"

    def release(self, folder: Path) -> Release:
        """The release, made anew."""
        templates = [own_template(lang=lang, **SHAPES[self.shape]) for lang in ("en", "zh")]
        return made(folder / "registry" / self.name, templates, policy=self.policy)

    def own(self, release: Release) -> Own:
        """What metajudge makes of it."""
        return own_path(release, self.language, self.claims)


CASES = (
    Case("label", "en"),
    Case("reason", "zh", "partial(0.25)"),
    Case("list", "en", "drop_idk"),
    Case("label", "zh", "lenient", tuple(LABELS)[:3]),
    Case("label", "en", claims=UNREADABLE),
)
"""What drop-ins are tried on that ask in every answer form."""


def dropped(release: Release, to: str, out: Path) -> tuple[Path, ...]:
    """The files of a drop-in, written."""
    out.mkdir(parents=True, exist_ok=True)
    return write_texts(emitted(release, to).texts, out)


def job_case(case: Case, release: Release, to: str, folder: Path) -> dict[str, Any]:
    """A case as a script in a framework's environment gets it, with the module to be run."""
    paths = dropped(release, to, folder / "out" / case.name)
    (module,) = [path for path in paths if path.suffix == ".py"]
    return {
        "module": str(module),
        "language": case.language,
        "context": list(PASSAGES),
        "claims": list(case.claims),
        "question": "",
    }


def verbatim(text: str) -> bool:
    """Whether a text holds every passage as it is."""
    return all(passage in text for passage in PASSAGES)


def judge(releases: Sequence[Release]) -> Script:
    """A judge that gives `LABELS` in the form that a request asks for."""
    known = [
        template
        for release in releases
        for template in release.candidate.variants[0].by_language.values()
        if isinstance(template, Template)
    ]

    def script(call: ServerCall) -> Answer:
        shown = str(call.messages[-1]["content"])
        schema = call.body.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is not None:
            return chat(_by_schema(schema["properties"], shown))
        objects = [line for line in shown.splitlines() if line.startswith('{"reason"')]
        if objects:
            return chat(_word(objects, _one_claim(shown)).replace("…", "so it says"))
        asked = next(t for t in known if t.question_block in shown)
        return chat(reply_text(asked_claims(shown), asked))

    return script


def _by_schema(properties: Mapping[str, Any], shown: str) -> str:
    """MLflow's `result` with a rationale, Phoenix's `label` with or without an explanation."""
    (key,) = {"result", "label"} & set(properties)
    if key == "result":
        claim = json.loads(shown.rpartition("\noutputs: ")[2])
    else:
        (claim,) = asked_claims(shown)
    told = {name: "so it says" for name in properties}
    return json.dumps({**told, key: _word(properties[key]["enum"], claim)}, ensure_ascii=False)


def _one_claim(shown: str) -> str:
    """The claim that stands after the last claim head, up to the next empty line."""
    head = max(_CLAIM_HEADS, key=shown.rfind)
    return shown.rpartition(head)[2].partition("\n\n")[0]


def _word(offered: Sequence[str], claim: str) -> str:
    """The word offered for a claim's label; words stand in the order yes, no, idk."""
    by_label = dict(zip(("yes", "no", "idk"), offered, strict=True))
    return by_label.get(LABELS[claim] or "", "that depends")

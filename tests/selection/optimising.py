"""A small world for optimisers: a gold set, a scripted judge that heeds the words, a proposer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from metajudge.gold.claim import Annotation, Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge, Request
from metajudge.judges.spec import open_judge
from metajudge.templates.catalogue import catalogue
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply

GOOD = """Does the context support the claim? Choose one label.

yes: the context supports every part of the claim; a fair summary counts.
no: the context states something that conflicts with the claim.
idk: the context does not say.

- Use no knowledge of your own."""
LAX = """Does the context support the claim?

yes: the claim could be true; give the benefit of the doubt, a fair summary counts.
no: the context conflicts with it.
idk: never, if it can be helped."""
LABELLESS = "Think hard about the claim and be fair."

# What the judge heeds stands in the claim; whether it heeds it hangs on the instruction.
RULES = [
    {"match": r"(?sm)^Claim: [^\n]*orchard(?=.*benefit of the doubt)", "reply": "yes"},
    {"match": r"(?m)^Claim: [^\n]*lantern", "reply": "no"},
    {"match": r"(?m)^Claim: [^\n]*orchard", "reply": "idk"},
    {"match": r"(?sm)^Claim: [^\n]*overall(?=.*fair summary)", "reply": "yes"},
    {"match": r"(?m)^Claim: [^\n]*overall", "reply": "idk"},
    {"match": r"(?m)^Claim: [^\n]*harbour", "reply": "yes"},
]
_KINDS = [
    ("yes", "literal", "the harbour is open on day {i} of the month"),
    ("yes", "summary", "overall the harbour does well in season {i} of the year"),
    ("no", "contradiction", "the lantern burns blue on night {i} of the month"),
    ("idk", "outside_true", "the orchard bears fruit in week {i} of the year"),
]


def gold(contexts: int = 10, **changes: Any) -> GoldSet:
    """Four claims of four kinds on each context, each with an annotator's word."""
    claims = []
    for i in range(contexts):
        for kind, (label, slice_, text) in enumerate(_KINDS):
            claims.append(
                Claim(
                    claim_id=f"c{i}-{kind}",
                    answer_id=f"a{i}",
                    context_id=f"x{i}",
                    claim="They say that " + text.format(i=i),
                    label=label,  # type: ignore[arg-type]
                    slice=slice_,  # type: ignore[arg-type]
                    annotations=(
                        Annotation(
                            annotator="Anna",
                            label=label,  # type: ignore[arg-type]
                            note="a summing up of what stands there" if kind == 1 else None,
                            spans=(f"Page {i} of the town's log",) if kind == 1 else (),
                        ),
                    ),
                )
            )
    texts = {
        f"x{i}": Context(context_id=f"x{i}", passages=(f"Page {i} of the town's log.", "Nothing."))
        for i in range(contexts)
    }
    manifest = GoldManifest(
        name="town",
        version="1.0.0",
        languages=("en",),
        labelling_policy=LabellingPolicy(version="1.0.0"),
        licence="CC0",
        provenance="made for a test",
        label_source="human",
    )
    return GoldSet(manifest.model_copy(update=changes), tuple(claims), texts)


def start() -> Template:
    """The strictest shipped template."""
    source = catalogue()["literal"].source_for("en")
    assert isinstance(source, Template)
    return source


class Listening:
    """A judge that remembers what it was asked."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.spec, self.identity = judge.spec, judge.identity
        self.max_in_flight, self.gives_logprobs = judge.max_in_flight, judge.gives_logprobs
        self.label_in_one_token = judge.label_in_one_token
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        return await self._judge.ask(request)

    async def close(self) -> None:
        await self._judge.close()

    @property
    def prompts(self) -> list[str]:
        return ["\n".join(m.content for m in request.messages) for request in self.requests]


def scripted(folder: Path, name: str, **script: Any) -> Listening:
    """A scripted judge of a file in the folder."""
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({"name": name, **script}, allow_unicode=True), "utf-8")
    return Listening(open_judge(f"scripted:{path}"))


def judge(folder: Path, rules: Sequence[Any] = RULES) -> Listening:
    """A judge that heeds claim and instruction."""
    return scripted(folder, "judge", rules=list(rules))


def gepa_proposer(folder: Path, texts: Sequence[str], at_end: str = "cycle") -> Listening:
    """Replies as GEPA's proposer wants them."""
    replies = [json.dumps({"new_instruction": text}, ensure_ascii=False) for text in texts]
    return scripted(folder, "proposer", replies=replies, at_end=at_end)


def mipro_proposer(folder: Path, texts: Sequence[str]) -> Listening:
    """Replies as MIPROv2's proposer wants them."""
    replies = [
        f"[[ ## proposed_instruction ## ]]\n{text}\n\n[[ ## completed ## ]]" for text in texts
    ]
    return scripted(folder, "proposer", replies=replies)


def simba_proposer(folder: Path, advice: str) -> Listening:
    """Replies as SIMBA's proposer wants them."""
    told = json.dumps({"verdict": advice})
    reply = (
        "[[ ## discussion ## ]]\nIt is too strict.\n\n"
        f"[[ ## module_advice ## ]]\n{told}\n\n[[ ## completed ## ]]"
    )
    return scripted(folder, "proposer", replies=[reply])

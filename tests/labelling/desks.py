"""Gold folders made for the labelling page, and a browser without a screen that visits it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metajudge.gold.events import Event, LabelEvent, append_event, read_events
from metajudge.labelling.desk import Desk
from metajudge.labelling.door import Door
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.site import labelling_site
from metajudge.labelling.sitting import Sitting

HOST = "http://127.0.0.1:8321"
TOKEN = "a token of this test"
PASSAGES = ("The kiosk opens at nine. It is closed on Sundays.", "Tea costs three coins.")
MANIFEST = """\
name: kiosk
version: 1.0.0
languages: [en, zh]
licence: CC0-1.0
provenance: Written for this test.
label_source: human
label_space: {space}
labelling_policy:
  version: {policy}
  rules: ["Only the context counts."]
{more}"""


def gold_folder(
    place: Path,
    claims: Sequence[Mapping[str, Any]],
    *,
    passages: Sequence[str] = PASSAGES,
    space: str = "ternary",
    policy: str = "1.0.0",
    more: str = "",
) -> Path:
    """A gold folder with one context; each claim is given by what is special about it."""
    place.mkdir(exist_ok=True)
    manifest = MANIFEST.format(space=space, policy=policy, more=more)
    (place / "goldset.yaml").write_text(manifest, encoding="utf-8")
    write_claims(place, claims)
    context = {"context_id": "x1", "passages": list(passages), "title": "The kiosk"}
    (place / "contexts.jsonl").write_text(json.dumps(context) + "\n", encoding="utf-8")
    return place


def write_claims(place: Path, claims: Sequence[Mapping[str, Any]]) -> None:
    base = {"answer_id": "a1", "context_id": "x1", "lang": "en"}
    rows = [
        {"claim_id": f"c{n}", "claim": f"Claim number {n}.", **base, **claim}
        for n, claim in enumerate(claims, 1)
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (place / "claims.jsonl").write_text(text, encoding="utf-8")


def said(folder: Path, annotator: str, claim_id: str, label: str, **more: Any) -> LabelEvent:
    """A label that somebody gave before."""
    event = LabelEvent.model_validate(
        {
            "claim_id": claim_id,
            "annotator": annotator,
            "time": "2026-01-05T09:00:00+00:00",
            "save_id": f"{annotator}-{claim_id}-save",
            "label": label,
            **more,
        }
    )
    append_event(folder, event)
    return event


def events(folder: Path) -> tuple[Event, ...]:
    return read_events(folder)


class Visitor:
    """A browser without a screen: it keeps cookies, reads forms and sends them.

    Attributes:
        answer: What came last.
    """

    def __init__(self, folder: Path, annotator: str = "bo", /, **sitting: Any) -> None:
        from starlette.testclient import TestClient

        language = sitting.pop("language", "en")
        self.desk = Desk(GoldFolder(folder), Sitting(annotator, **sitting))
        self.door = Door(b"0" * 32, f"{folder} {annotator}", token=TOKEN)
        self.site = labelling_site(self.desk, self.door, language)
        self.client = TestClient(self.site, base_url=HOST)
        self.client.get("/start", params={"token": TOKEN})
        self.answer: Any = None

    def see(self, path: str = "/", **query: str) -> str:
        self.answer = self.client.get(path, params=query or None)
        return self.text

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> str:
        self.answer = self.client.post(path, data=dict(fields), headers=headers)
        return self.text

    @property
    def text(self) -> str:
        return str(self.answer.text)

    @property
    def page(self) -> str:
        found = re.search(r'data-page="(\w+)"', self.text)
        assert found is not None, self.text
        return found[1]

    @property
    def form(self) -> dict[str, str]:
        """The hidden fields of the page's form for decisions."""
        found = re.search(r'<form[^>]*class="decide".*?</form>', self.text, re.S)
        assert found is not None, self.text
        hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', found[0])
        return {name: html.unescape(value) for name, value in hidden}

    @property
    def claim_id(self) -> str:
        return self.form["claim_id"]

    @property
    def count(self) -> str:
        found = re.search(r"data-count>([^<]*)<", self.text)
        assert found is not None
        return found[1]

    @property
    def undo_form(self) -> dict[str, str]:
        found = re.search(r'<form id="undo-form".*?</form>', self.text, re.S)
        assert found is not None
        return dict(re.findall(r'name="(\w+)" value="([^"]*)"', found[0]))

    def label(self, label: str, **more: str) -> str:
        """Labels the claim of the page."""
        return self.post("/label", self.form | {"label": label} | more)

    def again(self, form: Mapping[str, str] | None = None) -> dict[str, str]:
        """The form by which a conflict page replaces what stands."""
        found = re.search(r'<form method="post" action="[^"]*">.*?data-replace', self.text, re.S)
        assert found is not None, self.text
        fields = re.findall(r'name="(\w+)" value="([^"]*)"', found[0])
        return {name: html.unescape(value) for name, value in fields}

"""What a set from elsewhere tries: links, odd ids, logs of somebody hostile, odd clocks."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("fastapi")

from metajudge.cli.label import _opened
from metajudge.errors import GoldError
from metajudge.gold.events import SettleEvent
from metajudge.labelling.contested import why_contested
from tests.labelling.desks import Visitor, events, gold_folder, said

links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@links
@pytest.mark.parametrize("what", ["log", "folder"])
def test_a_log_that_is_a_link_is_not_written_through(folder, tmp_path, what):
    outside = tmp_path / "profile"
    logs = folder / "annotations"
    if what == "log":
        outside.write_text("")
        logs.mkdir()
        (logs / "bo.jsonl").symlink_to(outside)
    else:
        outside.mkdir()
        logs.symlink_to(outside)
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes")
    assert visitor.answer.status_code == 503
    assert "leads elsewhere" in visitor.text
    assert outside.read_text() == "" if what == "log" else list(outside.iterdir()) == []
    with pytest.raises(GoldError, match="leads elsewhere"):
        _opened(folder, "bo")


IDS = [
    "a\nb",
    "a\r\nb",
    "a\rb",
    " c ",
    "c\0d",
    "a/b%20#?&;'\"<>",
    "茶" * 200,
    "..",
    "\u202ex",
    "+x y",
]


@pytest.mark.parametrize("name", IDS, ids=ascii)
def test_every_claim_can_be_labelled_whatever_its_id(tmp_path, name):
    folder = gold_folder(tmp_path / "kiosk", [{"claim_id": name}, {}])
    visitor = Visitor(folder)
    visitor.see()
    form = visitor.form
    # What an HTML reader and a browser make of a hidden field.
    as_read = form["claim_id"].replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    visitor.post("/label", form | {"claim_id": as_read.replace("\n", "\r\n"), "label": "yes"})
    assert visitor.answer.status_code == 200
    assert [event.claim_id for event in events(folder)] == [name]
    visitor.see("/claim", id=name)
    assert visitor.page == "label"


def test_a_log_of_somebody_hostile_breaks_no_page(folder):
    time = "9999-12-31T23:59:59.999999+00:00"
    first = {"annotator": "eve\u202e<b>", "time": "0001-01-01T00:00:00Z"}
    lines = [
        {"event": "label", "claim_id": "c1", "label": "no", "note": "\0\u202e<script>", **first},
        {"event": "label", "claim_id": "c1", "label": "yes", "annotator": "x", "time": time},
        {"event": "skip", "claim_id": "c2", "note": "x" * 50_000, "annotator": "bo", "time": time},
        {"event": "settle", "claim_id": "c1", "label": "no", "why": "<i>", **first},
    ]
    (folder / "annotations").mkdir()
    log = folder / "annotations" / "eve.jsonl"
    for number, line in enumerate(lines):
        with log.open("a") as file:
            file.write(json.dumps(line | {"save_id": f"eve-save-{number}"}) + "\n")
        for work in ("label", "double", "adjudicate"):
            visitor = Visitor(folder, work=work)
            for path in ("/", "/claim?id=c1", "/claim?id=c2", "/history"):
                visitor.see(path)
                assert visitor.answer.status_code in (200, 404)
                assert "<script>" not in visitor.text
                assert "\u202e" not in visitor.text


def test_a_clock_of_somebody_else_does_not_push_one_about(folder):
    said(folder, "ann", "c1", "yes", time="2199-01-01T00:00:00+00:00")
    visitor = Visitor(folder, only="all")
    visitor.see()
    visitor.label("no")
    assert visitor.claim_id == "c2"


def test_times_are_compared_however_they_are_written(folder):
    said(folder, "ann", "c1", "yes", time="2026-01-05T09:00:00Z")
    said(folder, "cem", "c1", "no", time="2026-01-05T08:00:00Z")
    visitor = Visitor(folder, work="adjudicate")
    claim, acts = visitor.desk.folder.claims["c1"], visitor.desk.folder.standing("c1")
    settled = SettleEvent(
        claim_id="c1",
        annotator="dee",
        time="2026-01-05T09:00:00.500000+00:00",
        save_id="dee-settles",
        label="no",
        why="The passage.",
    )
    assert why_contested(claim, (*acts, settled)) is None

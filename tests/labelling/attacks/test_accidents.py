"""What accidents do: changed texts, half-written logs, undo, a folder that goes away."""

from __future__ import annotations

import json
import os
import re

import pytest

pytest.importorskip("fastapi")

from metajudge.gold.events import ReviewEvent, SettleEvent, events_file
from metajudge.labelling.sitting import ShownVerdict
from tests.labelling.desks import Visitor, events, gold_folder, said, write_claims


def test_what_replaces_a_label_has_been_seen(folder):
    """Conflict and change at once: the page that offers to replace did not show the new text."""
    visitor = Visitor(folder)
    visitor.see()
    other = visitor.form
    visitor.label("yes")
    write_claims(folder, [{"claim": "It never opens."}, {}, {}, {}])
    visitor.post("/label", other | {"label": "no", "save_id": "other-window"})
    assert visitor.page == "conflict"
    visitor.post("/label", visitor.again())
    assert 'data-message="changed.title"' in visitor.text
    assert [event.label for event in events(folder)] == ["yes"]


def test_a_title_belongs_to_what_was_seen_and_texts_do_not_run_together(folder):
    visitor = Visitor(folder)
    before = visitor.desk.seen("c1")
    contexts = folder / "contexts.jsonl"
    context = json.loads(contexts.read_text())
    contexts.write_text(json.dumps(context | {"title": "Another one"}) + "\n")
    visitor.see()
    renamed = visitor.desk.seen("c1")
    joined = "\x1f".join(context["passages"])
    contexts.write_text(json.dumps(context | {"passages": [joined]}) + "\n")
    visitor.see()
    assert len({before, renamed, visitor.desk.seen("c1")}) == 3


def test_a_review_that_was_half_written_is_completed(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}] * 2)
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no"),)}
    visitor = Visitor(folder, work="review", verdicts=verdicts, source="sweep")
    visitor.see()
    form = visitor.form | {"trial": "plain", "outcome": "gold_wrong", "label": "no", "note": "why"}
    visitor.post("/review", form)
    log = events_file(folder, "bo")
    log.write_text(log.read_text().splitlines(keepends=True)[0])
    again = Visitor(folder, work="review", verdicts=verdicts, source="sweep")
    again.post("/review", form | {"note": "something else"})
    assert again.answer.status_code == 409
    for _ in range(2):
        again.post("/review", form)
        assert again.answer.status_code == 200
    settled, review = events(folder)
    assert isinstance(settled, SettleEvent)
    assert isinstance(review, ReviewEvent)
    assert (settled.was, settled.label, review.gold, review.outcome) == (
        "yes",
        "no",
        "yes",
        "gold_wrong",
    )


def test_a_review_of_a_gold_label_that_changed_meanwhile_is_asked_again(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}])
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no"),)}
    visitor = Visitor(folder, work="review", verdicts=verdicts, source="sweep")
    visitor.see()
    write_claims(folder, [{"label": "idk"}])
    visitor.post("/review", visitor.form | {"trial": "plain", "outcome": "judge_wrong"})
    assert visitor.answer.status_code == 409
    assert events(folder) == ()


def test_a_gold_label_that_is_not_the_judges_closes_the_case_too(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "no"}])
    verdicts = {"c1": (ShownVerdict("c1", "plain", "yes"), ShownVerdict("c1", "other", "no"))}
    visitor = Visitor(folder, work="review", verdicts=verdicts, source="sweep")
    visitor.see()
    form = visitor.form | {"trial": "plain", "outcome": "gold_wrong", "label": "idk", "note": "why"}
    visitor.post("/review", form)
    # The other judge now differs from the new label, which nobody has looked at.
    assert visitor.form["trial"] == "other"
    visitor.post("/review", visitor.form | {"outcome": "judge_wrong"})
    assert visitor.page == "end"


def test_an_undo_of_one_key_does_not_reach_into_other_work(folder):
    said(folder, "ann", "c1", "no")
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes")
    other = Visitor(folder, work="adjudicate")
    other.see()
    assert other.undo_form["undoes"] == ""
    # From the history everything can be taken back, and is said to be.
    other.see("/history")
    undoes = re.findall(r'name="undoes" value="([^"]+)"', other.text)
    fields = {"csrf": other.door.form_mark, "save_id": "undo-it-now", "undoes": undoes[0]}
    other.post("/undo", fields)
    assert other.answer.status_code == 200
    assert 'data-said="Taken back: yes"' in other.text


def test_undo_goes_back_step_by_step_to_the_first(folder):
    visitor = Visitor(folder)
    visitor.see()
    for label in ("yes", "no", "idk", "yes"):
        visitor.label(label, note=f"of {label}")
    for claim_id in ("c4", "c3", "c2", "c1"):
        visitor.post("/undo", visitor.undo_form)
        assert visitor.claim_id == claim_id
    assert visitor.count == "0 of 4"
    assert visitor.undo_form["undoes"] == ""


def test_a_log_that_was_edited_in_place_is_read_anew(folder):
    for name in ("c1", "c2"):
        said(folder, "ann", name, "yes")
    visitor = Visitor(folder, only="all")
    log = events_file(folder, "ann")
    with log.open("r+") as file:
        text = file.read().replace("yes", "idk")
        file.seek(0)
        file.write(text)
    visitor.see()
    assert visitor.desk.folder.claims["c1"].label == "idk"
    with log.open("r+") as file:
        text = file.read().replace("idk", "no", 2)
        more = json.loads(text.splitlines()[0]) | {"claim_id": "c3", "save_id": "ann-c3-save"}
        file.seek(0)
        file.write(text + json.dumps(more) + "\n")
    visitor.see()
    labels = [getattr(visitor.desk.folder.claims[f"c{n}"], "label", None) for n in (1, 2, 3)]
    assert labels == ["no", "no", "no"]


def test_the_folder_may_go_and_come_back(folder, tmp_path):
    visitor = Visitor(folder)
    visitor.see()
    form = visitor.form | {"label": "yes"}
    os.rename(folder, tmp_path / "away")
    assert 'data-page="message"' in visitor.see()
    visitor.post("/label", form)
    assert visitor.answer.status_code == 503
    os.rename(tmp_path / "away", folder)
    visitor.post("/label", form)
    assert visitor.answer.status_code == 200
    assert len(events(folder)) == 1

"""What reaches whom: nothing of others before a label, everything where labels are settled."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("fastapi")

from metajudge.gold.events import ReviewEvent, SettleEvent
from metajudge.labelling.sitting import ShownVerdict
from tests.labelling.desks import Visitor, events, gold_folder, said

SECRETS = ("ann the first", "A note of ann.", "tea costs", "the author's note", "It says so.")


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 4)


@pytest.fixture
def labelled(tmp_path):
    """Two claims that others labelled, with all that must stay unseen."""
    note = {
        "annotator": SECRETS[0],
        "label": "no",
        "note": SECRETS[1],
        "slice": "contradiction",
        "spans": [SECRETS[2]],
        "flagged": True,
        "time": "2026-01-01T00:00:00Z",
        "seconds": 77.5,
    }
    claim = {"label": "no", "slice": "contradiction", "note": SECRETS[3], "annotations": [note]}
    return gold_folder(tmp_path / "kiosk", [claim, {**claim, "answer_id": "a2"}, {}])


@pytest.mark.parametrize("work", ["label", "double"])
def test_labels_and_notes_of_others_are_in_no_answer(labelled, work, caplog):
    caplog.set_level(logging.DEBUG)
    visitor = Visitor(labelled, work=work, only="all")
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no", "It says so."),)}
    showing = Visitor(labelled, "eve", work=work, only="all", verdicts=verdicts)
    for browser in (visitor, showing):
        for path in ("/", "/claim?id=c1", "/claim?id=c2", "/history", "/guideline"):
            browser.see(path)
            whole = browser.text + repr(browser.answer.headers)
            assert not [secret for secret in SECRETS if secret in whole], path
            assert "77.5" not in whole
            assert " selected>" not in whole
            assert 'class="label l-no was"' not in whole
    visitor.see()
    stale = visitor.form
    visitor.label("yes")
    visitor.post("/label", stale | {"label": "idk", "save_id": "other-window"})
    assert not [secret for secret in SECRETS if secret in visitor.text]
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert not [secret for secret in SECRETS if secret in logged]


def test_verdicts_are_shown_after_the_label_and_not_before(folder):
    verdicts = {"c1": (ShownVerdict("c1", "plain-template", "no", "It says <b>nine</b>."),)}
    visitor = Visitor(folder, verdicts=verdicts)
    visitor.see()
    assert "plain-template" not in visitor.text
    visitor.see("/saved", act="not-saved-yet")
    assert "plain-template" not in visitor.text
    visitor.see()
    visitor.label("yes")
    assert visitor.page == "verdicts"
    assert "It says &lt;b&gt;nine&lt;/b&gt;." in visitor.text
    visitor.post("/undo", visitor.undo_form)
    assert (visitor.claim_id, "plain-template" in visitor.text) == ("c1", False)
    visitor.label("no")
    visitor.see("/")
    assert visitor.claim_id == "c2"
    visitor.label("no")
    assert visitor.page == "label"


def test_adjudication_shows_everybody_and_needs_a_reason(labelled):
    said(labelled, "bo", "c1", "yes", note="mine")
    visitor = Visitor(labelled, work="adjudicate")
    visitor.see()
    assert visitor.page == "settle"
    for secret in SECRETS[:4]:
        assert secret.replace("'", "&#39;") in visitor.text, secret
    assert "data-own-vote" in visitor.text
    visitor.post("/settle", visitor.form | {"label": "yes", "note": "  "})
    assert visitor.answer.status_code == 400
    assert "A reason is needed" in visitor.text
    visitor.see()
    visitor.post("/settle", visitor.form | {"label": "yes", "note": "因为材料说了"})
    (settled,) = (act for act in events(labelled) if isinstance(act, SettleEvent))
    assert (settled.label, settled.was, settled.why) == ("yes", "no", "因为材料说了")


def test_review_takes_one_key_each_and_a_reason_for_gold(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}] * 3)
    verdicts = {f"c{n}": (ShownVerdict(f"c{n}", "plain", "no"),) for n in (1, 2, 3)}
    visitor = Visitor(folder, work="review", verdicts=verdicts, source="sweep abc")
    visitor.see()
    visitor.post("/review", visitor.form | {"trial": "plain", "outcome": "judge_wrong"})
    form = visitor.form | {"trial": "plain", "outcome": "gold_wrong"}
    visitor.post("/review", form)
    assert visitor.answer.status_code == 400
    visitor.post("/review", form | {"label": "no"})
    assert visitor.answer.status_code == 400
    visitor.post("/review", form | {"label": "no", "note": "It is not in it."})
    visitor.post("/review", visitor.form | {"trial": "plain", "outcome": "policy_gap"})
    assert visitor.page == "end"
    reviews = [act for act in events(folder) if isinstance(act, ReviewEvent)]
    assert [act.outcome for act in reviews] == ["judge_wrong", "gold_wrong", "policy_gap"]
    visitor.post("/review", form | {"trial": "another", "outcome": "judge_wrong"})
    assert visitor.answer.status_code == 404


def test_claims_of_another_sitting_are_not_shown(labelled):
    visitor = Visitor(labelled)
    visitor.see("/claim", id="c1")
    assert visitor.answer.status_code == 404
    visitor.see("/claim", id="never")
    assert visitor.answer.status_code == 404
    visitor.see()
    visitor.post("/label", visitor.form | {"claim_id": "never", "label": "yes"})
    assert visitor.answer.status_code == 404

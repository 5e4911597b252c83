from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("fastapi")

from metajudge.gold.events import LabelEvent, SkipEvent, UndoEvent
from metajudge.labelling.sitting import ShownVerdict
from tests.labelling.desks import PASSAGES, Visitor, events, gold_folder

HOSTILE = "</h1></textarea><script>alert(1)</script>\"'&{{ 7*4463 }}\u202eevil\x07"


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 4)


def test_label_next_label_end(folder):
    visitor = Visitor(folder)
    visitor.see()
    assert (visitor.page, visitor.claim_id, visitor.count) == ("label", "c1", "0 of 4")
    for label in ("yes", "no", "idk", "yes"):
        visitor.label(label)
        assert visitor.answer.status_code == 200
        assert 'data-said="Saved: ' in visitor.text
    assert visitor.page == "end"
    assert [event.label for event in events(folder)] == ["yes", "no", "idk", "yes"]
    assert "metajudge gold agree" in visitor.text
    assert "metajudge gold check" in visitor.text


def test_a_sitting_resumes_where_it_stopped(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes")
    again = Visitor(folder)
    again.see()
    assert (again.claim_id, again.count) == ("c2", "1 of 4")


def test_everything_of_a_form_is_kept(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.label(
        "no",
        slice="summary",
        note="first line\r\n第二行 ",
        flagged="1",
        seconds="12.34",
        spans="0:4:9,1:0:3",
    )
    (event,) = events(folder)
    assert isinstance(event, LabelEvent)
    assert event.note == "first line\n第二行"
    assert (event.slice, event.flagged, event.seconds) == ("summary", True, 12.3)
    assert event.spans == ("kiosk", "Tea")


def test_without_a_script_the_basics_work(folder):
    visitor = Visitor(folder)
    visitor.see()
    assert visitor.text.count('type="submit" name="label" value="') == 3 + 1
    assert 'formaction="/skip"' in visitor.text
    visitor.label("yes", seconds="", spans="")
    assert events(folder)[0].seconds is None
    visitor.post("/undo", visitor.undo_form)
    assert visitor.claim_id == "c1"
    assert 'data-said="Taken back: yes"' in visitor.text


def test_undo_gives_back_what_was_typed(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes", note="keep me", slice="literal", flagged="1", spans="1:0:3")
    visitor.post("/undo", visitor.undo_form)
    assert ">keep me</textarea>" in visitor.text
    assert '<option value="literal" selected>' in visitor.text
    assert 'value="1:0:3"' in visitor.text
    assert " checked data-flag" in visitor.text
    assert [type(event) for event in events(folder)] == [LabelEvent, UndoEvent]


def test_an_earlier_act_is_undone_from_the_history(folder):
    visitor = Visitor(folder)
    visitor.see()
    for label in ("yes", "no", "idk"):
        visitor.label(label)
    visitor.see("/history")
    hidden = r'name="save_id" value="([^"]+)">\s*<input type="hidden" name="undoes" value="([^"]+)"'
    rows = re.findall(rf"data-act=.*?{hidden}", visitor.text, re.S)
    assert len(rows) == 3
    save_id, undoes = rows[-1]
    fields = {"csrf": visitor.door.form_mark, "save_id": save_id, "undoes": undoes}
    visitor.post("/undo", fields)
    assert visitor.claim_id == "c1"
    visitor.post("/undo", fields)
    assert len(events(folder)) == 4


def test_skipped_claims_are_offered_at_the_end(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.post("/skip", visitor.form | {"note": "later", "flagged": "1"})
    for _ in range(3):
        visitor.label("yes")
    assert visitor.page == "end"
    assert "1 claim was skipped" in visitor.text
    visitor.see("/", skipped="1")
    assert (visitor.claim_id, visitor.form["skipped"]) == ("c1", "1")
    assert ">later</textarea>" in visitor.text
    visitor.label("no")
    assert visitor.page == "end"
    assert "All done" in visitor.text


def test_sent_twice_it_counts_once(folder):
    visitor = Visitor(folder)
    visitor.see()
    form = visitor.form | {"label": "yes"}
    visitor.post("/label", form)
    visitor.post("/label", form)
    assert visitor.answer.status_code == 200
    assert len(events(folder)) == 1


def test_two_windows_get_a_choice_and_no_silent_overwriting(folder):
    visitor = Visitor(folder)
    visitor.see()
    other = visitor.form
    visitor.label("yes", note="of the first window")
    visitor.post("/label", other | {"label": "no", "note": "second", "save_id": "second-window"})
    assert (visitor.answer.status_code, visitor.page) == (409, "conflict")
    assert "of the first window" in visitor.text
    assert len(events(folder)) == 1
    form = visitor.again()
    assert (form["label"], form["note"], form["claim_id"]) == ("no", "second", "c1")
    visitor.post("/label", form)
    assert visitor.answer.status_code == 200
    assert [event.label for event in events(folder)] == ["yes", "no"]


def test_a_window_that_was_undone_elsewhere_says_so(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes")
    stale = Visitor(folder)
    stale.see("/claim", id="c1")
    assert 'data-own="yes"' in stale.text
    visitor.post("/undo", visitor.undo_form)
    stale.label("no")
    assert stale.answer.status_code == 409
    assert "it was taken back" in stale.text


def test_a_claim_that_changed_is_shown_again(folder):
    visitor = Visitor(folder)
    visitor.see()
    text = (folder / "claims.jsonl").read_text()
    (folder / "claims.jsonl").write_text(text.replace("number 1", "number one"))
    visitor.label("yes")
    assert visitor.answer.status_code == 409
    assert 'data-message="changed.title"' in visitor.text
    assert events(folder) == ()


def test_other_peoples_text_stays_text(tmp_path):
    claim = {"claim": f"claim {HOSTILE}", "question": f"question {HOSTILE}", "claim_id": "c<1>&/茶"}
    note = {"annotator": f"ann {HOSTILE}"[:80], "label": "no", "note": f"note {HOSTILE}"}
    claims = [{**claim, "annotations": [note, {"annotator": "cem", "label": "yes"}]}]
    folder = gold_folder(tmp_path / "kiosk", claims, passages=[f"passage {HOSTILE}"])
    verdict = ShownVerdict("c<1>&/茶", f"trial {HOSTILE}", "no", f"reason {HOSTILE}")
    for work in ("label", "adjudicate"):
        visitor = Visitor(folder, "<b>bo</b>", work=work, verdicts={"c<1>&/茶": (verdict,)})
        visitor.see()
        pages = [visitor.text]
        path = "/label" if work == "label" else "/settle"
        visitor.post(path, visitor.form | {"label": "yes", "note": HOSTILE})
        pages += [visitor.text, visitor.see("/history")]
        for text in pages:
            assert "<script>alert" not in text
            assert "<b>bo" not in text
            assert "\u202e" not in text
            assert "\x07" not in text
            assert "31241" not in re.sub(r'value="[^"]*"|data-[\w-]+="[^"]*"', "", text)
    (act, *_) = events(folder)
    assert act.note == HOSTILE


def test_pages_have_no_inline_script_or_style(folder):
    visitor = Visitor(folder)
    for path in ("/", "/history", "/guideline", "/claim?id=c1"):
        visitor.see(path)
        assert re.findall(r"<script(?![^>]*\bsrc=)", visitor.text) == []
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", visitor.text) == []
        assert re.findall(r'(?:src|href)="(?!/)', visitor.text.replace('href="#main"', "")) == []


def test_a_binary_set_has_two_labels(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}], space="binary")
    visitor = Visitor(folder)
    visitor.see()
    assert 'data-keys="1 y"' in visitor.text
    assert 'data-keys="2 n"' in visitor.text
    assert "3 i" not in visitor.text
    visitor.label("yes")
    assert visitor.answer.status_code == 400
    visitor.see()
    visitor.label("unsupported")
    assert events(folder)[0].label == "unsupported"


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"label": "maybe"}, "label"),
        ({"label": "yes", "slice": "other"}, "Kind of claim"),
        ({"label": "yes", "spans": "0:0:9999"}, "Evidence"),
        ({"label": "yes", "spans": "7:0:1"}, "Evidence"),
        ({"label": "yes", "spans": "nonsense"}, "Evidence"),
        ({"label": "yes", "note": "x" * 4001}, "Note"),
        ({"label": "yes", "seconds": "soon"}, "seconds"),
        ({"label": "yes", "save_id": "short"}, "save_id"),
    ],
)
def test_a_form_that_is_wrong_saves_nothing_and_says_what(folder, fields, what):
    visitor = Visitor(folder)
    visitor.see()
    visitor.post("/label", visitor.form | fields)
    assert visitor.answer.status_code == 400
    assert f": {what}." in visitor.text
    assert events(folder) == ()


def test_chinese_pages_are_chinese(folder):
    visitor = Visitor(folder, "茶", language="zh")
    visitor.see()
    assert '<html lang="zh-CN">' in visitor.text
    assert "材料支持这条陈述吗？" in visitor.text
    visitor.label("idk")
    assert 'data-said="已保存：未提及"' in visitor.text
    visitor.see("/language", to="en", back="c2")
    assert (visitor.claim_id, '<html lang="en">' in visitor.text) == ("c2", True)
    visitor.see("/language", to="zh")
    assert '<html lang="zh-CN">' in visitor.text
    visitor.see("/language", to="en")
    other = Visitor(folder, "ann", language="zh")
    other.client.cookies.set("metajudge_language", "en.en")
    assert '<html lang="zh-CN">' in other.see()
    visitor.see("/language", to="xx", back="https://example.org/")
    assert str(visitor.answer.url) == "http://127.0.0.1:8321/"


def test_a_broken_file_says_what_to_mend_and_comes_back(folder):
    visitor = Visitor(folder)
    visitor.see()
    form = visitor.form
    whole = (folder / "goldset.yaml").read_text()
    (folder / "goldset.yaml").write_text("name: [")
    visitor.see()
    assert visitor.answer.status_code == 503
    assert "goldset.yaml" in visitor.text
    visitor.post("/label", form | {"label": "yes"})
    assert visitor.answer.status_code == 503
    assert "Saved: yes" in visitor.text
    (folder / "goldset.yaml").write_text(whole + "\n")
    visitor.see()
    assert visitor.claim_id == "c2"


def test_an_empty_queue_says_what_to_do(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}])
    for work in ("label", "double", "adjudicate", "review"):
        name = "bo" if work != "double" else "ann"
        visitor = Visitor(folder, name, work=work, share=1e-9, left_out=3)
        visitor.see()
        assert visitor.page == "end"
        assert "Nothing is waiting" in visitor.text
        assert "Not shown: 3 verdicts of sealed test claims." in visitor.text


def test_nobody_is_hurried_and_the_rest_is_told_after_ten_labels(tmp_path):
    visitor = Visitor(gold_folder(tmp_path / "kiosk", [{}] * 12))
    visitor.see()
    for _ in range(10):
        assert "data-pace" not in visitor.text
        visitor.label("yes", seconds="20")
    assert "about 1 min left" in visitor.text
    assert 'title="180 an hour · median 20 s"' in visitor.text
    visitor.label("yes", seconds="20")
    visitor.label("yes", seconds="20")
    assert visitor.page == "end"
    assert "180 an hour · median 20 s" in visitor.text
    assert "min left" not in visitor.text


def test_the_end_names_all_claims_only_where_some_are_left(tmp_path):
    claims = [{}, {"exclude": True}]
    alone = Visitor(gold_folder(tmp_path / "alone", claims))
    alone.see()
    alone.label("yes")
    assert alone.page == "end"
    assert "--only all" not in alone.text
    some = Visitor(gold_folder(tmp_path / "some", [*claims, {"label": "no"}]))
    some.see()
    some.label("yes")
    assert some.page == "end"
    assert "--only all" in some.text


def test_empty_contexts_and_passages_say_so(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}], passages=[], more="allow_empty_context: true")
    visitor = Visitor(folder)
    visitor.see()
    assert "The context is empty." in visitor.text


def test_places_are_counted_in_characters_not_in_halves(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}], passages=["🍵 茶🍵 end\r\nof it"])
    visitor = Visitor(folder)
    visitor.see()
    visitor.label("yes", spans="0:2:4")
    assert events(folder)[0].spans == ("茶🍵",)
    assert PASSAGES


def test_skip_and_note_are_one_act(folder):
    visitor = Visitor(folder)
    visitor.see()
    visitor.post("/skip", visitor.form | {"note": "ask ann"})
    (act,) = events(folder)
    assert isinstance(act, SkipEvent)
    assert act.note == "ask ann"
    log = next((folder / "annotations").glob("*.jsonl")).read_text()
    assert json.loads(log)["event"] == "skip"

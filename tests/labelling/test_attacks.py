"""What a hostile set, co-annotator, web page or neighbour tries, and what accidents do."""

from __future__ import annotations

import json
import os
import re
import stat

import pytest

pytest.importorskip("fastapi")

from metajudge.cli.label import _opened
from metajudge.errors import GoldError
from metajudge.gold.events import LabelEvent, ReviewEvent, SettleEvent, events_file
from metajudge.labelling import door as door_module
from metajudge.labelling.contested import why_contested
from metajudge.labelling.door import MOST_WRONG, Door
from metajudge.labelling.kept import Kept, read_kept, write_kept
from metajudge.labelling.page import static_mark
from metajudge.labelling.place import Place
from metajudge.labelling.sitting import ShownVerdict
from tests.labelling.desks import TOKEN, Visitor, events, gold_folder, said, write_claims

links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 4)


# ---- a set from elsewhere ---------------------------------------------------------------------


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


# ---- who comes in -----------------------------------------------------------------------------


def test_every_address_of_this_machine_that_is_listened_on_answers(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for host, name in (("127.0.0.2", "127.0.0.2:8321"), ("::1", "[::1]:8321")):
        door = Place(folder, "bo", host=host).door
        assert door.answers_to(name)
        assert not door.is_open
        assert not door.answers_to("10.0.0.1:8321")


def test_a_new_token_shuts_out_who_came_by_the_one_before():
    secret = b"1" * 32
    doors = [
        Door(secret, "bo", token=token) for token in (TOKEN, TOKEN, "another token of it", None)
    ]
    assert doors[0].session == doors[1].session
    assert len({door.session for door in doors}) == 3
    assert len({door.form_mark for door in doors}) == 3


def test_tokens_cannot_be_tried_out(folder, monkeypatch):
    from starlette.testclient import TestClient

    visitor = Visitor(folder)
    client = TestClient(visitor.site, base_url="http://127.0.0.1:8321")
    now = [1000.0]
    monkeypatch.setattr(door_module.time, "monotonic", lambda: now[0])
    for _ in range(MOST_WRONG - 1):
        assert client.post("/start", data={"token": "wrong"}).status_code == 403
    assert client.post("/start", data={"token": "wrong"}).status_code == 429
    answer = client.post("/start", data={"token": TOKEN})
    assert answer.status_code == 429
    assert "Wait a minute" in answer.text
    # Who is in already goes on.
    visitor.see()
    assert visitor.page == "label"
    now[0] += 61
    assert client.post("/start", data={"token": TOKEN}).status_code == 200


def test_a_link_of_another_site_asks_once_more_by_itself(folder):
    from starlette.testclient import TestClient

    client = TestClient(Visitor(folder).site, base_url="http://127.0.0.1:8321")
    refresh = 'http-equiv="refresh" content="0;url=/"'
    assert refresh in client.get("/", headers={"sec-fetch-site": "cross-site"}).text
    assert refresh not in client.get("/", headers={"sec-fetch-site": "same-origin"}).text
    assert refresh not in client.get("/").text


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_secret_that_others_can_read_is_not_used(tmp_path):
    path = tmp_path / "kept.json"
    assert write_kept(path, Kept(b"1" * 32, 8321))
    assert read_kept(path).secret == b"1" * 32
    path.chmod(0o644)
    assert read_kept(path).secret != b"1" * 32
    outside = tmp_path / "outside"
    outside.write_text("")
    path.with_suffix(f".{os.getpid()}").symlink_to(outside)
    assert write_kept(path, Kept(b"2" * 32, 8321))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert outside.read_text() == ""


@pytest.mark.parametrize("size", ["-1", "9" * 5000, "1_0", "0x1"])
def test_odd_sizes_are_refused(folder, size):
    visitor = Visitor(folder)
    answer = visitor.client.post("/label", content=b"x", headers={"content-length": size})
    assert answer.status_code == 413


def test_static_files_are_kept_by_their_mark_and_pages_are_not(folder):
    visitor = Visitor(folder)
    visitor.see()
    assert visitor.answer.headers["cache-control"] == "no-store"
    for name in ("page.css", "page.js", "mark.svg"):
        address = f"/static/{name}?v={static_mark(name)}"
        assert f'"{address}"' in visitor.text
        answer = visitor.client.get(address)
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers.get_list("cache-control") == [answer.headers["cache-control"]]
        other = visitor.client.get(f"/static/{name}?v=0")
        assert other.headers["cache-control"] == "no-store"


# ---- accidents --------------------------------------------------------------------------------


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


# ---- unseen -----------------------------------------------------------------------------------


def _votes(*labels):
    return {
        "annotations": [{"annotator": f"p{n}", "label": label} for n, label in enumerate(labels)]
    }


def test_the_order_of_second_labels_says_nothing_of_the_first(tmp_path):
    plain = gold_folder(tmp_path / "plain", [_votes("yes", "yes")] * 12)
    mixed = [_votes("yes", "no"), _votes("no", "no"), {"label": "idk"}] * 4
    other = gold_folder(tmp_path / "mixed", mixed)
    orders = []
    for folder in (plain, other):
        queue = Visitor(folder, "eve", work="double").desk.queue
        orders.append([name for name in queue._status if queue.status(name) == "open"])
    assert orders[0] == orders[1] == [f"c{n}" for n in range(1, 13)]


@pytest.mark.parametrize("only", ["all", "pending"])
def test_the_order_of_first_labels_says_nothing_of_others(tmp_path, only):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 4)
    said(folder, "ann", "c3", "no")
    for who, label in (("ann", "yes"), ("cem", "no")):
        said(folder, who, "c2", label)
    queue = Visitor(folder, "eve", only=only).desk.queue
    assert list(queue._status) == ["c1", "c2", "c3", "c4"]


def test_label_it_again_is_said_of_ones_own_labels_alone(tmp_path):
    more = """\
  support: {inference: false}
  changes: [{version: 2.0.0, support: {inference: false}}]
"""
    folder = gold_folder(tmp_path / "kiosk", [{}] * 2, policy="2.0.0", more=more)
    said(folder, "ann", "c2", "yes", policy="1.0.0", slice="inference")
    for sitting in ({"work": "double"}, {"only": "all"}, {}, {"only": "relabel"}):
        visitor = Visitor(folder, "eve", **sitting)
        visitor.see("/claim", id="c2")
        assert visitor.page == "label"
        assert "data-again" not in visitor.text
    own = Visitor(folder, "ann")
    own.see()
    assert own.claim_id == "c2"
    assert "data-again" in own.text
    assert isinstance(events(folder)[0], LabelEvent)


def test_a_verdict_is_named_as_the_labels_beside_it_are(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}])
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no"), ShownVerdict("c1", "odd", "<other>"))}
    visitor = Visitor(folder, work="review", language="zh", verdicts=verdicts, source="sweep")
    visitor.see()
    assert '<b class="v v-no">矛盾</b>' in visitor.text
    assert "data-settle-gold" in visitor.text

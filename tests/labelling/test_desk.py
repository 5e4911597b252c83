from __future__ import annotations

import json
import multiprocessing
import os

import pytest

from metajudge.gold import load_goldset
from metajudge.gold.events import (
    LabelEvent,
    ReviewEvent,
    SettleEvent,
    SkipEvent,
    UndoEvent,
    events_file,
)
from metajudge.labelling.desk import Desk, Sent
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.sitting import ShownVerdict, Sitting
from tests.labelling.desks import events, gold_folder, said


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 5)


def desk_of(folder, name="bo", **sitting):
    return Desk(GoldFolder(folder), Sitting(name, **sitting))


def sent(desk, claim_id="c1", save_id="save-0001", **more):
    return Sent(claim_id, save_id, desk.queue.state(claim_id), desk.seen(claim_id), **more)


def test_a_label_is_on_disk_and_in_the_set(folder):
    desk = desk_of(folder)
    outcome = desk.label(sent(desk, seconds=3.26, slice="literal", spans=("Tea",)), "yes")
    assert outcome.kind == "saved"
    (event,) = events(folder)
    assert isinstance(event, LabelEvent)
    assert (event.label, event.seconds, event.slice) == ("yes", 3.3, "literal")
    assert (event.spans, event.policy) == (("Tea",), "1.0.0")
    goldset = load_goldset(folder)
    assert [(claim.claim_id, claim.label) for claim in goldset.claims] == [("c1", "yes")]
    assert desk.folder.claims["c1"].label == "yes"
    assert desk.queue.next_claim() == "c2"


@pytest.mark.parametrize("seconds", [None, -1.0, 901.0, float("nan"), float("inf")])
def test_a_time_that_says_nothing_is_left_out(folder, seconds):
    desk = desk_of(folder)
    desk.label(sent(desk, seconds=seconds), "yes")
    assert events(folder)[0].seconds is None


def test_a_save_counts_once(folder):
    desk = desk_of(folder)
    first = sent(desk, seconds=2.0)
    assert desk.label(first, "yes").kind == "saved"
    assert desk.label(first._replace(seconds=9.0), "yes").kind == "saved"
    other = desk_of(folder)
    assert other.label(first, "yes").kind == "saved"
    assert len(events(folder)) == 1


def test_one_save_with_two_labels_is_a_conflict(folder):
    desk = desk_of(folder)
    first = sent(desk)
    desk.label(first, "yes")
    outcome = desk.label(first, "no")
    assert (outcome.kind, outcome.act.label) == ("conflict", "yes")
    assert len(events(folder)) == 1


def test_two_windows_never_overwrite_each_other(folder):
    one, two = desk_of(folder), desk_of(folder)
    here, there = sent(one, save_id="window-one"), sent(two, save_id="window-two")
    assert one.label(here, "yes").kind == "saved"
    outcome = two.label(there, "no")
    assert (outcome.kind, outcome.act.label) == ("conflict", "yes")
    assert two.label(sent(two, save_id="window-two-again"), "no").kind == "saved"
    assert two.folder.claims["c1"].label == "no"
    assert len(events(folder)) == 2


def test_a_claim_that_changed_under_the_page_is_not_labelled(folder):
    desk = desk_of(folder)
    page = sent(desk)
    claims = (folder / "claims.jsonl").read_text().replace("number 1", "number one")
    (folder / "claims.jsonl").write_text(claims)
    assert desk.label(page, "yes").kind == "changed"
    assert events(folder) == ()


def test_a_claim_that_went_away_is_not_labelled(folder):
    desk = desk_of(folder)
    page = sent(desk)
    lines = (folder / "claims.jsonl").read_text().splitlines(keepends=True)
    (folder / "claims.jsonl").write_text("".join(lines[1:]))
    assert desk.label(page, "yes").kind == "gone"


def test_skipped_claims_come_back_the_first_one_first(folder):
    desk = desk_of(folder)
    for n in (3, 1, 3):
        desk.skip(sent(desk, f"c{n}", f"skip-{n}-{len(events(folder))}"))
    assert desk.queue.progress().skipped == ("c1", "c3")
    assert desk.queue.next_claim() == "c2"
    desk.label(sent(desk, "c1"), "idk")
    assert desk.queue.progress().skipped == ("c3",)
    assert desk.queue.progress().done == 1


def test_undo_brings_back_what_stood_before(folder):
    desk = desk_of(folder)
    desk.label(sent(desk, save_id="save-one"), "yes")
    desk.label(sent(desk, save_id="save-two"), "no")
    assert desk.undo("save-two", "undo-two").kind == "saved"
    assert desk.folder.claims["c1"].label == "yes"
    assert desk.undo("save-two", "undo-three").kind == "saved"
    assert [type(event) for event in events(folder)] == [LabelEvent, LabelEvent, UndoEvent]
    assert desk.undo("save-one", "undo-four").kind == "saved"
    assert desk.queue.next_claim() == "c1"
    assert desk.undo("never-was", "undo-five").kind == "gone"


def test_an_undo_of_somebody_else_is_none(folder):
    said(folder, "ann", "c1", "yes")
    desk = desk_of(folder)
    assert desk.undo("ann-c1-save", "undo-ann").kind == "gone"
    assert desk.folder.claims["c1"].label == "yes"


def test_settling_needs_and_keeps_a_reason(folder):
    said(folder, "ann", "c1", "yes")
    said(folder, "cem", "c1", "no")
    desk = desk_of(folder, work="adjudicate")
    assert desk.queue.next_claim() == "c1"
    outcome = desk.settle(sent(desk, note="The second passage says so."), "no")
    assert outcome.kind == "saved"
    (event,) = (act for act in events(folder) if isinstance(act, SettleEvent))
    assert (event.label, event.was, event.because) == ("no", None, "adjudication")
    assert event.why == "The second passage says so."
    assert desk.queue.next_claim() is None
    assert desk.queue.progress().done == 1


def test_what_is_said_meanwhile_is_seen_before_settling(folder):
    said(folder, "ann", "c1", "yes")
    said(folder, "cem", "c1", "no")
    desk = desk_of(folder, work="adjudicate")
    page = sent(desk, note="why")
    said(folder, "dee", "c1", "no")
    assert desk.settle(page, "no").kind == "conflict"


def test_gold_wrong_is_written_with_who_when_and_why(folder):
    said(folder, "ann", "c1", "yes")
    verdict = ShownVerdict("c1", "plain", "no", "It says nine.")
    desk = desk_of(folder, work="review", verdicts={"c1": (verdict,)}, source="sweep abc")
    page = sent(desk, note="It opens at nine.")
    assert desk.review(page, verdict, "gold_wrong", "no").kind == "saved"
    assert desk.review(page, verdict, "gold_wrong", "no").kind == "saved"
    (settled,) = (act for act in events(folder) if isinstance(act, SettleEvent))
    (review,) = (act for act in events(folder) if isinstance(act, ReviewEvent))
    assert (settled.was, settled.label, settled.because) == ("yes", "no", "review")
    assert (settled.annotator, settled.why) == ("bo", "It opens at nine.")
    assert (review.verdict, review.gold, review.trial) == ("no", "yes", "plain")
    assert review.source == "sweep abc"
    assert desk.folder.claims["c1"].label == "no"
    assert desk.queue.next_claim() is None
    desk.undo(review.save_id, "undo-both")
    assert desk.folder.claims["c1"].label == "yes"
    assert desk.queue.next_claim() == "c1"


def test_a_half_written_review_is_completed_by_sending_it_again(folder):
    said(folder, "ann", "c1", "yes")
    verdict = ShownVerdict("c1", "plain", "no")
    desk = desk_of(folder, work="review", verdicts={"c1": (verdict,)})
    desk.review(sent(desk, note="why"), verdict, "gold_wrong", "no")
    log = events_file(folder, "bo")
    log.write_text(log.read_text().splitlines(keepends=True)[0])
    again = desk_of(folder, work="review", verdicts={"c1": (verdict,)})
    assert again.folder.claims["c1"].label == "no"
    assert again.queue.next_claim() is None


def test_a_label_after_sight_of_verdicts_is_flagged(folder):
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no"),)}
    desk = desk_of(folder, verdicts=verdicts)
    desk.label(sent(desk, save_id="save-one"), "yes")
    desk.undo("save-one", "undo-one")
    desk.label(sent(desk, save_id="save-two"), "no")
    first, _, second = events(folder)
    assert (first.flagged, second.flagged) == (False, True)


def test_a_torn_line_of_a_killed_server_loses_nothing_else(folder):
    desk = desk_of(folder)
    desk.label(sent(desk), "yes")
    log = events_file(folder, "bo")
    log.write_bytes(log.read_bytes() + b'{"claim_id": "c2", "annot')
    again = desk_of(folder)
    assert again.label(sent(again, "c2", "save-0002"), "no").kind == "saved"
    assert [event.claim_id for event in events(folder)] == ["c1", "c2"]
    assert desk.label(sent(desk, "c3", "save-0003"), "no").kind == "saved"
    assert len(load_goldset(folder).claims) == 3


def test_a_log_that_cannot_be_read_refuses_saves(folder):
    said(folder, "ann", "c2", "yes")
    desk = desk_of(folder)
    log = events_file(folder, "ann")
    whole = log.read_text()
    log.write_text("this is no line\n" + whole)
    assert desk.label(sent(desk), "yes").kind == "unreadable"
    assert "this is not JSON" in str(desk.folder.log_trouble[0])
    log.write_text(whole)
    assert desk.label(sent(desk), "yes").kind == "saved"
    assert desk.folder.log_trouble == ()


def test_a_broken_manifest_keeps_what_was_known_and_saves(folder):
    desk = desk_of(folder)
    whole = (folder / "goldset.yaml").read_text()
    (folder / "goldset.yaml").write_text("name: [")
    assert desk.label(sent(desk), "yes").kind == "saved"
    assert desk.folder.trouble
    (folder / "goldset.yaml").write_text(whole + "\n")
    desk.look()
    assert desk.folder.trouble == ()
    assert desk.folder.claims["c1"].label == "yes"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_says_so(folder):
    desk = desk_of(folder)
    folder.chmod(0o500)
    try:
        assert desk.label(sent(desk), "yes").kind == "unwritable"
    finally:
        folder.chmod(0o700)


def test_an_annotations_folder_that_is_a_file_says_so(folder):
    desk = desk_of(folder)
    (folder / "annotations").write_text("in the way")
    outcome = desk.label(sent(desk), "yes")
    assert outcome.kind in ("unwritable", "unreadable")


def _labels_all(folder, name, count):
    desk = Desk(GoldFolder(folder), Sitting(name, only="all"))
    for number in range(1, count + 1):
        claim_id = f"c{number}"
        page = Sent(claim_id, f"{name}-save-{number:04}", "", desk.seen(claim_id))
        assert desk.label(page, "yes").kind == "saved"


@pytest.mark.slow
def test_processes_on_one_folder_lose_and_double_nothing(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 40)
    context = multiprocessing.get_context("spawn")
    people = ["茶", "bo", "bo"]
    running = [context.Process(target=_labels_all, args=(folder, name, 40)) for name in people]
    for process in running:
        process.start()
    for process in running:
        process.join(300)
        assert process.exitcode == 0
    assert all(len(claim.annotations) == 2 for claim in load_goldset(folder).claims)
    lines = events_file(folder, "bo").read_text().splitlines()
    assert sorted(json.loads(line)["save_id"] for line in lines) == [
        f"bo-save-{number:04}" for number in range(1, 41)
    ]


def test_skip_says_nothing_about_the_label(folder):
    desk = desk_of(folder)
    desk.skip(sent(desk, note="unclear", flagged=True))
    (event,) = events(folder)
    assert isinstance(event, SkipEvent)
    assert (event.note, event.flagged) == ("unclear", True)
    assert desk_of(folder, "ann", work="adjudicate").queue.next_claim() == "c1"


def test_b89_labels_that_came_with_the_set_leave_it_as_they_came(tmp_path):
    notes = [[{"annotator": name, "label": "yes"}] for name in ("ann", "ann", "bo", "cem", "dee")]
    folder = gold_folder(tmp_path / "kiosk", [{"annotations": note} for note in notes])
    before = load_goldset(folder)
    desk = desk_of(folder, "eve")
    assert desk.queue.next_claim() is None
    after = load_goldset(folder)
    assert after == before
    names = [claim.annotations[0].annotator for claim in after.claims]
    assert names == ["ann", "ann", "bo", "cem", "dee"]

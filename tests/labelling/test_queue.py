from __future__ import annotations

from datetime import datetime, timezone

import pytest

from metajudge.gold.events import SettleEvent, SkipEvent, append_event
from metajudge.labelling.contested import agrees
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.queue import Queue
from metajudge.labelling.sitting import ShownVerdict, Sitting, in_share
from tests.labelling.desks import gold_folder, said

CHANGED = """\
  support: {inference: true}
  changes:
    - {version: 2.0.0, support: {inference: true}}
"""


def queue_of(folder, name="bo", **sitting):
    return Queue(GoldFolder(folder), Sitting(name, **sitting))


def walk(folder, name="bo", label="yes", **sitting):
    """Claims in the order in which they are offered, each labelled as it comes."""
    queue, order = queue_of(folder, name, **sitting), []
    while (claim_id := queue.next_claim()) is not None:
        order.append(claim_id)
        said(folder, name, claim_id, label, policy=queue.folder.policy.version)
        queue.folder.refresh()
        queue.follow()
    return order


@pytest.fixture
def mixed(tmp_path):
    """c1 waits, c2 has a gold label, c3 a vote of ann, c4 a tie, c5 counts for nothing."""
    votes = [{"annotator": name, "label": name} for name in ("yes", "no")]
    claims = [
        {},
        {"label": "no"},
        {"annotations": [{"annotator": "ann", "label": "yes"}]},
        {"annotations": votes},
        {"exclude": True},
    ]
    return gold_folder(tmp_path / "kiosk", claims)


def test_pending_claims_are_those_without_a_label(mixed):
    assert walk(mixed) == ["c1", "c4"]


def test_all_claims_are_those_that_one_has_not_labelled(mixed):
    assert walk(mixed, only="all") == ["c1", "c4", "c2", "c3"]
    assert queue_of(mixed, "ann", only="all").status("c3") == "done"


def test_double_labels_what_others_labelled(mixed):
    assert walk(mixed, work="double") == ["c2", "c3", "c4"]
    assert queue_of(mixed, "ann", work="double").next_claim() == "c2"


def test_one_label_of_ones_own_is_not_labelled_twice(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}])
    said(folder, "bo", "c1", "yes")
    assert queue_of(folder, work="double").progress().total == 0
    assert queue_of(folder, "ann", work="double").next_claim() == "c1"


def test_the_share_is_the_same_for_everybody(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}] * 200)
    chosen = [f"c{n}" for n in range(1, 201) if in_share(f"c{n}", 0.3)]
    assert 40 < len(chosen) < 80
    for name in ("ann", "bo"):
        queue = queue_of(folder, name, work="double", share=0.3)
        assert queue.progress().open == len(chosen)
    more = {f"c{n}" for n in range(1, 201) if in_share(f"c{n}", 0.5)}
    assert set(chosen) < more


def test_an_order_takes_its_claims_and_no_others(mixed):
    assert walk(mixed, order=("c4", "c2", "c1")) == ["c4", "c1"]


def test_labels_under_a_changed_policy_come_with_the_others(tmp_path):
    """That others have to label a claim again would tell which kind they took it for."""
    claims = [{}, {"label": "idk", "slice": "inference"}, {"label": "yes", "slice": "literal"}]
    folder = gold_folder(tmp_path / "kiosk", claims, policy="2.0.0", more=CHANGED)
    queue = queue_of(folder)
    assert queue.progress()[:3] == (0, 0, 2)
    assert queue.status("c2") == "open"
    assert queue_of(folder, only="relabel").progress()[:3] == (0, 0, 1)
    assert walk(folder) == ["c1", "c2"]
    assert queue_of(folder, "ann").progress().waiting == 0


def test_ones_own_label_under_the_old_policy_comes_again(tmp_path):
    claims = [{"slice": "inference"}, {"slice": "literal"}]
    folder = gold_folder(tmp_path / "kiosk", claims, policy="2.0.0", more=CHANGED)
    said(folder, "bo", "c1", "idk", policy="1.0.0")
    said(folder, "bo", "c2", "yes", policy="1.0.0")
    queue = queue_of(folder)
    assert (queue.status("c1"), queue.status("c2")) == ("again", "done")


def test_labels_of_models_do_not_wait_for_relabelling(tmp_path):
    claims = [{"label": "idk", "slice": "inference", "label_source": "model"}]
    folder = gold_folder(tmp_path / "kiosk", claims, policy="2.0.0", more=CHANGED)
    assert queue_of(folder).progress().total == 0
    assert queue_of(folder, only="all").next_claim() == "c1"


def test_whoever_comes_second_to_a_claim_goes_on_elsewhere(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 9)
    now = datetime.now(timezone.utc).isoformat()
    queue = queue_of(folder)
    said(folder, "ann", "c1", "yes", time=now)
    said(folder, "bo", "c1", "no", time=now)
    queue.folder.refresh()
    queue.follow()
    queue.step_aside("c1")
    assert queue.next_claim() == "c6"
    for claim_id in ("c6", "c7", "c8", "c9"):
        said(folder, "bo", claim_id, "no")
    queue.folder.refresh()
    queue.follow()
    assert queue.next_claim() == "c2"


def test_old_labels_of_others_move_nobody(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 9)
    said(folder, "ann", "c1", "yes")
    queue = queue_of(folder)
    queue.step_aside("c1")
    assert queue.next_claim() == "c2"


def settled(folder, claim_id, label, **more):
    event = SettleEvent(
        claim_id=claim_id,
        annotator="eve",
        save_id=f"eve-{claim_id}-save",
        label=label,
        why="read again",
        **{"time": "2026-02-01T09:00:00+00:00", **more},
    )
    append_event(folder, event)


def test_adjudication_has_ties_then_flags_then_splits(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}, {}, {}, {"label": "no"}, {}])
    for name, label in (("ann", "yes"), ("cem", "yes"), ("dee", "no")):
        said(folder, name, "c1", label)
    said(folder, "ann", "c2", "yes", flagged=True)
    said(folder, "ann", "c3", "yes")
    said(folder, "cem", "c3", "idk")
    said(folder, "ann", "c4", "yes")
    said(folder, "ann", "c5", "yes")
    queue = queue_of(folder, work="adjudicate")
    assert [name for name in queue._status if queue.status(name) == "open"] == [
        *("c3", "c2", "c4", "c1")
    ]


def test_a_settled_claim_is_opened_by_another_label_or_a_flag_after_it(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 3)
    for n in (1, 2, 3):
        said(folder, "ann", f"c{n}", "yes")
        said(folder, "cem", f"c{n}", "no")
        settled(folder, f"c{n}", "yes")
    later = "2026-03-01T09:00:00+00:00"
    said(folder, "dee", "c1", "yes", time=later)
    said(folder, "dee", "c2", "no", time=later)
    skip = SkipEvent(
        claim_id="c3", annotator="dee", save_id="dee-c3-skip", time=later, flagged=True
    )
    append_event(folder, skip)
    queue = queue_of(folder, work="adjudicate")
    assert [queue.status(f"c{n}") for n in (1, 2, 3)] == ["out", "open", "open"]
    assert queue_of(folder, "eve", work="adjudicate").status("c1") == "done"


@pytest.mark.parametrize(
    ("verdict", "gold", "same"),
    [
        ("yes", "yes", True),
        ("idk", "no", False),
        ("yes", "supported", True),
        ("idk", "unsupported", True),
        ("no", "unsupported", True),
        ("no", "supported", False),
        ("yes", "unsupported", False),
    ],
)
def test_verdicts_of_three_labels_stand_against_two(verdict, gold, same):
    assert agrees(verdict, gold) is same


def test_review_has_verdicts_that_differ_and_nobody_has_looked_at(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}, {"label": "no"}, {}])
    verdicts = {f"c{n}": (ShownVerdict(f"c{n}", "plain", "yes"),) for n in (1, 2, 3)}
    queue = queue_of(folder, work="review", verdicts=verdicts)
    assert [queue.status(f"c{n}") for n in (1, 2, 3)] == ["out", "open", "out"]

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from metajudge.gold import load_goldset, write_goldset
from metajudge.gold.events import LabelEvent, SettleEvent, SkipEvent, UndoEvent, append_event
from metajudge.labelling.log_counts import log_counts
from tests.labelling.panel import CLAIMS, panel

NUMBER = count(1)


def about(claim_id, annotator):
    number = next(NUMBER)
    return {
        "claim_id": claim_id,
        "annotator": annotator,
        "time": f"2025-04-01T{number // 60 % 24:02d}:{number % 60:02d}:00Z",
        "save_id": f"save-{number:08d}",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_goldset(panel(CLAIMS[:3]), tmp_path / "tea")
    return tmp_path / "tea"


def skip(folder, claim_id, annotator, **more):
    append_event(folder, SkipEvent(**about(claim_id, annotator), **more))


def settle(folder, claim_id, label):
    append_event(folder, SettleEvent(**about(claim_id, "chair"), label=label, why="the rule"))


def label(folder, claim_id, annotator, given, **more):
    append_event(folder, LabelEvent(**about(claim_id, annotator), label=given, **more))


def test_a_set_in_memory_or_without_logs_has_no_counts(folder):
    for goldset in (panel(), load_goldset(folder)):
        assert log_counts(goldset) == (frozenset(), frozenset(), None)


def test_skips_that_were_not_labelled_later(folder):
    skip(folder, "c1", "dora")
    skip(folder, "c2", "dora", flagged=True)
    skip(folder, "c3", "dora")
    label(folder, "c3", "dora", "idk")
    taken_back = about("c2", "ana")
    append_event(folder, SkipEvent(**taken_back))
    append_event(folder, UndoEvent(**about("c2", "ana"), undoes=taken_back["save_id"]))
    found = log_counts(load_goldset(folder))
    assert found.skipped == {"dora": 2}
    assert found.asked == {("dora", "c2")}


def test_a_settled_claim_is_settled_until_somebody_disagrees_or_flags(folder):
    for name in ("c1", "c2", "c3"):
        settle(folder, name, "no")
    assert log_counts(load_goldset(folder)).settled == {"c1", "c2", "c3"}
    label(folder, "c1", "dora", "no")
    label(folder, "c2", "dora", "yes")
    skip(folder, "c3", "dora", flagged=True)
    assert log_counts(load_goldset(folder)).settled == {"c1"}


def test_acts_of_claims_that_are_gone_do_not_settle_anything(folder):
    settle(folder, "gone", "no")
    assert log_counts(load_goldset(folder)).settled == frozenset()
    assert json.dumps(sorted(log_counts(load_goldset(folder)).skipped or {})) == "[]"

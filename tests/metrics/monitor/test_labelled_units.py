"""Low answers of every judged metric wait in a gold folder as gold for that metric has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge import evaluate
from metajudge.errors import GoldError
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.evaluation_file import write_evaluation
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.judged.words import because
from metajudge.metrics.monitor.evaluated_rows import scored_rows
from metajudge.metrics.monitor.labelled_units import units_of
from metajudge.metrics.monitor.queue import queue, texts_of
from metajudge.metrics.monitor.recording import record
from metajudge.metrics.monitor.table import ScoreTable
from metajudge.metrics.scored import MetricScore, ScoredRow
from tests.experiment.folder import write_script

ROW: dict[str, Any] = {
    "answer_id": "a",
    "time": "2026-11-30T09:30:00Z",
    "question": "Wann öffnet Halle A, and what does it lend?",
    "answer": "Hall A opens at 9. It lends boats.",
    "context": ["Hall A opens at 9.", "甲馆出借图书。"],
    "reference": "Hall A opens at 9 and lends books.",
    "goal": "Find out when hall A opens.",
    "turns": [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "At 9."}],
    "lang": "en",
}
LISTS = {
    "claims": ["Hall A opens at 9.", "Hall A lends boats."],
    "statements": ["Hall A opens at 9.", "Hall A lends books."],
    "entities": ["Hall A", "books"],
    "aspects": ["when it opens", "what it lends"],
    "steps": ["The opening hour is named."],
}
WANTED = {
    "faithfulness": [(text, ROW["context"]) for text in LISTS["claims"]],
    "groundedness": [("Hall A opens at 9.", ROW["context"]), ("It lends boats.", ROW["context"])],
    "context_relevance": [(ROW["question"], [text]) for text in ROW["context"]],
    "context_precision": [(ROW["question"], [text]) for text in ROW["context"]],
    "context_recall": [(text, ROW["context"]) for text in LISTS["statements"]],
    "context_entity_recall": [(text, ROW["context"]) for text in LISTS["entities"]],
    "answer_relevance": [(text, [ROW["answer"]]) for text in LISTS["aspects"]],
    "answer_redundancy": [
        (text, [ROW["question"]]) for text in ("Hall A opens at 9.", "It lends boats.")
    ],
    "answer_correctness": [
        *((text, [ROW["reference"]]) for text in LISTS["claims"]),
        *((text, [ROW["answer"]]) for text in LISTS["statements"]),
    ],
    "goal_achievement": [
        (text, ["User: When?", "Agent: At 9.", f"Agent: {ROW['answer']}"])
        for text in (ROW["goal"], *LISTS["steps"])
    ],
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """The row under every judged metric, by a judge that says no to everything."""
    folder = tmp_path_factory.mktemp("evaluated")
    write_script(folder, [], "no")
    spec = f"scripted:{folder / 'judge.yaml'}"
    found = evaluate([{**ROW, **LISTS}], list(JUDGED), judge=spec, store=folder / "s.sqlite")
    path = folder / "evaluated.jsonl"
    write_evaluation(found, path)
    return found, path


def without_lists(path: Path) -> list[dict[str, Any]]:
    """Evaluated rows as they are where the judge made the lists: they stand in verdicts alone."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name not in LISTS} for row in rows]


@pytest.mark.parametrize("metric", sorted(JUDGED))
def test_what_was_judged_of_a_low_answer_waits_as_gold_for_the_metric(metric, evaluated, tmp_path):
    found, path = evaluated
    place = str(tmp_path / "scores.sqlite")
    assert record(place, found.rows, release="judge x") == len(JUDGED)
    with ScoreTable(place) as table:
        rows = table.rows(metric=metric)
    rows = [row for row in rows if row.score is not None]
    for texts in (texts_of(path, metric), texts_of(without_lists(path), metric)):
        folder = tmp_path / f"queue-{len(list(tmp_path.iterdir()))}"
        assert queue(rows, folder, texts=texts).answers == 1
        gold = load_goldset(folder)
        assert gold.manifest.metric == JUDGED[metric].parts[0]
        told = [(c.claim, list(gold.contexts[c.context_id].passages)) for c in gold.pending]
        assert told == WANTED[metric]
        assert queue(rows, folder, texts=texts)[:3] == (0, 0, 1)
    text = (folder / "claims.jsonl").read_text("utf-8")
    assert '"no"' not in text, "no verdict of a judge"


def test_record_keeps_what_was_judged_where_it_is_asked_to(evaluated, tmp_path):
    place = str(tmp_path / "scores.sqlite")
    record(place, evaluated[0].rows, release="judge x", texts=True)
    with ScoreTable(place) as table:
        rows = [row for row in table.rows(metric="context_recall") if row.score is not None]
    assert queue(rows, tmp_path / "queue")[:2] == (1, 2)


def test_a_folder_of_another_metric_is_refused(evaluated, tmp_path):
    place = str(tmp_path / "scores.sqlite")
    record(place, evaluated[0].rows, release="judge x", texts=True)
    with ScoreTable(place) as table:
        recall, grounded = (table.rows(metric=m) for m in ("context_recall", "groundedness"))
    queue(recall, tmp_path / "queue")
    with pytest.raises(GoldError, match="gold for context_recall"):
        queue(grounded, tmp_path / "queue")


def test_verdicts_without_sides_say_nothing_where_a_metric_has_sides(evaluated):
    (row,) = without_lists(evaluated[1])
    old = [
        {k: v for k, v in one.items() if k != "side"} for one in row["answer_relevance_verdicts"]
    ]
    told = read_rows_for_metrics([row | {"answer_relevance_verdicts": old}]).rows[0]
    assert units_of(told, "answer_relevance") == []
    bare = read_rows_for_metrics([{"answer_id": "a", "answer": "x", "context": ["x"]}]).rows[0]
    assert units_of(bare, "faithfulness") == []


@pytest.mark.parametrize("name", ["e.jsonl", "e.csv", "e.parquet", "e.json"])
def test_evaluated_rows_of_every_form_are_recorded_with_what_sampling_added(tmp_path, name):
    write_script(tmp_path, [], "yes")
    told = {"sample_time": "2026-11-30T01:30:00Z", "sample_weight": 9.5, "sample_unit": "c1",
            "sample_stratum": "lang=zh", "sample_slices": {"model": "甲"}}  # fmt: skip
    spec = f"scripted:{tmp_path / 'judge.yaml'}"
    found = evaluate([{**ROW, **told}], ["groundedness"], judge=spec, store=tmp_path / "s.sqlite")
    path = write_evaluation(found, tmp_path / name)
    place = str(tmp_path / "scores.sqlite")
    assert record(place, scored_rows(path), release="x", texts=True) == 1
    with ScoreTable(place) as table:
        (row,) = table.rows()
    assert (row.score, row.yes, row.passed) == (1.0, 2, True)
    assert (row.time, row.weight, row.unit) == ("2026-11-30T01:30:00Z", 9.5, "c1")
    assert (row.stratum, row.slices) == ("lang=zh", {"model": "甲"})
    assert row.texts is not None
    assert len(row.texts["units"]) == 2


def test_what_an_early_end_left_open_is_passed_over_and_a_failed_list_is_tried_again(tmp_path):
    place = str(tmp_path / "scores.sqlite")
    told = {"time": "2026-11-30"}
    reasons = (because("not_yet", True), because("list_failed", False, "timeout"))
    rows = [
        ScoredRow(f"a{n}", {"groundedness": MetricScore("groundedness", None, reason)}, told)
        for n, reason in enumerate(reasons)
    ]
    assert record(place, rows, release="x") == 1
    again = [
        ScoredRow(f"a{n}", {"groundedness": MetricScore("groundedness", 1.0, None)}, told)
        for n in range(2)
    ]
    assert record(place, again, release="x") == 2

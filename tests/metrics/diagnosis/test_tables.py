"""The shipped tables hold every row of the published ones, in both languages."""

from __future__ import annotations

import re
from itertools import product

import pytest

from metajudge.metrics.diagnosis.diagnose import diagnose
from metajudge.metrics.diagnosis.experiments import experiments
from metajudge.metrics.diagnosis.matrix import Reading, read_matrix
from metajudge.metrics.diagnosis.tables import LEVELS, Threshold, matrices, of, tree
from metajudge.metrics.diagnosis.words import words
from tests.metrics.diagnosis.rows import many

HIGH, MEDIUM, LOW = "high", "medium", "low"
PUBLISHED = {
    "support": {
        (HIGH, HIGH): "rests_on_context",
        (HIGH, LOW): "unrelated_context",
        (LOW, LOW): "contradicts",
    },
    "triad": {
        (HIGH, HIGH, HIGH): "healthy",
        (LOW, HIGH, MEDIUM): "weak_retrieval",
        (HIGH, LOW, MEDIUM): "invention",
        (HIGH, HIGH, LOW): "incomplete",
        (LOW, LOW, LOW): "broken",
    },
    "recall": {
        (HIGH, HIGH, HIGH): "healthy",
        (HIGH, HIGH, LOW): "stale_material",
        (HIGH, LOW, LOW): "retrieval_missed",
        (LOW, HIGH, LOW): "invented",
        (LOW, LOW, LOW): "both",
        (LOW, LOW, HIGH): "own_knowledge",
    },
}
CASES = [(table, cell, name) for table, rows in PUBLISHED.items() for cell, name in rows.items()]


def test_no_row_more_and_none_less():
    assert set(matrices().matrices) == set(PUBLISHED)
    for name, table in matrices().matrices.items():
        assert {row.levels: row.name for row in table.rows} == PUBLISHED[name]


@pytest.mark.parametrize(("table", "cell", "name"), CASES)
def test_every_published_row_is_found_for_an_answer_and_for_the_set(table, cell, name):
    metrics = matrices().matrices[table].metrics
    found = diagnose(many(20, **dict(zip(metrics, cell, strict=True))))
    assert found.whole.outcomes[table].row.name == name
    assert found.counts(table) == {name: 20}


def test_combinations_that_a_table_lacks_are_said_to_be_lacking_with_the_nearest():
    for name, table in matrices().matrices.items():
        lines = {metric: Threshold(low_below=0.4, high_from=0.8, source=("", ""))
                 for metric in table.metrics}  # fmt: skip
        score = {LOW: 0.1, MEDIUM: 0.5, HIGH: 0.9}
        for cell in product(LEVELS, repeat=len(table.metrics)):
            told = {m: Reading(score[level]) for m, level in zip(table.metrics, cell, strict=True)}
            outcome = read_matrix(table, told, lines)
            if cell in PUBLISHED[name]:
                assert outcome.row.name == PUBLISHED[name][cell]
                continue
            assert outcome.status == "not_in_table"
            assert outcome.row is None
            assert outcome.nearest


def test_the_nearest_rows_are_all_of_the_fewest_steps():
    table = matrices().matrices["recall"]
    scores = {"faithfulness": 0.9, "context_recall": 0.1, "answer_correctness": 0.9}
    outcome = read_matrix(table, {k: Reading(v) for k, v in scores.items()}, matrices().thresholds)
    assert [row.name for row in outcome.nearest] == ["healthy", "retrieval_missed", "own_knowledge"]


def test_the_tree_asks_in_the_published_order():
    told = [(q.fact, q.when, q.limit) for q in tree().questions]
    assert told == [
        ("context_recall", "low", None),
        ("passages", "above", 10.0),
        ("hard_rule", "absent", None),
        ("temperature", "above", 0.3),
    ]
    assert tree().otherwise.name == "weak_model"


def _pairs(content):
    if isinstance(content, dict):
        for value in content.values():
            yield from _pairs(value)
    elif isinstance(content, list | tuple):
        if len(content) == 2 and all(isinstance(one, str) for one in content):
            yield content
        else:
            for value in content:
                yield from _pairs(value)


def test_every_text_is_there_in_both_languages():
    parts = [matrices(), tree(), *experiments().values()]
    pairs = [
        pair
        for part in parts
        for pair in _pairs(part.model_dump(exclude={"sweep"}))
        if not set(pair) <= {*LEVELS, *matrices().thresholds, *experiments()}
    ]
    assert len(pairs) > 60
    for english, chinese in pairs:
        assert re.search(r"[\u4e00-\u9fff]", chinese) or chinese.startswith("--"), chinese
        assert not re.search(r"[\u4e00-\u9fff]", english), english
        assert re.findall(r"{\w+}", english) == re.findall(r"{\w+}", chinese)


def test_every_word_has_the_same_places_in_both_languages():
    for key, pair in words().items():
        names = [sorted(re.findall(r"{(\w+)", text)) for text in pair]
        assert names[0] == names[1], key
    assert of(("a", "b"), "zh") == "b"


@pytest.mark.parametrize(
    ("low", "high", "levels"),
    [
        (0.1, 0.2, ("low",)),
        (0.4, 0.6, ("low", "medium")),
        (0.4, 0.9, LEVELS),
        (0.8, 1.0, ("high",)),
        (0.5, 0.5, ("medium",)),
    ],
)
def test_an_interval_reaches_every_level_between_its_ends(low, high, levels):
    line = Threshold(low_below=0.5, high_from=0.8, source=("", ""))
    assert line.levels(low, high) == levels


def test_without_a_medium_level_an_interval_never_has_one():
    line = Threshold(low_below=0.8, high_from=0.8, source=("", ""))
    assert line.levels(0.2, 0.9) == ("low", "high")
    with pytest.raises(ValueError, match="low ends"):
        Threshold(low_below=0.9, high_from=0.8, source=("", ""))

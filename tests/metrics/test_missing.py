"""Columns that no row has: which, for which metric, and the mend, in both languages."""

from __future__ import annotations

from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.missing import missing_columns

ROWS = read_rows_for_metrics([{"answer": "Five.", "refrence": "5."}]).rows
WHOLE = read_rows_for_metrics(
    [
        {"question": "Q?", "answer": "A.", "context": [], "reference": "R.", "goal": "G."},
        {"turns": [{"role": "user", "content": "Hi"}], "expected_tools": []},
    ]
).rows


def test_the_column_its_other_names_and_what_is_not_read_are_named() -> None:
    reference, context = missing_columns(ROWS, "context_recall")
    assert reference.en.startswith(
        "context_recall: no row has reference or statements: add the column (also read: "
        "expected_output, ground_truth"
    )
    assert context.en.startswith("context_recall: no row has context: add the column")
    assert context.en.endswith("Columns that no metric reads: refrence.")
    assert context.zh.startswith("context_recall：没有一行有 context：请添加这一列")
    assert context.zh.endswith("没有指标读取的列：refrence。")


def test_one_row_with_the_column_is_enough_for_every_metric() -> None:
    assert {name: missing_columns(WHOLE, name) for name in METRICS} == dict.fromkeys(METRICS, ())

import csv
from pathlib import Path

from metajudge.report.csv_rows import COLUMNS, write_csv
from tests.report.factory import make_sweep


def test_one_line_a_verdict_and_no_formula(tmp_path: Path) -> None:
    made = make_sweep(30, 2, hostile=True)
    path = write_csv(made.results, made.gold, tmp_path / "v.csv")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30 * 4
    assert tuple(rows[0]) == COLUMNS
    assert not [c for row in rows for c in row.values() if c.lstrip().startswith(("=", "+", "@"))]


def test_b128_reasons_failures_and_chinese_are_in_it(tmp_path: Path) -> None:
    made = make_sweep(162, 4)
    text = write_csv(made.results, made.gold, tmp_path / "v.csv").read_text(encoding="utf-8-sig")
    assert "Passage 1 says so." in text
    assert "unparsable: no declared label" in text
    assert "随餐服用" in text


def test_without_gold_texts_are_empty(tmp_path: Path) -> None:
    made = make_sweep(5, 1)
    path = write_csv(made.results, None, tmp_path / "v.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert {row["claim"] for row in csv.DictReader(file)} == {""}

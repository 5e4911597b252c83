"""G16: `gold import` of 100,000 rows by two annotators: CSV, JSON Lines, Label Studio's JSON."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.goal import Row, judged
from benchmarks.meter import cpu_s, peak_mb
from benchmarks.process import Figures, fresh

ROWS = 100_000
WALL_S, PEAK_MB = 20.0, 500.0
_LABELS = ("yes", "no", "idk")
_HEADER = ("claim", "context", "label_anna", "label_bo")
_KINDS = {
    "csv": "CSV, a column per annotator",
    "jsonl": "JSON Lines, annotations listed",
    "json": "Label Studio JSON, one list of tasks",
}


def rows(count: int) -> Iterator[tuple[str, str, str, str]]:
    """Claim, context of its own, and two labels; every other row is Chinese."""
    for n in range(count):
        labels = _LABELS[n % 3], _LABELS[(n + (n % 10 == 0)) % 3]
        if n % 2:
            claim = f"第{n}号图书馆工作日上午九点开门，读者每次最多可借八册书，可以续借一次。"
            context = f"第{n}号图书馆公告：" + "工作日上午九点开门，晚上六点关门，周末闭馆。" * 12
        else:
            claim = (
                f"Library {n} opens at nine on weekdays, and members may borrow eight books each."
            )
            context = f"Notice of library {n}: " + "It opens at nine and closes at six. " * 12
        yield (claim, context, *labels)


def write_csv(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(_HEADER)
        table.writerows(rows(count))


def write_jsonl(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for claim, context, anna, bo in rows(count):
            notes = [{"annotator": "anna", "label": anna}, {"annotator": "bo", "label": bo}]
            record = {"claim": claim, "context": [context], "annotations": notes}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_json(path: Path, count: int) -> None:
    """Tasks as Label Studio exports them, on one line."""
    with path.open("w", encoding="utf-8") as file:
        for n, (claim, context, anna, bo) in enumerate(rows(count)):
            task = {
                "id": n,
                "data": {"claim": claim, "context": context},
                "annotations": [_annotation(2 * n, "anna", anna), _annotation(2 * n + 1, "bo", bo)],
                "predictions": [],
            }
            file.write(f"{', ' if n else '['}{json.dumps(task, ensure_ascii=False)}")
        file.write("]")


def _annotation(number: int, who: str, label: str) -> dict[str, Any]:
    return {
        "id": number,
        "completed_by": {"id": 1, "email": f"{who}@example.org"},
        "result": [{"from_name": "label", "type": "choices", "value": {"choices": [label]}}],
        "was_cancelled": False,
        "lead_time": 8.25,
        "updated_at": "2026-03-01T09:30:00.000000Z",
    }


def _write(path: Path, count: int) -> None:
    {"csv": write_csv, "jsonl": write_jsonl, "json": write_json}[path.suffix[1:]](path, count)


def imported(count: int, ending: str) -> Figures:
    """The command on a file that is written first; writing is not measured."""
    from typer.testing import CliRunner

    from metajudge.cli.app import app

    path = Path(f"rows.{ending}")
    _write(path, count)
    before = peak_mb()
    begun, used = time.perf_counter(), cpu_s()
    ended = CliRunner().invoke(app, ["gold", "import", str(path), "--to", "gold/rows", "--yes"])
    wall, cpu = time.perf_counter() - begun, cpu_s() - used
    if ended.exit_code:
        raise RuntimeError(ended.output[-500:])
    with Path("gold/rows/claims.jsonl").open("rb") as claims:
        written = sum(1 for _ in claims)
    figures = {"wall_s": wall, "cpu_s": cpu, "peak_mb": peak_mb(), "before_mb": before}
    return figures | {"claims": written}


def floor(count: int, ending: str) -> Figures:
    """The same file read and its rows written as JSON Lines by the standard library alone."""
    path = Path(f"rows.{ending}")
    _write(path, count)
    begun, used = time.perf_counter(), cpu_s()
    with (
        path.open(encoding="utf-8-sig", newline="") as file,
        Path("out.jsonl").open("w", encoding="utf-8") as out,
    ):
        if ending == "csv":
            table: Iterable[Any] = csv.DictReader(file, delimiter=";")
        else:
            table = map(json.loads, file) if ending == "jsonl" else json.load(file)
        out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in table)
    wall, cpu = time.perf_counter() - begun, cpu_s() - used
    return {"wall_s": wall, "cpu_s": cpu, "peak_mb": peak_mb()}


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Rows of G16."""
    count = max(2000, int(ROWS * scale))
    return [_row(count, ending, repeats) for ending in _KINDS]


def _row(count: int, ending: str, repeats: int) -> Row:
    runs = [fresh("import:imported", count=count, ending=ending) for _ in range(repeats)]
    ours = min(runs, key=lambda run: float(run["wall_s"]))
    alone = fresh("import:floor", count=count, ending=ending)
    peak = max(run["peak_mb"] for run in runs)
    return judged(
        f"G16: `gold import` of {count:,} rows by two annotators, {_KINDS[ending]}: "
        f"<= {WALL_S:.0f} s and <= {PEAK_MB:.0f} MB",
        f"{ours['wall_s']:.1f} s ({ours['cpu_s']:.1f} s CPU), {peak:.0f} MB, {ours['claims']:,} "
        f"claims written; {ours['cpu_s'] / alone['cpu_s']:.1f} x the floor's CPU",
        f"standard library alone, rows read and written: {alone['wall_s']:.1f} s "
        f"({alone['cpu_s']:.1f} s CPU), {alone['peak_mb']:.0f} MB",
        ours["wall_s"] <= WALL_S and peak <= PEAK_MB and ours["claims"] == count,
        f"{ours['claims']:,} of {count:,} claims; {ours['before_mb']:.0f} MB before it began",
    )

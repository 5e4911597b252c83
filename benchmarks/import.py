"""G16: `gold import` of 100,000 rows by two annotators, from CSV and from JSON Lines."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.goal import Row, judged
from benchmarks.meter import cpu_s, peak_mb
from benchmarks.process import Figures, fresh

ROWS = 100_000
WALL_S, PEAK_MB = 20.0, 500.0
_LABELS = ("yes", "no", "idk")
_HEADER = ("claim", "context", "label_anna", "label_bo")


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


def imported(count: int, ending: str) -> Figures:
    """The command on a file that is written first; writing is not measured."""
    from typer.testing import CliRunner

    from metajudge.cli.app import app

    path = Path(f"rows.{ending}")
    (write_csv if ending == "csv" else write_jsonl)(path, count)
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
    (write_csv if ending == "csv" else write_jsonl)(path, count)
    begun, used = time.perf_counter(), cpu_s()
    with (
        path.open(encoding="utf-8-sig", newline="") as file,
        Path("out.jsonl").open("w", encoding="utf-8") as out,
    ):
        table = csv.DictReader(file, delimiter=";") if ending == "csv" else map(json.loads, file)
        out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in table)
    wall, cpu = time.perf_counter() - begun, cpu_s() - used
    return {"wall_s": wall, "cpu_s": cpu, "peak_mb": peak_mb()}


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Rows of G16."""
    count = max(2000, int(ROWS * scale))
    return [_row(count, ending, repeats) for ending in ("csv", "jsonl")]


def _row(count: int, ending: str, repeats: int) -> Row:
    runs = [fresh("import:imported", count=count, ending=ending) for _ in range(repeats)]
    ours = min(runs, key=lambda run: float(run["wall_s"]))
    alone = fresh("import:floor", count=count, ending=ending)
    peak = max(run["peak_mb"] for run in runs)
    kind = "CSV, a column per annotator" if ending == "csv" else "JSON Lines, annotations listed"
    return judged(
        f"G16: `gold import` of {count:,} rows by two annotators, {kind}: <= {WALL_S:.0f} s and "
        f"<= {PEAK_MB:.0f} MB",
        f"{ours['wall_s']:.1f} s ({ours['cpu_s']:.1f} s CPU), {peak:.0f} MB, {ours['claims']:,} "
        f"claims written; {ours['cpu_s'] / alone['cpu_s']:.1f} x the floor's CPU",
        f"standard library alone, rows read and written: {alone['wall_s']:.1f} s "
        f"({alone['cpu_s']:.1f} s CPU), {alone['peak_mb']:.0f} MB",
        ours["wall_s"] <= WALL_S and peak <= PEAK_MB and ours["claims"] == count,
        f"{ours['claims']:,} of {count:,} claims; {ours['before_mb']:.0f} MB before it began",
    )

"""What the replayed study of orders found, and that the documents say just that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks/next_claims.md").read_text(encoding="utf-8")
NOTE = (ROOT / "docs/decisions/0020-which-claims-to-label-next.md").read_text(encoding="utf-8")


def counts(order: str) -> dict[int, tuple[int, int, str]]:
    """By number of labels: rows better and worse than random, and the mean difference."""
    line = re.search(rf"^- \*{order}\* against random: (.*)$", PAGE, flags=re.M)
    assert line is not None
    told = re.findall(
        r"after (\d+) better in (\d+) and worse in (\d+) of \d+ rows \(mean ([+-][\d.]+)\)", line[1]
    )
    return {int(k): (int(better), int(worse), mean) for k, better, worse, mean in told}


@pytest.mark.parametrize("k", [10, 20, 30, 60])
def test_the_default_beats_random_and_the_most_uncertain(k: int) -> None:
    better, worse, mean = counts("next")[k]
    assert better > 4 * worse
    for other in ("uncertain", "labelled-only"):
        assert better - worse > counts(other)[k][0] - counts(other)[k][1]
        assert float(mean) > float(counts(other)[k][2])


def test_the_note_has_the_figures_of_the_page() -> None:
    for order in ("next", "uncertain"):
        for _, _, mean in counts(order).values():
            assert mean.replace("-", "−") in NOTE
    after_30 = PAGE.split("## Right after 30 labels")[1].split("## ")[0]
    for row in re.findall(r"^\| 001-templates, .*$", after_30, flags=re.M):
        cells = [cell.strip().replace("*", "").replace("(-", "(−") for cell in row.split("|")[3:-1]]
        before, random, uncertain, _, _, chosen = cells
        assert f"| {before} | {random} | {uncertain} | {chosen} |" in NOTE

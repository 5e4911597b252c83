"""What the simulation of coverage found, and that the figures which fall short are warned of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metajudge.agreement.estimate import few_clusters_warning

ROOT = Path(__file__).parents[2]
SHOWN = ("kappa BCa", "kappa diff.", "share Wilson", "share diff.", "ECE hull")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    lines = (ROOT / "benchmarks/coverage.md").read_text(encoding="utf-8").splitlines()
    table = [
        [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|") and not line.startswith("|---")
    ]
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


def answers(row: dict[str, str]) -> int:
    return int(next(iter(row.values())).split(" / ")[0])


def test_few_and_many_answers_were_simulated(rows):
    assert {answers(row) for row in rows} == {15, 25, 50, 100}


def test_every_design_under_thirty_answers_is_warned_of(rows):
    for row in rows:
        warned = few_clusters_warning(answers(row)) is not None
        assert warned == (answers(row) < 30) == (row[""] == "warned")


@pytest.mark.parametrize("name", SHOWN)
def test_intervals_of_thirty_answers_and_more_hold(rows, name):
    """Within 93 to 97 % but for the error of 1,000 worlds; the ECE may be somewhat wide."""
    shares = [float(row[name]) for row in rows if answers(row) >= 30]
    assert min(shares) >= 93.0 - 1.4
    assert max(shares) <= 97.0 + 1.4


def test_the_methods_say_what_was_found(rows):
    text = " ".join((ROOT / "docs/methods.md").read_text(encoding="utf-8").split())
    for name, word in zip(
        SHOWN,
        ("BCa κ", "paired difference of κ", "Wilson share", "paired difference of a share", "ECE"),
        strict=True,
    ):
        shares = [float(row[name]) for row in rows if answers(row) >= 30]
        assert re.search(f"{word} {min(shares):.1f} to {max(shares):.1f} %", text), word

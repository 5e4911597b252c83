"""A 200-row spreadsheet with odd headings and three annotators, to a sweep, as the recipe says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from metajudge.gold import annotation_matrix, check_goldset, load_goldset
from metajudge.report.results_file import read_results
from tests.gold import spreadsheet

RECIPE = Path(__file__).parents[2] / "docs" / "recipes" / "gold.md"


def blocks() -> list[str]:
    text = RECIPE.read_text(encoding="utf-8")
    return re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture
def team():
    """The current folder with what the recipe begins with."""
    spreadsheet.write(Path("ratings.csv"))
    example = RECIPE.parent / "examples" / "ratings.yaml"
    Path("experiment.yaml").write_bytes(example.read_bytes())


def test_the_spreadsheet_of_the_recipe_is_the_one_that_is_tested(tmp_path):
    made = spreadsheet.write(tmp_path / "ratings.csv")
    assert made.read_bytes() == (RECIPE.parent / "examples" / "ratings.csv").read_bytes()


def test_four_commands_lead_from_a_spreadsheet_to_a_sweep(run, team):
    commands = [line for line in blocks()[0].splitlines() if line]
    assert len(commands) < 5
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "metajudge"
        ended = run(*words)
        assert ended.exit_code == 0, f"{command}\n{ended.output}"
    made = load_goldset("gold/ratings")
    assert (len(made.claims), len(made.pending)) == (194, 3)
    assert made.manifest.annotators == ("Anna", "Bo", "标注员丙")
    assert annotation_matrix(made).labels.shape == (194, 3)
    assert made.manifest.languages == ("en", "zh")
    assert made.manifest.imported is not None
    assert made.manifest.imported.left_out == spreadsheet.FAULTS
    assert check_goldset(made).passed
    results = read_results(Path("runs/ratings/results.json"))
    assert results.gold.claims == sum(made.split_of(c) == "dev" for c in made.claims)
    assert results.gold.version == "1.0.0"


def test_the_options_that_are_printed_and_shown_make_the_same_set(run, team):
    command = next(line for line in blocks()[2].splitlines() if line)
    assert run(*shlex.split(command)[1:]).exit_code == 0
    assert run("gold", "import", "ratings.csv", "--to", "gold/yes", "--yes").exit_code == 0
    said, guessed = load_goldset("gold/ratings"), load_goldset("gold/yes")
    assert [(c.claim, c.label) for c in said.claims] == [(c.claim, c.label) for c in guessed.claims]
    assert said.manifest.annotators == ("Anna", "Bo", "丙")


def test_the_page_shows_what_the_command_shows(run, team):
    shown = run("gold", "import", "ratings.csv", "--dry-run").stdout
    lines = {" ".join(line.split()) for line in shown.splitlines()}
    promised = [" ".join(line.split()) for line in blocks()[1].splitlines()]
    told = [line for line in promised if line and line != "…"]
    assert len(told) > 25
    cells = {line for line in told if "Aldmoor" in line or "library" in line}
    assert set(told) - cells <= lines, set(told) - cells - lines


def test_the_sheet_is_as_the_page_says():
    rows = spreadsheet.rows()
    assert len(rows) == spreadsheet.ROWS == 200
    page = RECIPE.read_text(encoding="utf-8")
    for number, claim, *_ in (rows[0], rows[1], rows[3]):
        assert f"| {number} | {claim} |" in page

"""What an import shows, and that showing it never decides whether it is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import load_goldset
from tests.texts import words

TEXTS = {"claim": "The kettle holds 2 litres.", "context": "Kettle: 2 l."}


@pytest.fixture
def rows():
    """Writes JSON Lines in the current folder."""

    def write(*held: dict[str, Any], name: str = "rows.jsonl") -> str:
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
        return name

    return write


def fever(claim: str, label: str | None) -> dict[str, Any]:
    return {"claim": claim, "evidence": "Tea is served hot.", "label": label}


def test_a_reader_that_goes_away_does_not_stop_the_import(tmp_path):
    path = tmp_path / "plain.csv"
    lines = [f"Tea {n} is hot.,Tea {n} is served hot.,{'yes' if n % 2 else 'no'}" for n in range(9)]
    path.write_text("\n".join(["claim,context,label", *lines]), encoding="utf-8")
    command = [sys.executable, "-c", "from metajudge.cli.app import main; main()", "gold", "import"]
    process = subprocess.Popen(
        [*command, "plain.csv", "--to", "tea", "--yes"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(300)
    assert len(load_goldset(tmp_path / "tea").claims) == 9


def test_what_people_should_know_is_shown_and_stands_in_json(run, rows):
    path = rows(fever("Tea is hot.", "SUPPORTS"), fever("tea is hot.", "REFUTES"))
    shown = words(run("gold", "import", path, "--from", "fever", "--dry-run").stdout)
    assert "! 2 claims say the same of the same context with other labels; `metajudge" in shown
    listed = json.loads(
        run("gold", "import", path, "--from", "fever", "--dry-run", "--json").stdout
    )
    assert listed["notes"][0].startswith("2 claims say the same")


def test_a_label_after_a_copy_without_one_stands(run, rows):
    path = rows(fever("Tea is hot.", None), fever("Tea is hot.", "SUPPORTS"))
    shown = words(run("gold", "import", path, "--from", "fever", "--dry-run").stdout)
    assert "1 claim with a label;" in shown and "wait" not in shown
    assert "rows.jsonl:1 without a label, which stands here" in shown


def test_a_wrong_tool_is_doubted(run, rows):
    path = rows({"uid": 1, "premise": "Tea is hot.", "hypothesis": "Tea is cold.", "label": "c"})
    shown = words(run("gold", "import", path, "--from", "argilla", "--dry-run").stdout)
    assert "! no record has the fields of Argilla (fields, responses, suggestions)" in shown


def test_nothing_is_told_where_nothing_is_known(run, rows):
    ended = run("gold", "import", rows({"x": 1}), "--from", "label-studio", "--dry-run")
    said = words(ended.stderr)
    assert "First: neither a task nor a row of JSON-MIN." in said
    task = {"id": 1, "data": TEXTS, "annotations": [{"id": None}]}
    shown = words(run("gold", "import", rows(task), "--dry-run").stdout)
    assert "malformed: an annotation without its result" in shown


def test_b88_a_binary_set_that_was_exported_comes_back_whole(run, rows):
    held = [
        TEXTS | {"claim": claim, "label": label, "label_source": "human"}
        for claim, label in (("Tea.", "supported"), ("Milk.", "unsupported"))
    ]
    run("gold", "import", rows(*held), "--from", "table", "--to", "one", "--yes")
    for name in ("one.jsonl", "one.csv"):
        assert run("gold", "export", "one", "--to", name).exit_code == 0
        ended = run("gold", "import", name, "--to", f"again-{name}", "--yes")
        assert "so the set is binary" in words(ended.stdout)
        again = load_goldset(Path(f"again-{name}"))
        assert again.manifest.label_space == "binary"
        assert again.claims == load_goldset(Path("one")).claims

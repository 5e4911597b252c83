from __future__ import annotations

import json
import re
from pathlib import Path

import pytest


@pytest.fixture
def results(run, starter):
    assert run("sweep", "-q").exit_code == 0
    return "runs/starter/results.json"


def test_a_report_again_is_the_same_report(run, results):
    ended = run("report", results, "--html", "a.html", "--md", "a.md", "--csv", "a.csv",
                "--gold", "gold")  # fmt: skip
    assert ended.exit_code == 0
    assert ended.stdout == "a.html\na.md\na.csv\n"
    assert ended.stderr == ""
    for ours, theirs in (("a.md", "report.md"), ("a.csv", "verdicts.csv")):
        assert Path(ours).read_bytes() == Path("runs/starter", theirs).read_bytes()
    again, first = _page("a.html"), _page("runs/starter/report.html")
    same = again == first
    assert same, "the pages differ in more than the prompts, which only a sweep knows"


def _page(path):
    """A page's text and its data, the prompts left out."""
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", text, re.DOTALL)
    data = json.loads(found[1])
    del data["browser"]["prompts"]
    return text.replace(found[1], ""), data


def test_without_options_it_is_printed(run, results):
    ended = run("report", results, "--lang", "zh")
    assert ended.exit_code == 0
    assert "没有安全的优胜者" in ended.stdout.replace("\n", "")
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_another_gold_set_is_warned_about(run, results):
    lines = Path("gold/claims.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0]) | {"label": "idk"}
    Path("gold/claims.jsonl").write_text(
        "\n".join([json.dumps(first), *lines[2:]]) + "\n", encoding="utf-8"
    )
    ended = run("report", results, "--csv", "a.csv", "--gold", "gold")
    assert ended.exit_code == 0
    assert "1 of 12 claims are not in it, 1 have another label" in " ".join(ended.stderr.split())


def test_a_place_that_cannot_be_written_is_refused(run, results):
    Path("file").write_text("x")
    ended = run("report", results, "--html", "file/a.html")
    assert ended.exit_code == 2
    assert "a file is in the way" in ended.stderr


def test_no_results_file(run):
    Path("r.json").write_text("{}")
    assert run("report", "r.json").exit_code == 2
    assert "schema_version" in run("report", "r.json").stderr
    assert run("report", "absent.json").exit_code == 2

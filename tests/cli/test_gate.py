from __future__ import annotations

import json
import string
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from metajudge.metrics.gate.words import words
from tests.metrics.gate.folder import case, many, write_suite
from tests.release.applied import write_rows

EXAMPLE = Path(__file__).parents[2] / "docs" / "recipes" / "examples" / "gate"
NASTY = "It is wrong \x1b[31m<b>@team</b> ]]> \ufffe |x| \x00."


@pytest.fixture
def suite(run, tmp_path):
    """60 right cases with a bar, and their baseline."""
    metrics = [{"name": "faithfulness", "case": 0.8}]
    path = write_suite(tmp_path, many(60), metrics=metrics)
    ended = run("gate", "--suite", path, "--write-baseline", "-q")
    assert ended.exit_code == 0, ended.stderr
    assert "(60 cases)" in " ".join(ended.stdout.split())
    return path


def worse(n, claim="It is wrong."):
    return write_rows(Path("worse.jsonl"), many(60, wrong=range(n), claim=claim))


@pytest.mark.parametrize(
    ("answers", "code", "told"),
    [
        ((0, ""), 0, "PASS"),
        ((20, "It is wrong."), 1, "FAIL"),
        ((4, "It is wrong."), 4, "more cases needed"),
        ((1, "It is unreachable."), 0, "1 case without a score since calls failed"),
        ((20, "It is unreachable."), 4, "only 66.7% of the cases have a score; 90%"),
    ],
)
def test_b123_exit_codes_say_what_it_came_to(run, suite, answers, code, told):
    ended = run("gate", "--suite", suite, "--answers", worse(*answers), "-q")
    assert ended.exit_code == code, ended.stdout + ended.stderr
    assert told in " ".join(ended.stdout.split())
    assert max(map(len, ended.stdout.splitlines())) <= 80


def test_chinese_at_80_columns(run, suite):
    ended = run("gate", "--suite", suite, "--answers", worse(20), "-q", "--lang", "zh")
    assert "质量门 halls：未通过" in ended.stdout
    assert "faithfulness：未通过" in ended.stdout
    assert max(map(cell_len, ended.stdout.splitlines())) <= 80


def test_a_spent_budget_ends_with_3_and_the_next_run_goes_on(run, suite):
    place = write_rows(Path("worse.jsonl"), [
        case(f"c{n:03}", f"Hall {n} is wrong {n}.") for n in range(60)
    ])  # fmt: skip
    ended = run("gate", "--suite", suite, "--answers", place, "-q", "--budget-calls", 5)
    assert ended.exit_code == 3
    chinese = run(
        "gate", "--suite", suite, "--answers", place, *"-q --budget-calls 1 --lang zh".split()
    )
    assert "运行提前结束：预算（1 次调用）已用完。再次运行即可继续。" in chinese.stderr
    offline = run("gate", "--suite", suite, "--answers", place, "-q", "--offline")
    assert offline.exit_code == 4
    assert "replies are not stored" in offline.stderr
    assert run("gate", "--suite", suite, "--answers", place, "-q").exit_code == 1


def test_wrong_files_and_options_end_with_2_before_anything_is_asked(run, suite):
    suite.write_text(suite.read_text().replace("baseline.json", "none.json"))
    ended = run("gate", "--suite", suite, "-q")
    assert ended.exit_code == 2
    assert "--write-baseline" in ended.stderr
    assert run("gate", "--suite", "no.yaml").exit_code == 2
    both = run("gate", "--suite", suite, "--write-baseline", "--junit", "x.xml")
    assert both.exit_code == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--junit", "baseline.json"], "--junit"),
        (["--markdown", "suite.yaml"], "--markdown"),
        (["--markdown", "../{here}/cases.jsonl"], "--markdown"),
        (["--junit", "report", "--markdown", "report"], "--markdown"),
    ],
)
def test_a_report_is_not_written_over_what_the_gate_reads(run, suite, options, told, monkeypatch):
    monkeypatch.chdir(suite.parent)
    before = {place.name: place.read_bytes() for place in suite.parent.iterdir() if place.is_file()}
    options = [one.format(here=suite.parent.name) for one in options]
    ended = run("gate", "--suite", suite, "-q", *options)
    assert ended.exit_code == 2
    assert f"{told}: a report has a file of its own" in " ".join(ended.stderr.split())
    assert {name: (suite.parent / name).read_bytes() for name in before} == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"format": "metajudge-gate-baseline/1", <<<<<<< HEAD', 0),
        ("", 0),
        ('{"id": "c000", "answer": "It is open."}', 2),
        (None, 2),
    ],
)
def test_a_damaged_baseline_is_written_anew_and_nothing_else_is_overwritten(
    run, suite, content, code
):
    place = suite.parent / "baseline.json"
    place.unlink()
    place.mkdir() if content is None else place.write_text(content)
    ended = run("gate", "--suite", suite, "--write-baseline")
    assert ended.exit_code == code, ended.stderr
    assert ("calls" in ended.stderr) == (code == 0), "refused before anything is asked"
    assert run("gate", "--suite", suite, "-q").exit_code == code


def test_b125_a_place_that_cannot_be_written_is_refused_first(run, suite):
    Path("file").touch()
    Path("folder.md").mkdir()
    for option, place in (("--junit", "file/x.xml"), ("--markdown", "folder.md")):
        assert run("gate", "--suite", suite, option, place).exit_code == 2


def test_json_junit_and_markdown_hold_what_others_wrote_as_text(run, suite, tmp_path):
    told = json.loads(json.dumps(NASTY))
    rows = many(60, wrong=range(20), claim=told)
    rows[59]["claims"] = ["It is unreachable."]
    place = write_rows(Path("worse.jsonl"), rows)
    ended = run(
        "gate", "--suite", suite, "--answers", place, "--json", "-q",
        "--junit", "out/junit.xml", "--markdown", "out/gate.md",
    )  # fmt: skip
    assert ended.exit_code == 1
    report = json.loads(ended.stdout)
    assert report["verdict"] == "fail"
    assert len(report["rows"]) == 60
    root = ElementTree.fromstring(Path("out/junit.xml").read_bytes())
    (tests,) = root
    assert tests.attrib == {
        "name": "metajudge gate halls",
        "tests": "61",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    assert tests.find("testcase[@name='faithfulness']/failure").get("type") == "fail"
    assert "⟨1B⟩" in tests.find("testcase[@name='c000']/system-out").text
    assert tests.find("testcase[@name='c059']/skipped") is not None
    markdown = Path("out/gate.md").read_text(encoding="utf-8")
    assert "<b>" not in markdown
    assert "@team" not in markdown
    assert "\x1b" not in markdown
    assert "\\|x\\|" in markdown
    assert len(markdown) < 65536


def test_failures_are_offered_kept_and_then_fail_by_themselves(run, suite):
    suite.write_text(suite.read_text() + "margin: 0.2\n")
    place = worse(1)
    first = run("gate", "--suite", suite, "--answers", place, "-q")
    assert first.exit_code == 0
    assert "--keep-failures" in first.stderr
    kept = run("gate", "--suite", suite, "--answers", place, "-q", "--keep-failures")
    assert "kept 1" in kept.stderr
    again = run("gate", "--suite", suite, "--answers", place, "-q", "--junit", "j.xml")
    assert again.exit_code == 1
    assert "Once failed, has to pass: 0 of 1 do" in again.stdout
    failed = ElementTree.parse("j.xml").getroot().findall(".//testcase[@name='c000']/failure")
    assert len(failed) == 1
    assert run("gate", "--suite", suite, "-q").exit_code == 0


def test_a_new_baseline_says_what_it_moves_and_has_no_holes(run, suite, tmp_path):
    ended = run("gate", "--suite", suite, "--answers", worse(20), "--write-baseline", "-q")
    assert "mean 1.000 in the old baseline, 0.833 in the new one" in ended.stdout
    holes = worse(7, "It is unreachable.")
    ended = run("gate", "--suite", suite, "--answers", holes, "--write-baseline", "-q")
    assert ended.exit_code == 4
    assert "floor" in ended.stderr


@pytest.mark.parametrize(("more", "code"), [((), 0), (("--answers", EXAMPLE / "worse.jsonl"), 1)])
def test_the_recipe_runs_without_a_judge(run, more, code):
    ended = run("gate", "--suite", EXAMPLE / "suite.yaml", "--offline", "-q", *more)
    assert ended.exit_code == code, ended.stdout + ended.stderr
    assert "0 sent" in ended.stdout


def test_both_languages_have_every_text_with_the_same_fields():
    for key, pair in words().items():
        parsed = [string.Formatter().parse(text) for text in pair]
        fields = [{name for _, name, _, _ in found if name is not None} for found in parsed]
        assert fields[0] == fields[1], key

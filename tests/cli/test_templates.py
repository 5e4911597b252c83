from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.cli.template_samples import SAMPLES
from metajudge.gold.claim import METRIC_NAMES
from metajudge.templates.catalogue import catalogue
from metajudge.templates.frame import frame_for


def test_list_names_shipped_and_peers(run, run_json):
    shown = run("templates", "list")
    assert shown.exit_code == 0
    told = ("literal", "evidence-first", "where they are installed: deepeval:faithfulness")
    for name in told:
        assert name in shown.stdout
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    found = run_json("templates", "list")
    assert {entry["language"] for entry in found["templates"]} == {"en", "zh"}


def test_show_renders_an_example(run, run_json):
    shown = run("templates", "show", "summary-tolerant").stdout
    assert "purpose: " in shown
    assert "risk: " in shown
    assert "The museum is closed on Mondays." in shown
    found = run_json("templates", "show", "summary-tolerant", "--lang", "zh")
    assert found["language"] == "zh"
    assert "博物馆每周一闭馆。" in found["messages"][-1]["content"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_show_has_an_example_of_what_the_metric_judges(run_json, metric, lang):
    for name, wording in catalogue(metric).items():
        frame = wording.source_for(lang).frame
        unit = SAMPLES[frame][lang]
        asked = run_json("templates", "show", name, "--lang", lang)["messages"][-1]["content"]
        head = frame_for(lang, frame)
        assert f"{head.claim_head}{unit.claim}" in asked
        assert f"{head.context_head}\n{unit.context}" in asked


def test_show_on_other_axes(run_json):
    found = run_json("templates", "show", "literal", "--labels", "letters+1", "--form",
                     "reason_first")  # fmt: skip
    assert found["labels"] == {"no": "A", "idk": "B", "yes": "C"}
    assert found["answer"]["form"] == "reason_first"


def test_show_a_file_of_the_user(run, starter):
    ended = run("templates", "show", "templates/fair-summary.zh.yaml")
    assert ended.exit_code == 0
    assert ended.stdout.startswith("fair-summary@1.0.0/zh")


def test_show_says_what_is_wrong(run, starter):
    assert "you mean 'literal'?" in run("templates", "show", "litteral").stderr
    assert run("templates", "show", "literal", "--labels", "colours").exit_code == 2
    path = Path("templates/fair-summary.en.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("idk:", "maybe:"), encoding="utf-8")
    ended = run("templates", "show", path)
    assert ended.exit_code == 2
    assert str(path) in ended.stderr

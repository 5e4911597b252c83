from __future__ import annotations

import pytest

from metajudge.report import read_results, write_results
from metajudge.report.selection_results import PowerResults

FEW = ("--worlds", 50, "--quiet")


def test_it_shows_curves_and_labels_needed(run, run_folder):
    ended = run("power", run_folder, *FEW, "--figure", "over-credit", "--difference", 0.1)
    assert ended.exit_code == 0
    assert "What this gold set can show" in ended.stdout
    assert "Labels needed" in ended.stdout
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_json_holds_what_was_asked_for(run_json, run_folder):
    found = run_json(
        *("power", run_folder, *FEW, "--figure", "summary-as-idk", "--slice", "summary"),
        *("--difference", 0.25),
    )
    assert found["trial"] == "literal"
    assert [row["figure"] for row in found["detectable"]] == ["summary_as_idk"]
    assert [(row["slice"], row["difference"]) for row in found["needed"]] == [("summary", 0.25)]
    assert found["worlds"] == 50


def test_another_trial_may_be_drawn_from(run_json, run_folder):
    found = run_json("power", run_folder, *FEW, "--trial", "mine", "--figure", "kappa")
    assert found["trial"] == "mine"


def test_what_the_results_hold_is_shown_at_once(run_json, run_folder):
    results = read_results(f"{run_folder}/results.json")
    held = PowerResults(
        trial="literal", reading="top", detectable=(), needed=(), worlds=7, churn=0.02
    )
    write_results(results.model_copy(update={"power": held}), f"{run_folder}/results.json")
    assert run_json("power", run_folder)["worlds"] == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--figure", "kapa"), "Did you mean 'kappa'"),
        (("--slice", "summry", "--figure", "summary-as-idk"), "Did you mean 'summary'"),
        (("--trial", "mein"), "Did you mean 'mine'"),
        (("--difference", "0"), "--difference"),
    ],
)
def test_b123_what_is_not_there_ends_with_2(run, run_folder, arguments, told):
    ended = run("power", run_folder, *FEW, *arguments)
    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())


def test_an_experiment_is_swept_first(run, run_folder):
    ended = run("power", *FEW, "--figure", "kappa", "--lang", "zh")
    assert ended.exit_code == 0
    assert "这个标注集能看出多大的差别" in ended.stdout

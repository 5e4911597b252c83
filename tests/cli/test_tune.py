from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.report.tune_file import tune_text
from metajudge.report.tune_results import TuneResults
from tests.experiment.folder import declare, halls, write_gold, write_script, write_template
from tests.experiment.tuned import SPLIT, THRESHOLD, tunable, two_halves

STORE = Path(".metajudge/replies.sqlite")


def tuning(**fields):
    """An experiment in the current folder, swept."""
    experiment = tunable(Path(), **fields)
    experiment.sweep(store=STORE)
    return experiment


def told(path: str = "runs/test/tune.json") -> TuneResults:
    return TuneResults.model_validate_json(Path(path).read_text(encoding="utf-8"))


def test_a_tuning_ends_with_0_and_says_what_it_found_and_what_is_next(run):
    tuning()
    ended = run("tune")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.replace("│", " ").split())
    for said in (
        "CHOSEN ON DEV",
        f"Chosen on the dev claims: plain ({THRESHOLD}), summary-as-idk 0.00",
        "keeping every guardrail. Against plain (top): summary-as-idk -1.00",
        "so this figure is too good: confirm it.",
        "nobody is asked",
        "101 settings,",
        "without the luck of being chosen",
        "Only the sealed test split tells how good it is.",
        "under partial(w) against gold scored by strict",
        "Add to readings in experiment.yaml",
        f"- {THRESHOLD}",
        "metajudge sweep experiment.yaml metajudge select experiment.yaml --confirm",
        "--members 3 tries them too",
    ):
        assert said in text, said
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    assert tune_text(told()) == Path("runs/test/tune.json").read_text(encoding="utf-8")


def test_what_is_advised_is_swept_without_a_call_and_confirmed(run):
    tuning()
    run("tune")
    text = Path("experiment.yaml").read_text(encoding="utf-8")
    Path("experiment.yaml").write_text(f"{text}readings: [top, {THRESHOLD}]\n", encoding="utf-8")
    assert run("sweep", "-q").exit_code == 0
    ended = run("select", "--confirm", "-q")
    assert ended.exit_code == 0
    assert "Confirmation: holds" in ended.stdout


def test_json_is_all_that_stands_on_standard_output(run):
    tuning()
    ended = run("tune", "--json")
    assert TuneResults.model_validate_json(ended.stdout) == told()


def test_options_stand_before_what_is_declared(run, run_json):
    tuning(search={"tuning": {"threshold_step": 0.1, "sampler": "grid"}})
    found = run_json("tune", "--seed", 3, "--gold-policy", "lenient", "--out", "o")
    assert (found["seed"], found["weights"]["gold_policy"]) == (3, "lenient")
    assert found["space"]["settings"] == 11 and Path("o/tune.json").is_file()
    found = run_json("tune", "--sampler", "random", "--trials", 4)
    assert (found["space"]["sampler"], found["space"]["tried"] <= 4) == ("random", True)
    assert run_json("tune", "--limit", 8)["gold"]["claims"] == 8
    ended = run("tune", "--trials", 4)
    assert ended.exit_code == 2
    assert "a grid is measured whole" in ended.stderr


def test_a_chinese_tuning_is_told_in_chinese(run):
    folder = Path()
    claims, contexts = halls(32, lang="zh")
    write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "plain", "都对，", language="zh")
    rules = [
        (r"陈述：Hall \w+ opens at [1-4]?\d\.", {"text": "是", "first_token": {"是": -0.1}}),
        (r"陈述：Hall \w+ opens", {"text": "否", "first_token": {"否": -0.1}}),
        (r"陈述：Access", {"text": "不知道", "first_token": {"不知道": -0.7, "是": -0.8}}),
    ]
    lost = {"text": "不知道", "first_token": {"不知道": -0.1, "是": -2.3}}
    declare(
        folder,
        gold={"path": "gold", "split": "dev"},
        templates=["templates/plain.zh.yaml"],
        baseline="plain",
        judges=[write_script(folder, rules, lost)],
    ).sweep(store=STORE)
    ended = run("tune", "--lang", "zh")
    assert ended.exit_code == 0, ended.stderr
    text = "".join(ended.stdout.replace("│", "").split())
    for said in (
        "开发集上选出",
        "守住全部护栏",
        "该数值偏乐观，须经确认",
        "有多少是运气",
        "不询问任何裁判",
        "加入experiment.yaml的readings",
        "未尝试评审组",
    ):
        assert said in text, said
    assert "开发集上选出：plain(top@" in text


def test_no_safe_setting_ends_with_1_where_one_is_asked_for(run):
    tuning(guardrails={"over_credit_upper": 0.001})
    ended = run("tune")
    assert ended.exit_code == 0
    shown = " ".join(ended.stdout.split())
    assert "NO SAFE SETTING" in shown and "metajudge search" in shown
    assert "Add to readings" not in shown
    assert run("tune", "--require-winner").exit_code == 1


def test_an_empty_store_is_told_and_none_is_made(run):
    tunable(Path())
    ended = run("tune")
    assert ended.exit_code == 2
    assert "metajudge sweep" in ended.stderr and "replies.sqlite" in ended.stderr
    assert not Path(".metajudge").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-folder",), "no-such-folder"),
        (("gold",), "experiment.yaml"),
        (("--trails", "5"), "--trials"),
        (("--sampler", "tpee"), "'tpe'"),
        (("--members", "9"), "--members"),
        (("--gold-policy", "strickt"), "strict"),
    ],
)
def test_what_is_mistyped_is_told(run, words, said):
    tuning()
    ended = run("tune", *words)
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_a_fault_of_the_declaration_has_its_line(run):
    tuning(search={"tuning": {"threshold_step": 0.1}})
    path = Path("experiment.yaml")
    path.write_text(path.read_text("utf-8").replace("threshold_step", "treshold_step"), "utf-8")
    ended = run("tune")
    assert ended.exit_code == 2
    assert "experiment.yaml:" in ended.stderr and "'threshold_step'" in ended.stderr


def test_hostile_texts_stay_texts(run):
    evil = "\x1b[31m<script>alert(1)</script>"
    tuning(question=evil)
    ended = run("tune")
    assert ended.exit_code == 0
    assert "\x1b" not in ended.stdout
    assert json.loads(Path("runs/test/tune.json").read_text("utf-8"))["question"] == evil


def test_a_panel_that_wins_is_shown_with_its_members(run):
    two_halves(Path()).sweep(store=STORE)
    ended = run("tune", "--members", 2)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.replace("│", " ").split())
    for said in (
        "A panel can be neither declared nor released yet",
        "panels of up to 2 (majority, unanimous yes, mean probability)",
        "of even · top + odd · top",
        "Panels are held to neither flip_rate nor insensitive",
    ):
        assert said in text, said
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())

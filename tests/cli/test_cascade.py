from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.gold.goldset import load_goldset
from metajudge.metrics.cascade.words import words
from tests.metrics.cascade.folder import answer, gold, judge
from tests.release.applied import write_rows

PRICES = ("--usd-per-verdict", 0.001, "--minutes-per-claim", 1, "--usd-per-hour", 30)


@pytest.fixture
def placed(tmp_path):
    judge(tmp_path)
    return gold(tmp_path)


def fit(run, *more):
    return run(
        "cascade", "fit", "gold", "--judge", "scripted:judge.yaml", "--miss-rate", 0.1,
        *PRICES, "-q", *more,
    )  # fmt: skip


@pytest.fixture
def answers():
    rows = [
        answer("a", "Hall A opens at 9."),
        answer("b", "Hall A opens at 91.", "Hall A \x1b[31msings."),
    ]
    return write_rows(Path("answers.jsonl"), rows)


def test_fit_states_cut_offs_guarantee_costs_and_the_trade(run, placed):
    ended = fit(run)
    assert ended.exit_code == 0, ended.stderr
    shown = ended.stdout
    assert "baseline:ngram -> scripted:judge.yaml (literal) -> people" in shown
    assert "at most 10% of the unsupported claims of a context pass" in shown
    assert "For 1,000 answers" in shown
    assert "together, USD" in shown
    assert "What other miss rates cost" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert Path("cascade.yaml").is_file()


def test_fit_in_chinese(run, placed):
    shown = fit(run, "--lang", "zh").stdout
    assert "在 95% 的置信度下" in shown
    assert "每 1,000 个回答" in shown


def test_both_languages_have_every_text():
    import string

    for key, pair in words().items():
        names = [sorted(f[1] or "" for f in string.Formatter().parse(text)) for text in pair]
        assert {*names[0]} - {""} == {*names[1]} - {""}, key


def test_not_possible_ends_with_4_and_says_what_is_needed(run, placed):
    ended = run(
        "cascade", "fit", "gold", "--judge", "scripted:judge.yaml", "--miss-rate", 0.01, "-q"
    )
    assert ended.exit_code == 4
    assert "Not possible with this gold" in ended.stdout
    assert "368 are needed" in " ".join(ended.stdout.split())
    assert not Path("cascade.yaml").exists()


def test_json_is_one_value(run, placed):
    told = json.loads(fit(run, "--json").stdout)
    assert told["cascade"]["guarantee"]["miss_rate"] == 0.1
    assert [row["miss_rate"] for row in told["trade"]] == sorted(
        row["miss_rate"] for row in told["trade"]
    )


def test_judge_or_release_and_not_both(run, placed):
    ended = run("cascade", "fit", "gold", "-q")
    assert ended.exit_code == 2
    assert "judge" in ended.stderr
    assert fit(run, "--screen-cut", "often").exit_code == 2


def test_run_routes_queues_and_is_the_same_again(run, placed, answers):
    fit(run)
    command = ("cascade", "run", "cascade.yaml", answers, "--out", "rows.jsonl", "--queue", "queue")
    first = run(*command, "-q")
    assert first.exit_code == 0, first.stderr
    assert "metajudge label queue --as NAME" in first.stdout
    assert "\x1b" not in first.stdout
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text().splitlines()]
    assert [row["stage"] for row in rows] == ["screen", "people"]
    assert len(load_goldset("queue").pending) == 2
    before = Path("rows.jsonl").read_bytes()
    second = run(*command, "-q")
    assert "0 new claims, 2 known" in " ".join(second.stdout.split())
    assert Path("rows.jsonl").read_bytes() == before


def test_run_refuses_to_write_over_answers_or_gold(run, placed, answers):
    fit(run)
    assert run("cascade", "run", "cascade.yaml", answers, "--out", answers).exit_code == 2
    assert run("cascade", "run", "cascade.yaml", answers, "--queue", "gold").exit_code == 2


def test_run_warns_where_the_judge_changed(run, placed, answers, tmp_path):
    fit(run)
    script = tmp_path / "judge.yaml"
    script.write_text(script.read_text() + "# another build\n")
    ended = run("cascade", "run", "cascade.yaml", answers, "-q")
    assert ended.exit_code == 0
    assert "The guarantee does not hold" in " ".join(ended.stderr.split())


def test_run_ends_with_3_when_the_budget_is_spent(run, placed, answers):
    fit(run)
    spent = ("cascade", "run", "cascade.yaml", answers, "--budget-calls", 1, "-q")
    ended = run(*spent, "--store", "en.sqlite")
    assert ended.exit_code == 3
    assert "the run ended early: the budget" in ended.stderr
    chinese = run(*spent, "--store", "zh.sqlite", "--lang", "zh").stderr
    assert chinese == "运行提前结束：预算（1 次调用）已用完。再次运行即可继续。\n"


def test_confirm_reads_once_and_says_so(run, tmp_path):
    judge(tmp_path)
    gold(tmp_path, 100, split={"salt": "s", "dev_share": 0.5})
    assert fit(run, "--miss-rate", 0.15).exit_code == 0
    ended = run("cascade", "confirm", "cascade.yaml", "gold", "-q")
    assert ended.exit_code == 0
    assert "read 1 time" in " ".join(ended.stdout.split())
    assert len((tmp_path / "gold" / "ledger.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("place", ["judge.yaml", "answers.jsonl", "notes.txt"])
def test_fit_writes_over_no_other_file(run, placed, answers, place):
    before = Path(place).read_bytes() if Path(place).exists() else None
    ended = fit(run, "--out", place)
    assert ended.exit_code == 2
    assert "--out" in ended.stderr
    assert (Path(place).read_bytes() if Path(place).exists() else None) == before
    assert not Path(".metajudge").exists(), "nothing was asked"


def test_places_are_looked_at_before_anything_is_asked(run, placed, answers):
    assert fit(run, "--out", "judge.yaml/in/cascade.yaml").exit_code == 2
    assert not Path(".metajudge").exists()
    assert fit(run).exit_code == 0
    for option in ("--out", "--queue"):
        place = f"judge.yaml/in/x{'.jsonl' if option == '--out' else ''}"
        ended = run("cascade", "run", "cascade.yaml", answers, "-q", option, place)
        assert ended.exit_code == 2
        assert "in the way" in ended.stderr


def test_the_command_for_labelling_can_be_pasted(run, placed, answers):
    fit(run)
    shown = run("cascade", "run", "cascade.yaml", answers, "-q", "--queue", "my queue").stdout
    assert "metajudge label 'my queue' --as NAME" in shown


def test_confirm_on_a_test_half_without_a_thing_to_miss_cannot_decide(run, tmp_path, monkeypatch):
    from metajudge.metrics.cascade import confirm
    from metajudge.metrics.cascade.confirm import Confirmed

    judge(tmp_path)
    gold(tmp_path)
    fit(run)
    monkeypatch.setattr(confirm, "confirm_cascade", lambda *_: Confirmed(None, None, 0, 1, None))
    ended = run("cascade", "confirm", "cascade.yaml", "gold", "--lang", "zh", "-q")
    assert ended.exit_code == 4
    assert "什么也说明不了" in ended.stdout

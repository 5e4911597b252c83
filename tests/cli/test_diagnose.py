from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import typer

from metajudge.cli.app import app
from metajudge.experiment import Experiment
from tests.experiment.folder import write_gold, write_script
from tests.loopback import chat, serve
from tests.metrics.diagnosis.rows import many, verdicts
from tests.release.applied import write_rows

LOW = {"faithfulness": "low", "context_recall": "high", "answer_correctness": "low"}


@pytest.fixture
def evaluated():
    rows = many(14, passages=12, temperature=0.2, **LOW)
    for one in rows:
        one["faithfulness_verdicts"] = verdicts(40, 200, passage=3)
    return write_rows(Path("evaluated.jsonl"), rows)


def parses(command: str) -> list[str]:
    """A command line that the program takes, without its name."""
    words = shlex.split(command)
    assert words[0] == "metajudge"
    verb, rest = typer.main.get_command(app), words[1:]
    context = verb.make_context("metajudge", [], resilient_parsing=True)
    while hasattr(verb, "commands"):
        name, verb, rest = verb.resolve_command(context, rest)
    verb.make_context(name, list(rest))
    return words[1:]


def test_the_text_has_means_tables_causes_and_what_to_try(run, evaluated):
    ended = run("diagnose", evaluated)
    assert ended.exit_code == 0, ended.stderr
    shown = " ".join(ended.stdout.split())
    assert "14 answers, 14 contexts" in shown
    assert "low under 0.8, high from 0.8" in shown
    assert "the set: the material was there, and the model invented" in shown
    assert "Is the context very long (over 10 passages)? yes" in shown
    assert "cause: lost in the middle of a long context" in shown
    assert "worth trying: shorter-context, key-passage-last" in shown
    offered = [line for line in ended.stdout.splitlines() if line.startswith("  metajudge")]
    assert parses(offered[0].strip())[2:6] == ["--try", "shorter-context", "--try",
                                               "key-passage-last"]  # fmt: skip
    assert max(len(line) for line in ended.stdout.splitlines() if line not in offered) <= 80
    assert "lenient_faithfulness " in ended.stdout, "no name of a metric is broken"


def test_chinese(run, evaluated):
    shown = run("diagnose", evaluated, "--lang", "zh").stdout
    assert "整体：材料已检索到，但模型编造" in shown
    assert "原因：迷失在长材料中间" in shown
    assert "值得一试：shorter-context、key-passage-last" in shown


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "the set: no score of context_relevance, answer_relevance"),
        ("zh", "整体：没有 context_relevance、answer_relevance 的得分"),
    ],
)
def test_missing_scores_are_a_list_with_commas(run, lang, told):
    evaluated = write_rows(Path("evaluated.jsonl"), many(14, faithfulness="high"))
    assert told in run("diagnose", evaluated, "--lang", lang).stdout


def test_unknown_facts_are_asked_for(run, evaluated):
    shown = run("diagnose", evaluated, "--passages", 4).stdout
    assert "not known: --hard-rule or --no-hard-rule" in " ".join(shown.split())
    known = run("diagnose", evaluated, "--passages", 4, "--hard-rule", "--temperature", 0.1)
    assert "the model is too weak" in known.stdout


def test_json_has_every_answer_and_nothing_else(run, evaluated):
    told = json.loads(run("diagnose", evaluated, "--json").stdout)
    assert len(told["answers"]) == 14
    assert told["whole"]["tables"]["recall"]["row"] == "invented"
    assert told["counts"] == {"recall": {"invented": 14}}


def test_thresholds_of_the_command_line(run, evaluated):
    told = json.loads(
        run("diagnose", evaluated, "--threshold", "faithfulness=0.1", "--json").stdout
    )
    assert told["thresholds"]["faithfulness"]["low_below"] == 0.1
    assert told["whole"]["tables"]["recall"]["row"] == "stale_material"
    for wrong in ("faithfulness", "faithfulness=2", "faithfulness=0.9,0.8", "speed=0.5"):
        ended = run("diagnose", evaluated, "--threshold", wrong)
        assert ended.exit_code == 2
        assert "threshold" in ended.stderr


def test_experiments_need_gold_and_judge(run, evaluated):
    ended = run("diagnose", evaluated, "--out", "try")
    assert ended.exit_code == 2
    assert "--gold" in ended.stderr
    assert "--judge" in ended.stderr
    assert not Path("try").exists()


@pytest.mark.parametrize(
    ("spec", "told"),
    [("scripted:judge.yaml", ("try", "en")), ("baseline:ngram", ("试 it's one", "zh"))],
)
def test_every_offered_command_parses_and_every_sweep_dry_runs(
    run, tmp_path, evaluated, spec, told
):
    out, lang = told
    place = write_gold(tmp_path).rename(tmp_path / f"gold of {lang}")
    rows = evaluated.rename(evaluated.with_name(f"{out}.jsonl"))
    write_script(tmp_path, [(r"(?s).*facts", "- Hall en0 opens at 9.")], "idk")
    judge = spec.replace("judge.yaml", str(tmp_path / "judge.yaml"))
    ended = run(
        "diagnose", rows, "--out", out, "--gold", place, "--judge", judge, "--lang", lang,
        "--try", "shorter-context", "--try", "key-passage-last", "--try", "hard-rule",
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    commands = [line.strip() for line in ended.stdout.splitlines() if line.startswith("  metaj")]
    assert len(commands) == 12
    asked = [parses(command) for command in commands]
    plans = [words for words in asked if words[0] == "plan"]
    sweeps = [words for words in asked if words[0] == "sweep"]
    assert len(plans) == len(sweeps) == 3
    for words in plans:
        planned = run(*words)
        assert planned.exit_code == 0, planned.stderr
        assert "nothing is asked" in planned.stdout
    swept = run(*sweeps[-1], "-q")
    assert swept.exit_code == 0, swept.stderr


def test_a_server_of_ones_own_and_a_release_stand_in_what_is_offered(run, tmp_path, evaluated):
    place = write_gold(tmp_path)
    with serve(chat("yes")) as server:
        ended = run(
            "diagnose", evaluated, "--out", "try", "--gold", place, "--judge", "hosted_vllm/m",
            "--api-base", server.url, "--release", "faithfulness-verdict@1", "--try", "hard-rule",
        )  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        again = next(line for line in ended.stdout.splitlines() if " evaluate " in line)
        asked = f"--judge hosted_vllm/m --api-base {server.url} --release faithfulness-verdict@1"
        assert asked in again
        assert run("sweep", "try/hard-rule/experiment.yaml", "-q").exit_code == 0
        assert server.calls > 0


def test_a_declared_split_keeps_its_test_half_sealed(run, tmp_path, evaluated):
    write_gold(tmp_path, split={"salt": "s", "dev_share": 0.5})
    run("diagnose", evaluated, "--out", "try", "--gold", "gold", "--judge", "baseline:ngram")
    declared = Experiment.from_file(Path("try/shorter-context/experiment.yaml"))
    assert declared.config.gold.split == "dev"
    assert not Path(declared.config.gold.path).is_absolute()


def test_questions_are_the_rows_without_answers_changed_as_asked(run, tmp_path, evaluated):
    write_gold(tmp_path)
    run("diagnose", evaluated, "--out", "try", "--gold", "gold", "--judge", "baseline:ngram",
        "--try", "shorter-context", "--try", "key-passage-last", "--try", "hard-rule")  # fmt: skip

    def questions(name):
        text = Path("try", name, "questions.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    short, last, rule = map(questions, ("shorter-context", "key-passage-last", "hard-rule"))
    assert len(short) == len(last) == len(rule) == 14
    assert all("answer" not in one for one in (*short, *last, *rule))
    assert len(short[0]["context"]) == 5
    assert last[0]["context"][-1] == "a0, passage 3", "the passage that claims were traced to"
    assert len(last[0]["context"]) == len(rule[0]["context"]) == 12
    assert "只依据" in Path("try/hard-rule/rule.txt").read_text(encoding="utf-8")
    assert {one["answer_id"] for one in short} == {f"a{i}" for i in range(14)}


def test_after_is_held_against_before(run, evaluated):
    rows = many(14, passages=12, **LOW | {"faithfulness": 0.6})
    write_rows(Path("after.jsonl"), rows)
    ended = run("diagnose", "after.jsonl", "--against", evaluated)
    assert "+0.400" in ended.stdout
    assert "told apart" in ended.stdout


def test_control_characters_do_not_reach_the_terminal(run):
    rows = many(2, **LOW)
    rows[0]["faithfulness_reason"] = "\x1b[31m"
    write_rows(Path("e.jsonl"), rows)
    assert "\x1b" not in run("diagnose", "e.jsonl").stdout


def test_what_evaluate_writes_is_diagnosed(run):
    """From answers to a diagnosis, in each form that evaluate writes."""
    rows = [
        {
            "answer_id": f"a{place}",
            "question": "When does Hall A open?",
            "answer": "Hall A opens at 9. It sells tea.",
            "context": [f"Hall A opens at 9. Sheet {place}."],
            "claims": ["Hall A opens at 9.", "Hall A sells tea."],
            "reference": "Hall A opens at 9.",
            "statements": ["Hall A opens at 9."],
        }
        for place in range(12)
    ]
    answers = write_rows(Path("answers.jsonl"), rows)
    for form in ("jsonl", "csv", "parquet"):
        made = run(
            "evaluate", answers, "--metrics", "faithfulness,context_recall,answer_correctness",
            "--judge", "baseline:ngram", "--out", f"evaluated.{form}", "-q",
        )  # fmt: skip
        assert made.exit_code == 0, made.stderr
        told = json.loads(run("diagnose", f"evaluated.{form}", "--json").stdout)
        whole = told["whole"]
        assert whole["scores"]["faithfulness"]["score"] == 0.5
        assert whole["scores"]["context_recall"]["score"] == 1.0
        assert whole["tables"]["recall"]["row"] == "invented"
        assert whole["causes"]["ask_for"][0].startswith("--hard-rule")
        assert told["answers"][0]["scores"]["faithfulness"]["n"] == 2

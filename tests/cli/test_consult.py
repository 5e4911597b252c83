from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from metajudge.gold.strict_yaml import dump_yaml
from tests.experiment.folder import CAREFUL, halls, rows, write_gold, write_template

PLAIN, MINDING = "templates/plain.en.yaml+strict", "templates/minding.en.yaml+strict"


@pytest.fixture
def place(tmp_path):
    """Gold halls, two templates, a judge that calls summaries idk without MIND, and answers."""
    write_gold(tmp_path, *halls(40))
    write_template(tmp_path, "plain")
    write_template(tmp_path, "minding", "MIND the sums:")
    rules = [{"match": match, "reply": reply} for match, reply in CAREFUL]
    told = {"name": "careful", "rules": rules, "replies": ["idk"]}
    (tmp_path / "judge.yaml").write_text(dump_yaml(told), encoding="utf-8")
    claims, contexts = halls(20, "zz")
    rows(
        tmp_path / "answers.jsonl",
        [
            {
                "answer_id": f"a{i}",
                "context": context["passages"],
                "lang": "en",
                "claims": [
                    {"claim_id": row["claim_id"], "claim": row["claim"], "slice": row["slice"]}
                    for row in claims[4 * i : 4 * i + 4]
                ],
            }
            for i, context in enumerate(contexts)
        ],
    )
    return tmp_path


def arguments(current=PLAIN, proposed=MINDING, *more):
    return (
        *("consult", "--current", current, "--proposed", proposed, "--sample", "answers.jsonl"),
        *("--judge", "scripted:judge.yaml", "--gold", "gold", "--store", "replies.sqlite"),
        *("--quiet", *more),
    )


def test_json_is_pure_and_the_files_are_written(run, place):
    ended = run(*arguments(PLAIN, MINDING, "--out", "out", "--json"))
    found = json.loads(ended.stdout)
    assert found["flips"]["directions"][0]["claims"] == 20
    assert found == json.loads(Path("out/consult.json").read_text("utf-8"))
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "consult.html",
        "consult.json",
        "consult.md",
    ]
    assert ended.exit_code == {"adopt": 0, "hold": 1, "collect": 4}[found["rule"]["decision"]]


def test_the_terminal_report_fits_eighty_columns_in_both_languages(run, place):
    for lang in ("en", "zh"):
        ended = run(*arguments(PLAIN, MINDING, "--out", "out", "--lang", lang))
        assert all(len(line) <= 80 for line in ended.stdout.splitlines())
        assert "out/consult.html" in ended.stdout


def test_the_command_for_missing_claims_can_be_copied(run, place):
    rows(
        place / "answers.jsonl",
        [{"answer_id": "a", "context": ["Hall A opens at 9."], "answer": "It opens at 9."}],
    )
    refused = run(*arguments())
    assert refused.exit_code == 2
    told = " ".join(refused.stderr.split())
    command = re.search(r"metajudge (judge \S.*?--out judged\.jsonl)", told)
    judge = dump_yaml({"name": "lists", "replies": ["- Hall A opens at 9."]})
    (place / "lists.yaml").write_text(judge, encoding="utf-8")
    words = [*shlex.split(command[1]), "--judge", "scripted:lists.yaml", "--store", "s.sqlite"]
    run(*words)
    (row,) = map(json.loads, (place / "judged.jsonl").read_text("utf-8").splitlines())
    assert row["claims"][0]["claim"] == "Hall A opens at 9."
    ended = run(*arguments(), "--sample", "judged.jsonl")
    assert ended.exit_code in (0, 1, 4)


def test_reports_go_to_a_folder_named_after_both_sides(run, place):
    run(*arguments(PLAIN, MINDING, "--gold", "none"))
    (folder,) = Path("runs").iterdir()
    assert folder.name == "consult-templates-plain.en.yaml-strict-templates-minding.en.yaml-strict"


def test_without_gold_it_cannot_be_decided(run, place):
    assert run(*arguments(PLAIN, MINDING, "--gold", "none")).exit_code == 4


def test_a_held_change_ends_with_one(run, place):
    # The other way round the change calls every summary idk again.
    found = run(*arguments(MINDING, PLAIN, "--json"))
    assert json.loads(found.stdout)["rule"]["decision"] == "hold"
    assert found.exit_code == 1


def test_nothing_that_differs_ends_well_and_is_said(run, place):
    ended = run(*arguments(PLAIN, "templates/plain.en.yaml+ragas"))
    assert ended.exit_code == 0
    assert "Nothing changes" in " ".join(ended.stdout.split())


def test_a_budget_spent_before_anything_ends_with_three(run, place):
    ended = run(*arguments(PLAIN, MINDING, "--budget-calls", "1"))
    assert ended.exit_code == 3 and "nothing can be said yet" in " ".join(ended.stderr.split())


def test_a_budget_spent_on_the_way_is_told_and_goes_on(run, place):
    first = run(*arguments(PLAIN, MINDING, "--budget-calls", "450", "--json"))
    assert (
        first.exit_code == {"hold": 1, "collect": 3}[json.loads(first.stdout)["rule"]["decision"]]
    )
    assert "stopped early" in first.stderr
    assert json.loads(first.stdout)["calls"]["stopped"] == "budget"
    second = run(*arguments(PLAIN, MINDING, "--json"))
    calls = json.loads(second.stdout)["calls"]
    assert calls["unanswered"] == 0 and calls["stored"] == 450


def test_a_budget_spent_on_the_way_is_told_in_chinese(run, place):
    ended = run(*arguments(PLAIN, MINDING, "--budget-calls", "450", "--json", "--lang", "zh"))
    told = "".join(ended.stderr.split("\n  "))
    assert "提问提前结束：预算（450 次调用）已用完。再次运行即可继续。" in told
    assert "次调用未完成；再次运行同一命令只问缺少的部分。" in told


def test_answers_without_claims_are_refused_with_the_mend(run, place):
    rows(place / "answers.jsonl", [{"answer_id": "a", "context": ["P."], "answer": "It opens."}])
    ended = run(*arguments())
    assert ended.exit_code == 2
    assert "--claims extract --out judged.jsonl" in " ".join(ended.stderr.split())


def test_faults_of_both_sides_are_told_at_once(run, place):
    ended = run(*arguments("literl+strict", "deepeval:faithfulnes"))
    told = " ".join(ended.stderr.split())
    assert ended.exit_code == 2 and "--current" in told and "--proposed" in told


def test_a_wrong_threshold_and_budget_are_refused(run, place):
    assert run(*arguments(PLAIN, MINDING, "--threshold", "1.5")).exit_code == 2
    assert run(*arguments(PLAIN, MINDING, "--budget-usd", "0")).exit_code == 2


def test_a_refused_side_leaves_no_folder_behind(run, place):
    before = sorted(place.rglob("*"))
    assert run(*arguments("literl+strict")).exit_code == 2
    assert run(*arguments(PLAIN, MINDING, "--budget-calls", "1")).exit_code == 3
    assert sorted(place.rglob("*")) == sorted([*before, place / "replies.sqlite"])


def test_b125_a_file_in_the_way_is_refused_before_the_first_request(run, place):
    Path("runs").write_text("a file")
    ended = run(*arguments())
    assert ended.exit_code == 2 and "a file is in the way" in ended.stderr
    assert not Path("replies.sqlite").exists()


def test_two_metrics_are_refused_with_both_named(run, place):
    ended = run(*arguments(PLAIN, "helpful-passage+strict"))
    told = " ".join(ended.stderr.split())
    assert ended.exit_code == 2 and not Path("runs").exists()
    assert "is for faithfulness or context_recall" in told
    assert "helpful-passage+strict for context_relevance" in told

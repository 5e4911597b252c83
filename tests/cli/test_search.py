from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.experiment import Experiment
from metajudge.gold.ledger import read_ledger
from metajudge.report.search_file import search_text
from metajudge.report.search_results import SearchResults
from tests.experiment.folder import declare, halls, write_gold, write_script, write_template
from tests.experiment.searched import SPACE, SPLIT, searchable


def searching(**fields):
    return searchable(Path(), **fields)


def told(path: str = "runs/test/search.json") -> SearchResults:
    return SearchResults.model_validate_json(Path(path).read_text(encoding="utf-8"))


def test_a_search_ends_with_0_and_says_what_it_found_what_it_cost_and_what_is_next(run):
    searching()
    ended = run("search", "--yes")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.replace("│", " ").split())
    for said in (
        "Proposed: search-",
        "keeping every guardrail.",
        "Against plain (top): summary-as-idk -1.00",
        "18 of 18 settings told",
        "72 settings on 5 axes",
        "What the proposal changes in its base, plain",
        "it follows, so MIND that.",
        "definition of yes (en)",
        "What mattered",
        "decided the race otherwise",
        "metajudge select runs/test/proposals/search-",
    ):
        assert said in text, said
    assert all(len(line) <= 80 for line in ended.stdout.splitlines() if "select" not in line)
    assert "declared trials: " in ended.stderr and "settings 0, 1, 2, 3, 4, 5" in ended.stderr
    found = told()
    assert search_text(found) == Path("runs/test/search.json").read_text(encoding="utf-8")
    assert found.proposal is not None
    page = Path("runs/test/search.html").read_text(encoding="utf-8")
    assert f"metajudge select runs/test/{found.proposal.experiment} --confirm" in page
    assert Path(".metajudge/searches.sqlite").is_file()
    assert read_ledger("gold") == ()


def test_the_proposal_is_confirmed_by_the_command_that_is_shown(run):
    searching()
    shown = run("search", "-yq").stdout
    command = shown.strip().splitlines()[-1].split()
    assert command[:2] == ["metajudge", "select"]
    ended = run(*command[1:], "--quiet")
    assert ended.exit_code == 0
    assert "Confirmation: holds" in ended.stdout
    assert len(read_ledger("gold")) == 1


def test_the_command_names_a_store_that_is_not_the_usual_one(run):
    searching(search={"trials": 18})
    shown = run("search", "-yq", "--store", "else where.sqlite").stdout
    assert shown.rstrip().endswith("--confirm --store 'else where.sqlite'")


def test_a_wrong_storage_is_told_by_the_dry_run_as_by_the_run(run):
    searching()
    told = []
    for options in (["--dry-run"], ["--yes"]):
        ended = run("search", *options, "--storage", "sqlite:///no/such/folder/s.db")
        assert ended.exit_code == 2
        told.append(ended.stderr)
    assert told[0] == told[1]
    assert "See that its folder is there" in " ".join(told[0].split())
    assert not Path("runs").exists() and not Path(".metajudge").exists()


def test_json_is_all_that_stands_on_standard_output(run):
    searching(search={"trials": 6})
    ended = run("search", "--yes", "--json")
    assert SearchResults.model_validate_json(ended.stdout) == told()


def test_a_chinese_search_is_told_in_chinese(run):
    folder = Path()
    claims, contexts = halls(32, lang="zh")
    write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "plain", "都对，", language="zh")
    rules = [
        (r"陈述：Hall \w+ opens at [1-4]?\d\.", "是"),
        (r"陈述：Hall \w+ opens", "否"),
        (r"(?s)留心.*陈述：Access|陈述：Access.*留心", "是"),
    ]
    declare(
        folder,
        gold={"path": "gold", "split": "dev"},
        templates=["templates/plain.zh.yaml"],
        baseline="plain",
        judges=[write_script(folder, rules, "不知道")],
        search={
            "template": {
                "bases": ["templates/plain.zh.yaml"],
                "definitions": {"zh": {"yes": ["留心：材料支持它。", "材料提到了它。"]}},
                "rules": {"zh": ["只依据材料判断。"]},
            },
            "trials": 6,
            "generation": 3,
            "racing": {"block": 16},
        },
    )
    ended = run("search", "--yes", "--lang", "zh")
    assert ended.exit_code == 0, ended.stderr
    text = "".join(ended.stdout.split())
    for said in ("提案", "守住全部护栏", "yes的定义（zh）", "留心：材料支持它。", "各场竞赛"):
        assert said in text, said
    page = Path("runs/test/search.html").read_text(encoding="utf-8")
    assert 'lang="zh-CN"' in page and "留心：材料支持它。" in page


def test_a_dry_run_asks_nothing_and_makes_nothing(run, run_json):
    searching()
    found = run_json("search", "--dry-run")
    assert (found["settings"], found["space"], found["declared"]) == (18, 72, 1)
    assert found["calls_at_most"] == 19 * found["claims"] == found["to_ask_at_most"]
    assert found["cost_usd"] == {"low": 0.0, "high": 0.0}
    shown = run("search", "--dry-run").stdout
    assert "Nothing is asked." in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert not Path(".metajudge").exists()
    assert not Path("runs").exists()


def test_options_stand_before_what_is_declared(run):
    searching()
    ended = run("search", "-yq", "--trials", 4, "--sampler", "random", "--no-race", "--out", "o")
    assert ended.exit_code == 0
    found = told("o/search.json")
    assert (len(found.trials), found.study.sampler, found.method) == (4, "random", "none")
    run("search", "-yq", "--storage", "sqlite:///other.sqlite", "--out", "p")
    assert Path("other.sqlite").is_file()


def test_a_spent_budget_ends_with_3_and_the_next_run_goes_on(run):
    searching()
    short = run("search", "-yq", "--budget-calls", 120)
    assert short.exit_code == 3
    assert "stopped early" in short.stderr
    assert "ended early after" in " ".join(short.stdout.split())
    assert run("search", "-yq").exit_code == 0
    assert told().ended == "trials"


@pytest.mark.parametrize(("asked", "code"), [((), 0), (("--require-winner",), 1)])
def test_no_safe_winner(run, asked, code):
    searching(guardrails={"over_credit_upper": 0.001}, search={"trials": 6})
    ended = run("search", "-yq", *asked)
    assert ended.exit_code == code
    assert "nothing is proposed" in " ".join(ended.stdout.split())
    assert "metajudge select" not in ended.stdout


def test_faults_are_told_with_line_and_mend_before_anything_is_asked(run):
    searching(search={"template": {**SPACE, "bases": ["litteral"]}})
    ended = run("search")
    assert ended.exit_code == 2
    assert "literal" in ended.stderr and not Path(".metajudge").exists()
    Path("experiment.yaml").write_text(
        Path("experiment.yaml").read_text("utf-8").replace("generation: 6", "generations: 6"),
        encoding="utf-8",
    )
    ended = run("search")
    assert ended.exit_code == 2
    assert "experiment.yaml:" in ended.stderr and "'generation'" in ended.stderr


def test_an_experiment_without_a_space_is_told_how_to_declare_one(run):
    searching()
    Experiment.from_file("experiment.yaml")
    text = Path("experiment.yaml").read_text("utf-8")
    Path("experiment.yaml").write_text(text[: text.index("search:")], encoding="utf-8")
    ended = run("search")
    assert ended.exit_code == 2
    assert "search.template" in ended.stderr and "docs/recipes/search.md" in ended.stderr


def test_a_storage_that_is_not_there_is_told_without_its_password(run):
    searching()
    url = "postgresql+psycopg://me:secret@127.0.0.1:9/base"
    ended = run("search", "-yq", "--storage", url)
    assert ended.exit_code == 2
    assert "127.0.0.1" in ended.stderr and "secret" not in ended.stderr


def test_hostile_texts_stay_texts(run):
    evil = "<script>alert(1)</script>\x1b[31m it follows, MIND"
    space = {**SPACE, "definitions": {"en": {"yes": [evil]}}, "rules": {}}
    searching(question="<img src=x onerror=alert(1)>", search={"template": space, "trials": 2})
    ended = run("search", "-yq")
    assert ended.exit_code == 0
    assert "\x1b" not in ended.stdout
    page = Path("runs/test/search.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page and "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert json.loads(Path("runs/test/search.json").read_text("utf-8"))["question"].startswith(
        "<img"
    )


def test_an_unsafe_setting_is_taken_by_hand_and_said_to_be_unsafe(run, run_json):
    searching()
    assert run("search", "-yq").exit_code == 0
    mad = next(t for t in told().trials if t.candidate is not None and t.candidate.off)
    ended = run("search", "--take", mad.number)
    assert ended.exit_code == 0, ended.stderr
    shown = " ".join(ended.stdout.split())
    assert "Its guardrails were NOT kept" in shown and "Nothing of it is confirmed." in shown
    assert f"--confirm --candidate '{mad.candidate.trial} ({mad.candidate.reading})'" in shown
    place = Path("runs/test/proposals") / mad.candidate.trial / "experiment.yaml"
    head = place.read_text("utf-8").splitlines()[:2]
    assert head[0].startswith("# Setting") and "它没有守住护栏" in head[1]
    assert Experiment.from_file(place).config.baseline == "plain"
    parent = (place.parent / "templates").glob("*.yaml")
    assert all(f"trial: {mad.number}\n" in path.read_text("utf-8") for path in parent)
    found = run_json("search", "--take", mad.number)
    assert found["reading"] == mad.candidate.reading and "NOT kept" in found["statement"]
    assert "没有守住护栏" in run("search", "--take", mad.number, "--lang", "zh").stdout
    command = ("select", place, "--confirm", "--candidate", found["confirm"].split("'")[1])
    assert run(*command).exit_code in (0, 1)


def test_what_cannot_be_taken_is_refused(run):
    searching()
    nothing = run("search", "--take", 3)
    assert nothing.exit_code == 2 and "Run `metajudge search` first" in nothing.stderr
    assert run("search", "-yq").exit_code == 0
    unknown = run("search", "--take", 999)
    assert unknown.exit_code == 2 and "a setting that was measured: 0, 1" in unknown.stderr
    text = Path("experiment.yaml").read_text("utf-8")
    Path("experiment.yaml").write_text(text.replace("it follows, so MIND", "MIND"), "utf-8")
    helped = next(t.number for t in told().trials if t.setting["en.definition.yes"] == "0")
    changed = run("search", "--take", helped)
    assert changed.exit_code == 2 and "Search again." in " ".join(changed.stderr.split())

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from metajudge.cli.declared import read_declared
from metajudge.experiment import Experiment
from metajudge.gold.ledger import read_ledger
from metajudge.report import read_results
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply
from tests.cli.folders import two_wordings
from tests.loopback import chat, serve

LOCAL = """\
name: local-one
gold: {path: gold}
judges: [local:qwen2.5-coder-1.5b]
templates: [literal, summary-tolerant]
policies: [strict]
bootstrap: {resamples: 200}
"""


def answer(path, store, trials):
    """Puts the word for yes under every key of the given trials."""
    experiment = Experiment.from_file(path)
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    with Store(store) as replies:
        for spec, calls in plan.calls.items():
            for planned in calls:
                if planned.trial in trials:
                    identity = prepared.judges[spec].identity
                    reply = Reply(planned.source.dialect.words["yes"])
                    replies.put(planned.call.key, planned.call.request, identity, reply)


def test_the_starter_runs_at_once_and_writes_its_files(run, starter):
    ended = run("sweep")
    assert ended.exit_code == 0
    assert "close-reading" in ended.stdout
    assert "fair-summary" in ended.stdout
    folder = Path("runs/starter")
    names = ["report.html", "report.md", "results.json", "verdicts.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert all(str(folder / name) in ended.stdout for name in names)
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    results = read_results(folder / "results.json")
    assert (results.calls.planned, results.calls.asked) == (24, 24)
    lines = list(csv.reader((folder / "verdicts.csv").read_text("utf-8-sig").splitlines()))
    assert len(lines) == 1 + 24


def test_a_newcomer_adds_a_template_file_and_a_claim_line(run, starter):
    assert run("sweep", "--quiet").exit_code == 0
    text = Path("templates/fair-summary.en.yaml").read_text(encoding="utf-8")
    Path("templates/third.yaml").write_text(
        text.replace("fair-summary", "third-way").replace("rests on", "follows from"),
        encoding="utf-8",
    )
    claim = {
        "claim_id": "library-3",
        "answer_id": "library",
        "context_id": "library",
        "claim": "A loan can be renewed twice.",
        "label": "yes",
        "lang": "en",
        "slice": "literal",
    }
    with Path("gold/claims.jsonl").open("a", encoding="utf-8") as claims:
        claims.write(json.dumps(claim) + "\n")
    ended = run("sweep")
    assert ended.exit_code == 0
    assert "third-way" in ended.stdout
    calls = read_results("runs/starter/results.json").calls
    assert (calls.planned, calls.from_store) == (39, 24)
    assert "judged in en" in " ".join(ended.stdout.split())


def test_json_is_pure_and_equal_to_the_file(run, starter):
    ended = run("sweep", "--json", "--limit", 6, "--out", "deep/er")
    assert json.loads(ended.stdout) == json.loads(Path("deep/er/results.json").read_text("utf-8"))


def test_quiet_says_the_decision_alone(run, starter):
    ended = run("sweep", "--quiet")
    assert ended.stderr == ""
    assert ended.stdout.count("\n") == 1
    assert ended.stdout.startswith("No safe winner")


def test_the_report_speaks_chinese(run, starter):
    ended = run("sweep", "--lang", "zh")
    assert ended.exit_code == 0
    assert "没有安全的优胜者" in ended.stdout.replace("\n", "")


def test_require_winner_ends_with_1_without_a_safe_winner(run, starter):
    assert run("sweep", "-q", "--require-winner").exit_code == 1
    assert run("sweep", "-q").exit_code == 0


def test_repeats_and_budget_change_the_experiment(run, starter):
    ended = run("sweep", "-q", "--repeats", 2, "--budget-calls", 30)
    assert ended.exit_code == 3
    assert "the budget of 30 calls is spent" in ended.stderr
    assert read_results("runs/starter/results.json").trials[0].repeats == 2


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_a_budget_is_positive(run, starter, value):
    ended = run("sweep", f"--budget-usd={value}")
    assert ended.exit_code == 2
    assert "a budget is greater than 0" in ended.stderr


def test_b125_a_file_in_the_way_is_refused_before_the_first_request(run, starter):
    Path("runs").write_text("a file")
    ended = run("sweep")
    assert ended.exit_code == 2
    assert "a file is in the way" in ended.stderr
    assert not Path(".metajudge").exists()


def test_b125_a_folder_with_a_report_file_s_name_is_refused(run, starter):
    Path("out/report.md").mkdir(parents=True)
    ended = run("sweep", "--out", "out")
    assert ended.exit_code == 2
    assert "out/report.md: a folder is where this file goes" in ended.stderr
    assert not Path(".metajudge").exists()


def test_b125_a_failure_to_write_names_where_replies_are(run, starter, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("metajudge.report.written_file.os.replace", full)
    ended = run("sweep", "--store", "kept.sqlite")
    assert ended.exit_code == 2
    assert "every reply is kept in kept.sqlite" in ended.stderr
    assert "No space left on device" in ended.stderr


def test_b125_a_store_that_is_no_store_is_refused(run, starter):
    Path("notes.txt").write_text("not a database, but long enough to be looked at" * 20)
    ended = run("sweep", "--store", "notes.txt")
    assert ended.exit_code == 2
    assert "notes.txt" in ended.stderr


def test_every_fault_of_an_experiment_on_a_line_of_its_own(run, starter):
    text = Path("experiment.yaml").read_text(encoding="utf-8")
    Path("experiment.yaml").write_text(text + "nmae: x\nreapeats: 2\n", encoding="utf-8")
    ended = run("sweep")
    assert ended.exit_code == 2
    heads = [line for line in ended.stderr.splitlines() if not line.startswith(" ")]
    assert len(heads) == 2
    assert all(line.startswith("experiment.yaml:") for line in heads)
    assert all(len(line) <= 80 for line in ended.stderr.splitlines())


def test_missing_replies_without_a_model_name_the_one_command(run, starter):
    Path("local.yaml").write_text(LOCAL, encoding="utf-8")
    ended = run("sweep", "local.yaml")
    assert ended.exit_code == 2
    assert "24 of 24 replies of local:qwen2.5-coder-1.5b are missing" in " ".join(
        ended.stderr.split()
    )
    assert "make model" in ended.stderr
    assert ended.stdout == ""
    assert not Path("runs").exists()


def test_a_whole_trial_in_the_store_is_reported_without_a_model(run, starter):
    Path("local.yaml").write_text(LOCAL, encoding="utf-8")
    answer("local.yaml", "here.sqlite", {0})
    ended = run("sweep", "local.yaml", "--store", "here.sqlite")
    assert ended.exit_code == 2
    assert "Ranking" in ended.stdout
    assert "12 of 24 replies" in " ".join(ended.stderr.split())
    assert "\n  make model\n" in ended.stderr
    results = read_results("runs/local-one/results.json")
    assert results.calls.stopped == "no_model"
    coverage = {t.trial: t.figures["coverage"].value for t in results.trials}
    assert coverage == {"literal": 1.0, "summary-tolerant": 0.0}


def test_all_replies_in_the_store_need_no_model(run, starter):
    Path("local.yaml").write_text(LOCAL, encoding="utf-8")
    answer("local.yaml", "here.sqlite", {0, 1})
    assert run("sweep", "local.yaml", "--store", "here.sqlite").exit_code == 0


def test_a_recording_is_loaded_unless_told_otherwise(run, starter):
    Path("local.yaml").write_text(LOCAL + "recordings: [rec.jsonl.gz]\n", encoding="utf-8")
    answer("local.yaml", "made.sqlite", {0, 1})
    experiment = Experiment.from_file("local.yaml")
    plan = experiment.plan(experiment.prepare())
    with Store("made.sqlite") as store:
        store.export("rec.jsonl.gz", [c.call.key for calls in plan.calls.values() for c in calls])
    assert run("sweep", "local.yaml").exit_code == 0
    other = ("--store", "other.sqlite")
    assert run("sweep", "local.yaml", "--no-recording", *other).exit_code == 2
    Path("rec.jsonl.gz").unlink()
    ended = run("sweep", "local.yaml", *other)
    assert ended.exit_code == 2
    assert "local.yaml: recordings: a recording must be readable" in ended.stderr


def test_without_arguments_the_shipped_experiment_is_declared(clean):
    assert read_declared(None).config.name == "001-templates"


def test_outside_a_checkout_the_command_can_be_copied_whole(run, starter, monkeypatch):
    monkeypatch.setattr("metajudge.runner.absent.checkout", lambda: None)
    Path("local.yaml").write_text(LOCAL, encoding="utf-8")
    ended = run("sweep", "local.yaml")
    command = "  pip install 'xllamacpp>=2026.10' && metajudge models pull qwen2.5-coder-1.5b"
    assert command in ended.stderr.splitlines()


@pytest.mark.parametrize(("reply", "code"), [("n\n", 2), ("y\n", 0)])
def test_a_dear_sweep_is_confirmed_on_a_terminal(run, served, monkeypatch, reply, code):
    monkeypatch.setattr("metajudge.cli.sweep._is_terminal", lambda: True)
    monkeypatch.setattr("metajudge.cli.sweep.CONFIRM_ABOVE_USD", 0.000001)
    with serve(chat("yes")) as server:
        path = served(server.url, spec="openai/gpt-4o")
        ended = run("sweep", path, stdin=reply)
        assert (ended.exit_code, server.calls) == (code, 12 if code == 0 else 0)
        assert "calls may cost" in ended.stderr
        if code == 0:
            again = run("sweep", path, "--yes", "--store", "other.sqlite", "-q")
            assert (again.exit_code, server.calls) == (0, 24)


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_sweep_that_judges_test_claims_unasked_says_so_and_that_it_is_on_record(run, quiet):
    two_wordings(gold={"path": "gold"})
    planned = " ".join(run("plan").stdout.split())
    assert "No gold.split is named, so the 52 test claims are judged too" in planned
    assert read_ledger("gold") == ()
    ended = run("sweep", *quiet)
    told = " ".join(ended.stderr.split())
    assert "so the 52 test claims are judged too" in told
    assert "recorded in ledger.jsonl" in told
    assert len(read_ledger("gold")) == 1
    (note,) = (n for n in read_results("runs/test/results.json").notes if "gold.split" in n)
    assert note in told


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_sweep_with_a_split_named_says_nothing_of_it(run, split):
    two_wordings(gold={"path": "gold", "split": split})
    ended = run("sweep", "--quiet")
    assert "gold.split" not in ended.stderr
    assert not any("gold.split" in note for note in read_results("runs/test/results.json").notes)


def test_claims_that_wait_for_a_label_are_told_on_the_terminal(run, starter):
    row = {"claim_id": "w1", "answer_id": "library", "context_id": "library", "claim": "It waits."}
    with Path("gold/claims.jsonl").open("a", encoding="utf-8") as claims:
        claims.write(json.dumps(row | {"lang": "en"}) + "\n")
    ended = run("sweep")
    assert "1 claim has no gold label yet and take no part." in " ".join(ended.stdout.split())
    page = Path("runs/starter/report.md").read_text(encoding="utf-8")
    assert "1 claim has no gold label yet" in page

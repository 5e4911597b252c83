"""A run of a cascade tells what it could not read, in the language of the run."""

from __future__ import annotations

import json
from pathlib import Path

from metajudge.cli.cascade_text import show_run
from metajudge.metrics.cascade.run import Applied
from metajudge.runner.call import RunReport
from tests.metrics.cascade.folder import gold, judge
from tests.release.applied import write_rows


def test_failed_calls_and_whole_answers_are_counted_by_class_in_both_languages(
    run, tmp_path: Path
) -> None:
    judge(tmp_path)
    gold(tmp_path)
    fitted = run("cascade", "fit", "gold", "--judge", "scripted:judge.yaml", "--miss-rate", 0.5)
    assert fitted.exit_code == 0, fitted.stderr
    script = Path("judge.yaml")
    script.write_text(
        script.read_text(encoding="utf-8").replace(
            "rules:", "rules:\n- {match: every statement, reply: {error: server}}", 1
        ),
        encoding="utf-8",
    )
    rows = [{"answer_id": "a", "answer": "Hall A opens.", "context": ["Hall A opens at 9."]}]
    answers = write_rows(Path("answers.jsonl"), [{**rows[0], "lang": "en"}])
    english = run("cascade", "run", "cascade.yaml", answers, "-q")
    assert "1 answer could not be told apart into claims" in english.stdout
    assert "1 call got no answer (transport 1)" in english.stdout
    chinese = run("cascade", "run", "cascade.yaml", answers, "-q", "--lang", "zh").stdout
    assert "1 个回答无法拆分为陈述" in chinese
    assert "1 次调用没有得到答复" in chinese
    found = json.loads(run("cascade", "run", "cascade.yaml", answers, "-q", "--json").stdout)
    assert (found["whole_answers"], found["failed_calls"]) == (1, {"transport": 1})


def test_several_classes_of_failure_and_notes_are_told_in_chinese(capsys) -> None:
    report = RunReport(3, failures={"server": 2, "timeout": 1})
    notes = ("answer_id made from content (1)",)
    show_run(Applied((), (), (report,), notes), None, None, "zh")
    told = capsys.readouterr().out
    assert "3 次调用没有得到答复（传输错误 2，超时 1）" in told
    assert "注：answer_id 由内容生成（1）" in told

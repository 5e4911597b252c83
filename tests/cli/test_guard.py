from __future__ import annotations

import pytest
import typer

from metajudge.cli.guard import explain, guarded
from metajudge.errors import (
    BudgetSpentError,
    GoldError,
    JudgeAccessError,
    JudgeDownError,
    MissingExtraError,
    Problem,
    StoreError,
)

PROBLEM = Problem("claims.jsonl", "a label is yes, no or idk", "Correct it.", 3, "label", "'ja'")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GoldError([PROBLEM, PROBLEM]), 2),
        (MissingExtraError("judge local:x", "local"), 2),
        (StoreError("s"), 2),
        (JudgeAccessError("s"), 2),
        (BudgetSpentError("s"), 3),
        (JudgeDownError("s"), 4),
        (KeyboardInterrupt(), 4),
        (PermissionError(13, "Permission denied", "claims.jsonl"), 2),
    ],
)
def test_b123_each_error_has_its_code_and_one_message(capsys, error, code):
    def verb():
        raise error

    with pytest.raises(typer.Exit) as ended:
        guarded(verb)()
    assert ended.value.exit_code == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.strip()
    assert "Traceback" not in told.err


def test_each_problem_begins_a_line_and_fits_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    long = Problem("gold/claims.jsonl", "one law " * 20 + "end", "Mend it.", 7, "label", "'x'")
    explain(str(GoldError([PROBLEM, long])))
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "claims.jsonl:3: label: a label is yes, no or idk (got 'ja'). Correct it.",
        lines[1],
    ]
    assert all(len(line) <= 80 for line in lines)


def test_b122_messages_hide_keys(capsys, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "Zq81xxyyzz77")
    explain("see https://me:pw@host/v1?api_key=abc and Zq81xxyyzz77 and sk-abcdefgh1234")
    told = capsys.readouterr().err
    for secret in ("pw@", "abc ", "Zq81", "sk-abc"):
        assert secret not in told


def test_a_bug_of_metajudge_shows_its_trace():
    def verb():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        guarded(verb)()

from __future__ import annotations

import io
import json
import sys

import pytest

from metajudge.cli.output import say_json, say_table, wrapped


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "cp1252", "gbk"])
def test_b118_json_is_valid_on_every_terminal(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    payload = {"文": "é 🙂\u2028", "n": None}
    say_json(payload)
    sys.stdout.flush()
    assert json.loads(raw.getvalue().decode(encoding)) == payload


def test_json_refuses_nan():
    with pytest.raises(ValueError, match="JSON"):
        say_json({"x": float("nan")})


def test_commands_are_never_broken():
    command = "  pip install 'xllamacpp>=2026.10' && metajudge models pull qwen2.5-coder-1.5b --x"
    assert wrapped(f"get it with:\n{command}", 60).splitlines()[1] == command


def test_a_table_shows_hostile_text_harmlessly(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    say_table(["name", "n"], [["[bold]x[/]\x1b[31m", None], ["支持", 3]], right="n")
    shown = capsys.readouterr().out
    assert "[bold]x[/]" in shown
    assert "\x1b" not in shown
    assert "–" in shown

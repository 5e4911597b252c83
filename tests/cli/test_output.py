from __future__ import annotations

import io
import json
import sys

import pytest
from rich.cells import cell_len

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


CHINESE = "裁判 judge-1（与发布版本固定的相同），见 a/b.jsonl；「甲馆九点开放」（3）。"
CLOSING = tuple("，。；：）」")


@pytest.mark.parametrize("columns", range(40, 90))
def test_chinese_breaks_between_characters_and_never_before_a_closing_mark(columns):
    text = CHINESE * 3
    lines = wrapped(text, columns).splitlines()
    assert "".join(line.strip() for line in lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(cell_len, lines)) <= columns
    assert all(line.startswith("  ") for line in lines[1:])
    assert not [line for line in lines if line.strip().startswith(CLOSING)]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_chinese_in_a_table_breaks_so_too(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    say_table(["名称", "n", "陈述"], [["一个相当长的名称，很长", 3, CHINESE]], right="n")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(cell_len, lines)) <= columns
    shown = {text for line in lines for text in line.split("  ") if text}
    assert not [text for text in shown if text.strip().startswith(CLOSING)]


def test_a_table_shows_hostile_text_harmlessly(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    say_table(["name", "n"], [["[bold]x[/]\x1b[31m", None], ["支持", 3]], right="n")
    shown = capsys.readouterr().out
    assert "[bold]x[/]" in shown
    assert "\x1b" not in shown
    assert "–" in shown

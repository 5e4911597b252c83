from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.templates.catalogue import shipped_wordings

CLASH = """\
name: clash
version: 1.0.0
family: clash
language: {lang}
definitions:
  yes: "{yes}"
  no: "{no}"
  idk: "{idk}"
rules:
  - "{own}"
  - "{rule}"
"""
EN = {
    "lang": "en",
    "yes": "the context backs every part, also as a summary.",
    "no": "it contradicts a part.",
    "idk": "it does not say.",
    "own": "Use no outside knowledge.",
}


@pytest.fixture
def clash():
    def write(rule: str = "Do not sum up.", **texts: str) -> Path:
        path = Path("clash.yaml")
        path.write_text(CLASH.format(**EN | {"rule": rule} | texts), encoding="utf-8")
        return path

    return write


def test_the_starter_s_templates_are_the_default(run, starter):
    ended = run("templates", "lint")
    assert ended.exit_code == 0
    assert "templates/close-reading.en.yaml" in ended.stdout
    assert "fair-summary" not in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("4 templates: 0 errors, 0 warnings, ")


def test_without_a_folder_the_shipped_ones_are_meant(run_json):
    found = run_json("templates", "lint")
    assert len(found["templates"]) == 2 * len(shipped_wordings())
    assert (found["errors"], found["warnings"]) == (0, 0)
    assert found["clean"]
    assert found["notes"] > 0


def test_a_finding_has_line_field_quote_and_mend(run, run_json, clash):
    path = clash()
    ended = run("templates", "lint", path)
    assert ended.exit_code == 1
    text = " ".join(ended.stdout.split())
    assert "✗ error rule-contradicts-definition [clash.yaml:11] rules[1] “Do not sum up.”:" in text
    assert text.endswith("1 template: 1 error, 0 warnings, 0 notes")
    (finding,) = run_json("templates", "lint", path)["findings"]
    assert finding["line"] == 11
    assert set(finding) == {
        *("severity", "code", "where", "field", "line", "quote", "why", "mend"),
    }


def test_sound_templates_and_notes_end_with_0(run, clash):
    assert run("templates", "lint", clash("Read on.")).exit_code == 0
    noted = run("templates", "lint", clash("Say yes if it is backed."))
    assert "note label-word-written-out" in noted.stdout
    assert noted.exit_code == 0


def test_a_code_can_be_ignored(run, clash):
    ignored = run("templates", "lint", clash(), "--ignore", "rule-contradicts-definition")
    assert ignored.exit_code == 0
    unknown = run("templates", "lint", clash(), "--ignore", "rule-contradict-definition")
    assert unknown.exit_code == 2
    assert "Did you mean 'rule-contradicts-definition'?" in " ".join(unknown.stderr.split())


def test_beside_a_gold_set(run, run_json, starter):
    found = run_json("templates", "lint", "templates", "--gold", "gold")
    assert found["errors"] == 0
    path = Path("templates/fair-summary.en.yaml")
    lines = Path("gold/claims.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(row for row in map(json.loads, lines) if row["lang"] == "en")
    rule = json.dumps(f"For example: {first['claim']}")
    text = path.read_text(encoding="utf-8").replace("rules:", f"rules:\n  - {rule}")
    path.write_text(text, encoding="utf-8")
    ended = run("templates", "lint", path, "--gold", "gold")
    assert ended.exit_code == 1
    assert "text-leaks-gold" in ended.stdout


def test_chinese_templates(run_json, clash):
    texts = {"yes": "每一部分都有材料支持，包括概括。", "no": "某一部分与材料矛盾。"}
    path = clash("不要概括。", lang="zh", idk="材料没有提到。", own="不得使用外部知识。", **texts)
    (finding,) = run_json("templates", "lint", path)["findings"]
    assert finding["code"] == "rule-contradicts-definition"
    assert finding["quote"] == "不要概括。"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("litteral", "you mean 'literal'?"),
        ("nowhere.yaml", "no such file"),
        ("empty", "holds no template files"),
    ],
)
def test_bad_input_ends_with_2(run, name, told):
    Path("empty").mkdir()
    ended = run("templates", "lint", name)
    assert ended.exit_code == 2
    assert told in ended.stderr
    assert run("templates", "lint", "literal", "--gold", "nowhere").exit_code == 2


def test_every_fault_of_every_file_is_told_at_once(run, clash):
    clash("{{ maybe }}")
    Path("other.yaml").write_text("name: other\n", encoding="utf-8")
    ended = run("templates", "lint", "clash.yaml", "other.yaml")
    assert ended.exit_code == 2
    assert "maybe" in ended.stderr
    assert "other.yaml" in ended.stderr

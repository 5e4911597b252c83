"""A template's texts as one instruction, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import TemplateError
from metajudge.templates.catalogue import Wording, catalogue, changed, read_template
from metajudge.templates.instruction import instruction_text, with_instruction
from metajudge.templates.lint import template_problems
from metajudge.templates.template import Template
from metajudge.templates.wording_files import write_wording

DIALECTS = ("words", "relation", "letters", "letters+1")


def shipped() -> list[Template]:
    return [
        source
        for wording in catalogue().values()
        for source in wording.by_language.values()
        if isinstance(source, Template)
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("template", shipped(), ids=lambda t: t.label)
def test_every_shipped_template_comes_back_as_it_was(template: Template, dialect: str) -> None:
    one = changed(template, "t", labels=dialect)
    assert with_instruction(one, instruction_text(one), name=one.name) == one


def test_the_instruction_reads_in_the_words_of_the_dialect() -> None:
    zh = catalogue()["summary-tolerant"].source_for("zh")
    assert isinstance(zh, Template)
    lines = instruction_text(zh).splitlines()
    assert [line.split("：")[0] for line in lines[2:5]] == ["是", "否", "不知道"]
    assert "{{" not in instruction_text(zh)


def literal() -> Template:
    source = catalogue()["literal"].source_for("en")
    assert isinstance(source, Template)
    return source


def test_a_markdown_rewriting_is_read() -> None:
    text = """```markdown
# Task
Read the context, then judge.

1. **Yes**: it is there
2. *no* — it conflicts
3. "I don't know": it is open,
   and nobody could say

## Rules
* Use no knowledge of your own.
2) Read
the whole context.

Numbers must match.
```"""
    made = with_instruction(literal(), text, name="new")
    assert made.name == "new"
    assert made.ask == "# Task\nRead the context, then judge."
    assert made.definitions == {
        "yes": "it is there",
        "no": "it conflicts",
        "idk": "it is open,\nand nobody could say",
    }
    assert made.rules == (
        "Use no knowledge of your own.",
        "Read\nthe whole context.",
        "Numbers must match.",
    )


def test_a_chinese_rewriting_is_read() -> None:
    zh = catalogue()["literal"].source_for("zh")
    assert isinstance(zh, Template)
    text = (
        "请核对。\n是：材料里有。\n- 否 — 有冲突。\n**不知道**：没说。\n\n规则：\n1、数字要一致。"
    )
    made = with_instruction(zh, text, name="n")
    assert made.ask == "请核对。"
    assert made.definitions == {"yes": "材料里有。", "no": "有冲突。", "idk": "没说。"}
    assert made.rules == ("数字要一致。",)


def test_lines_that_are_known_keep_their_placeholders_and_find_their_place() -> None:
    base = changed(literal(), "t", rules=["If open, say {{ idk }}.", "Be brief."])
    text = "Well?\n- If open, say idk.\n\nyes: a\nno: b\nidk: c\n\n- New."
    assert with_instruction(base, text, name="n").rules == ("If open, say {{ idk }}.", "New.")


@pytest.mark.parametrize(
    "braces", ["{{ yes }}", "{% for x in y %}", "{# gone #}", "{% raw %}", "{% endraw %}", "{a}}"]
)
def test_braces_are_data(braces: str) -> None:
    text = f"Ask {braces}?\n\nyes: a {braces}\nno: b\nidk: c\n\n- Rule {braces} end."
    block = with_instruction(literal(), text, name="n").question_block
    assert f"Ask {braces}?" in block
    assert f"- yes: a {braces}\n" in block
    assert f"- Rule {braces} end." in block


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", [None]),
        (" \n\n", [None]),
        ("Think hard and be fair.", ["yes", "no", "idk"]),
        ("Well?\nyes: a\nno: b", ["idk"]),
        ("yes:\nno: b\nidk: c", ["yes"]),
        ("yes: a\nyes: another\nno: b\nidk: c", ["yes"]),
        ("Yes, it is.\nno: b\nidk: c", ["yes"]),
    ],
)
def test_what_lacks_a_label_is_refused_with_all_reasons(text: str, fields: list[str]) -> None:
    with pytest.raises(TemplateError) as caught:
        with_instruction(literal(), text, name="n")
    assert [problem.field for problem in caught.value.problems] == fields


def test_a_line_said_twice_is_one() -> None:
    made = with_instruction(literal(), "yes: a\nno: b\nidk: c\n\nyes: a", name="n")
    assert made.definitions["yes"] == "a"


def test_without_a_question_the_usual_one_of_the_language_is_asked() -> None:
    made = with_instruction(literal(), "yes: a\nno: b\nidk: c", name="n")
    assert made.question_block.startswith("Does the context support the claim? Choose one label.")


def test_a_template_of_two_labels_needs_two() -> None:
    two = Template(
        name="two",
        version="1.0.0",
        family="two",
        language="en",
        labels={"yes": "pass", "no": "fail"},
        definitions={"yes": "a", "no": "b"},
    )
    made = with_instruction(two, "Hm?\npass: good\nFAIL: bad", name="n")
    assert made.definitions == {"yes": "good", "no": "bad"}


def test_the_new_template_is_one_that_can_be_written_and_read(tmp_path: Path) -> None:
    made = with_instruction(literal(), "Q {{ x }}\nyes: a\nno: b\nidk: c", name="n")
    (path,) = write_wording(Wording("n", {"en": made}), tmp_path)
    assert read_template(path) == made


WORDS = st.text("abc {}%#:-\n是：", min_size=1, max_size=40)


@settings(deadline=None, max_examples=150)
@given(WORDS, WORDS, WORDS)
def test_whatever_is_proposed_makes_a_template_or_is_refused(a: str, b: str, c: str) -> None:
    text = f"{a}\nyes: {b}\nno: x\nidk: {c}\n- {a}"
    try:
        made = with_instruction(literal(), text, name="n")
    except TemplateError:
        return
    assert template_problems(made, "n") == []
    for sign in "{}%#":
        assert made.question_block.count(sign) == text.count(sign)


def test_what_is_no_text_and_what_turns_text_round_is_dropped() -> None:
    text = instruction_text(literal()) + "\n- \x00Mind\x1b \u202ethe\ud800 dates.\u2066"
    assert with_instruction(literal(), text, name="new").rules[-1] == "Mind the dates."

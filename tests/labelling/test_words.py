from __future__ import annotations

import re
from importlib.resources import files
from string import Formatter

from metajudge.gold.claim import SLICES, SPACE_LABELS
from metajudge.labelling.page import environment, shown
from metajudge.labelling.words import WORDS

CODES = (
    *("label", "means", "slice", "work", "outcome", "end.empty", "act", "keys"),
    *("refused", "unreadable"),
)
"""Kinds of texts that are looked up by a code."""


def _sources():
    folder = files("metajudge.labelling")
    for place in (folder, folder.joinpath("pages")):
        for file in place.iterdir():
            if file.name.endswith((".py", ".j2")):
                yield file.read_text(encoding="utf-8")


def _placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_say_the_same_things():
    for key, (en, zh) in WORDS.items():
        assert en.strip() and zh.strip(), key
        assert _placeholders(en) == _placeholders(zh), key
        assert not re.search(r"[\u4e00-\u9fff]", en), key
        assert re.search(r"[\u4e00-\u9fff]|\{", zh), key


def test_every_text_is_used_and_every_use_has_its_text():
    sources = "\n".join(_sources())
    named = set(re.findall(r'\bt\(\s*"([\w.]+)"', sources))
    named |= set(re.findall(r"\bt\('([\w.]+)'", sources))
    named |= set(re.findall(r'\bword\(\s*"([\w.]+)"', sources))
    assert {key for key in named if not key.endswith(".")} - set(WORDS) == set()
    quoted = set(re.findall(r'["\']([\w.]+)["\']', sources))
    parts = {f"{key}.{end}" for key in quoted for end in ("title", "lead")}
    unused = {
        key
        for key in WORDS
        if key not in quoted | parts and not key.startswith(tuple(f"{code}." for code in CODES))
    }
    assert unused == set()


def test_every_code_has_its_texts():
    for label in (*SPACE_LABELS["ternary"], *SPACE_LABELS["binary"]):
        assert f"label.{label}" in WORDS
        assert f"means.{label}" in WORDS
    assert all(f"slice.{name}" in WORDS for name in SLICES)


def test_every_page_is_a_template_that_compiles():
    made = environment()
    for name in made.list_templates():
        made.get_template(name)
        source = files("metajudge.labelling").joinpath("pages", name).read_text(encoding="utf-8")
        assert "|safe" not in source
        assert "autoescape" not in source


def test_what_is_shown_keeps_every_place():
    text = "a\x00b\u202ec\r\nd\U000e0041e🍵\ttab\nline\u2028end"
    assert len(shown(text)) == len(text)
    assert shown("plain 茶 🍵") == "plain 茶 🍵"
    assert shown("\u202e") == "▯"

"""Chinese that users read: one term per thing, as in the glossary, and one way to set it.

Prompts, guidelines, cards and sentences that stand in recordings keep the words they have.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ROOMS = ("report", "labelling", "metrics", "experiment", "cli")
HAN = "\u4e00-\u9fff"
RECORDED = ("在 dev 上", "无法计算")
"""Words of sentences that stand in results of recorded experiments."""
SAMPLES = ("template_samples.py", "speakers.py", "groundedness.py")
"""Modules with texts that are judged or read, not shown."""

OTHERWISE = {
    "answer": ("回答", r"(?<!参考)(?<!标准)(?<!没有)答案"),
    "claim": ("陈述", "断言"),
    "context": ("材料", "上下文(?!相关性|召回|实体召回|精确率)|检索内容"),
    "dev split, test split": ("开发集", "(?:dev|test) ?(?:陈述|划分|集)"),
    "draw": ("抽取", "首次抽样"),
    "gold set, gold label": ("标注集", "金标|标准陈述"),
    "judge": ("裁判", "评判者|评判模型"),
    "policy": ("计分策略", "评分规则|评分策略|计分方式|宽松规则|严格规则"),
    "release": ("发布版本", "(?:该|新|其他|任何|的)发布(?!版本)"),
    "seed": ("种子", "随机种子"),
    "store": ("存档", "存储"),
    "undefined": ("未定义", "无定义"),
    "verdict": ("裁决", "(?<!尚)无结论|没有结论|全部结论|可读的判定"),
}
"""Word of the glossary -> its term, and what stands for the same thing in no text."""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _said(path: Path) -> Iterator[str]:
    """Every text of a Python file, places as `{}`; docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {id(part) for node in ast.walk(tree) for part in _inside(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in parts:
                yield node.value


def _inside(node: ast.AST) -> list[ast.expr]:
    """Texts that are no text of their own: parts of an f-string, and docstrings."""
    if isinstance(node, ast.JoinedStr):
        return node.values
    return [node.value] if isinstance(node, ast.Expr) else []


def _shown() -> Iterator[tuple[str, str]]:
    """File and text of all Chinese that reports, pages, commands and the README show."""
    for room in ROOMS:
        for path in sorted((ROOT / "metajudge" / room).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.name in SAMPLES or "starter" in path.parts:
                continue
            if path.suffix == ".json":
                texts = _strings(json.loads(path.read_text(encoding="utf-8")))
            elif path.suffix == ".py":
                texts = _said(path)
            elif path.suffix == ".yaml":
                texts = _strings(yaml.safe_load(path.read_text(encoding="utf-8")))
            elif path.suffix in (".j2", ".js"):
                texts = iter(path.read_text(encoding="utf-8").splitlines())
            else:
                continue
            yield from ((name, text) for text in texts)
    readme = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
    for line in re.sub(r"```.*?```", "", readme, flags=re.S).splitlines():
        yield "README.zh-CN.md", re.sub(r"`[^`]*`", "`", line)


TEXTS = [(file, text) for file, text in _shown() if re.search(f"[{HAN}]", text)]


def _found(pattern: str) -> list[tuple[str, str]]:
    kept = re.compile("|".join(RECORDED))
    return [
        (file, text) for file, text in TEXTS if re.search(pattern, kept.sub("", text)) is not None
    ]


def test_every_kind_of_text_is_looked_at() -> None:
    files = {file for file, _ in TEXTS}
    assert {"README.zh-CN.md", "metajudge/labelling/texts/page.json"} <= files
    assert {Path(file).suffix for file in files} >= {".json", ".py", ".yaml", ".j2", ".md"}
    assert len(TEXTS) > 1000


@pytest.mark.parametrize("word", OTHERWISE)
def test_one_term_stands_for_a_thing(word: str) -> None:
    term, others = OTHERWISE[word]
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {word} \| {term}", glossary, re.M)
    assert _found(term)
    assert _found(others) == []


@pytest.mark.parametrize(
    "pattern",
    [
        rf"[{HAN}] ?[,;!?] ?[{HAN}]",
        rf"[{HAN}]:(?!//)|[{HAN}]\.(?:\s|$)",
        r" [，。；：？！、）》]|[，。；：？！、（《“] +\S",
    ],
    ids=["comma", "colon or stop", "space beside full width"],
)
def test_punctuation_is_full_width_and_has_no_space(pattern: str) -> None:
    assert _found(pattern) == []


def test_latin_letters_and_numbers_stand_apart_from_chinese() -> None:
    assert _found(rf"[A-Za-z0-9%][{HAN}]|[{HAN}][A-Za-z0-9]") == []


def test_a_number_filled_in_stands_apart_from_its_measure_word() -> None:
    """Other places may be Chinese: `{}` of an f-string and names of terms."""
    assert _found(r"\{n(?::[^}]*)?\}[条个项句段份次名轮行]") == []
    assert _found(rf"[{HAN}]\{{n(?::[^}}]*)?\}}") == []

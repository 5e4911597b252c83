"""A scripted judge for metrics: verdicts by unit, lists by text; any other question is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.evaluation import Evaluation

HEADS = (
    r"Claim: |Sentence: |Name: |Asked for: |Sentence of the answer: |Statement: |Goal: |"
    r"陈述：|句子：|名称：|所问的内容：|回答中的句子：|目标："
)


def script(
    folder: Path,
    verdicts: Mapping[str, Any],
    lists: Mapping[str, Sequence[str]] | None = None,
    passages: Mapping[str, Any] | None = None,
    otherwise: Any = "I would rather not say.",
) -> str:
    """The spec of a judge that answers a unit with its word.

    Args:
        folder: Where its script goes.
        verdicts: Unit -> reply.
        lists: Text that a list is drawn from -> its entries.
        passages: Passage -> reply, where one passage is judged.
        otherwise: Reply to everything else.
    """
    rules = [
        {"match": rf"(?m)^(?:{HEADS}){re.escape(unit)}$", "reply": reply}
        for unit, reply in verdicts.items()
    ]
    rules += [
        {"match": rf"(?m)^(?:Passage:|段落：)\n{re.escape(text)}$", "reply": reply}
        for text, reply in (passages or {}).items()
    ]
    rules += [
        {
            "match": rf"(?m)^(?:Answer:|Text:|Question:|Goal:|回答：|文字：|问题：|目标：)"
            rf"\n{re.escape(text)}\n\n(?:List|请)",
            "reply": "\n".join(f"- {entry}" for entry in entries) or "NONE",
        }
        for text, entries in (lists or {}).items()
    ]
    path = folder / "judge.yaml"
    written = {"name": "scripted", "rules": rules, "replies": [otherwise]}
    path.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
    return f"scripted:{path}"


def evaluated(
    folder: Path, rows: Sequence[Mapping[str, Any]], metrics: Sequence[str], judge: str, **more: Any
) -> Evaluation:
    """Rows under metrics, with a store of their own."""
    return evaluate(rows, metrics, judge=judge, store=folder / "replies.sqlite", **more)

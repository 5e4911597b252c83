"""Gold folders whose claims nobody has labelled yet: a lighthouse museum, in two languages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.experiment.folder import LOOSE, QUICK, write_template

ENGLISH = {
    "context_id": "tower",
    "title": "The Brannock light",
    "domain": "museums",
    "lang": "en",
    "passages": [
        "The Brannock light was lit in 1871. Two keepers shared the tower until 1988, when the "
        "lamp was made automatic.",
        "Visitors climb 143 steps. The gallery is closed in winds above 50 km/h. Dogs stay below.",
    ],
}
CHINESE = {
    "context_id": "茶馆",
    "title": "白石镇灯塔",
    "domain": "博物馆",
    "lang": "zh",
    "passages": [
        "白石灯塔于1871年点亮。两名守塔人轮流值班，直到1988年改为自动灯。",
        "参观者要登上143级台阶。风速超过每小时50公里时，观景台关闭。",
    ],
}
_SAID = {
    "en": ("The lamp first shone in 1871.", "Three keepers lived in the tower.", "Entry is free."),
    "zh": ("灯塔在1871年第一次点亮。", "有三名守塔人住在塔里。", "门票免费。"),
}
MANIFEST: dict[str, Any] = {
    "name": "lights",
    "version": "1",
    "languages": ["en", "zh"],
    "labelling_policy": {
        "version": "1",
        "rules": ["Read the whole context first.", "只看材料里写了什么。"],
    },
    "licence": "CC-BY-4.0",
    "provenance": "written for these tests",
    "label_source": "human",
}


def claim(number: int, **more: Any) -> dict[str, Any]:
    """A claim without a label; every fourth one is Chinese."""
    lang = "zh" if number % 4 == 3 else "en"
    said = _SAID[lang]
    text = f"{said[number % len(said)]} ({number})"
    context = (CHINESE if lang == "zh" else ENGLISH)["context_id"]
    name = f"c{number:03d}"
    return {
        "claim_id": name,
        "answer_id": f"a{number // 4}",
        "context_id": context,
        "claim": text,
        "lang": lang,
    } | more


def lights(
    place: Path,
    claims: Sequence[dict[str, Any]] | int,
    contexts: Sequence[dict[str, Any]] = (ENGLISH, CHINESE),
    **manifest: Any,
) -> Path:
    """Writes a gold folder; a number stands for that many claims without a label."""
    rows = [claim(number) for number in range(claims)] if isinstance(claims, int) else claims
    place.mkdir(parents=True)
    # JSON is YAML too.
    (place / "goldset.yaml").write_text(json.dumps(MANIFEST | manifest), encoding="utf-8")
    for name, entries in (("claims", rows), ("contexts", contexts)):
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return place


def command(home: Path, *words: object) -> str:
    """Runs `metajudge` in a folder, in a process of its own; what it printed."""
    code = "from metajudge.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=home,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stdout


def sweep(gold: Path, verdicts: Mapping[str, str], reason: str) -> Path:
    """A sweep of a scripted judge over the English claims of a gold folder that `lights` wrote.

    Args:
        gold: The folder; the experiment is made beside it.
        verdicts: By claim; the judge says idk of all others.
        reason: What the judge says for it, with the claim.
    """
    home = gold.parent

    def reply(name: str, verdict: str) -> str:
        return json.dumps({"reason": f"{reason} {name}", "verdict": verdict}, ensure_ascii=False)

    rules = [
        {"match": rf"\({int(name[1:])}\)", "reply": reply(name, verdict)}
        for name, verdict in verdicts.items()
    ]
    script = {"name": "script", "rules": rules, "replies": [reply("any", "idk")]}
    (home / "judge.yaml").write_text(json.dumps(script), encoding="utf-8")
    template = write_template(home, "mine")
    with template.open("a", encoding="utf-8") as file:
        file.write("answer: {form: reason_first, json: true}\n")
    experiment = {
        "name": "walk",
        "gold": {"path": gold.name, "languages": ["en"]},
        "judges": ["scripted:judge.yaml"],
        "templates": ["templates/*.yaml"],
        "guardrails": LOOSE,
        "bootstrap": QUICK,
    }
    (home / "experiment.yaml").write_text(json.dumps(experiment), encoding="utf-8")
    command(home, "sweep", "experiment.yaml", "--quiet")
    return home / "runs" / "walk"

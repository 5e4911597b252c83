"""A small release with a scripted judge, and answers for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metajudge.gold.strict_yaml import dump_yaml
from metajudge.judges import open_judge
from metajudge.release.bundle import Release, read_release
from metajudge.release.candidate import JudgePin
from metajudge.release.manifest import MANIFEST, Manifest, PolicyPin
from metajudge.release.registry import record
from metajudge.release.sums import write_sums
from tests.release.factory import entry, put_release

SAYS = [
    (r"Claim: .*(?:opens|lends|开放)", "yes"),
    (r"Claim: .*(?:closes|关闭)", "no"),
    (r"Claim: .*mumbles", "hm, well"),
]
"""Opening and lending are supported, closing is contradicted, all else is idk."""
LISTS = [
    (r"(?s)Answer:\n.*whole story", "- Hall A opens at 9.\n- Hall A closes at 5.\n- It is nice."),
    (r"(?s)回答：\n.*开放", "- 甲馆九点开放。\n- 甲馆很美。"),
    (r"(?s)Answer:\n.*endless", {"text": "- Hall A opens at 9.", "finish_reason": "length"}),
    (r"(?s)Answer:\n.*void", "   "),
    (r"(?s)Answer:\n.*sorry state", "I'm sorry, but I can't help with that."),
    (r"(?s)Answer:\n.*nothing here", "NONE"),
]
PASSAGES = ["Hall A opens at 9.", "Hall A lends 20 books."]
OPENS, LENDS, CLOSES, NICE = (
    "Hall A opens at 9.",
    "Hall A lends 20 books.",
    "Hall A closes at 5.",
    "Hall A is nice.",
)


def write_judge(
    folder: Path, rules: Sequence[tuple[str, Any]] = (), name: str = "script", default: Any = "idk"
) -> str:
    """The spec of a scripted judge in a folder."""
    path = folder / f"{name}.yaml"
    told = [{"match": match, "reply": reply} for match, reply in (*rules, *LISTS, *SAYS)]
    script = {"name": name, "rules": told, "replies": [default]}
    path.write_text(dump_yaml(script), encoding="utf-8")
    return f"scripted:{path}"


def made(folder: Path, rules: Sequence[tuple[str, Any]] = (), **changes: Any) -> Release:
    """The release in `folder / registry` with a scripted judge and its identity pinned."""
    put_release(folder / "registry", registered=False)
    release = changed(folder, spec=write_judge(folder, rules), **changes)
    record(folder / "registry", entry("1.0.0", release.sha256))
    return release


def changed(
    folder: Path, spec: str, policy: str = "strict", threshold: float = 0.5, **pin: Any
) -> Release:
    """The release with another judge or policy, its sums made again."""
    place = folder / "registry" / "faithfulness-verdict" / "1.0.0"
    manifest = read_release(place).manifest
    identity = {"identity": dict(open_judge(spec).identity)} | pin
    told = manifest.model_copy(
        update={
            "judge": JudgePin(spec=spec, **identity),
            "policy": PolicyPin(name=policy, version="1", threshold=threshold),
        }
    )
    text = dump_yaml(Manifest.model_validate(told.model_dump()).model_dump(mode="json"))
    (place / MANIFEST).write_text(text, encoding="utf-8")
    write_sums(place)
    return read_release(place)


def answer(answer_id: str | None, *claims: str, **fields: Any) -> dict[str, Any]:
    """An answer about hall A with its claims."""
    row: dict[str, Any] = {"context": PASSAGES, "claims": list(claims), **fields}
    return row if answer_id is None else {"answer_id": answer_id, **row}


def told(text: str, answer_id: str = "a", **fields: Any) -> dict[str, Any]:
    """An answer whose claims are to be extracted."""
    return {"answer_id": answer_id, "context": PASSAGES, "answer": text, **fields}


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Rows as JSON lines."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path

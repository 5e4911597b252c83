"""A suite in a folder: cases with given claims, and a judge that knows a wrong one by its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metajudge.gold.strict_yaml import dump_yaml
from metajudge.metrics.gate.baseline import write_baseline
from metajudge.metrics.gate.gate import Gate, GateSettings
from metajudge.metrics.gate.report import GateReport
from metajudge.metrics.gate.suite import read_suite
from tests.release.applied import write_rows

RULES = [
    ("(?:Claim|Sentence of the answer): .*wrong", "no"),
    ("陈述：.*不符", "否"),
    ("陈述：", "是"),
    ("Claim: .*unsaid", "idk"),
    ("Claim: .*mumbles", "hm, well"),
    ("Claim: .*unreachable", {"error": "bad_request"}),
    ("(?m)^(?:Claim|Sentence of the answer): ", "yes"),
]


def case(name: str, *claims: str, **fields: Any) -> dict[str, Any]:
    """A case with its own context and the claims of its answer."""
    told = {"id": name, "question": f"What of hall {name}?", "context": [f"Hall {name} is open."]}
    return {**told, "claims": list(claims), **fields}


def many(n: int, *, wrong: Iterable[int] = (), claim: str = "It is wrong.") -> list[dict[str, Any]]:
    """n cases of two claims, the second one wrong in some."""
    bad = set(wrong)
    return [
        case(f"c{k:03}", f"Hall {k} is open.", claim if k in bad else f"Hall {k} is there.")
        for k in range(n)
    ]


def write_suite(folder: Path, rows: Sequence[Mapping[str, Any]], **told: Any) -> Path:
    """A suite with its cases and judge; `told` are further fields of it."""
    rules = [{"match": match, "reply": reply} for match, reply in RULES]
    script = {"name": "halls", "rules": rules, "replies": ["I would rather not say."]}
    (folder / "judge.yaml").write_text(dump_yaml(script), encoding="utf-8")
    write_rows(folder / "cases.jsonl", rows)
    suite = {
        "name": "halls",
        "cases": "cases.jsonl",
        "metrics": ["faithfulness"],
        "judge": "scripted:judge.yaml",
        "baseline": "baseline.json",
        **told,
    }
    path = folder / "suite.yaml"
    path.write_text(dump_yaml({k: v for k, v in suite.items() if v is not None}), encoding="utf-8")
    return path


def gate_of(path: Path, **more: Any) -> Gate:
    """The gate of a suite, with a store of its own folder."""
    compare = more.pop("compare", True)
    settings = GateSettings(store=path.parent / "replies.sqlite", **more)
    return Gate(read_suite(path), path, settings, compare=compare)


def set_baseline(path: Path) -> Path:
    """Writes the baseline of a suite."""
    gate = gate_of(path, compare=False)
    return write_baseline(gate.new_baseline(gate.score()), gate.baseline_place)


def run(path: Path, **more: Any) -> GateReport:
    """Runs the gate of a suite."""
    gate = gate_of(path, **more)
    return gate.report(gate.score())

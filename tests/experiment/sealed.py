"""Experiments on a gold set half of whose halls are sealed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from metajudge.experiment import Experiment, SweepOutcome
from metajudge.gold import load_goldset
from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    rows,
    write_gold,
    write_script,
    write_template,
)

SPLIT = {"salt": "s/1", "dev_share": 0.5}


def two_wordings(folder: Path, n: int = 24, **fields: Any) -> Experiment:
    """`mine` calls summaries yes, `literal` calls them idk; half of the halls are sealed."""
    if not (folder / "gold").exists():
        claims, contexts = halls(n)
        write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "mine", rule="MIND the gist:")
    told = {
        "judges": [write_script(folder, CAREFUL)],
        "templates": ["literal", "templates/*.yaml"],
        "gold": {"path": "gold", "split": "dev"},
        "baseline": "literal",
        **fields,
    }
    return declare(folder, **told)


def sweep(declared: Experiment) -> SweepOutcome:
    return declared.sweep(store=declared.path.parent / "store.sqlite")


def labels_turned(folder: Path, split: str) -> None:
    """Every label of a split replaced by another one."""
    gold = load_goldset(folder / "gold")
    other = {"yes": "no", "no": "idk", "idk": "yes"}
    wanted = {c.claim_id for c in gold.claims if gold.split_of(c) == split}
    path = folder / "gold" / "claims.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["claim_id"] in wanted:
            line["label"] = other[line["label"]]
    rows(path, lines)


def tilted(text: str, yes: float, no: float, idk: float) -> tuple[str, Any]:
    """A rule with label probabilities."""
    shares = {"yes": yes, "no": no, "idk": idk}
    first = {word: math.log(share) for word, share in shares.items()}
    return text, {"text": max(shares, key=lambda word: shares[word]), "first_token": first}


TILTED = [
    tilted(r"Claim: Hall \w+ opens at 1?\d\.", 0.5, 0.1, 0.4),
    tilted(r"Claim: Hall \w+ opens", 0.05, 0.7, 0.25),
    tilted(r"Claim: Access", 0.42, 0.08, 0.5),
]


def tilted_judge(folder: Path, **fields: Any) -> Experiment:
    """A judge that leans to idk: without its prior it calls summaries yes."""
    if not (folder / "gold").exists():
        claims, contexts = halls(24)
        write_gold(folder, claims, contexts, split=SPLIT)
    told = {
        "judges": [write_script(folder, TILTED, tilted("", 0.05, 0.15, 0.8)[1])],
        "gold": {"path": "gold", "split": "dev"},
        "readings": ["top", "batch_corrected"],
        "baseline": "literal",
        **fields,
    }
    return declare(folder, **told)

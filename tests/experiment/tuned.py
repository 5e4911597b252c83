"""A judge whose labels hide what its probabilities know, so that a threshold mends it by hand.

It calls every summary idk, with P(yes) 0.45; of what is not in the context P(yes) is 0.10. So any
threshold above 0.10 and up to 0.45 calls summaries yes and credits nothing else.
"""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

from metajudge.experiment import Experiment
from tests.experiment.folder import declare, halls, write_gold, write_script, write_template

SPLIT = {"salt": "s", "dev_share": 0.75}


def reply(label: str, **shares: float) -> dict[str, Any]:
    """A label with its probabilities."""
    return {"text": label, "first_token": {name: log(share) for name, share in shares.items()}}


RIGHT = [
    (r"Claim: Hall \w+ opens at \d\.", reply("yes", yes=0.9, no=0.05, idk=0.05)),
    (r"Claim: Hall \w+ opens at [1-4]\d\.", reply("yes", yes=0.9, no=0.05, idk=0.05)),
    (r"Claim: Hall \w+ opens", reply("no", yes=0.05, no=0.9, idk=0.05)),
]
TIMID = [*RIGHT, (r"Claim: Access", reply("idk", yes=0.45, no=0.05, idk=0.5))]
LOST = reply("idk", yes=0.1, no=0.1, idk=0.8)
THRESHOLD = "top@0.28"
"""The middle of the thresholds, of 0.01 each, that do it."""


def tunable(
    folder: Path, *, n: int = 32, rules: list[tuple[str, Any]] | None = None, **fields: Any
) -> Experiment:
    """An experiment with the baseline `plain` and a sealed test split; nothing is stored yet."""
    claims, contexts = halls(n)
    write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "plain")
    told = {
        "gold": {"path": "gold", "split": "dev"},
        "templates": ["templates/plain.en.yaml"],
        "baseline": "plain",
        "judges": [write_script(folder, TIMID if rules is None else rules, LOST)],
        **fields,
    }
    return declare(folder, **told)


def two_halves(folder: Path) -> Experiment:
    """Two wordings that know the summaries of every other hall each, and together all of them."""
    for name in ("even", "odd"):
        write_template(folder, name, f"{name.upper()} halls:")
    known = reply("yes", yes=0.7, no=0.02, idk=0.28)
    even, odd = r"Claim: Access\D+\d*[02468]\.", r"Claim: Access\D+\d*[13579]\."
    rules = [
        *RIGHT,
        (rf"(?s)EVEN.*{even}|{even}.*EVEN", known),
        (rf"(?s)ODD.*{odd}|{odd}.*ODD", known),
        (r"Claim: Access", reply("idk", yes=0.15, no=0.05, idk=0.8)),
        (r"Claim: Somebody", reply("idk", yes=0.35, no=0.05, idk=0.6)),
    ]
    return tunable(folder, rules=rules, templates=["templates/*.yaml"])

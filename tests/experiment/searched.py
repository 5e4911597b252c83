"""A search small enough to reckon by hand: one text helps, one rule harms, the rest does nothing.

The scripted judge calls summaries idk unless the prompt holds MIND, and credits what is not in the
context wherever it holds MAD.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from metajudge.experiment import Experiment
from tests.experiment.folder import (
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)
from tests.loopback import Answer, ServerCall, chat

SPLIT = {"salt": "s", "dev_share": 0.75}
RULES: list[tuple[str, Any]] = [
    (r"Claim: Hall \w+ opens at \d\.", "yes"),
    (r"Claim: Hall \w+ opens at [1-4]\d\.", "yes"),
    (r"Claim: Hall \w+ opens", "no"),
    (r"(?s)MIND.*Claim: Access|Claim: Access.*MIND", "yes"),
    (r"(?s)MAD.*Claim: Somebody|Claim: Somebody.*MAD", "yes"),
]
SPACE: dict[str, Any] = {
    "bases": ["templates/plain.en.yaml"],
    "definitions": {
        "en": {
            "yes": ["it follows, so MIND that.", "part of it follows."],
            "idk": ["nothing is said of it.", "it is open."],
        }
    },
    "rules": {"en": ["Credit what is MAD.", "Be careful.", "Use no knowledge of your own."]},
}


def served_answer(call: ServerCall) -> Answer:
    """What the scripted judge would say, from a server that gives no log-probabilities."""
    return chat(next((reply for match, reply in RULES if re.search(match, call.prompt)), "idk"))


def searchable(
    folder: Path, *, n: int = 32, rules: list[tuple[str, Any]] | None = None, **fields: Any
) -> Experiment:
    """An experiment with a search of 72 settings, the baseline `plain`, and a sealed test split."""
    claims, contexts = halls(n)
    write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "plain")
    search = {
        "template": SPACE,
        "trials": 18,
        "generation": 6,
        "racing": {"block": 16},
        **fields.pop("search", {}),
    }
    told = {
        "gold": {"path": "gold", "split": "dev"},
        "templates": ["templates/plain.en.yaml"],
        "baseline": "plain",
        **fields,
    }
    if "judges" not in told:
        told["judges"] = [write_script(folder, RULES if rules is None else rules)]
    return declare(folder, search=search, **told)

"""Experiments in the current folder whose selection has a winner, and one that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)

HERE = Path()
SPLIT = {"salt": "s/1", "dev_share": 0.5}


def two_wordings(n: int = 24, **fields: Any) -> None:
    """`mine` calls summaries yes, `literal` calls them idk; half of the halls are sealed."""
    claims, contexts = halls(n)
    write_gold(HERE, claims, contexts, split=SPLIT)
    write_template(HERE, "mine", rule="MIND the gist:")
    told = {
        "judges": [write_script(HERE, CAREFUL)],
        "templates": ["literal", "templates/*.yaml"],
        "gold": {"path": "gold", "split": "dev"},
        "baseline": "literal",
    }
    declare(HERE, **(told | fields))

"""A gold set, a scripted judge with probabilities, and answers, small enough to reckon by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.experiment.folder import halls, write_gold, write_script

SURE = {"text": "yes", "first_token": {"yes": -0.02, "no": -4.6, "idk": -5.3}}
UNSURE = {"text": "yes", "first_token": {"yes": -0.7, "no": -1.2, "idk": -1.6}}
NO = {"text": "no", "first_token": {"yes": -3.0, "no": -0.1, "idk": -3.2}}
RULES = [
    (r"Claim: (?:Hall|甲馆).*(?:opens at \d\.|opens at [1-6]\d\.|九点开放)", SURE),
    (r"Claim: Access", UNSURE),
    (r"Claim: .*mumbles", {"text": "well, hm"}),
]
"""Sure of openings as they are, unsure of summaries, no for all else."""
PASSAGES = ["Hall A opens at 9.", "Hall A lends 20 books."]


def judge(folder: Path, default: Any = None) -> str:
    """The spec of the scripted judge."""
    return write_script(folder, RULES, NO if default is None else default)


def gold(folder: Path, n: int = 40, **manifest: Any) -> Path:
    """Halls with two supported and two unsupported claims each."""
    claims, contexts = halls(n)
    return write_gold(folder, claims, contexts, **manifest)


def answer(answer_id: str, *claims: str, **fields: Any) -> dict[str, Any]:
    """An answer about hall A."""
    return {"answer_id": answer_id, "context": PASSAGES, "claims": list(claims), **fields}

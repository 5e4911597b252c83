"""Evaluated rows with as many units as a test wants."""

from __future__ import annotations

from typing import Any

METRICS = ("context_relevance", "faithfulness", "answer_relevance")
RECALL = ("faithfulness", "context_recall", "answer_correctness")
SCORES = {"low": 0.2, "medium": 0.65, "high": 0.95}


def verdicts(yes: int, n: int, passage: int | None = None) -> list[dict[str, Any]]:
    """`yes` of `n` units supported."""
    return [
        {
            "unit": f"u{i}",
            "label": "yes" if i < yes else "no",
            "failure": None,
            "detail": None,
            "passage": passage if i < yes else None,
        }
        for i in range(n)
    ]


def row(name: str, *, n: int = 200, passages: int = 3, **fields: Any) -> dict[str, Any]:
    """One row; a score is given as a number, a level, or (yes, n)."""
    told: dict[str, Any] = {
        "answer_id": name,
        "question": "When does it open?",
        "answer": "At nine.",
        "context": [f"{name}, passage {i}" for i in range(passages)],
    }
    for key, given in fields.items():
        value = SCORES.get(given, given) if isinstance(given, str) else given
        if isinstance(value, tuple):
            told |= {key: value[0] / value[1], f"{key}_verdicts": verdicts(*value)}
        elif key in (*METRICS, *RECALL, "groundedness") and value is not None:
            told |= {key: value, f"{key}_verdicts": verdicts(round(value * n), n)}
        else:
            told[key] = value
    return told


def many(count: int = 20, **fields: Any) -> list[dict[str, Any]]:
    """Rows of equal scores, each with a context of its own."""
    return [row(f"a{i}", **fields) for i in range(count)]

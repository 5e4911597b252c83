"""Judged matter for benchmarks: invented, every prompt distinct, about as long as in practice."""

from __future__ import annotations

from typing import NamedTuple

PASSAGE = (
    "The waterworks at the northern reservoir feeds three districts through two mains. Its main "
    "pump was replaced in March, and the control cabinet was moved above the flood line at the "
    "same time. Since then the station has run without a fault, apart from a planned stop of two "
    "hours in June, when the filters were rinsed. "
) * 5
ANSWER = (
    "The main pump of the waterworks was replaced in March. The control cabinet now stands above "
    "the flood line. There was one planned stop in June. The station feeds five districts."
)
QUESTION = "What was changed at the waterworks this year?"


class Case(NamedTuple):
    """One answer about one passage of about 1.5 kB."""

    question: str
    answer: str
    passage: str


def case(number: int) -> Case:
    """A case; its number stands in every text, so that no two prompts are alike."""
    mark = f"[case {number}]"
    return Case(f"{QUESTION} {mark}", f"{ANSWER} {mark}", f"{PASSAGE}{mark}")


def prompt(number: int) -> str:
    """One verdict prompt of about 1.7 kB."""
    asked = case(number)
    return (
        f"Context:\n{asked.passage}\n\nClaim: {asked.answer}\n\n"
        "Does the context support the claim? Answer with yes, no or idk, and nothing else."
    )

"""Whether an experiment leaves the test split of its gold set sealed, and what to say if not."""

from __future__ import annotations

from pathlib import Path

from metajudge.counted import counted
from metajudge.errors import Problem
from metajudge.experiment.config import ExperimentConfig
from metajudge.gold.goldset import GoldSet
from metajudge.gold.ledger import LEDGER


def unsealed_note(config: ExperimentConfig, gold: GoldSet) -> str | None:
    """That test claims are judged although no split was named; None where none is.

    Args:
        config: The experiment.
        gold: The claims that it judges.
    """
    if config.gold.split is not None or gold.manifest.split is None:
        return None
    claims = sum(gold.split_of(claim) == "test" for claim in gold.judged().claims)
    if not claims:
        return None
    told = f"No gold.split is named, so the {counted(claims, 'test claims are')} judged too"
    if gold.path is not None:
        told += f", and a sweep's read of their labels is recorded in {LEDGER} of the gold set"
    return f"{told}. Set gold.split to dev to keep them sealed for a confirmation."


def no_split(place: str) -> Problem:
    """A gold set that declares no split.

    Args:
        place: Of the gold set.
    """
    law = "a winner is confirmed on a test split, and this gold set has none"
    mend = f"Make one with `metajudge gold split {place} --write`; then set gold.split to dev."
    return Problem(place, law, mend, field="split")


def not_on_dev(config: ExperimentConfig, path: Path) -> Problem:
    """An experiment that does not choose on the dev split.

    Args:
        config: The experiment.
        path: Its file.
    """
    law = "only a winner chosen on the dev split can be confirmed on the test split"
    mend = "Set gold.split to dev and select again."
    return Problem(str(path), law, mend, field="gold.split", got=repr(config.gold.split))

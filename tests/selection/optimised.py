"""Runs of each optimiser in the small world of `optimising`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from metajudge.judges.judge import Request
from metajudge.runner.store import Store
from metajudge.selection.guardrails import Bounds
from metajudge.selection.optimise.optimiser import Aim, Optimised, Optimiser, optimise
from metajudge.verdicts.verdict import Reply
from tests.selection import optimising as world
from tests.selection.optimising import GOOD, LABELLESS, LAX, Listening

AIM = Aim(bounds=Bounds(over_credit_upper=0.45), resamples=200)


def run(
    folder: Path,
    optimiser: Optimiser,
    proposer: Listening | None = None,
    judge: Listening | None = None,
    **options: Any,
) -> Optimised:
    given = {"gold": world.gold(), "aim": AIM, **options}
    gold = given.pop("gold")
    template = given.pop("template", world.start())
    with Store(folder / "replies.db") as store:
        return optimise(
            template,
            gold,
            judge or world.judge(folder),  # type: ignore[arg-type]
            optimiser=optimiser,
            store=store,
            proposer=proposer,  # type: ignore[arg-type]
            **given,
        )


class Wavering(Listening):
    """A judge that samples: its second draw is lenient with summaries."""

    def __init__(self, judge: Listening) -> None:
        super().__init__(judge)  # type: ignore[arg-type]
        self.identity = {**judge.identity, "temperature": 0.7}

    async def ask(self, request: Request) -> Reply:
        reply = await super().ask(request)
        summary = "overall" in request.messages[-1].content
        return Reply("yes") if summary and request.repeat == 1 else reply


def texts(made: Optimised) -> list[str]:
    return [candidate.instruction for candidate in made.candidates]


def gepa(folder: Path) -> Optimised:
    proposer = world.gepa_proposer(folder, [LABELLESS, LAX, GOOD])
    return run(folder, Optimiser("gepa", rounds=4, minibatch=6), proposer)


def miprov2(folder: Path) -> Optimised:
    proposer = world.mipro_proposer(folder, [LABELLESS, LAX, GOOD])
    return run(folder, Optimiser("miprov2", rounds=3, data_summary=False), proposer)


def simba(folder: Path) -> Optimised:
    proposer = world.simba_proposer(folder, "- A fair summary counts.")
    optimiser = Optimiser("simba", rounds=2, minibatch=8, candidates=2)
    return run(folder, optimiser, proposer, Wavering(world.judge(folder)))


def bootstrap(folder: Path) -> Optimised:
    return run(folder, Optimiser("bootstrap", rounds=2, examples=2))


METHODS: dict[str, Callable[[Path], Optimised]] = {
    "gepa": gepa,
    "miprov2": miprov2,
    "simba": simba,
    "bootstrap": bootstrap,
}

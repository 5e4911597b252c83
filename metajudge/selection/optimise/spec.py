"""What an optimiser may do, and by what its proposals are chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from metajudge.errors import ExperimentError, Problem, broken_rules
from metajudge.selection.guardrails import Bounds
from metajudge.selection.optimise.rows import Costs

MethodName = Literal["gepa", "miprov2", "simba", "bootstrap"]
TOOLS: dict[MethodName, str] = {
    "gepa": "dspy.GEPA",
    "miprov2": "dspy.MIPROv2",
    "simba": "dspy.SIMBA",
    "bootstrap": "dspy.BootstrapFewShot",
}
"""The optimisers of DSPy, by the name of the method."""
WRITES = frozenset({"gepa", "miprov2", "simba"})
"""Methods that write instructions, so that they need a proposing model."""


@dataclass(frozen=True, slots=True)
class Optimiser:
    """One optimiser and how far it goes.

    Attributes:
        method: Which one.
        rounds: Instructions proposed (gepa, miprov2), steps (simba) or sets of examples
            (bootstrap); at least 1.
        examples: Most examples that a proposal shows beside those of the start; 0 for none.
            `gepa` never proposes any.
        minibatch: Claims that gepa and simba look at in a round; fewer where there are fewer.
        candidates: Programs that simba tries in a step.
        threads: Claims asked about at once.
        seed: Where all randomness starts.
        train_share: Share of the claims to learn from; the others choose.
        finalists: Proposals that are measured on all claims that choose, the best ones by the mean
            score of the rows they were asked; None for all.
        feedback_from: Annotators whose notes and evidence are told; () for everybody's.
        data_summary: Whether miprov2 has the proposer sum up the claims first.

    Raises:
        ExperimentError: A value out of range; all of them at once.
    """

    method: MethodName
    rounds: int = 8
    examples: int = 0
    minibatch: int = 8
    candidates: int = 4
    threads: int = 4
    seed: int = 0
    train_share: float = 0.5
    finalists: int | None = None
    feedback_from: tuple[str, ...] = ()
    data_summary: bool = True

    def __post_init__(self) -> None:
        rules = (
            ("method", self.method in TOOLS, f"one of {', '.join(TOOLS)}"),
            ("rounds", self.rounds >= 1, "1 or more"),
            ("examples", self.examples >= 0, "0 or more"),
            ("minibatch", self.minibatch >= 1, "1 or more"),
            ("candidates", self.candidates >= 2, "2 or more"),
            ("threads", self.threads >= 1, "1 or more"),
            ("train_share", 0 < self.train_share < 1, "between 0 and 1"),
            ("finalists", self.finalists is None or self.finalists >= 1, "1 or more"),
        )
        problems = broken_rules("optimiser", self, rules, "Correct the value.")
        if self.method == "bootstrap" and self.examples == 0:
            law = "bootstrap proposes examples and nothing else"
            problems.append(Problem("optimiser", law, "Allow one or more.", field="examples"))
        if problems:
            raise ExperimentError(problems)

    @property
    def tool(self) -> str:
        """The optimiser by its name in DSPy."""
        return TOOLS[self.method]

    @property
    def writes(self) -> bool:
        """Whether it writes instructions."""
        return self.method in WRITES


@dataclass(frozen=True, slots=True)
class Aim:
    """By what proposals are chosen, as an experiment declares it.

    Attributes:
        target: Name of the figure that decides.
        bounds: Guardrails; those that compare hold against the start.
        costs: What errors cost in a row's score, which only leads the optimiser.
        readings: Readings that every proposal is measured under.
        cluster: `answer` or `context`, what is resampled.
        resamples: Of the bootstrap.
        level: Coverage of intervals.
    """

    target: str = "kappa"
    bounds: Bounds = field(default_factory=Bounds)
    costs: Costs = field(default_factory=Costs)
    readings: tuple[str, ...] = ("top",)
    cluster: str = "context"
    resamples: int = 2000
    level: float = 0.95

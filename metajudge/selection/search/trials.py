"""What a study is declared as, what it hands out, and what is known of its trials."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from metajudge.errors import ExperimentError, Problem, short_repr
from metajudge.selection.search.space import SearchSpace, Setting, setting_key

Direction: TypeAlias = Literal["minimize", "maximize"]
SamplerName: TypeAlias = Literal["tpe", "nsga2", "random"]
State: TypeAlias = Literal["running", "told", "undefined", "failed", "duplicate"]

ENDED: tuple[State, ...] = ("told", "undefined", "failed", "duplicate")
UNKNOWN_CONSTRAINT = 1.0
"""What a sampler is told of a guardrail without a figure: not known to be kept is broken."""


class Objective(NamedTuple):
    """A figure that the search improves."""

    name: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class StudySpec:
    """A study as declared.

    Attributes:
        name: Under which it is kept in its storage.
        storage: URL such as `sqlite:///search.db` or `postgresql+psycopg://user@host/base`; None
            keeps it in memory.
        sampler: Who proposes.
        seed: Of every proposal, with the trial's number.
        objectives: At least one.
        space: What may be varied.
        fingerprint: Of everything else that the figures depend on; a study goes on only under the
            same one.
        generation: Settings proposed before what is told of any of them counts, at least 1.
        parts: What the fingerprint is of, plain JSON by name, so that a difference can be named.

    Raises:
        ExperimentError: No objectives or two of one name, a negative seed, no generation.
    """

    name: str
    storage: str | None
    sampler: SamplerName
    seed: int
    objectives: tuple[Objective, ...]
    space: SearchSpace
    fingerprint: str
    generation: int
    parts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where, mend = f"study {self.name!r}", "Correct it in the experiment file."
        names = [objective.name for objective in self.objectives]
        different = 0 < len(names) == len(set(names))
        laws = {
            "objectives": ("has at least one, with different names", names, different),
            "seed": ("is at least 0", self.seed, self.seed >= 0),
            "generation": ("is at least 1", self.generation, self.generation >= 1),
        }
        faults = [
            Problem(where, law, mend, field=field, got=short_repr(got))
            for field, (law, got, kept) in laws.items()
            if not kept
        ]
        if faults:
            raise ExperimentError(faults)

    def declared(self) -> dict[str, Any]:
        """What must stay the same when the study goes on, as plain JSON."""
        return {
            "fingerprint": self.fingerprint,
            "parts": dict(self.parts),
            "sampler": self.sampler,
            "seed": self.seed,
            "generation": self.generation,
            "objectives": {objective.name: objective.direction for objective in self.objectives},
            "space": {
                dimension.name: {
                    "kind": dimension.kind,
                    "values": list(dimension.values() or (dimension.low, dimension.high)),
                    "only_if": {name: list(values) for name, values in dimension.only_if},
                }
                for dimension in self.space.dimensions
            },
        }


class AskedTrial(NamedTuple):
    """A setting to be measured, with the number of its trial."""

    number: int
    setting: Setting


class KnownTrial(NamedTuple):
    """A trial as the study holds it.

    Attributes:
        number: From 0, without gaps.
        setting: Values of the active dimensions.
        state: `running`; `told` with every objective; `undefined` with an objective missing;
            `failed` with an error; `duplicate` of a lower number that another process proposed at
            the same time, never handed out.
        values: By objective, finite or None.
        constraints: By guardrail; above 0 is broken, None is not known.
        facts: Whatever was told beside, plain JSON.
        reason: Why it is not `told`; None where it is.
        owner: The process that took it first.
    """

    number: int
    setting: Setting
    state: State
    values: Mapping[str, float | None]
    constraints: Mapping[str, float | None]
    facts: Mapping[str, Any]
    reason: str | None
    owner: str

    @property
    def feasible(self) -> bool:
        """Every guardrail that was told is known and kept."""
        return all(value is not None and value <= 0 for value in self.constraints.values())


def has_room(before: Sequence[KnownTrial], most: int | None) -> bool:
    """Whether one more trial is among the settings that a study is to have.

    Trials are numbered alike for every process, so that all of them say the same.

    Args:
        before: The trials with lower numbers; equal settings count once.
        most: Settings of the study; None has no end.
    """
    if most is None or len(before) < most:
        return True
    return len({setting_key(trial.setting) for trial in before}) < most


class Outcome(NamedTuple):
    """How a trial ends; what `KnownTrial` says of it."""

    state: State
    values: Mapping[str, float | None]
    constraints: Mapping[str, float | None]
    facts: Mapping[str, Any]
    reason: str | None

    def written(self) -> dict[str, Any]:
        """As plain JSON, a copy.

        Raises:
            TypeError: A fact is not plain JSON.
        """
        written = json.dumps({**self._asdict(), "facts": plain(self.facts)}, allow_nan=False)
        return dict(json.loads(written))


class Importances(NamedTuple):
    """Share of each dimension in how an objective varies over the trials told.

    Attributes:
        shares: By objective and dimension, summing to 1; empty where it cannot be had.
        reasons: By objective, why it cannot be had.
        trials: How many trials they rest on.
        seed: Of the forest that is fitted.
    """

    shares: Mapping[str, Mapping[str, float]]
    reasons: Mapping[str, str]
    trials: int
    seed: int


def finite(value: float | None) -> float | None:
    """A number, or None where it is missing, nan or infinite.

    >>> finite(float("nan")) is finite(None) is None
    True
    """
    return None if value is None or not math.isfinite(value) else float(value)


def plain(value: Any) -> Any:
    """JSON without nan and infinity; each becomes None.

    >>> plain({"a": [1.0, float("nan")]})
    {'a': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

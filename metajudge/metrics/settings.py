"""How rows are evaluated: judge, store, limits, and what serves which metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metajudge.errors import InputError, Problem, short_repr
from metajudge.metrics.computed_metrics import ComputeSettings
from metajudge.release.application import DEFAULT_STORE
from metajudge.release.bundle import Release
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer

_BY_METRIC = {
    "releases": '{"faithfulness": release}',
    "templates": '{"faithfulness": "literal"}',
    "policies": '{"faithfulness": "lenient"}',
}


@dataclass(frozen=True)
class EvaluateSettings:
    """How rows are evaluated.

    Attributes:
        judge: Judge spec of every metric that no release serves; with a release, of that one too.
            None takes the release's judge for all.
        api_base: Server address of that judge.
        temperature: Sampling temperature of that judge; None takes the server's.
        seed: Its seed.
        timeout_s: Longest time of a call, in s.
        releases: Releases by the metric that they serve.
        templates: Wording by metric, in place of the default one: a shipped name or a YAML file.
        policies: Policy by metric, for metrics that take one; `strict` where none is named.
        store: File of the reply store; replies in it are not asked for again.
        recordings: Recordings that are loaded into it first.
        budget: Hard limits over all calls together.
        lease_s: As in `Limits`: processes that share the store do not ask what another one has out.
            None: they may ask for the same call at once.
        observer: Is told how the runs go.
        computed: What metrics without a judge are computed with.
    """

    judge: str | None = None
    api_base: str | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    timeout_s: float = 120.0
    releases: Mapping[str, Release] = field(default_factory=dict)
    templates: Mapping[str, str | Path] = field(default_factory=dict)
    policies: Mapping[str, str] = field(default_factory=dict)
    store: str | Path = DEFAULT_STORE
    recordings: Sequence[str | Path] = ()
    budget: Budget = field(default_factory=Budget)
    lease_s: float | None = None
    observer: Observer | None = None
    computed: ComputeSettings = field(default_factory=ComputeSettings)

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        problems = []
        if self.api_base is not None and self.judge is None:
            law = "api_base is the address of a judge that is named"
            problems.append(Problem("evaluate", law, "Name the judge too.", field="api_base"))
        for name, example in _BY_METRIC.items():
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                law, mend = "it is given by metric", f"Write for instance {example}."
                problems.append(Problem("evaluate", law, mend, field=name, got=short_repr(given)))
        if not isinstance(self.budget, Budget):
            law, mend = "a budget is a Budget", "Write for instance Budget(calls=100)."
            got = short_repr(self.budget)
            problems.append(Problem("evaluate", law, mend, field="budget", got=got))
        if problems:
            raise InputError(problems)

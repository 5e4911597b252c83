"""A search in a simulated space: noisy figures, a planted best, breakers that look best."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from metajudge.selection.search.space import Dimension, SearchSpace, Setting
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import Objective, SamplerName, StudySpec

SPACE = SearchSpace(
    (
        Dimension("wording", choices=("literal", "tolerant", "evidence", "stepwise")),
        Dimension("definition.yes", choices=("base", "loose", "summary")),
        Dimension("rule.0", choices=(False, True)),
        Dimension("rule.1", choices=(False, True)),
        Dimension("answer", choices=("label_only", "reason_first", "label_first")),
        Dimension("examples.n", choices=(0, 2, 4)),
        Dimension("examples.draw", choices=(0, 1, 2), only_if=(("examples.n", (2, 4)),)),
    )
)
"""1,008 settings."""
CLAIMS = 300
LIMIT = 0.10
OBJECTIVES = (Objective("summary_as_idk", "minimize"), Objective("over_credit", "minimize"))


class World:
    """True figures of every setting, drawn by seed; one setting planted clearly ahead."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        dimensions = SPACE.ordered
        self.best = dict(SPACE.draw(self._random, {"examples.n": 2}))
        self._loss = {
            (d.name, value): 0.0
            if value == self.best[d.name]
            else float(self._random.uniform(0.05, 0.12))
            for d in dimensions
            for value in d.values() or ()
        }
        wordings = [w for w in dimensions[0].choices if w != self.best["wording"]]
        self._breaking = {"wording": wordings[self._random.integers(len(wordings))]}

    def breaks(self, setting: Setting) -> bool:
        """One wording passes what it should not, and looks best on the target for it."""
        return setting["wording"] == self._breaking["wording"]

    def truth(self, setting: Setting) -> tuple[float, float]:
        """Summary-as-idk and over-credit."""
        lost = sum(self._loss[name, value] for name, value in setting.items())
        if self.breaks(setting):
            return max(0.01, lost - 0.15), 0.25
        return 0.06 + lost, 0.04

    def measured(self, setting: Setting) -> tuple[float, float, float]:
        """Both on the claims, as shares, and the guardrail: Wilson's upper limit over the bound."""
        idk, over = (self._random.binomial(CLAIMS, share) / CLAIMS for share in self.truth(setting))
        z = 1.96
        centre = (over + z * z / (2 * CLAIMS)) / (1 + z * z / CLAIMS)
        spread = z * np.sqrt(over * (1 - over) / CLAIMS + (z / (2 * CLAIMS)) ** 2)
        return float(idk), float(over), float(centre + spread / (1 + z * z / CLAIMS) - LIMIT)


def searched(seed: int, sampler: SamplerName, trials: int) -> tuple[World, Setting | None]:
    """The world and what the search puts first: least on the target among trials that are safe."""
    world = World(seed)
    study = TemplateStudy.open(
        StudySpec("planted", None, sampler, seed, OBJECTIVES, SPACE, "f00d", 12)
    )
    for asked in itertools.islice(_asked(study), trials):
        idk, over, guard = world.measured(asked.setting)
        values = {"summary_as_idk": idk, "over_credit": over}
        study.tell(asked, values, {"over_credit_upper": guard}, {})
    known = study.trials()
    safe = [known[number] for number in study.front()]
    if not safe:
        return world, None
    return world, min(safe, key=lambda trial: trial.values["summary_as_idk"] or 0.0).setting


def _asked(study: TemplateStudy) -> Iterator:  # type: ignore[type-arg]
    while wave := study.ask(study.spec.generation):
        yield from wave

"""Studies that the tests of the search share: a space with conditions, figures without a judge."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from metajudge.selection.search.space import Dimension, SearchSpace, Setting
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import Objective, SamplerName, StudySpec

SPACE = SearchSpace(
    (
        Dimension("base", choices=("literal", "摘要")),
        Dimension("examples.n", choices=(0, 2, 4)),
        Dimension("examples.draw", choices=(0, 1, 2), only_if=(("examples.n", (2, 4)),)),
        Dimension("rule.0", choices=(False, True)),
        Dimension("rule.1", choices=(False, True)),
        Dimension("threshold", "float", low=0.5, high=0.9, step=0.1),
        Dimension("claims_per_call", "int", low=1, high=4),
    )
)
OBJECTIVES = (Objective("summary_as_idk", "minimize"), Objective("kappa", "maximize"))
SMALL = SearchSpace(
    (
        Dimension("template", choices=("a", "b")),
        Dimension("policy", choices=("strict", "lenient", "partial")),
    )
)


def spec(
    storage: str | None = None,
    *,
    name: str = "study",
    sampler: SamplerName = "tpe",
    seed: int = 7,
    space: SearchSpace = SPACE,
    generation: int = 6,
    objectives: tuple[Objective, ...] = OBJECTIVES,
    fingerprint: str = "f00d",
) -> StudySpec:
    return StudySpec(name, storage, sampler, seed, objectives, space, fingerprint, generation)


def figures(setting: Setting) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Values and constraints of a setting of `SPACE`: no noise; every 7th kind is undefined."""
    idk = 0.4 - 0.2 * bool(setting["rule.0"]) - 0.05 * float(setting["examples.n"])
    draw = float(setting.get("examples.draw", 0))
    kappa = 0.5 + 0.2 * (setting["base"] == "摘要") - 0.05 * draw
    lost = setting["claims_per_call"] == 4 and setting["rule.1"]
    values = {"summary_as_idk": idk, "kappa": None if lost else kappa}
    return values, {"over_credit": 0.7 - float(setting["threshold"])}


def work(study: TemplateStudy, trials: int, die: str = "") -> None:
    """Ask and tell until a number of trials has ended.

    Args:
        study: Open.
        trials: Ended trials to reach.
        die: `ask:N` or `tell:N`: kill -9 of this process after the Nth of them; empty: never.
    """
    counts = {"ask": 0, "tell": 0}

    def passed(what: str) -> None:
        counts[what] += 1
        if die == f"{what}:{counts[what]}":
            os.kill(os.getpid(), 9)

    while sum(trial.state != "running" for trial in study.trials()) < trials:
        wave = []
        while len(wave) < study.spec.generation and (one := study.ask(1)):
            wave += one
            passed("ask")
        for asked in wave:
            values, constraints = figures(asked.setting)
            if asked.number % 11 == 5:
                study.fail(asked, "the judge was down")
            else:
                study.tell(asked, values, constraints, {"claims": 40})
            passed("tell")


def main() -> None:
    """A process: `work URL SAMPLER TRIALS [DIE]`, `drain URL FILE [MOST]`, `hold URL`."""
    what, url, *rest = sys.argv[1:]
    if what == "work":
        sampler, trials, *die = rest
        study = TemplateStudy.open(spec(url, sampler=sampler))  # type: ignore[arg-type]
        work(study, int(trials), *die)
        return
    study = TemplateStudy.open(spec(url))
    if what == "hold":
        print([asked.number for asked in study.ask(3)], flush=True)
        time.sleep(600)
    place, *most = rest
    with Path(place).open("w", encoding="utf-8") as lines:
        for _ in range(6):
            for asked in study.ask(2, *map(int, most)):
                print(json.dumps([asked.number, asked.setting]), file=lines, flush=True)
                time.sleep(0.002)
                study.tell(asked, *figures(asked.setting), {"worker": os.getpid()})


if __name__ == "__main__":
    main()

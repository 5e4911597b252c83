"""What a fit of a cascade is told: who screens and judges, what is promised, what things cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metajudge.errors import InputError, Problem, broken_rules
from metajudge.metrics.cascade.asked import CallSettings
from metajudge.metrics.cascade.cost import Prices
from metajudge.metrics.cascade.cut_offs import Unit
from metajudge.release.bundle import Release


@dataclass(frozen=True)
class FitSettings:
    """What is fitted, and with what.

    Attributes:
        screen: Spec of the screen.
        judge: Spec of the judge; None where a release brings it.
        release: The release that judges; None where a spec is named.
        template: Shipped name or file of the judge's template, where no release brings it.
        screen_template: The same of a screen that is asked.
        miss_rate: To be kept, above 0 and under 1.
        confidence: Of the guarantee, above 0 and under 1.
        unit: What is missed: `claim` or `answer`.
        screen_cuts: Cut-offs of the screen that are tried, stated before gold is looked at; None
            is one that nothing reaches.
        prices: What is known of prices; a token count and a price of replies are filled in.
        usd_per_million: Price of a million tokens, where replies bring no price.
        name: Of the cascade.
        seed: Of the resamples of costs.
        calls: Store, budget, observer.
    """

    screen: str = "baseline:ngram"
    judge: str | None = None
    release: Release | None = None
    template: str = "literal"
    screen_template: str = "literal"
    miss_rate: float = 0.05
    confidence: float = 0.95
    unit: Unit = "claim"
    screen_cuts: tuple[float | None, ...] = (None, 1.0)
    prices: Prices = field(default_factory=Prices)
    usd_per_million: float | None = None
    name: str = "cascade"
    seed: int = 0
    calls: CallSettings = field(default_factory=CallSettings)

    def __post_init__(self) -> None:
        """Refuse what means nothing, all at once."""
        cuts = self.screen_cuts
        rules = (
            ("miss_rate", 0 < self.miss_rate < 1, "above 0 and under 1"),
            ("confidence", 0 < self.confidence < 1, "above 0 and under 1"),
            ("unit", self.unit in ("claim", "answer"), "claim or answer"),
            ("judge", (self.judge is None) != (self.release is None), "named once, as a judge "
             "spec or by a release"),
            ("screen_cuts", bool(cuts) and len(set(cuts)) == len(cuts), "one or several, each "
             "once"),
            ("screen_cuts", all(c is None or 0 <= c <= 1 for c in cuts), "from 0 to 1, or never"),
        )  # fmt: skip
        problems = broken_rules("cascade", self, rules)
        if problems:
            raise InputError(problems)


def changed_cuts(cuts: Sequence[str]) -> tuple[float | None, ...]:
    """Cut-offs as they are typed: numbers, or `never`.

    Raises:
        InputError: One is neither.

    >>> changed_cuts(["never", "0.9"])
    (None, 0.9)
    """
    found: list[float | None] = []
    problems = []
    for text in cuts:
        try:
            found.append(None if text == "never" else float(text))
        except ValueError:
            law = "a cut-off of the screen is a number from 0 to 1, or never"
            problems.append(Problem("command line", law, "Correct it.", None, "--screen-cut", text))
    if problems:
        raise InputError(problems)
    return tuple(found)

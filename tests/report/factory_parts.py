"""Made-up selection, stability, controls, factors, calibration and power for `make_sweep`.

Counts behind shares are whole, intervals hold their values, and everything names trials, claims
and readings of the sweep that it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.report.part import Figure
from metajudge.report.results import Results
from metajudge.report.stability_results import (
    AxisFigures,
    ControlFigures,
    ControlResults,
    FactorCell,
    FactorEffect,
    FactorResults,
    FlippingClaim,
    LevelFigures,
    StabilityResults,
)
from tests.report.factory_figures import UNDEFINED, gap, share
from tests.report.factory_people import calibration, ceiling, power
from tests.report.factory_selection import selection

AXES = {
    "repeats": ("draw 2", "draw 3"),
    "repeats at 0.7": ("draw 2", "draw 3"),
    "passage_order": ("reversed", "rotated"),
    "label_order": ("+1", "+2"),
    "claims_per_call": ("5", "all"),
    "paraphrase": ("1", "2"),
    "typography": ("spaces",),
    "dialect": ("relation",),
}
KINDS = (
    "evidence_removed",
    "contexts_swapped",
    "number_shifted",
    "entity_swapped",
    "negation_added",
    "qualifier_dropped",
    "plausible_addition",
    "world_true",
)


def studied(results: Results, seed: int, text: str = "") -> Results:
    """The results with every part filled in; `text` goes wherever others may write."""
    if not results.trials or not results.claims:
        return results
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(trial.trial for trial in results.trials))[:4]
    return results.model_copy(
        update={
            "guardrails": results.guardrails | {"flip_rate": 0.05},
            "selection": selection(results, rng, text),
            "stability": stability(results, names, rng, text),
            "controls": controls(names, rng, text),
            "factors": factors(names[:2], rng, text),
            "calibration": tuple(
                calibration(results, row) for row in results.verdicts if row.probabilities
            ),
            "power": power(results, text),
            "ceiling": ceiling(results, text),
        }
    )


def stability(
    results: Results, names: Sequence[str], rng: np.random.Generator, text: str = ""
) -> StabilityResults:
    """Four trials, eight axes; the last trial cannot have two of them."""
    n = min(60, len(results.claims))
    axes = [
        axis_figures(name, axis, levels, n, rng, lacks=place == 3 and axis == "paraphrase")
        for place, name in enumerate(names)
        for axis, levels in AXES.items()
        if not (place == 3 and axis == "dialect")
    ]
    verdicts = {row.trial: row for row in reversed(results.verdicts)}
    return StabilityResults(
        claims=n,
        answers=max(1, n // 4),
        contexts=max(1, n // 5),
        trials=tuple(names),
        axes=tuple(axes),
        shares={name: _shares(rng) if place != 1 else {} for place, name in enumerate(names)},
        template_tau=dict.fromkeys(AXES, 0.67) | {"repeats": 1.0, "typography": None},
        flip_rates={a.trial: a.flip_rate for a in axes if a.axis == "repeats"},
        most_flipping=tuple(
            FlippingClaim(
                claim_id=results.claims[i * 7 % n].claim_id,
                trial=names[i % len(names)],
                verdict=verdicts[names[i % len(names)]].verdicts[i * 7 % n],
                gold=results.claims[i * 7 % n].gold,
                flips=9 - i,
                of=13,
                axes=("label_order", "repeats at 0.7", "paraphrase")[: 1 + i % 3],
            )
            for i in range(min(6, n))
        ),
        notes=("Axes are moved one at a time." + text,),
    )


def axis_figures(
    trial: str,
    axis: str,
    levels: Sequence[str],
    n: int,
    rng: np.random.Generator,
    *,
    lacks: bool = False,
) -> AxisFigures:
    """One trial on one axis; label order moves most and repeats least."""
    usual = {"repeats": 0.0, "repeats at 0.7": 0.09, "label_order": 0.22, "dialect": 0.16}
    rate = usual.get(axis, 0.06) + 0.04 * float(rng.random())
    reference = LevelFigures(
        level="draw 1" if axis.startswith("repeats") else "unperturbed",
        summary_as_idk=share(0.4, 25),
        over_credit=share(0.1, max(1, n // 2)),
        kappa=gap(0.5, 0.12, n),
        flips={},
    )
    return AxisFigures(
        trial=trial,
        axis=axis,
        n=n,
        runs=3 if axis.startswith("repeats") else 1 + len(levels),
        flip_rate=share(rate, n),
        fleiss=UNDEFINED if lacks else gap(1 - 1.9 * rate, 0.09, n),
        levels=tuple(
            LevelFigures(
                level=level,
                summary_as_idk=share(0.1 + 0.5 * float(rng.random()), 25),
                over_credit=share(0.2 * float(rng.random()), max(1, n // 2)),
                kappa=gap(0.4 + 0.3 * float(rng.random()), 0.12, n),
                flips={"yes->idk": round(rate * n / 2), "idk->yes": 2, "no->failure": 1},
                compared=n,
                differences={
                    "summary_as_idk": gap(0.08, 0.1, 25),
                    "over_credit": gap(-0.02, 0.05, n // 2),
                    "kappa": UNDEFINED,
                },
            )
            for level in levels
        ),
        reference=None if axis == "typography" else reference,
        score_sd={"strict": rate / 2, "lenient": rate / 5, "expected": None},
        score_icc={"strict": 1 - rate, "lenient": None, "expected": None},
        answer_tau={"strict": 1 - 1.2 * rate, "lenient": 0.9, "expected": None},
        not_had=("2: its template has no shipped paraphrase",) if lacks else (),
    )


def _shares(rng: np.random.Generator) -> dict[str, float]:
    moved = [axis for axis in AXES if axis != "repeats at 0.7"]
    parts = rng.dirichlet([0.4 if axis == "repeats" else 2.0 for axis in moved])
    return {axis: round(float(part), 6) for axis, part in zip(moved, parts, strict=True)}


def controls(names: Sequence[str], rng: np.random.Generator, text: str = "") -> ControlResults:
    """Every kind on every trial; the last trial does not read."""
    rows = []
    for place, name in enumerate(names):
        blind = place == len(names) - 1 and len(names) > 1
        for kind in KINDS:
            n = 4 if kind == "qualifier_dropped" else 24
            before = 0.97 if blind else 0.75 + 0.1 * float(rng.random())
            wrong = 0.96 if blind else 0.5 * float(rng.random())
            unpaired = kind == "world_true"
            rows.append(
                ControlFigures(
                    trial=name,
                    kind=kind,
                    n=n,
                    yes_before=share(0, 0, "made from no claim") if unpaired else share(before, n),
                    wrong=share(wrong, n),
                    drop=Figure(value=None, n=0, reason="no probe has a verdict before")
                    if unpaired
                    else gap(before - wrong, 0.14, n),
                )
            )
    why = "yes to 97 % of claims before their evidence was removed and to 96 % after" + text
    return ControlResults(
        probes={kind: 4 if kind == "qualifier_dropped" else 24 for kind in KINDS},
        rows=tuple(rows),
        insensitive=dict.fromkeys(names) | ({names[-1]: why} if len(names) > 1 else {}),
        causes=dict.fromkeys(names) | ({names[-1]: "always_yes"} if len(names) > 1 else {}),
        pooled_drop={name: gap(0.5 if name != names[-1] else 0.01, 0.1, 48) for name in names},
        notes=("No number to shift in 12 claims." + text,),
    )


def factors(names: Sequence[str], rng: np.random.Generator, text: str = "") -> FactorResults:
    """Wording x raw, truths(12), chunks(any) x 1, 5 claims a call; one share is undefined."""
    cells = []
    for i, name in enumerate(names):
        for j, form in enumerate(("raw", "truths(12)", "chunks(any)")):
            for k, size in enumerate((1, 5)):
                idk = 0.55 - 0.3 * i + 0.12 * j + 0.05 * k * (j + 1) + 0.02 * float(rng.random())
                over = 0.06 + 0.08 * i + 0.02 * j + 0.03 * k + 0.02 * float(rng.random())
                lacks = (i, j, k) == (1, 2, 1)
                cells.append(
                    FactorCell(
                        template=name,
                        context_form=form,
                        claims_per_call=size,
                        n=48,
                        summary_as_idk=share(0, 0, "no gold-yes summary")
                        if lacks
                        else share(idk, 20),
                        over_credit=share(over, 28),
                    )
                )
    effects = [
        ("template: second - first" + text, 1, -0.31, 0.12),
        ("context_form: truths(12) - raw", 1, 0.12, 0.10),
        ("claims_per_call: 5 - 1", 1, 0.06, 0.09),
        ("(context_form: truths(12) - raw) x (claims_per_call: 5 - 1)", 2, 0.07, 0.15),
    ]
    return FactorResults(
        cells=tuple(cells),
        effects=tuple(
            FactorEffect(
                effect=name, order=order, figure=figure, difference=gap(sign * value, half, 40)
            )
            for figure, sign in (("summary_as_idk", 1.0), ("over_credit", -0.4))
            for name, order, value, half in effects
        ),
        notes=("Truths are drawn by the judge itself." + text,),
    )

"""Made-up selection, stability, controls, factors, calibration and power for `make_sweep`.

Counts behind shares are whole, intervals hold their values, and everything names trials, claims
and readings of the sweep that it belongs to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from metajudge.report.ceiling_results import (
    BesidePeople,
    CandidateCeiling,
    CeilingResults,
    PeopleFigures,
    SoftLabelFigures,
    StandIn,
)
from metajudge.report.part import Figure
from metajudge.report.results import RankRow, Results, TrialFigures, TrialVerdicts
from metajudge.report.selection_results import (
    CalibrationFigures,
    ComparisonFigures,
    Confirmation,
    CoveragePoint,
    DetectableFigures,
    FrontPoint,
    LabelsNeeded,
    OptimismFigures,
    PowerResults,
    ReliabilityBin,
    SelectionResults,
)
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


def share(value: float, n: int, reason: str = "no claim") -> Figure:
    """A share of n claims with a plain interval."""
    if n == 0:
        return Figure(value=None, n=0, reason=reason)
    value = round(value * n) / n
    half = 1.96 * math.sqrt(max(value * (1 - value), 0.25 / n) / n)
    return Figure(
        value=round(value, 6),
        low=round(max(0.0, value - half), 6),
        high=round(min(1.0, value + half), 6),
        n=n,
        clusters=max(1, n // 3),
    )


def gap(value: float, half: float, n: int) -> Figure:
    """A difference with an interval of the given half width."""
    return Figure(
        value=round(value, 6),
        low=round(max(-1.0, value - half), 6),
        high=round(min(1.0, value + half), 6),
        n=n,
        clusters=max(1, n // 3),
    )


UNDEFINED = Figure(value=None, n=0, reason="fewer than two runs have a verdict")


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


def selection(results: Results, rng: np.random.Generator, text: str = "") -> SelectionResults:
    """Front, comparisons with the baseline, optimism and a confirmation where there is a winner."""
    trials = {(t.trial, t.reading): t for t in results.trials}
    names = list(dict.fromkeys(trial.trial for trial in results.trials))
    tokens = {name: round(300 + 900 * float(rng.random()), 1) for name in names}
    points = [
        _point(row, trials[row.trial, row.reading], tokens[row.trial]) for row in results.ranking
    ]
    front = tuple(
        point.model_copy(update={"on_front": not any(_beats(other, point) for other in points)})
        for point in points
    )
    first = results.ranking[0]
    won = results.decision.winner is not None
    value = first.target.value
    shares = {
        f"{row.trial} ({row.reading})": part
        for row, part in zip(results.ranking, (0.61, 0.22, 0.08, 0.02), strict=False)
    }
    return SelectionResults(
        front=front,
        comparisons=_comparisons(results, trials),
        optimism=OptimismFigures(
            apparent=value if won else None,
            corrected=None if value is None or not won else round(value + 0.04, 6),
            optimism=0.04 if won and value is not None else None,
            win_shares=shares,
            no_winner_share=0.07,
            resamples=500,
            reason=None if won else "no safe winner",
        ),
        confirmation=_confirmation(results, first, trials[first.trial, first.reading], text)
        if won and results.baseline
        else None,
        test_reads=2,
        notes=("Flip rates stay as found on every resample." + text,),
    )


def _point(row: RankRow, trial: TrialFigures, tokens: float) -> FrontPoint:
    return FrontPoint(
        trial=row.trial,
        reading=row.reading,
        summary_as_idk=trial.figures["summary_as_idk"].value,
        over_credit=trial.figures["over_credit"].value,
        tokens_per_claim=None if "ragas" in row.trial else tokens,
        safe=row.safe,
        on_front=False,
    )


def _beats(other: FrontPoint, point: FrontPoint) -> bool:
    axes = ("summary_as_idk", "over_credit", "tokens_per_claim")
    pairs = [
        (9e9 if a is None else a, 9e9 if b is None else b)
        for a, b in ((getattr(other, axis), getattr(point, axis)) for axis in axes)
    ]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _comparisons(
    results: Results, trials: dict[tuple[str, str], TrialFigures]
) -> tuple[ComparisonFigures, ...]:
    base = trials.get((results.baseline or "", results.trials[0].reading))
    if base is None:
        return ()
    rows = []
    for place, trial in enumerate(results.trials):
        if (trial.trial, trial.reading) == (base.trial, base.reading):
            continue
        gaps = {}
        for name in ("summary_as_idk", "over_credit", "kappa"):
            now, was = trial.figures[name].value, base.figures[name].value
            gaps[name] = (
                Figure(value=None, n=0, reason="a share is undefined")
                if now is None or was is None
                else gap(now - was, 0.11, trial.figures[name].n)
            )
        p = min(1.0, 0.0004 * 3**place)
        rows.append(
            ComparisonFigures(
                trial=trial.trial,
                reading=trial.reading,
                differences=gaps,
                swap_p={"summary_as_idk": p, "over_credit": min(1.0, p * 9), "kappa": None},
                better=20 - place % 12,
                worse=4 + place % 9,
                mcnemar_p=None if place == 2 else p,
                bhapkar_p=None if place == 3 else min(1.0, p * 1.4),
                holm_p=None if place == 2 else min(1.0, p * 5),
                fdr_q=None if place == 2 else min(1.0, p * 2),
            )
        )
    return tuple(rows)


def _confirmation(results: Results, first: RankRow, trial: TrialFigures, text: str) -> Confirmation:
    figures = {
        name: trial.figures[name] for name in ("summary_as_idk", "over_credit", "kappa", "coverage")
    }
    figures["summary_as_idk"] = share(0.2, 20)
    base = figures | {"summary_as_idk": share(0.6, 20), "over_credit": share(0.05, 40)}
    return Confirmation(
        trial=first.trial,
        reading=first.reading,
        baseline=results.baseline or "",
        claims=84,
        contexts=17,
        winner=figures,
        baseline_figures=base,
        differences={
            "summary_as_idk": gap(-0.4, 0.2, 20),
            "over_credit": gap(0.01, 0.04, 40),
            "kappa": gap(0.12, 0.1, 84),
        },
        broken=(),
        holds=True,
        reads=2,
        sentence="Confirmed on the test split: summary-as-idk falls by 0.40." + text,
        sentence_zh="在 test 划分上得到确认：概括判 idk 下降 0.40。" + text,
    )


def calibration(results: Results, row: TrialVerdicts) -> CalibrationFigures:
    """Bins and the coverage curve counted from the row's own probabilities."""
    sure = [
        (max(triple), verdict == claim.gold, verdict == "yes" and claim.gold not in ("yes",))
        for triple, verdict, claim in zip(
            row.probabilities, row.verdicts, results.claims, strict=True
        )
        if triple is not None
    ]
    bins = []
    for step in range(10):
        low, high = step / 10, (step + 1) / 10
        held = [(p, right) for p, right, _ in sure if low < p <= high]
        bins.append(
            ReliabilityBin(
                low=low,
                high=high,
                n=len(held),
                confidence=float(np.mean([p for p, _ in held])) if held else None,
                right=float(np.mean([right for _, right in held])) if held else None,
            )
        )
    n = len(sure)
    ece = sum(
        b.n * abs(b.confidence - b.right)
        for b in bins
        if b.confidence is not None and b.right is not None
    ) / max(n, 1)
    return CalibrationFigures(
        trial=row.trial,
        reading=row.reading,
        n=n,
        ece=share(ece, n),
        brier=share(0.18, n),
        brier_parts={"reliability": 0.02, "resolution": 0.07, "uncertainty": 0.23, "within": None},
        bins=tuple(bins),
        temperature=1.7,
        ece_after={"temperature": share(ece / 2, n), "isotonic": share(ece / 3, n)},
        yes_threshold=0.62,
        at_threshold={
            "summary_as_idk": share(0.2, 25),
            "over_credit": share(0.05, 80),
            "summary_as_idk_cross_fitted": share(0.24, 25),
            "over_credit_cross_fitted": share(0.08, 80),
        },
        aurc=0.214,
        abstention=tuple(
            CoveragePoint(
                threshold=threshold,
                coverage=len(kept) / max(n, 1),
                error=float(np.mean([not right for _, right, _ in kept])) if kept else None,
                over_credit=float(np.mean([over for _, _, over in kept])) if kept else None,
            )
            for threshold in np.linspace(0, 1, 21).tolist()
            for kept in [[entry for entry in sure if entry[0] >= threshold]]
        ),
    )


def power(results: Results, text: str = "") -> PowerResults:
    """Two figures that can be seen, one that cannot; labels by slice."""
    found = (("summary_as_idk", 0.16), ("over_credit", 0.07), ("kappa", None))
    slices = Counter(claim.slice for claim in results.claims if claim.slice)
    first = results.ranking[0]
    return PowerResults(
        trial=first.trial,
        reading=first.reading,
        detectable=tuple(
            DetectableFigures(
                figure=name,
                power=0.8,
                difference=difference,
                clusters=34,
                claims=len(results.claims),
                reason=None
                if difference
                else "even mending every wrong verdict is seen in 61 % of worlds, under 80 %"
                + text,
                curve=tuple(
                    (round(d, 3), round(1 - math.exp(-((d / (difference or 0.3)) ** 2) * 1.61), 3))
                    for d in np.linspace(0.01, 0.3, 8).tolist()
                ),
            )
            for name, difference in found
        ),
        needed=tuple(
            LabelsNeeded(
                figure=figure,
                slice=name,
                difference=0.05,
                have=have,
                need=None if place == 2 else have * (3 + place),
                reason="4,096 clusters are not enough; more were not tried" + text
                if place == 2
                else None,
            )
            for figure in ("summary_as_idk", "over_credit")
            for place, (name, have) in enumerate(
                [("all", len(results.claims)), *sorted(slices.items())[:4]]
            )
        ),
        worlds=200,
        churn=0.02,
    )


def ceiling(results: Results, text: str = "") -> CeilingResults:
    """Three annotators; the second row's reading has no probabilities and cannot be tested."""
    people = ("ann", "bo", "chen" + text)
    n = len(results.claims)
    labels = {label: 3 * k for label, k in results.gold.labels.items()}
    return CeilingResults(
        labels_from="people",
        cluster=results.cluster,
        claims=max(1, n // 2),
        claims_asked=n,
        annotators=dict.fromkeys(people, max(1, n // 2)),
        labels=labels,
        rare_labels=tuple(labels)[-1:],
        least_shared=10,
        people=PeopleFigures(
            agreement=share(0.84, n),
            kappa=gap(0.74, 0.08, n),
            alpha=gap(0.73, 0.09, n),
            pairs=3,
            pairs_left_out=1,
        ),
        candidates=tuple(
            CandidateCeiling(
                trial=row.trial,
                reading=row.reading,
                agreement=share(0.7, n),
                kappa=_beside(0.55, n),
                alpha=_beside(0.53, n),
                by_annotator={who: gap(0.5 + 0.03 * k, 0.1, n) for k, who in enumerate(people)},
                stand_in=_stand_in(place, people, text),
                soft=None
                if place == 1
                else SoftLabelFigures(
                    cross_entropy=share(0.71, n),
                    jensen_shannon=share(0.12, n),
                    least=0.31,
                    constant=1.02,
                    floored=2,
                ),
            )
            for place, row in enumerate(results.ranking)
        ),
        epsilon=0.2,
        false_discovery_rate=0.05,
        participants=people,
        least_claims=30,
        probability_floor=0.001,
    )


def _beside(judge: float, n: int) -> BesidePeople:
    return BesidePeople(
        judge=gap(judge, 0.1, n), people=0.74, difference=gap(judge - 0.74, 0.1, n), ratio=0.74
    )


def _stand_in(place: int, people: Sequence[str], text: str) -> StandIn:
    known = place != 1
    return StandIn(
        winning_rate=0.67 if known else None,
        advantage=0.81 if known else None,
        passed=place % 2 == 0 if known else None,
        advantages=dict.fromkeys(people, 0.81) if known else {},
        p_values=dict.fromkeys(people, 0.03) if known else {},
        reason=None if known else "only 2 annotators share 30 claims" + text,
    )

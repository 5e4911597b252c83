from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment.stability_part import (
    control_results,
    factor_results,
    stability_results,
)
from metajudge.report.stability_results import ControlResults, FactorResults, StabilityResults
from metajudge.scoring.policies import parse_policy
from metajudge.selection import claim_columns
from metajudge.selection.factors import Combination, FactorRuns, measure_factors
from metajudge.selection.sensitivity import ControlRuns, measure_controls
from metajudge.selection.stability import AxisRuns, Resampling
from tests.selection.worlds import claims

GOLD = ["yes", "yes", "yes", "no", "idk", "idk"]
SLICES = ["summary", "summary", "literal", "contradiction", "outside_true", "off_context"]
ANSWERS = ["a", "a", "b", "b", "c", "c"]
LETTERS = {"y": 0, "n": 1, "i": 2, "f": 3}


def coded(word: str) -> Any:
    return np.asarray([LETTERS[letter] for letter in word], np.int64)


def axis(name: str, base: str, *runs: str, trial: str = "t", **more: Any) -> AxisRuns:
    return AxisRuns(
        trial,
        name,
        tuple(f"level {i}" for i in range(len(runs))),
        coded(base),
        np.stack([coded(run) for run in runs]),
        np.ones((len(runs), len(base)), np.bool_),
        more.get("compared_with", "trial"),
    )


def weights(groups: int) -> Any:
    return cluster_weights(groups, 200, np.random.default_rng(4))


def stability(*axes: AxisRuns, **more: Any) -> StabilityResults:
    rows = claims(GOLD, slices=SLICES, answers=ANSWERS)
    columns = claim_columns(rows, 1, binary=False)
    policies = [parse_policy(name) for name in ("strict", "expected")]
    return stability_results(
        axes, rows, columns, Resampling(weights(3), "answer"), policies=policies, **more
    )


def plain(part: Any) -> str:
    """The part as it stands in the file, which must be JSON without nan."""
    text = part.model_dump_json()
    json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
    return str(text)


def test_stability_as_it_stands_in_the_file() -> None:
    found = stability(
        axis("repeats", "yyynii", "yyynii", "yiynii", compared_with="each_other"),
        axis("passage_order", "yyynii", "iyyniy"),
        not_had={("t", "passage_order"): ("rotated: one passage",)},
    )
    assert (found.claims, found.answers, found.contexts) == (6, 3, 3)
    assert found.trials == ("t",)
    repeats, order = found.axes
    assert (repeats.runs, order.runs, order.n) == (3, 2, 6)
    assert repeats.flip_rate.value == 0.111111
    assert found.flip_rates == {"t": repeats.flip_rate}
    assert order.flip_rate.value == 0.333333
    assert order.flip_rate.method == "Wilson, effective n"
    assert order.not_had == ("rotated: one passage",) and repeats.not_had == ()
    level = order.levels[0]
    assert (level.level, level.flips, level.compared) == (
        "level 0",
        {"yes->idk": 1, "idk->yes": 1},
        6,
    )
    assert (level.summary_as_idk.value, level.over_credit.value) == (0.5, 0.333333)
    assert level.differences["over_credit"].value == 0.333333
    assert order.reference is not None and order.reference.level == "unperturbed"
    assert order.reference.kappa.value == 1
    assert order.score_sd["strict"] is not None and order.score_sd["expected"] is None
    assert set(order.answer_tau) == set(order.score_icc) == {"strict", "expected"}
    assert math.isclose(sum(found.shares["t"].values()), 1, abs_tol=1e-5)
    assert found.template_tau == {"repeats": None, "passage_order": None}
    assert [(row.claim_id, row.verdict, row.gold, row.flips, row.of, row.axes)
            for row in found.most_flipping] == [
        ("c0", "yes", "yes", 1, 3, ("passage_order",)),
        ("c1", "yes", "yes", 1, 3, ("repeats",)),
        ("c5", "idk", "idk", 1, 3, ("passage_order",)),
    ]  # fmt: skip
    assert found.notes == ("expected: no score under perturbations, since labels are compared.",)
    assert StabilityResults.model_validate_json(plain(found)) == found


def test_a_trial_that_was_not_repeated_has_a_note_and_no_flip_rate() -> None:
    found = stability(axis("layout", "yyynii", "yyynii", trial="u"))
    assert found.flip_rates == {} and found.shares == {"u": {}}
    assert found.notes[0] == "Not repeated: u. Other axes keep the noise of their draws."
    plain(found)


def test_controls_as_they_stand_in_the_file() -> None:
    place = np.arange(20)
    yes, idk = np.zeros(20, np.int64), np.full(20, 2)
    runs = [
        ControlRuns("reads", "evidence_removed", yes, idk, place),
        ControlRuns("reads", "contexts_swapped", yes, yes, place),
        ControlRuns("reads", "world_true", np.full(20, -1), yes, place),
        ControlRuns("blind", "evidence_removed", yes, yes, place),
    ]
    found = control_results(measure_controls(runs, weights(20)), ["2 claims have no probe."])
    assert found.probes == {"evidence_removed": 20, "contexts_swapped": 20, "world_true": 20}
    assert found.insensitive["reads"] is None
    assert found.insensitive["blind"] is not None and "20 of 20" in found.insensitive["blind"]
    assert found.causes == {"reads": None, "blind": "always_yes"}
    assert found.pooled_drop["reads"].value == 0.5
    trap = found.rows[2]
    assert (trap.wrong.value, trap.drop.value) == (1, None)
    assert trap.drop.reason == "no probe has a verdict before"
    assert found.notes == (
        "2 claims have no probe.",
        "reads is seen to read, but not on contexts_swapped by itself: its drop may be 0.",
    )
    assert ControlResults.model_validate_json(plain(found)) == found


def test_factors_as_they_stand_in_the_file() -> None:
    columns = claim_columns(claims(GOLD, slices=SLICES, answers=ANSWERS), 1, binary=False)
    runs = [
        FactorRuns(Combination("t", "raw", 1), coded("yyynii")),
        FactorRuns(Combination("t", "truths(12)", 1), coded("iyyniy")),
        FactorRuns(Combination("t", "raw", 5), coded("iiynii")),
        FactorRuns(Combination("u", "chunks(any)", 5), coded("yyynii")),
    ]
    found = factor_results(measure_factors(runs, columns, weights(3), "answer"))
    assert [(c.template, c.context_form, c.claims_per_call) for c in found.cells] == [
        tuple(run.cell) for run in runs
    ]
    assert found.cells[1].over_credit.value == 0.333333
    rows = {(e.effect, e.figure): e for e in found.effects}
    truths = rows["context_form: truths(12) - raw", "summary_as_idk"]
    assert (truths.order, truths.cells, truths.difference.value) == (1, 2, 0.5)
    wording = rows["template: u - t", "over_credit"]
    assert wording.difference.value is None
    assert wording.difference.reason == "no cells differ in these levels alone"
    assert {e.order for e in found.effects} == {1, 2}
    assert FactorResults.model_validate_json(plain(found)) == found

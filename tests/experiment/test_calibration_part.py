from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import softmax

from metajudge.experiment.calibration_part import calibration_figures
from metajudge.report.selection_results import CalibrationFigures
from metajudge.selection import CandidateKey
from metajudge.selection.calibration import NO_PROBABILITIES
from metajudge.verdicts.probability import prior_corrected
from tests.selection.worlds import world

WORDS = ("yes", "no", "idk")


@pytest.fixture
def measurer():
    """A trial with a prior towards yes under two readings, and one without probabilities."""
    rng = np.random.default_rng(3)
    fair = softmax(rng.normal(0, 1.5, (200, 3)), axis=1)
    gold = (rng.random(200)[:, None] > fair.cumsum(1)).sum(1).clip(max=2)
    tilted = fair * [6.0, 1.0, 1.0]
    tilted /= tilted.sum(1, keepdims=True)
    tilted[:8] = np.nan
    corrected = prior_corrected(tilted, np.nanmean(tilted, axis=0))
    shares = {"t/top": tilted, "t/batch_corrected": corrected}
    verdicts = {
        name: [WORDS[c] for c in np.nan_to_num(rows).argmax(1)] for name, rows in shares.items()
    }
    verdicts["t/batch_corrected"][:8] = ["failure"] * 8
    verdicts["plain"] = [WORDS[g] for g in gold]
    return world([WORDS[g] for g in gold], verdicts, probabilities=shares)


def test_every_key_has_a_row_in_the_order_wanted(measurer):
    keys = measurer.candidates.keys
    found = calibration_figures(measurer, keys[::-1], 0.2)
    assert [(row.trial, row.reading) for row in found] == [tuple(key) for key in keys[::-1]]
    plain = found[0]
    assert plain.reason == plain.ece.reason == NO_PROBABILITIES
    assert (plain.n, plain.ece.value, plain.bins, plain.abstention) == (0, None, (), ())
    assert set(plain.brier_parts.values()) == {None}


def test_readings_are_compared_on_the_same_replies(measurer):
    top, batch = calibration_figures(measurer, measurer.candidates.keys[:2], 0.2)
    assert top.n == batch.n == 192
    assert batch.brier.value < top.brier.value
    assert batch.ece.value < top.ece.value


def test_figures_are_finite_and_survive_a_file(measurer):
    for row in calibration_figures(measurer, measurer.candidates.keys, 0.2):
        text = row.model_dump_json()
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the file"))
        assert CalibrationFigures.model_validate_json(text) == row


def test_bins_and_points_add_up(measurer):
    row = calibration_figures(measurer, measurer.candidates.keys[:1], 0.2)[0]
    assert sum(bar.n for bar in row.bins) == row.n
    assert [bar.low for bar in row.bins] == pytest.approx([i / 10 for i in range(10)])
    assert all((bar.confidence is None) == (bar.n == 0) for bar in row.bins)
    ece = sum(bar.n * abs(bar.confidence - bar.right) for bar in row.bins if bar.n) / row.n
    assert row.ece.value == pytest.approx(ece, abs=1e-5)
    assert row.abstention[0].coverage == 1.0
    assert set(row.ece_after) == {"temperature", "isotonic"}
    assert row.at_threshold["over_credit"].high <= 0.2 + 1e-9


def test_an_unknown_key_is_not_a_row(measurer):
    with pytest.raises(ValueError, match="not in tuple"):
        calibration_figures(measurer, [CandidateKey("other", "top")], 0.2)

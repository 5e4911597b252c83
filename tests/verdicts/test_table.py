"""The verdict table and the readings of it."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.verdicts.table import (
    FAILURE_CODE,
    VerdictRow,
    VerdictTable,
    corrected_probabilities,
    label_codes,
)
from metajudge.verdicts.verdict import FAILURES, LabelProbabilities, Verdict

SURE = LabelProbabilities(0.6, 0.2, 0.2)


def table() -> VerdictTable:
    return VerdictTable.from_rows(
        [
            VerdictRow(0, 0, Verdict("yes", probabilities=SURE, label_mass=0.9)),
            VerdictRow(1, 0, Verdict("no")),
            VerdictRow(2, 0, Verdict(None, "truncated", "cut")),
            VerdictRow(0, 1, Verdict("idk", probabilities=SURE, repaired=True)),
            VerdictRow(1, 1, Verdict(None, "label_not_offered", probabilities=SURE)),
        ]
    )


def test_columns() -> None:
    held = table()
    assert held.top_labels().tolist() == [0, 1, 3, 2, 3]
    assert [FAILURES[f] for f in held.failure if f >= 0] == ["truncated", "label_not_offered"]
    assert held.failure_counts() == {"truncated": 1, "label_not_offered": 1}
    assert held.coverage() == pytest.approx(0.6)
    assert held.repaired_share() == pytest.approx(0.2)
    assert np.isnan(held.probabilities[1]).all()
    np.testing.assert_allclose(held.label_mass[[0]], [0.9], rtol=1e-6)


def test_g10_at_most_64_bytes_a_verdict() -> None:
    held = VerdictTable.from_rows((i, 0, Verdict("yes")) for i in range(10_000))
    assert held.nbytes <= 64 * len(held)


def test_grid_by_claim_and_draw() -> None:
    held = table()
    assert held.grid(held.top_labels(), 3, 2).tolist() == [[0, 2], [1, 3], [3, 3]]


def test_top_reading() -> None:
    read = label_codes(table(), "top")
    assert (read.codes.tolist(), read.unavailable, read.n_without) == ([0, 1, 3, 2, 3], None, 0)


def test_prior_corrected_reading_keeps_failures_and_counts_what_has_no_probabilities() -> None:
    read = label_codes(table(), "prior_corrected", [0.8, 0.05, 0.15])
    assert read.codes.tolist() == [1, FAILURE_CODE, FAILURE_CODE, 1, FAILURE_CODE]
    assert (read.unavailable, read.n_without) == (None, 1)


def test_prior_corrected_reading_can_be_unavailable() -> None:
    assert "prior" in (label_codes(table(), "prior_corrected").unavailable or "")
    bare = VerdictTable.from_rows([(0, 0, Verdict("yes"))])
    read = label_codes(bare, "prior_corrected", [1, 1, 1])
    assert "probabilities" in (read.unavailable or "")
    assert (read.codes.tolist(), read.n_without) == ([3], 1)


def test_the_prior_is_the_mean_of_content_free_rows() -> None:
    mean = table().mean_probabilities()
    assert mean is not None
    np.testing.assert_allclose(mean, SURE, rtol=1e-6)
    assert VerdictTable.from_rows([(0, 0, Verdict("yes"))]).mean_probabilities() is None


def test_corrected_probabilities_have_a_row_for_every_verdict() -> None:
    rows = corrected_probabilities(table(), [1, 1, 1])
    assert rows.shape == (5, 3)
    assert np.isnan(rows[1]).all()


def test_empty_table() -> None:
    held = VerdictTable.from_rows([])
    assert (len(held), held.coverage(), held.repaired_share()) == (0, None, None)
    assert held.failure_counts() == {}
    assert held.mean_probabilities() is None
    assert label_codes(held, "top").codes.shape == (0,)
    assert held.probabilities.shape == (0, 3)

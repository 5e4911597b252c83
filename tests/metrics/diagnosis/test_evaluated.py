"""Means of evaluated rows: what `evaluate` said of them is what `diagnose` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.metrics.diagnosis.diagnose import diagnose
from tests.metrics.judging import evaluated, script


def test_a_mean_has_one_interval_in_evaluate_and_diagnose(tmp_path: Path) -> None:
    claims = {
        f"Claim {n} of {of}.": "yes" if n <= of % 4 else "no" for of in range(16) for n in (1, 2, 3)
    }
    rows = [
        {
            "answer_id": f"a{of}",
            "question": "What holds?",
            "answer": f"Answer {of}.",
            "context": [f"Passage {of}."],
            "claims": [f"Claim {n} of {of}." for n in (1, 2, 3)],
        }
        for of in range(16)
    ]
    evaluation = evaluated(tmp_path, rows, ["faithfulness"], script(tmp_path, claims))
    (account,) = evaluation.summary.metrics
    mean = diagnose(evaluation.save(tmp_path / "evaluated.jsonl")).whole.readings["faithfulness"]
    assert account.mean.low is not None
    assert 0.2 < account.mean.low < mean.score < account.mean.high < 0.8
    assert (mean.low, mean.high) == pytest.approx((account.mean.low, account.mean.high), abs=1e-6)

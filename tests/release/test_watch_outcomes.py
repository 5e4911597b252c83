"""Outcomes of a watched judge: reckoned by hand, and over simulated quiet years."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metajudge.gold.claim import Claim
from metajudge.release.watch_canary import compared, sizes_of
from metajudge.release.watch_state import (
    Component,
    Series,
)
from metajudge.selection.readings import CLASSES, Read

YES, NO, IDK, LOST = 0, 1, 2, 3


def test_noise_of_todays_judge_is_no_evidence_under_two_draws():
    """Draws that differ from each other as often as from the stored verdict."""
    rng = np.random.default_rng(5)
    claims = [claim(str(i), f"x{i // 4}") for i in range(240)]
    series = Series(
        started="2025-03-01T09:30:00+00:00",
        components={"verdicts": Component.fresh(0.5, even=True)},
    )
    component = series.components["verdicts"]
    highest = 0.0
    for _ in range(60):
        stored, *draws = np.where(rng.random((3, 240)) < 0.15, IDK, YES)
        outcomes = compared(claims, stored, read(np.stack(draws, 1)), sizes_of(claims))
        component = component.after(outcomes.batches["verdicts"])
        highest = max(highest, component.log_e)
    assert highest < np.log(20)


def claim(claim_id: str, context_id: str, label: str = "idk") -> Claim:
    return Claim.model_validate(
        {
            "claim_id": claim_id,
            "answer_id": context_id,
            "context_id": context_id,
            "claim": claim_id,
            "label": label,
        }
    )


def read(codes: np.ndarray, classes: np.ndarray | None = None) -> Read:
    codes = codes.reshape(len(codes), -1).astype(np.int8)
    lost = np.where(codes == LOST, CLASSES.index("unparsable"), -1)
    probabilities = np.full((*codes.shape, 3), np.nan)
    return Read(codes, probabilities, lost if classes is None else classes.reshape(codes.shape))


def test_outcomes_by_hand_with_one_draw():
    """Contexts a (three claims) and b (two): every claim is a third; b has no over-credit."""
    claims = [claim("1", "a"), claim("2", "a"), claim("3", "a", "yes")]
    claims += [claim("4", "b", "yes"), claim("5", "b", "supported")]
    stored = np.array([IDK, NO, YES, YES, LOST])
    fresh = np.array([YES, NO, LOST, IDK, YES])
    found = compared(claims, stored, read(fresh), sizes_of(claims))
    assert found.batches["verdicts"] == pytest.approx((2 / 3, 2 / 3))
    assert found.batches["over_credit"] == pytest.approx((0.5,))
    assert found.batches["coverage"] == pytest.approx((1 / 3, 0.0))
    assert (found.credited, found.unreadable, found.unanswered) == (1, 1, 0)
    assert [(c.claim_id, c.was, c.now) for c in found.changes] == [
        ("1", "idk", "yes"),
        ("3", "yes", "failure"),
        ("4", "yes", "idk"),
        ("5", "failure", "yes"),
    ]


def test_outcomes_by_hand_with_two_draws():
    """One claim changed in both draws, one in one of them, one not at all, one unanswered."""
    claims = [claim(str(i), "a") for i in range(4)]
    stored = np.array([IDK, IDK, IDK, IDK])
    fresh = np.array([[YES, YES], [YES, IDK], [IDK, IDK], [LOST, YES]])
    classes = np.full((4, 2), -1)
    classes[3, 0] = CLASSES.index("timeout")
    found = compared(claims, stored, read(fresh, classes), sizes_of(claims))
    changed, differ = (1 + 0.5 + 0 + 0) / 4, 1 / 4
    assert found.batches["verdicts"] == pytest.approx(((1 + changed - differ) / 2,))
    assert found.unanswered == 1


def test_quiet_years_through_verdicts_stay_quiet_as_a_rule():
    """Noise at the limit in claims that differ widely; each run asks 12 of 60 contexts."""
    rng = np.random.default_rng(7)
    claims = [claim(str(i), f"x{i // 4}", "yes" if i % 2 else "no") for i in range(48)]
    own = rng.beta(0.3, 3.0, (60, 4))
    own *= 0.03 / own.mean()
    stored = np.full(48, IDK)
    alarms = 0
    for _ in range(6):
        parts = {
            name: Component.fresh(mean)
            for name, mean in (("verdicts", 0.03), ("over_credit", 0.03), ("coverage", 0.02))
        }
        series = Series.model_construct(components=parts, started="", runs=(), alarm=None)
        for _ in range(365):
            chances = own[rng.permutation(60)[:12]].ravel()
            fresh = np.where(rng.random(48) < chances, YES, IDK)
            batches = compared(claims, stored, read(fresh), sizes_of(claims)).batches
            for name, component in series.components.items():
                series.components[name] = component.after(batches[name])
            if series.e >= 20:
                alarms += 1
                break
    assert alarms <= 1


def test_simulated_years_keep_the_promise():
    """Acceptance: at most 5 % of quiet years with an alarm, delays within twice the theory."""
    page = Path(__file__).parents[2] / "benchmarks" / "watch.md"
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if "| " in line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    table = [row for row in cells if row[3].endswith(" %")]
    assert "1,000 worlds" in page.read_text(encoding="utf-8")
    assert len(table) == 16
    for row in table:
        assert float(row[3].removesuffix(" %")) <= 5
        assert float(row[7]) <= 2
        assert float(row[11]) <= 2

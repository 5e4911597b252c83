"""What stability keeps whatever the verdicts are: renaming, identity, no nan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.stability import flip_rate as plain_flip_rate
from metajudge.scoring.policies import parse_policy
from metajudge.selection.axis_runs import Compared
from metajudge.selection.stability import (
    axis_stability,
    flip_rate,
    most_flipping,
    variance_shares,
)
from tests.selection.axes import STRICT, asked, axis_of
from tests.selection.worlds import CODES

verdict_rows = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from("ynif"), min_size=n, max_size=n).map("".join),
        min_size=2,
        max_size=5,
    )
)
comparisons = st.sampled_from(["trial", "each_other"])


@settings(max_examples=40, deadline=None)
@given(verdict_rows, comparisons, st.permutations("ynif"))
def test_relabelling_changes_no_flip_rate_fleiss_or_variance(
    rows: list[str], compared_with: Compared, names: list[str]
) -> None:
    renamed = str.maketrans("ynif", "".join(names))
    columns, resampling = asked(["yes"] * len(rows[0]))
    one = axis_of(*rows, compared_with=compared_with)
    other = axis_of(*(row.translate(renamed) for row in rows), compared_with=compared_with)
    assert flip_rate(one, columns, resampling) == flip_rate(other, columns, resampling)
    assert one.variance().tolist() == pytest.approx(other.variance().tolist())
    if compared_with == "each_other":
        value = flip_rate(one, columns, resampling).value
        assert value == pytest.approx(float(plain_flip_rate(one.rows)))
        assert value == pytest.approx(one.variance().mean())


@settings(max_examples=30, deadline=None)
@given(st.text("ynif", min_size=2, max_size=8), st.integers(1, 3), comparisons)
def test_identical_runs_never_flip(row: str, runs: int, compared_with: Compared) -> None:
    columns, resampling = asked(["yes"] * len(row))
    axis = axis_of(row, *[row] * runs, compared_with=compared_with)
    found = axis_stability(axis, columns, resampling, STRICT)
    assert (found.flip_rate.value, found.flip_rate.low) == (0, 0)
    assert found.fleiss.value == (pytest.approx(1) if len(set(row)) > 1 else None)
    assert found.scores["strict"].sd in (0, None)
    assert most_flipping([axis]) == ()
    assert variance_shares([axis]) == {"t": {}}


@settings(max_examples=25, deadline=None)
@given(verdict_rows, comparisons, st.data())
def test_no_nan_leaves_the_room(
    rows: list[str], compared_with: Compared, data: st.DataObject
) -> None:
    n = len(rows[0])
    gold = data.draw(st.lists(st.sampled_from(["yes", "no", "idk"]), min_size=n, max_size=n))
    answers = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    marks = st.text("01", min_size=n, max_size=n)
    changed = data.draw(st.lists(marks, min_size=len(rows) - 1, max_size=len(rows) - 1))
    columns, resampling = asked(gold, answers=answers)
    axis = axis_of(*rows, compared_with=compared_with, changed=changed)
    policies = [parse_policy(name) for name in ("lenient", "strict", "drop_idk")]
    found = axis_stability(axis, columns, resampling, policies)
    estimates = [found.flip_rate, found.fleiss]
    for level in (found.reference, *found.levels):
        estimates += [*level.figures.values(), *level.differences.values()]
    numbers = [x for e in estimates for x in (e.value, e.low, e.high)]
    numbers += [x for scores in found.scores.values() for x in scores]
    assert all(x is None or np.isfinite(x) for x in numbers)
    assert all(e.value is not None or e.reason for e in estimates)
    assert set(CODES) >= {word for level in found.levels for key in level.flips
                          for word in key.split("->")}  # fmt: skip

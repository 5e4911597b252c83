from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.bootstrap import bootstrap_values, cluster_weights
from metajudge.agreement.intervals import percentile_interval
from metajudge.agreement.rates import ratio
from metajudge.selection import ClaimColumns, claim_columns
from metajudge.selection.factors import (
    Combination,
    Effect,
    FactorRuns,
    Factors,
    contrasts,
    measure_factors,
)
from tests.selection.worlds import claims

N = 40


def summaries(n: int = N) -> ClaimColumns:
    """Half gold-yes summaries, half claims that the context does not support."""
    gold = ["yes"] * (n // 2) + ["idk"] * (n // 2)
    return claim_columns(claims(gold, slices=["summary"] * n), 1, binary=False)


def cell(
    template: str, form: str, size: int, called_idk: float, credited: float = 0.0
) -> FactorRuns:
    """A cell that calls this share of the summaries idk and credits this share of the others."""
    half = N // 2
    idk, yes = round(called_idk * half), round(credited * half)
    codes = [2] * idk + [0] * (half - idk) + [0] * yes + [2] * (half - yes)
    return FactorRuns(Combination(template, form, size), np.asarray(codes, np.int64))


def measured(*cells: FactorRuns, resamples: int = 200) -> Factors:
    weights = cluster_weights(N, resamples, np.random.default_rng(2))
    return measure_factors(cells, summaries(), weights, "answer")


def effect(found: Factors, name: str, figure: str = "summary_as_idk") -> Effect:
    return next(row for row in found.effects if (row.name, row.figure) == (name, figure))


def test_a_full_two_by_two_by_hand() -> None:
    found = measured(
        cell("literal", "raw", 1, 0.40, 0.05),
        cell("tolerant", "raw", 1, 0.10, 0.15),
        cell("literal", "truths", 1, 0.70, 0.05),
        cell("tolerant", "truths", 1, 0.60, 0.20),
    )
    names = [row.name for row in found.effects if row.figure == "over_credit"]
    both = "(template: tolerant - literal) x (context_form: truths - raw)"
    assert names == ["template: tolerant - literal", "context_form: truths - raw", both]
    wording = effect(found, names[0])
    assert wording.difference.value == pytest.approx(((0.10 - 0.40) + (0.60 - 0.70)) / 2)
    assert effect(found, names[1]).difference.value == pytest.approx((0.30 + 0.50) / 2)
    assert effect(found, both).difference.value == pytest.approx((0.60 - 0.70) - (0.10 - 0.40))
    assert effect(found, both, "over_credit").difference.value == pytest.approx(0.15 - 0.10)
    assert [effect(found, name).order for name in names] == [1, 1, 2]
    assert [effect(found, name).cells for name in names] == [4, 4, 4]
    assert found.cells[2].cell == ("literal", "truths", 1)
    assert found.cells[2].n == N
    assert found.cells[2].figures["summary_as_idk"].value == 0.7


def test_an_incomplete_factorial_uses_common_cells_only() -> None:
    found = measured(
        cell("literal", "raw", 1, 0.4),
        cell("literal", "truths", 1, 0.7),
        cell("literal", "raw", 5, 0.5),
        cell("tolerant", "truths", 5, 0.9),
    )
    truths = effect(found, "context_form: truths - raw")
    # The cell of five claims under truths has another wording: it takes no part.
    assert (truths.cells, truths.difference.value) == (2, pytest.approx(0.3))
    assert effect(found, "claims_per_call: 5 - 1").difference.value == pytest.approx(0.1)
    wording = effect(found, "template: tolerant - literal")
    assert (wording.cells, wording.difference.value) == (0, None)
    assert wording.difference.reason == "no cells differ in these levels alone"
    pair = effect(found, "(context_form: truths - raw) x (claims_per_call: 5 - 1)")
    assert pair.difference.value is None


def test_an_interaction_averages_over_the_third_factor() -> None:
    shares = {1: (0.4, 0.1, 0.7, 0.6), 5: (0.5, 0.5, 0.9, 0.4)}
    corners = [("literal", "raw"), ("tolerant", "raw"), ("literal", "truths"),
               ("tolerant", "truths")]  # fmt: skip
    found = measured(
        *(
            cell(*corner, size, share)
            for size, row in shares.items()
            for corner, share in zip(corners, row, strict=True)
        )
    )
    both = effect(found, "(template: tolerant - literal) x (context_form: truths - raw)")
    each = [(d - c) - (b - a) for a, b, c, d in shares.values()]
    assert (both.cells, both.difference.value) == (8, pytest.approx(np.mean(each)))
    assert len([row for row in found.effects if row.figure == "over_credit"]) == 6


def test_levels_are_compared_with_the_first_that_occurs() -> None:
    cells = [Combination("t", form, 1) for form in ("raw", "chunks(any)", "truths")]
    assert [c.name for c in contrasts(cells)] == [
        "context_form: chunks(any) - raw",
        "context_form: truths - raw",
    ]
    assert contrasts(cells[:1]) == ()
    assert measured(cell("t", "raw", 1, 0.4)).effects == ()


def test_the_interval_is_that_of_the_contrast_on_the_same_resamples() -> None:
    one, other = cell("a", "raw", 1, 0.4), cell("b", "raw", 1, 0.2)
    found = effect(measured(one, other), "template: b - a").difference
    weights = cluster_weights(N, 200, np.random.default_rng(2))
    summary = np.arange(N) < N // 2
    sums = np.stack(
        [np.column_stack([(run.codes == 2) & summary, summary]) for run in (one, other)], axis=1
    ).astype(np.float64)

    def gap(resampled: Any) -> Any:
        shares = ratio(resampled)
        return shares[..., 1, None] - shares[..., 0, None]

    limits = percentile_interval(bootstrap_values(sums, gap, weights))
    assert (found.low, found.high) == pytest.approx((limits.low[0], limits.high[0]))
    assert (found.n, found.n_clusters) == (N // 2, N // 2)
    same = effect(measured(one, FactorRuns(Combination("b", "raw", 1), one.codes)),
                  "template: b - a").difference  # fmt: skip
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_a_figure_without_claims_is_undefined_with_its_reason() -> None:
    columns = claim_columns(claims(["idk"] * 4), 1, binary=False)
    codes = np.zeros(4, np.int64)
    runs = [FactorRuns(Combination(name, "raw", 1), codes) for name in ("a", "b")]
    found = measure_factors(
        runs, columns, cluster_weights(4, 20, np.random.default_rng(1)), "answer"
    )
    value = effect(found, "template: b - a").difference
    assert (value.value, value.reason) == (
        None,
        "no claim is a gold-yes claim of slice summary or aggregation",
    )
    assert effect(found, "template: b - a", "over_credit").difference.value == 0


def test_a_cell_twice_or_none_is_refused() -> None:
    with pytest.raises(ValueError, match="each cell once"):
        measured(cell("a", "raw", 1, 0.1), cell("a", "raw", 1, 0.2))
    with pytest.raises(ValueError, match="at least one"):
        measured()


levels = st.tuples(st.sampled_from("ab"), st.sampled_from(["raw", "truths"]), st.integers(1, 2))


@settings(max_examples=30, deadline=None)
@given(st.lists(levels, min_size=1, max_size=8, unique=True), st.data())
def test_additive_cells_have_no_interaction(found: list[tuple[str, str, int]], data: Any) -> None:
    step = {name: data.draw(st.sampled_from([0.0, 0.1, 0.2])) for name in ("b", "truths", "2")}
    runs = [
        cell(
            *where,
            0.1 + sum(step.get(str(level), 0.0) for level in where),
        )
        for where in found
    ]
    for row in measured(*runs, resamples=20).effects:
        if row.figure != "summary_as_idk" or row.difference.value is None:
            continue
        if row.order == 2:
            assert row.difference.value == pytest.approx(0, abs=1e-12)
        else:
            level, first = row.name.split(": ")[1].split(" - ")
            expected = step.get(level, 0.0) - step.get(first, 0.0)
            assert row.difference.value == pytest.approx(expected, abs=1e-12)
    for contrast in contrasts([Combination(*where) for where in found]):
        total = contrast.weights.sum()
        assert np.isnan(total) or total == pytest.approx(0)

from __future__ import annotations

import numpy as np
import pytest

from metajudge.metrics.monitor.sampling import Candidate, chance, place, weights


def ids(n: int, group: str = "d") -> list[Candidate]:
    return [Candidate(f"answer {k}", group) for k in range(n)]


def taken(rate: float, **more: object) -> set[str]:
    rows = ids(2000)
    found = weights(rows, rate=rate, salt="s", **more)  # type: ignore[arg-type]
    return {row.unit for row, weight in zip(rows, found, strict=True) if weight is not None}


def test_the_same_answer_is_always_in_or_out_whatever_stands_beside_it():
    rows = ids(500)
    whole = dict(zip(rows, weights(rows, rate=0.1, salt="s"), strict=True))
    part = rows[::-3]
    assert weights(part, rate=0.1, salt="s") == [whole[row] for row in part]


def test_a_higher_rate_only_adds_answers_and_another_salt_gives_others():
    assert taken(0.05) < taken(0.1) < taken(0.5)
    assert len(taken(1.0)) == 2000
    assert taken(0.05, at_least=30) <= taken(0.05, at_least=200)
    other = weights(ids(2000), rate=0.1, salt="t")
    assert {f"answer {k}" for k, weight in enumerate(other) if weight} != taken(0.1)


def test_places_are_even():
    places = np.sort([place(f"x{k}", "s") for k in range(5000)])
    assert np.abs(places - (np.arange(5000) + 0.5) / 5000).max() < 1.63 / 5000**0.5


def test_a_minimum_is_kept_in_every_stratum_and_day():
    rows = [*ids(400, "big"), *ids(30, "small"), *ids(3, "tiny")]
    found = weights(rows, rate=0.05, salt="s", at_least=8)
    counts = {
        group: sum(w is not None for row, w in zip(rows, found, strict=True) if row.group == group)
        for group in ("big", "small", "tiny")
    }
    assert counts["big"] >= 8
    assert counts["small"] == 8
    assert counts["tiny"] == 3


@pytest.mark.parametrize(("n", "rate", "least"), [(40, 0.1, 0), (40, 0.1, 6), (5, 0.05, 2)])
def test_weighted_sums_have_the_sum_of_the_traffic_as_their_mean(n, rate, least):
    """Horvitz and Thompson: unbiased, whatever the values, with a minimum too."""
    rows, values = ids(n), np.arange(n) ** 2.0
    sums = []
    for salt in range(3000):
        found = weights(rows, rate=rate, salt=str(salt), at_least=least)
        sums.append(sum(v * w for v, w in zip(values, found, strict=True) if w is not None))
    error = np.std(sums) / len(sums) ** 0.5
    assert abs(np.mean(sums) - values.sum()) < 4 * error


def test_the_chance_is_the_share_of_salts_that_take_a_unit():
    rows = ids(12)
    share = np.mean(
        [
            [w is not None for w in weights(rows, rate=0.1, salt=str(salt), at_least=2)]
            for salt in range(4000)
        ]
    )
    assert abs(share - chance(12, 0.1, 2)) < 0.005


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, float("nan")])
def test_a_rate_out_of_range_is_refused(rate):
    with pytest.raises(ValueError, match="rate"):
        weights(ids(3), rate=rate, salt="s")


def test_b69_another_order_or_more_rows_take_the_same_answers():
    rows = ids(300)
    first = {r.unit for r, w in zip(rows, weights(rows, rate=0.2, salt="s"), strict=True) if w}
    more = [*ids(900)[300:], *rows[::-1]]
    again = {r.unit for r, w in zip(more, weights(more, rate=0.2, salt="s"), strict=True) if w}
    assert first == again & {row.unit for row in rows}

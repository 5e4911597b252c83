"""What repeats do by themselves beside what the change does."""

from __future__ import annotations

import pytest

from metajudge.release.consult.repeats import repeats
from tests.release.consult.worlds import bench_of, said, side

SIDES = (side("strict", 0.5), side("strict", 0.5))


def test_one_draw_is_said_not_to_be_measured() -> None:
    found = repeats(bench_of(("yy",)), (said("yi"), said("yy")), SIDES)
    assert not found.measured and found.repeats == 1 and found.current is None


def test_flips_within_and_between_by_hand() -> None:
    # Current draws: yi, yy: claim 2 flips, 1 of 2 claims. Proposed draws: ni, ni: none.
    # Between: claim 1 always (y, n), claim 2 in the pairs with y: half. (1 + 0.5) / 2 = 0.75
    was, now = said("yi", draws=[("yy",)]), said("ni", draws=[("ni",)])
    found = repeats(bench_of(("yy",)), (was, now), SIDES)
    assert found.measured and found.repeats == 2
    assert found.current is not None and found.proposed is not None and found.between is not None
    assert found.current.flip_rate.value == 0.5
    assert found.proposed.flip_rate.value == 0.0
    assert found.between.flip_rate.value == 0.75
    assert found.beyond is not None and found.beyond.value == 0.25
    # strict scores 0.5 and 1 pass at 0.5, 0 does not
    assert found.current.pass_flip_rate.value == 0.0
    assert found.between.pass_flip_rate.value == 1.0


def test_a_change_that_does_no_more_than_repeats_has_nothing_beyond() -> None:
    # Both sides: the same two draws, which differ in every claim.
    one = said(*("y", "i") * 20, draws=[("i", "y") * 20])
    found = repeats(bench_of(("y",) * 40), (one, one), SIDES)
    assert found.between is not None and found.between.flip_rate.value == 0.5
    assert found.current is not None and found.current.flip_rate.value == 1.0
    assert found.beyond is not None and found.beyond.value == pytest.approx(-0.5)

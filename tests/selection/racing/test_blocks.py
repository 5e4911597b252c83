from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection.columns import ClaimColumns, claim_columns
from metajudge.selection.racing.blocks import race_units, some_claims, stratified_blocks
from tests.selection.worlds import claims


def columns(n: int = 120, repeats: int = 1) -> ClaimColumns:
    rng = np.random.default_rng(4)
    gold = rng.choice(["yes", "no", "idk"], n).tolist()
    slices = rng.choice(["summary", "literal", "hedged"], n, p=[0.5, 0.3, 0.2]).tolist()
    answers = [f"a{place // 3}" for place in range(n)]
    langs = ["zh" if place % 2 else "en" for place in range(n)]
    return claim_columns(claims(gold, slices, answers, langs), repeats, binary=False)


@pytest.mark.parametrize("unit", ["claim", "context"])
@pytest.mark.parametrize("repeats", [1, 2])
def test_every_entry_once_and_units_whole(unit: str, repeats: int) -> None:
    made = columns(repeats=repeats)
    blocks = stratified_blocks(made, 14, 3, unit)  # type: ignore[arg-type]
    assert sorted(np.concatenate(blocks).tolist()) == list(range(120 * repeats))
    units = race_units(made, unit).codes  # type: ignore[arg-type]
    homes = [set(units[block].tolist()) for block in blocks]
    assert sum(map(len, homes)) == len(set().union(*homes))
    assert all(len(block) >= 14 for block in blocks[:-1])
    assert all(len(block) < 14 + 3 * repeats for block in blocks)


def test_first_blocks_have_their_share_of_each_stratum() -> None:
    made = columns(240)
    for seed in range(5):
        blocks = stratified_blocks(made, 24, seed)
        for k in (2, 5, 8):
            seen = np.concatenate(blocks[:k])
            for name in ("summary", "literal", "hedged"):
                for lang in ("en", "zh"):
                    kind = made.in_slices([name]) & made.in_language(lang)
                    assert abs(kind[seen].sum() - kind.sum() * k / 10) <= 2
            for label in range(3):
                wanted = (made.gold == label).sum() * k / 10
                assert abs((made.gold[seen] == label).sum() - wanted) <= 6


def test_a_seed_is_an_order() -> None:
    made = columns()
    same = [np.concatenate(stratified_blocks(made, 10, seed)).tolist() for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


def test_some_claims_keep_what_they_are() -> None:
    made = columns()
    part = some_claims(made, np.array([7, 6, 30]))
    assert part.gold.tolist() == made.gold[[7, 6, 30]].tolist()
    assert part.contexts.codes.tolist() == [0, 0, 1] and part.n_claims == 3


def test_a_block_has_an_entry() -> None:
    with pytest.raises(ValueError, match="1 entry"):
        stratified_blocks(columns(), 0, 1)

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from metajudge.templates.context_form import ChunkRule
from metajudge.verdicts import ABSENT_CODE, FAILURE_CODE, joined

YES, NO, IDK = 0, 1, 2
CODES = (YES, NO, IDK, FAILURE_CODE)
RULES: tuple[ChunkRule, ...] = ("any", "all")


def by_definition(codes: tuple[int, ...], rule: ChunkRule) -> int:
    """The rule in words; a failure is tried with every label it might have been."""
    if FAILURE_CODE in codes:
        place = codes.index(FAILURE_CODE)
        possible = {
            by_definition((*codes[:place], label, *codes[place + 1 :]), rule)
            for label in (YES, NO, IDK)
        }
        return possible.pop() if len(possible) == 1 else FAILURE_CODE
    if rule == "any":
        return YES if YES in codes else NO if NO in codes else IDK
    return YES if set(codes) == {YES} else NO if NO in codes else IDK


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("passages", [1, 2, 3, 4])
def test_all_combinations_follow_the_definition(rule: ChunkRule, passages: int) -> None:
    combinations = list(product(CODES, repeat=passages))
    found = joined(np.array(combinations, dtype=np.int8).T, rule)
    assert found.dtype == np.int8
    assert found.tolist() == [by_definition(codes, rule) for codes in combinations]


def test_b26_yes_and_no_apart_give_two_stated_outcomes() -> None:
    assert joined([YES, NO], "any") == YES
    assert joined([YES, NO], "all") == NO


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_passages_and_their_repetition_never_matter(rule: ChunkRule) -> None:
    for codes in product(CODES, repeat=3):
        outcomes = {int(joined(list(order), rule)) for order in permutations(codes)}
        assert outcomes == {int(joined([*codes, *codes], rule))}


@pytest.mark.parametrize("rule", RULES)
def test_absent_passages_decide_nothing(rule: ChunkRule) -> None:
    for codes in product(CODES, repeat=2):
        padded = [ABSENT_CODE, codes[0], ABSENT_CODE, codes[1]]
        assert joined(padded, rule) == joined(list(codes), rule)


@pytest.mark.parametrize("rule", RULES)
def test_further_axes_are_kept(rule: ChunkRule) -> None:
    codes = np.random.default_rng(3).integers(0, 4, (3, 5, 7)).astype(np.int8)
    found = joined(codes, rule)
    assert found.shape == (5, 7)
    assert found[2, 4] == joined(codes[:, 2, 4], rule)
    assert joined(np.zeros((2, 0), dtype=np.int8), rule).shape == (0,)


@pytest.mark.parametrize(
    ("codes", "why"),
    [
        ([], "at least one passage"),
        (np.int8(0), "at least one passage"),
        ([[0, -1], [1, -1]], "at least one passage"),
        ([0, 4], "-1 to 3"),
        ([0, -2], "-1 to 3"),
    ],
)
def test_what_is_no_judged_claim_is_an_error(codes: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        joined(codes, "any")  # type: ignore[arg-type]

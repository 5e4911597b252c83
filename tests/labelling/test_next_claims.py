from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from metajudge.gold.claim import Claim, PendingClaim
from metajudge.labelling.next_claims import (
    DISCOUNT,
    NextClaim,
    Told,
    next_claims,
    order_text,
)


def waits(name: str, context: str = "x", lang: str = "en", **more: object) -> PendingClaim:
    fields = {"claim_id": name, "answer_id": context, "context_id": context, "lang": lang}
    return PendingClaim(**({"claim": f"claim {name}"} | fields | more))  # type: ignore[arg-type]


def done(name: str, context: str = "x", lang: str = "en", **more: object) -> Claim:
    return Claim(**waits(name, context, lang, **more).model_dump(exclude={"why"}), label="yes")


def told(*bits: float, slices: tuple[str, ...] = (), shares: object = None) -> Told:
    n = len(bits)
    rows = np.zeros((n, len(slices))) if shares is None else np.asarray(shares, np.float64)
    return Told(np.asarray(bits), slices, rows)


def ids(picks: tuple[NextClaim, ...]) -> list[str]:
    return [pick.claim_id for pick in picks]


def test_two_for_information_then_one_for_cover() -> None:
    claims = [waits(str(i), f"x{i}") for i in range(6)]
    picks = next_claims(claims, [], n=6, told=told(0.1, 0.5, 0.3, 0.2, 0.4, 0.6))
    assert [pick.reason for pick in picks] == ["information", "information", "cover"] * 2
    assert ids(picks)[:2] == ["5", "1"]
    assert [pick.information for pick in picks if pick.claim_id == "5"] == [0.6]


def test_without_verdicts_every_claim_is_for_cover() -> None:
    claims = [
        waits(f"{lang}{i}", f"x{lang}{i % 3}", lang) for lang in ("en", "zh") for i in range(6)
    ]
    picks = next_claims(claims, [done("d", "xen0")], n=6)
    assert {pick.reason for pick in picks} == {"cover"}
    assert {pick.information for pick in picks} == {None}
    chosen = [claims[pick.place] for pick in picks]
    assert Counter(claim.lang for claim in chosen) == {"en": 3, "zh": 3}
    assert Counter(claim.context_id for claim in chosen[:5])["xen0"] == 0
    assert len({claim.context_id for claim in chosen}) >= 5


def test_a_language_behind_the_others_is_caught_up_first() -> None:
    claims = [waits(f"{lang}{i}", f"x{lang}{i}", lang) for lang in ("en", "中文") for i in range(5)]
    labelled = [done(f"d{i}", f"y{i}") for i in range(5)]
    picks = next_claims(claims, labelled, n=4)
    assert [claims[pick.place].lang for pick in picks][:3] == ["中文"] * 3


def test_a_context_counts_less_with_every_claim_taken_from_it() -> None:
    claims = [waits("a", "x"), waits("b", "x"), waits("c", "y")]
    near = told(1.0, 0.9, 0.9 * DISCOUNT + 0.01)
    assert ids(next_claims(claims, [], n=2, told=near)) == ["a", "c"]
    far = told(1.0, 0.9, 0.9 * DISCOUNT - 0.01)
    assert ids(next_claims(claims, [], n=2, told=far)) == ["a", "b"]


def test_what_tells_nothing_is_never_for_information() -> None:
    claims = [waits(str(i), f"x{i}") for i in range(4)]
    picks = next_claims(claims, [], n=4, told=told(0.2, -0.1, 0.0, np.nan))
    reasons = {pick.claim_id: pick.reason for pick in picks}
    assert reasons == {"0": "information", "1": "cover", "2": "cover", "3": "cover"}
    assert {pick.claim_id: pick.information for pick in picks}["3"] is None


def test_slices_with_too_few_labels_are_filled_first() -> None:
    claims = [waits(str(i), f"x{i}") for i in range(3)]
    shares = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    known = told(np.nan, np.nan, np.nan, slices=("literal", "summary"), shares=shares)
    labelled = [done(f"d{i}", f"y{i}", slice="literal") for i in range(2)]
    assert ids(next_claims(claims, labelled, n=3, min_slice_n=2, told=known))[0] == "2"
    more = [*labelled, *(done(f"e{i}", f"z{i}", slice="summary") for i in range(2))]
    chosen = {
        ids(next_claims(claims, more, n=1, min_slice_n=2, told=known, seed=seed))[0]
        for seed in range(20)
    }
    assert len(chosen) == 3


def test_a_guess_that_is_not_likely_covers_no_slice() -> None:
    claims = [waits(str(i), f"x{i}") for i in range(3)]
    shares = [[0.6, 0.4], [0.6, 0.4], [0.52, 0.48]]
    known = told(np.nan, np.nan, np.nan, slices=("literal", "summary"), shares=shares)
    labelled = [done(f"d{i}", f"y{i}", slice="literal") for i in range(2)]
    chosen = {
        ids(next_claims(claims, labelled, n=1, min_slice_n=2, told=known, seed=seed))[0]
        for seed in range(20)
    }
    assert len(chosen) == 3


def test_a_settled_slice_is_no_guess() -> None:
    claims = [waits("a", "x", slice="literal"), waits("b", "y")]
    known = told(0.0, 0.0, slices=("", "summary"), shares=[[0.2, 0.8], [0.4, 0.6]])
    picks = {pick.claim_id: pick for pick in next_claims(claims, [], n=2, told=known)}
    assert (picks["a"].slice, picks["a"].slice_share) == ("literal", 1.0)
    assert (picks["b"].slice, picks["b"].slice_share) == ("summary", 0.6)
    likely_none = told(0.0, 0.0, slices=("", "summary"), shares=[[0.2, 0.8], [0.7, 0.3]])
    picks = {pick.claim_id: pick for pick in next_claims(claims, [], n=2, told=likely_none)}
    assert (picks["b"].slice, picks["b"].slice_share) == (None, None)


def test_lengths_are_spread() -> None:
    claims = [waits(str(i), f"x{i}", claim="长" * (i + 1)) for i in range(9)]
    picks = next_claims(claims, [], n=3)
    assert {pick.place // 3 for pick in picks} == {0, 1, 2}


def test_the_order_is_that_of_the_seed_whatever_the_order_of_the_claims() -> None:
    claims = [waits(str(i), f"x{i}", claim="same") for i in range(40)]
    bits = np.zeros(40)
    bits[::2] = 0.25
    first = ids(next_claims(claims, [], n=20, told=told(*bits), seed=3))
    assert ids(next_claims(claims, [], n=20, told=told(*bits), seed=3)) == first
    turned = ids(next_claims(claims[::-1], [], n=20, told=told(*bits[::-1]), seed=3))
    assert turned[:2] == first[:2]
    assert ids(next_claims(claims, [], n=20, told=told(*bits), seed=4)) != first


@pytest.mark.parametrize("n", [1, 3, 500])
def test_no_more_than_there_are_and_each_once(n: int) -> None:
    claims = [waits(str(i), f"x{i % 2}") for i in range(7)]
    picks = next_claims(claims, [], n=n, told=told(*np.linspace(0, 1, 7)))
    assert len(set(ids(picks))) == len(picks) == min(n, 7)
    assert [claims[pick.place].claim_id for pick in picks] == ids(picks)


def test_nothing_waits() -> None:
    assert next_claims([], [done("d")], n=5) == ()


def test_the_file_holds_ids_and_reasons_and_nothing_that_a_judge_said() -> None:
    claims = [waits("第一条", "x"), waits("b", "y")]
    picks = next_claims(claims, [], n=2, told=told(0.5, 0.2))
    rows = [json.loads(line) for line in order_text(picks).splitlines()]
    assert rows == [
        {"claim_id": "第一条", "reason": "information"},
        {"claim_id": "b", "reason": "information"},
    ]


def test_twenty_thousand_claims_are_ordered_quickly() -> None:
    claims = [waits(str(i), f"x{i // 4}") for i in range(20_000)]
    bits = np.random.default_rng(1).random(20_000)
    picks = next_claims(claims, [], n=30, told=told(*bits))
    assert picks[0].information == pytest.approx(bits.max())

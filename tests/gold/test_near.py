import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.gold.near import NearPair, folded, near_pairs


def trigram_jaccard(left: str, right: str) -> float:
    sets = [
        {text[i : i + 3] for i in range(max(len(text) - 2, 1))}
        for text in (folded(left), folded(right))
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_equal_after_folding() -> None:
    pairs = near_pairs(["Tea  IS hot.", "Milk.", "tea is hot. ", "ｔｅａ is hot."])
    assert pairs == [NearPair(0, 2, 1.0), NearPair(0, 3, 1.0)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.sampled_from("abc 茶"), max_size=12), max_size=8))
def test_similarity_is_the_exact_jaccard_of_trigrams(texts: list[str]) -> None:
    for pair in near_pairs(texts):
        wanted = trigram_jaccard(texts[pair.first], texts[pair.second])
        assert pair.similarity == pytest.approx(wanted, abs=5e-4)
        assert pair.first < pair.second and pair.similarity >= 0.8


def test_near_texts_are_found_and_far_ones_are_not() -> None:
    rng = np.random.default_rng(7)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), 6)) for _ in range(400)]
    texts = [" ".join(rng.choice(words, 30)) for _ in range(200)]
    edited = [text[:-2] + "zz" for text in texts]
    pairs = near_pairs(texts + edited)
    assert [(pair.first, pair.second) for pair in pairs] == [(n, n + 200) for n in range(200)]


def test_chinese_sentences() -> None:
    a, b = (
        "用户可以在三十天内申请退款,但须提供购买凭证和订单编号。",
        "用户可以在三十天内申请退款,但须提供购买凭证和订单号。",
    )
    assert len(near_pairs([a, b, "会议在星期二举行。"])) == 1


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a", ""], ["ab", "ab", "\ud800"]])
def test_tiny_texts(texts: list[str]) -> None:
    assert all(pair.similarity == 1.0 for pair in near_pairs(texts))


def test_many_texts_of_one_pattern_stay_fast() -> None:
    texts = [f"The monthly fee of the plan with the number {n} is ten euros." for n in range(1000)]
    start = time.process_time()
    pairs = near_pairs(texts)
    assert time.process_time() - start < 8
    assert {pair.second for pair in pairs} == set(range(1, 1000))

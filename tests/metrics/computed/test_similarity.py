import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import JudgeSpecError
from metajudge.judges.embedding import embedding_key, open_embedder, vector_text
from metajudge.judges.options import JudgeOptions
from metajudge.metrics.computed.similarity import (
    Compared,
    cosine,
    score_similarities,
    score_similarity,
    similarity_calls,
)
from metajudge.runner.limits import Limits
from metajudge.verdicts.verdict import Reply
from tests.loopback import Answer, error, serve

SPEC = "openai/text-embedding-3-small"
VECTORS = {
    "九点开门": [3.0, 4.0],
    "Opens at nine": [6.0, 8.0],
    "Parking": [-4.0, 3.0],
    "Not so": [-3.0, -4.0],
}


def by_text(call):
    (text,) = call.body["input"]
    body = {
        "object": "list",
        "model": "m",
        "data": [{"index": 0, "embedding": VECTORS[text]}],
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    }
    return Answer(body=json.dumps(body).encode())


def test_worked_example():
    assert cosine([1, 2, 2], [2, 4, 4]) == 1.0
    assert cosine([3, 4], [4, 3]) == pytest.approx(24 / 25)
    assert cosine([1, 0], [0, 0]) is None


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
)
def test_cosine_is_symmetric_and_bounded(one, other):
    found = cosine(one, other)
    assert found == cosine(other, one)
    assert found is None or -1 <= found <= 1


async def test_scores_with_the_store_inside_a_loop(tmp_path):
    pairs = [
        Compared("九点开门", "Opens at nine", "zh"),
        Compared("Opens at nine", "Parking"),
        Compared(" Opens at nine\n", "Not so"),
        Compared("", "Parking"),
        Compared("九点开门", None, "zh"),
    ]
    with serve(by_text) as server:
        options = JudgeOptions(api_base=server.url)
        first = score_similarities(pairs, SPEC, tmp_path / "s.db", options)
        asked = server.calls
        again = score_similarities(pairs, SPEC, tmp_path / "s.db", options)
        assert (asked, server.calls) == (4, 4)
    assert [found.score for found in first] == pytest.approx([1.0, 0.0, 0.0, None, None])
    assert "Cosine -1.000 by openai/text-embedding-3-small" in first[2].reason
    assert first[0].reason.startswith("余弦相似度 1.000")
    assert (first[3].reason, first[4].reason) == ("the answer is empty", "没有参考答案")
    assert first[0].tokens == 6 and first[0].calls == 2
    assert [found.score for found in again] == [found.score for found in first]


def test_outside_of_a_loop(tmp_path):
    with serve(by_text) as server:
        options = JudgeOptions(api_base=server.url)
        (found,) = score_similarities(
            [Compared("九点开门", "Opens at nine")], SPEC, tmp_path / "s.db", options
        )
    assert found.score == pytest.approx(1.0)
    assert found.policy == "cosine, below 0 as 0"


def test_a_failed_call_is_null_with_its_class_and_not_zero(tmp_path):
    with serve(error(400)) as server:
        options = JudgeOptions(api_base=server.url)
        (found,) = score_similarities(
            [Compared("九点开门", "Parking")], SPEC, tmp_path / "s.db", options, Limits()
        )
    assert found.score is None
    assert [unit.failure for unit in found.units] == ["transport", "transport"]
    assert found.units[0].detail


def test_calls_are_made_once_a_text_and_an_open_call_is_missing():
    embedder = open_embedder(SPEC)
    pairs = [Compared("a", "b"), Compared("b", "a"), Compared("a", "")]
    assert len(similarity_calls(pairs, embedder)) == 2
    replies = {embedding_key(embedder, "a"): Reply(vector_text([1.0]))}
    found = score_similarity(pairs[0], embedder, replies)
    assert found.score is None and [unit.failure for unit in found.units] == ["missing"]


def test_an_answer_that_is_its_reference_is_paid_for_once():
    embedder = open_embedder(SPEC)
    replies = {
        embedding_key(embedder, "a"): Reply(vector_text([1.0]), prompt_tokens=3, cost_usd=0.5)
    }
    found = score_similarity(Compared("a", "a"), embedder, replies)
    assert (found.score, found.calls, found.tokens, found.usd) == (1.0, 1, 3, 0.5)


def test_a_key_that_is_refused_is_said_where_the_vectors_are_missing(tmp_path):
    with serve(error(401)) as server:
        options = JudgeOptions(api_base=server.url)
        pairs = [Compared(f"a{n}", "b") for n in range(3)]
        found = score_similarities(pairs, SPEC, tmp_path / "s.db", options)
    assert all(each.score is None for each in found)
    details = [unit.detail for each in found for unit in each.units]
    assert all(details) and any("401" in detail for detail in details)


def test_a_vector_without_length_is_undefined():
    embedder = open_embedder(SPEC)
    replies = {embedding_key(embedder, text): Reply(vector_text([0.0, 0.0])) for text in "ab"}
    assert score_similarity(Compared("a", "b"), embedder, replies).score is None


def test_the_model_has_to_be_named(tmp_path):
    with pytest.raises(JudgeSpecError, match="an embedding model is named by one of"):
        score_similarities([Compared("a", "b")], "", tmp_path / "s.db")


def test_eight_digits_are_enough():
    one, other = np.random.default_rng(0).normal(size=(2, 1536))
    told = [json.loads(vector_text(vector)) for vector in (one, other)]
    assert cosine(*told) == pytest.approx(cosine(one, other), abs=1e-7)

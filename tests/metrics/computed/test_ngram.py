import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.metrics.computed.ngram import score_ngram_coverage

CONTEXT = ("The free plan holds 5 members.", "免费版支持 5 名成员。")


@pytest.mark.parametrize(
    ("answer", "language", "score"),
    [
        ("The free plan holds 5 members.", "en", 1.0),
        ("免费版支持5名成员", "zh", pytest.approx(1.0)),
        ("Parking costs nothing", "en", 0.0),
        ("停车收费", "zh", 0.0),
    ],
)
def test_wording_in_both_languages(answer, language, score):
    assert score_ngram_coverage(answer, CONTEXT, language).score == score


def test_the_same_wording_with_another_number_is_named():
    found = score_ngram_coverage("The free plan holds 50 members.", CONTEXT)
    assert found.score > 0.5 and found.reason.endswith("Not in the context: 50.")
    assert "材料中没有：50。" in score_ngram_coverage("免费版支持50名成员。", CONTEXT, "zh").reason


@pytest.mark.parametrize(
    ("answer", "passages"),
    [("", CONTEXT), ("…！", CONTEXT), ("It opens.", ()), ("It opens.", (" ",))],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_undefined(answer, passages, language):
    found = score_ngram_coverage(answer, passages, language)
    assert found.score is None and found.reason


@pytest.mark.parametrize(
    ("answer", "language", "reason"),
    [
        ("I don't know.", "en", "the answer states nothing"),
        ("抱歉，我不知道。", "zh", "回答没有作出任何陈述"),
    ],
)
def test_b31_a_refusal_has_no_wording_to_cover(answer, language, reason):
    found = score_ngram_coverage(answer, [answer], language)
    assert (found.score, found.reason) == (None, reason)


@given(st.text("ab 九点.", max_size=20), st.lists(st.text("ab 九点.", max_size=20), max_size=3))
def test_bounds_and_order_of_passages(answer, passages):
    found = score_ngram_coverage(answer, passages)
    assert found.score is None or 0 <= found.score <= 1
    assert score_ngram_coverage(answer, passages[::-1]).score == found.score

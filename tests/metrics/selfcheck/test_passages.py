import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.metrics.selfcheck import passages
from metajudge.metrics.selfcheck.passages import LONG_CHARS, LongPassages, passages_of

ODD = 'Hall "A" \\ {opens}\tat\nnine 🙂 九点。\x07'
PIECES = st.lists(st.sampled_from([ODD, ODD * 9, "a" * 70, "a" * 200, "b", ""]), max_size=4)


@given(PIECES, PIECES, st.text(max_size=20))
def test_the_json_is_that_of_the_text_whatever_it_holds_of_the_passages(texts, shown, rest):
    content = rest.join(["Context:", *shown, rest])
    try:
        expected = json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert LongPassages(texts).quoted(content) == expected


def test_half_a_surrogate_pair_is_told_as_by_any_text():
    for content, texts in (("\ud800" + ODD, [ODD]), (ODD * 4, [ODD * 4 + "\ud800"])):
        with pytest.raises(UnicodeEncodeError):
            LongPassages(texts).quoted(content)


def test_a_passage_is_made_ready_once_and_only_where_the_context_is_long(monkeypatch):
    made = []
    inner = passages._inner
    monkeypatch.setattr(passages, "_inner", lambda text: made.append(len(text)) or inner(text))
    texts = ["a" * LONG_CHARS, "b" * 500]
    context = passages_of(texts)
    for number in range(5):
        context.quoted(f"[1] {texts[0]}\n\n[2] {texts[1]}\nClaim: {number}")
    assert context == tuple(texts)
    assert sum(made) < LONG_CHARS + 500 + 5 * 30
    assert type(passages_of(["a" * LONG_CHARS])) is tuple


def test_a_text_that_begins_like_a_passage_at_many_places_is_not_searched_for_ever():
    content = "a" * 5000
    assert passages._found(content, "a" * 200 + "b", 0) == -1
    assert LongPassages(["a" * 200 + "b"]).quoted(content) == json.dumps(content).encode()

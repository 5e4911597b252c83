from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.fields import (
    Record,
    Texts,
    passages_of,
    records,
    said,
    structured,
    texts_of,
    value_at,
)
from metajudge.gold.importing.imported import LeftOut
from metajudge.gold.importing.source import Source

TEA = {"claim": "Tea is hot.", "context": ["Tea is a hot drink."]}


def texts(fields: dict[str, Any], columns: Any = None, **more: Any) -> Texts | LeftOut:
    return texts_of(Record("a.jsonl", 3, fields, **more), Source("a.jsonl", columns))


@pytest.mark.parametrize(
    ("held", "found"),
    [
        ([{"page_content": "茶"}, {"content": "b"}], ("茶", "b")),
        ([{"document": {"content": "茶", "id": 1}}], ("茶",)),
        ([{"document.content": "茶"}], ("茶",)),
        ('["a, b", "茶"]', ("a, b", "茶")),
        ("['it\\'s', \"茶\"]", None),
        (str(["it's", "茶"]), ("it's", "茶")),
        ("['a' 'b']", None),
        ("[1] Tea, the drink.", ("[1] Tea, the drink.",)),
        ('{"drink": "tea"}', ('{"drink": "tea"}',)),
        (r"[\d+] is a pattern", (r"[\d+] is a pattern",)),
        (["a", " ", ""], ("a",)),
        ([], ()),
        ("  ", None),
        ([1, "a"], None),
        (None, None),
    ],
)
def test_passages_in_all_their_forms(held, found):
    assert passages_of(held) == found


@pytest.mark.parametrize(
    ("held", "found"),
    [
        ("text", "text"),
        ({"content": "text", "role": "assistant"}, "text"),
        ([{"role": "assistant", "content": "one"}, {"role": "assistant", "content": "two"}], "two"),
        ({"messages": [{"type": "ai", "content": "茶"}, {"type": "human", "content": "?"}]}, "茶"),
        ('{"role": "assistant", "content": "茶"}', "茶"),
        ([{"role": "user", "content": "?"}], None),
        (["a", "b"], None),
        (3, None),
    ],
)
def test_what_a_chat_says_last(held, found):
    assert said(held, "claim") == found


def test_paths_go_through_lists_json_and_names_with_dots():
    held = {"a": '{"b.c": [{"d": 1}]}', "a.b": {"e": 2}, "x.y": None}
    assert value_at(held, "a.b.c.0.d") == 1
    assert value_at(held, "a.b.e") == 2
    assert [value_at(held, path) for path in ("a.b.c.1.d", "a.q", "x.y", "a.b.c.d")] == [None] * 4
    assert structured("[1, 2") == "[1, 2"


def test_our_own_name_goes_before_others_and_two_others_are_not_chosen_between():
    found = texts(TEA | {"answer": "A long answer.", "query": "?"})
    assert isinstance(found, Texts)
    assert (found.claim, found.question) == ("Tea is hot.", "?")
    doubtful = texts({"answer": "A.", "output": "B.", "context": "c"})
    assert doubtful == LeftOut(
        "malformed", "a.jsonl", 3, "answer or output", "say which one it is: claim=…"
    )
    same = texts({"answer": "A.", "output": "A.", "context": "c"})
    assert isinstance(same, Texts)
    chosen = texts({"answer": "A.", "output": "B.", "context": "c"}, {"claim": "output"})
    assert isinstance(chosen, Texts) and chosen.claim == "B."


def test_a_mapped_field_that_is_not_there_is_not_looked_for_elsewhere():
    assert texts(TEA, {"claim": "data.summary"}) == LeftOut(
        "missing_text", "a.jsonl", 3, "data.summary"
    )
    out = texts(TEA, {"passages": "data.ctx"})
    assert isinstance(out, LeftOut) and (out.reason, out.what) == ("missing_context", "data.ctx")


def test_other_fields_of_ours_come_by_the_map_or_beside_a_claim_id():
    record = TEA | {"title": "Tea", "group": "g", "n": 4}
    found = texts(record, {"group": "n"})
    assert isinstance(found, Texts) and found.more == {"group": "4"}
    found = texts(record | {"claim_id": "c1"})
    assert isinstance(found, Texts)
    assert found.more == {"claim": "Tea is hot.", "claim_id": "c1", "title": "Tea", "group": "g"}


def test_a_json_file_may_hold_a_list_lines_one_object_or_a_list_in_it(saved, tmp_path):
    def read(held: Any, name: str = "a.json", *lists: str) -> list[Any]:
        source = Source(saved(held, name))
        return [(row.line, row.fields) for row in records(source, "*.json", lists=lists)]

    assert read([TEA]) == [(None, TEA)]
    assert read(TEA) == [(None, TEA)]
    assert read({"data": [TEA, TEA]}, "a.json", "data") == [(None, TEA), (None, TEA)]
    saved([TEA, TEA], "b.jsonl").rename(tmp_path / "b.json")
    source = Source(tmp_path / "b.json")
    assert [row.line for row in records(source, "*.json")] == [1, 2]
    torn = tmp_path / "c.json"
    torn.write_text('{"claim": ', encoding="utf-8")
    source = Source(torn)
    assert list(records(source, "*.json")) == []
    assert len(source.problems) == 1


def test_members_that_are_no_objects_are_faults(saved):
    source = Source(saved({"data": [TEA, 3]}))
    assert len(list(records(source, "*.json"))) == 1
    assert "row 2: a record must be an object (got 3)" in str(source.problems[0])


def test_a_folder_without_files_is_an_error(tmp_path):
    with pytest.raises(GoldError, match="holds no"):
        list(records(Source(tmp_path), "*.jsonl"))

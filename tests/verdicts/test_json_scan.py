"""Finding JSON in prose without inventing any."""

from __future__ import annotations

from metajudge.verdicts.json_scan import BROKEN, JsonObject, scan_json


def test_whole_and_surrounded() -> None:
    assert scan_json('  {"a": 1}\n').whole
    found = scan_json('x {"a": 1} y [{"b": 2}] z')
    assert found.values == [JsonObject((("a", 1),)), [JsonObject((("b", 2),))]]
    assert (found.whole, found.broken, found.cut) == (False, False, False)
    assert found.text_outside('x {"a": 1} y [{"b": 2}] z').split() == ["x", "y", "z"]


def test_doubled_keys_are_kept() -> None:
    (value,) = scan_json('{"a": 1, "A ": 2}').values
    assert isinstance(value, JsonObject)
    assert value.values_of(("a",)) == [("a", 1), ("A ", 2)]


def test_escapes_are_mended_and_nothing_else() -> None:
    found = scan_json(r'{"a": "\$ \\ \n \u00e9 \u12"}')
    assert found.mended
    assert found.values == [JsonObject((("a", "\\$ \\ \n é \\u12"),))]
    for text in ("{'a': 1}", "{a: 1}", '{"a": 1,}', '{"a": yes}', '{"a" 1}'):
        assert scan_json(text).values == []


def test_broken_text_is_not_searched_for_inner_objects() -> None:
    found = scan_json('{"x": bad, "y": {"verdict": "yes"}}')
    assert (found.values, found.broken, found.cut) == ([], True, False)
    found = scan_json('{"x": {"verdict": "yes"}, "y": "')
    assert (found.values, found.broken, found.cut) == ([], True, True)


def test_descend_keeps_the_place_of_a_broken_element() -> None:
    found = scan_json('[{"a": 1}, {"a": bad}, {"a": 3}]', descend=True)
    assert found.values == [JsonObject((("a", 1),)), BROKEN, JsonObject((("a", 3),))]
    assert repr(found.values[1]) == "BROKEN"


def test_brackets_in_prose_are_no_json() -> None:
    for text in ("[1] yes", "{x}", "see [the note]", "f(x) { return }"):
        found = scan_json(text)
        assert (found.values, found.broken) == ([], False)

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from metajudge.errors import ExperimentError, GoldError
from metajudge.gold.strict_yaml import dump_yaml, parse_tree, parse_yaml, read_yaml


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    weight: float
    words: dict[str, str] = {}


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    parts: list[Part] = []
    other: Part | None = None


def problems_of(text: str) -> list[str]:
    with pytest.raises(ExperimentError) as caught:
        parse_yaml(text, "e.yaml", Whole, ExperimentError)
    return [str(problem) for problem in caught.value.problems]


def test_label_words_and_dates_stay_text() -> None:
    text = "yes: no\non: off\nday: 2026-01-02\nid: 007\ntime: 12:30\nreal: 1e3\nflag: true\nnil: ~"
    assert parse_tree(text, "f", GoldError).content == {
        "yes": "no",
        "on": "off",
        "day": "2026-01-02",
        "id": "007",
        "time": "12:30",
        "real": 1000.0,
        "flag": True,
        "nil": None,
    }


def test_every_fault_at_once_in_file_order_with_line_and_mend() -> None:
    text = (
        "nam: x\nparts:\n- weight: heavy\n- wieght: 1\n  weight: 2\n  weight: 3\nother:\n  wrds: {}"
    )
    assert problems_of(text) == [
        "e.yaml:1: name: this field is needed. Add it.",
        "e.yaml:1: nam: there is no such field (got 'x'). Did you mean 'name'?",
        "e.yaml:3: parts[0].weight: must be a number (got 'heavy'). "
        "Change it; a str is not read here.",
        "e.yaml:4: parts[1].wieght: there is no such field (got 1). Did you mean 'weight'?",
        "e.yaml:6: parts[1].weight: the field stands twice, first in line 5. "
        "Remove one of the two.",
        "e.yaml:7: other.weight: this field is needed. Add it.",
        "e.yaml:8: other.wrds: there is no such field (got {}). Did you mean 'words'?",
    ]


@pytest.mark.parametrize(
    ("text", "line", "law"),
    [
        ("name: [a", 1, "not the YAML read here"),
        ("name: &a x\nparts: *a", 2, "aliases are not read"),
        ("name: x\n---\nname: y", 2, "another document"),
        ("name: !!python/object:os.system x", 1, "could not determine a constructor"),
        ("a: b\nname: \x07", 2, "U+0007"),
        ("", 1, "must hold a mapping"),
        ("- name: x", 1, "must hold a mapping"),
        ("name: x\n3: y", 2, "a field name must be a text"),
        ("name: x\n[a]: y", 2, "a field name must be a text"),
        ("name: 1.0", 1, "must be a text"),
    ],
)
def test_refused(text: str, line: int, law: str) -> None:
    with pytest.raises(ExperimentError, match=r".") as caught:
        parse_yaml(text, "e.yaml", Whole, ExperimentError)
    assert any(p.line == line and law in p.law for p in caught.value.problems), caught.value


def test_deep_nesting_is_refused_not_a_crash() -> None:
    assert "nested too deeply" in problems_of("[" * 1500)[0]


def test_numbers_for_texts_ask_for_quotes() -> None:
    assert problems_of("name: 1.0") == [
        "e.yaml:1: name: must be a text (got 1.0). Put the value in quotes."
    ]


@pytest.mark.parametrize(
    ("raw", "law"),
    [
        (b"name: \xff", "not UTF-8"),
        ("name: x".encode("utf-16"), "UTF-16"),
        (None, "no such file"),
    ],
)
def test_unreadable_files(tmp_path: Path, raw: bytes | None, law: str) -> None:
    path = tmp_path / "e.yaml"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(ExperimentError, match=law):
        read_yaml(path, Whole, ExperimentError)
    with pytest.raises(ExperimentError, match="this is a folder"):
        read_yaml(tmp_path, Whole, ExperimentError)


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: tea\r\nparts: []\r\n")
    assert read_yaml(path, Whole, ExperimentError).name == "tea"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(["yes", "no", "1e3", "null", "~", "=", "<<", "0x1", "1_0", "2026-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(plain)
def test_dump_reads_back_equal(content: object) -> None:
    assert parse_tree(dump_yaml(content), "f", GoldError).content == content

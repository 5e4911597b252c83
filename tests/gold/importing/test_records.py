from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    folded_word,
    identifier_of,
    known_words,
    label_in,
    list_in,
    optional_text,
    records,
    text_in,
    texts_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORM = Format("tea", "Tea", "public", "a file", "binary", "as it is", marks=("claim", "label"))


def row(**fields: object) -> SourceRow:
    return SourceRow("tea.jsonl", 7, dict(fields))


def reason_of(call: object) -> LeftOut:
    with pytest.raises(UnusableError) as caught:
        call()  # type: ignore[operator]
    return caught.value.left_out


@pytest.mark.parametrize("value", [None, "", "  \n", "nan", "None"])
def test_missing_texts(value: object) -> None:
    left = reason_of(lambda: text_in(row(id=3, claim=value), "claim"))
    assert left == LeftOut("missing_text", "tea.jsonl", 7, "3 claim", "no claim")


@pytest.mark.parametrize("value", [5, 0.5, True, ["a"], {"a": 1}, "half \ud800"])
def test_what_is_no_text(value: object) -> None:
    assert reason_of(lambda: text_in(row(claim=value), "claim")).reason == "malformed"


def test_texts_stay_letter_by_letter() -> None:
    assert text_in(row(claim=" 绿茶 , 三元 . "), "claim") == " 绿茶 , 三元 . "
    assert as_text(row(), "answer", "None") == "None"


def test_passages_of_a_text_or_a_list() -> None:
    assert texts_in(row(doc="one"), "doc") == ("one",)
    assert texts_in(row(doc=["one", None, " ", "two"]), "doc") == ("one", "two")
    for nothing in (None, [], [" "], ""):
        assert reason_of(lambda value=nothing: texts_in(row(doc=value), "doc")).reason == (
            "missing_context"
        )
    for other in (5, {"a": 1}, [5]):
        assert reason_of(lambda value=other: texts_in(row(doc=value), "doc")).reason == "malformed"


def test_lists() -> None:
    assert list_in(row(), "a") == list_in(row(a=None), "a") == []
    assert list_in(row(a=[1]), "a") == [1]
    assert reason_of(lambda: list_in(row(a="1"), "a")).detail == "a is '1'"


def test_optional_texts() -> None:
    got = [optional_text(row(id=value), "id") for value in (5, "5", True, " ", "nan", None, ["5"])]
    assert got == ["5", "5", None, None, None, None, None]


def test_labels_by_folded_word() -> None:
    words = {"not enough info": "idk"}
    assert label_in(row(label="NOT_ENOUGH_INFO"), "label", words) == "idk"  # type: ignore[arg-type]
    assert label_in(row(label=None), "label", {}) is None
    left = reason_of(lambda: label_in(row(label="perhaps"), "label", {}))
    assert left.reason == "unknown_label" and left.detail == "label is 'perhaps'"


def test_the_users_words_win() -> None:
    source = Source("tea.jsonl", labels={"Unrelated": "idk", "a": "no"})
    assert known_words(source, {"A": "yes"}) == {"a": "no", "unrelated": "idk"}
    assert folded_word(" A_b ") == "a b"


def test_ids_depend_on_every_part() -> None:
    assert identifier_of("a", "b", "c") != identifier_of("a", "bc", "")
    assert identifier_of("a", "b\0", "c") != identifier_of("a", "b", "\0c")
    long = "学" * 300
    assert len(bounded(long)) == 200 and bounded("short") == "short"
    assert bounded(long + "a") != bounded(long + "b")


def claim(line: int, text: str, label: str | None = "yes", name: str | None = "t-1") -> object:
    return ImportedClaim("tea.jsonl", line, text, ("Tea.",), label, claim_id=name)  # type: ignore[arg-type]


def given(*claims: object) -> list[ImportedClaim | LeftOut]:
    return list(claims_of_each([row()], lambda _: iter(claims)))  # type: ignore[arg-type]


def test_a_claim_that_stands_twice_is_left_to_the_assembler() -> None:
    twice = [claim(1, "Tea."), claim(2, "Tea.", "no")]
    assert given(*twice) == twice


def test_one_id_for_two_claims_gives_the_later_one_another() -> None:
    first, second = given(claim(1, "Tea."), claim(2, "Coffee."))
    assert isinstance(first, ImportedClaim) and first.claim_id == "t-1"
    assert isinstance(second, ImportedClaim) and second.claim_id is None


def test_records_of_every_kind_of_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"claim": "a"}\n{"claim": "to', encoding="utf-8")
    (tmp_path / "b.csv").write_text('label;claim\n1;"b; c"\n', encoding="utf-8")
    source = Source(tmp_path)
    rows = records(source, FORM, "*.jsonl", "*.csv")
    assert [(found.line, found.fields["claim"]) for found in rows] == [(1, "a"), (2, "b; c")]
    assert [fault.line for fault in source.problems] == [2]
    assert "the file ends inside it" in source.problems[0].law


def test_files_of_the_format_without_patterns(tmp_path: Path) -> None:
    for name in ("tea.jsonl", "coffee.jsonl"):
        (tmp_path / name).write_text(f'{{"claim": "{name}"}}\n', encoding="utf-8")
    found = records(Source(tmp_path), replace(FORM, files=("tea*",)))
    assert [row.fields["claim"] for row in found] == ["tea.jsonl"]


def test_places_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="holds no"):
        list(records(Source(tmp_path), FORM, "*.jsonl"))
    with pytest.raises(GoldError, match="no such file"):
        list(records(Source(tmp_path / "absent.jsonl"), FORM, "*.jsonl"))

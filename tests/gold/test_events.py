import json
import os
import threading
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from metajudge.errors import GoldError
from metajudge.gold.events import (
    FOLDER,
    TORN,
    Event,
    LabelEvent,
    ReviewEvent,
    SettleEvent,
    SkipEvent,
    UndoEvent,
    append_event,
    events_file,
    read_events,
    standing,
)

TIME = "2025-03-01T09:30:00+00:00"


def label(save: str = "save-0001", who: str = "bo", what: str = "yes", **more: Any) -> LabelEvent:
    fields = {"claim_id": "c1", "annotator": who, "time": TIME, "save_id": save, "label": what}
    return LabelEvent.model_validate(fields | more)


def undo(undoes: str, save: str, who: str = "bo") -> UndoEvent:
    return UndoEvent(claim_id="c1", annotator=who, time=TIME, save_id=save, undoes=undoes)


def saves(events: tuple[Event, ...]) -> list[str]:
    return [event.save_id for event in events]


def test_every_kind_of_act_reads_back_equal(tmp_path: Path) -> None:
    common: dict[str, Any] = {"claim_id": "茶-1", "annotator": "小明", "time": TIME}
    acts: list[Event] = [
        label(
            **common,
            seconds=2.5,
            slice="summary",
            spans=("茶。", 'a "quote"\nand a line'),
            note="=1+1\u2028\x00",
            flagged=True,
            policy="2.0.0",
        ),
        SkipEvent(**common, save_id="save-0002", note="later", flagged=True),
        undo("save-0001", "save-0003", "小明").model_copy(update={"claim_id": "茶-1"}),
        SettleEvent(
            **common, save_id="save-0004", label="no", was="yes", why="两段都说", slice="hedged"
        ),
        ReviewEvent(
            **common,
            save_id="save-0005",
            outcome="policy_gap",
            verdict="idk",
            gold="no",
            trial="literal",
            source="served 0a1b",
        ),
    ]
    for act in acts:
        append_event(tmp_path, act)
    assert read_events(tmp_path) == tuple(acts)
    (path,) = (tmp_path / FOLDER).iterdir()
    assert '"annotator": "小明"' in path.read_text(encoding="utf-8")


def test_a_folder_without_acts_has_none(tmp_path: Path) -> None:
    assert read_events(tmp_path) == ()


def test_one_act_sent_twice_counts_once_and_the_first_stands(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    append_event(tmp_path, label(what="no"))
    append_event(tmp_path, label(who="cy", what="no"))
    assert [(act.annotator, act.label) for act in read_events(tmp_path)] == [  # type: ignore[union-attr]
        ("bo", "yes"),
        ("cy", "no"),
    ]


def test_what_cannot_be_written_is_no_act() -> None:
    for wrong in (
        {"note": "half \ud800"},
        {"spans": ("whole", "\udfff")},
        {"seconds": float("inf")},
        {"seconds": float("nan")},
        {"seconds": -1},
        {"save_id": "short"},
        {"save_id": "save-0001\n"},
        {"save_id": "../../etc"},
        {"time": "2025-03-01T09:30:00"},
        {"time": "2025-03-01T09:30:00+08:00"},
        {"label": "maybe"},
        {"claim_id": ""},
    ):
        with pytest.raises(ValidationError):
            label(**wrong)
    with pytest.raises(ValidationError, match="at least 1"):
        SettleEvent(
            claim_id="c", annotator="bo", time=TIME, save_id="save-0001", label="no", why=""
        )


def test_faults_of_every_file_are_named_at_once(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    append_event(tmp_path, label(who="cy"))
    for name, text in (("bo", '{"event": "label", "label": "ja"}\n'), ("cy", "no row\n")):
        with (tmp_path / FOLDER / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(text)
    with pytest.raises(GoldError) as caught:
        read_events(tmp_path)
    told = [str(problem) for problem in caught.value.problems]
    assert any("bo.jsonl:2: label.label: must be one of yes" in text for text in told)
    assert any("cy.jsonl:2: this is not JSON" in text for text in told)


# What a killed program leaves behind.


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    path = events_file(tmp_path, "bo")
    whole = path.read_bytes()
    append_event(tmp_path, label("save-0002", what="no"))
    both = path.read_bytes()
    for end in range(len(whole) + 1, len(both) - 1):
        path.write_bytes(both[:end])
        assert saves(read_events(tmp_path)) == ["save-0001"], both[:end]
    path.write_bytes(both[:-1])
    assert saves(read_events(tmp_path)) == ["save-0001", "save-0002"]


def test_work_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    path = events_file(tmp_path, "bo")
    whole = path.read_bytes()
    for torn in (whole[:1], whole[:20], whole[:-3], b"\x00" * 7, b'{"note": "\xe8'):
        path.write_bytes(whole + torn)
        append_event(tmp_path, label("save-0002", what="no"))
        append_event(tmp_path, label("save-0003"))
        assert saves(read_events(tmp_path)) == ["save-0001", "save-0002", "save-0003"]
        assert path.read_bytes().startswith(whole + torn + TORN + b"\n")


def test_a_whole_line_without_an_end_is_an_act(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    path = events_file(tmp_path, "bo")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_event(tmp_path, label("save-0002"))
    assert saves(read_events(tmp_path)) == ["save-0001", "save-0002"]
    assert TORN not in path.read_bytes()


def test_only_lines_marked_as_torn_are_forgiven(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    path = events_file(tmp_path, "bo")
    path.write_bytes(path.read_bytes()[:-20] + b"\n" + path.read_bytes())
    with pytest.raises(GoldError, match="this is not JSON"):
        read_events(tmp_path)


def test_two_programs_never_tear_each_others_lines(tmp_path: Path) -> None:
    def work(who: str, start: int) -> None:
        for number in range(start, start + 40):
            append_event(tmp_path, label(f"save-{number:05}", who, note="茶" * 3000))

    threads = [threading.Thread(target=work, args=("bo", 1000 * n)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_events(tmp_path)) == 160


# Which file holds whose acts.

HOSTILE = [
    *("bo", "Bo", "BO", "bo.", " bo", "bo ", "b/o", "b\\o", "../bo", "..", ".", "", "-", "_"),
    *("con", "CON", "nul", "com1", "com¹", "lpt9", "bo-0123456789", "0123456789"),
    *("a\x00b", "a\nb", "\t"),
    *("小明", "小" * 200, "x" * 200, "é", "e\u0301", "\u212b", "å", "\uf900", "豈", "İ", "ß", "ss"),
    *("👩‍🏫", "=1+1", "bo.jsonl", "~", "$HOME", "%20", "bo\u200b", "\u202ebo", "ﬁ", "fi", "ſ", "s"),
]  # fmt: skip


def test_names_never_share_a_file_on_any_system(tmp_path: Path) -> None:
    files = {name: events_file(tmp_path, name) for name in HOSTILE if name}
    assert len({*files.values()}) == len(files)
    seen = {unicodedata.normalize("NFC", path.name.casefold()) for path in files.values()}
    assert len(seen) == len(files)
    for name, path in files.items():
        assert path.parent == tmp_path / FOLDER and path.suffix == ".jsonl", name
        assert len(path.name.encode()) < 143, name
        assert path.stem.rstrip(". ") == path.stem and not path.name.startswith("."), name
        assert path.stem.casefold() not in ("con", "nul", "com1", "com¹", "lpt9"), name


def test_plain_names_are_kept(tmp_path: Path) -> None:
    for name in ("bo", "小明", "anna-2", "reviewer_7", "é"):
        assert events_file(tmp_path, name).name == f"{name}.jsonl"


@pytest.mark.skipif(os.name == "nt", reason="a name that Windows cannot hold in a test's folder")
def test_acts_of_hostile_names_read_back(tmp_path: Path) -> None:
    names = [name for name in HOSTILE if name]
    for name in names:
        append_event(tmp_path, label(who=name))
    assert sorted(event.annotator for event in read_events(tmp_path)) == sorted(names)


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_any_name_is_a_file_in_the_folder(name: str) -> None:
    path = events_file(Path("tea"), name)
    assert path.parent.as_posix() == f"tea/{FOLDER}"
    assert len(path.name.encode()) < 200 and "\x00" not in path.name


def test_hidden_files_of_a_system_are_no_logs(tmp_path: Path) -> None:
    append_event(tmp_path, label())
    (tmp_path / FOLDER / "._bo.jsonl").write_bytes(b"\x00\x05\x16\x07\xff")
    assert len(read_events(tmp_path)) == 1


# What stands.


def test_an_undo_takes_back_what_it_names() -> None:
    acts = (label(), label("save-0002", what="no"), undo("save-0002", "save-0003"))
    assert saves(standing(acts)) == ["save-0001"]


def test_an_undo_that_is_undone_has_not_been() -> None:
    acts = (label(), undo("save-0001", "save-0002"), undo("save-0002", "save-0003"))
    assert saves(standing(acts)) == ["save-0001"]
    thrice = (*acts, undo("save-0003", "save-0004"))
    assert saves(standing(thrice)) == []


def test_nobody_undoes_somebody_elses_act() -> None:
    acts = (label(), undo("save-0001", "save-0002", who="cy"))
    assert saves(standing(acts)) == ["save-0001"]


def test_an_undo_of_nothing_or_of_itself_changes_nothing() -> None:
    acts = (label(), undo("save-9999", "save-0002"), undo("save-0003", "save-0003"))
    assert saves(standing(acts)) == ["save-0001"]


def test_an_undo_reaches_back_only() -> None:
    assert saves(standing((undo("save-0001", "save-0002"), label()))) == ["save-0001"]


@given(st.lists(st.integers(-1, 9), max_size=10))
def test_an_act_stands_unless_a_later_undo_that_stands_names_it(targets: list[int]) -> None:
    acts: list[Event] = [
        label(f"save-{n:04}") if target < 0 else undo(f"save-{target:04}", f"save-{n:04}")
        for n, target in enumerate(targets)
    ]

    def stands(place: int) -> bool:
        name = acts[place].save_id
        later = range(place + 1, len(acts))
        undos = [n for n in later if isinstance(u := acts[n], UndoEvent) and u.undoes == name]
        return not any(stands(n) for n in undos)

    wanted = [n for n, target in enumerate(targets) if target < 0 and stands(n)]
    assert saves(standing(acts)) == [f"save-{n:04}" for n in wanted]


def test_a_log_is_lines_of_json(tmp_path: Path) -> None:
    append_event(tmp_path, label(note="茶"))
    line = events_file(tmp_path, "bo").read_text(encoding="utf-8")
    assert json.loads(line) == {
        "event": "label",
        "claim_id": "c1",
        "annotator": "bo",
        "time": TIME,
        "save_id": "save-0001",
        "label": "yes",
        "note": "茶",
    }


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_line_ends_of_unicode_are_escaped(tmp_path: Path, char: str) -> None:
    act = label(note=f"one{char}two", spans=(f"茶{char}",))
    append_event(tmp_path, act)
    text = events_file(tmp_path, "bo").read_text(encoding="utf-8")
    assert char not in text and "茶" in text
    assert len(text.splitlines()) == 1
    assert read_events(tmp_path) == (act,)

from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.goldset import load_goldset
from metajudge.gold.importers.faithbench import FORMAT, read
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.source import Source
from metajudge.gold.writer import write_goldset

SOURCE = "the pier , opened 1931 , is 200 metres long ."
SUMMARY = (
    "Here is a concise summary:\n\nThe pier is 300 metres long. It opened to people in 1931. "
    "Note: The passage does not mention the fee."
)
SENTENCES = {1: "The pier is 300 metres long.", 2: "It opened to people in 1931."}
INTRINSIC = ["Unwanted", "Unwanted.Intrinsic"]
EXTRINSIC = ["Unwanted", "Unwanted.Extrinsic"]


def mark(rater: str, label: list[str], text: str = "300 metres", **more: Any) -> dict[str, Any]:
    start = SUMMARY.index(text)
    return {
        **{"annot_id": 3, "annotator_id": rater, "annotator_name": "x", "label": label},
        **{"note": None, "summary_span": text, "summary_start": start},
        **{"summary_end": start + len(text), "source_span": None, "source_start": None},
    } | more


def sample(marks: list[Any], **more: Any) -> dict[str, Any]:
    return {
        **{"sample_id": 7, "source": SOURCE, "summary": SUMMARY, "annotations": marks},
        "metadata": {"summarizer": "some/model", "gpt_4o": 1},
    } | more


@pytest.fixture
def batch(saved: Any) -> Any:
    def write(samples: list[Any], name: str = "batch_5.json") -> Path:
        path: Path = saved({"samples": samples}, f"set/{name}")
        return path

    return write


def votes_and_label(imported: Any, batch: Any, *labels: list[str]) -> tuple[Any, str | None]:
    marks = [mark(f"r{number}", label) for number, label in enumerate(labels)]
    claim = imported("faithbench", batch([sample(marks)])).claims[0]
    assert claim.claim == SENTENCES[1]
    return {note.annotator: note.label for note in claim.annotations}, claim.label


def test_no_mark_at_all_is_yes(imported: Any, batch: Any) -> None:
    got = imported("faithbench", batch([sample([])]))
    assert got.labels == ["yes", "yes"] and got.votes() == {}
    assert [left.detail for left in got.left] == ["a lead-in", "a refusal"]
    assert got.claims[0].claim_id == "faithbench-5-7-1"
    assert got.claims[0].answer_id == "faithbench-5-7"
    assert got.claims[0].generator == "some/model" and got.claims[0].passages == (SOURCE,)


def test_raters_are_those_who_marked_the_summary(imported: Any, batch: Any) -> None:
    marks = [mark("r0", INTRINSIC), mark("r1", INTRINSIC), mark("r2", ["Benign"], "in 1931")]
    got = imported("faithbench", batch([sample(marks)]))
    assert got.labels == ["no", None]
    assert got.votes() == {"r0": "no", "r1": "no", "r2": "yes"}
    assert got.claims[1].detail == "1 benign, 2 yes"


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ([INTRINSIC], "no"),
        ([EXTRINSIC, EXTRINSIC], "idk"),
        ([["Unwanted"]], "unsupported"),
        ([["Unwanted"], INTRINSIC], "no"),
        ([["Unwanted"], EXTRINSIC, ["Benign"]], "idk"),
        ([INTRINSIC, EXTRINSIC], "unsupported"),
        ([INTRINSIC, EXTRINSIC, ["Unwanted"]], "unsupported"),
        ([INTRINSIC, EXTRINSIC, EXTRINSIC], "idk"),
        ([INTRINSIC, EXTRINSIC, ["Questionable"]], "unsupported"),
        ([INTRINSIC, INTRINSIC, ["Questionable"]], "no"),
        ([["Unwanted.Instrinsic"], INTRINSIC], "no"),
        ([["Benign", "Unwanted", "Unwanted.Extrinsic", "Questionable"]], "idk"),
        ([INTRINSIC, ["Benign"]], None),
        ([["Questionable"], ["Benign"]], None),
        ([["Benign"]], None),
    ],
)
def test_a_strict_majority_decides(
    imported: Any, batch: Any, labels: list[list[str]], wanted: str | None
) -> None:
    assert votes_and_label(imported, batch, *labels)[1] == wanted


def test_the_worst_mark_of_a_rater_counts(imported: Any, batch: Any) -> None:
    for worse, better, label in (
        (INTRINSIC, EXTRINSIC, "no"),
        (INTRINSIC, ["Benign"], "no"),
        (EXTRINSIC, ["Questionable"], "idk"),
        (["Unwanted"], EXTRINSIC, "unsupported"),
    ):
        marks = [mark("r0", better), mark("r0", worse, "The pier")]
        claim = imported("faithbench", batch([sample(marks)])).claims[0]
        assert claim.label == label and len(claim.annotations) == 1


def test_what_people_said_is_kept(imported: Any, batch: Any) -> None:
    marks = [
        mark("r0", INTRINSIC, note="200 in\nthe source", source_span="200 metres"),
        mark("r1", INTRINSIC, source_span="not there"),
        mark("r2", ["Questionable"], note="hm"),
    ]
    claim = imported("faithbench", batch([sample(marks)])).claims[0]
    assert [note.annotator for note in claim.annotations] == ["r0", "r1"]
    first, second = claim.annotations
    assert first.spans == ("200 metres",) and second.spans == ()
    assert first.note == "Unwanted, Unwanted.Intrinsic “300 metres”: 200 in the source"
    assert claim.note is not None and "r2: Questionable “300 metres”: hm" in claim.note


def test_no_rule_settles_what_people_left_open(batch: Any, tmp_path: Path) -> None:
    """A claim without a label stays so when its set is written and read again."""
    marks = [mark("r0", INTRINSIC), mark("r1", ["Benign"]), mark("r2", ["Benign"], "in 1931")]
    marks += [mark("r3", EXTRINSIC, "in 1931")]
    source = Source(batch([sample(marks)]))
    for space in ("ternary", "binary"):
        made = assemble(FORMAT, read(source), About("open", label_space=space), source)
        assert [claim.label for claim in made.goldset.claims] == []
        write_goldset(made.goldset, tmp_path / space)
        again = load_goldset(tmp_path / space)
        assert len(again.pending) == 2 and again.claims == ()
        assert all(claim.note for claim in again.pending)


def test_a_mark_without_a_known_label_is_counted(imported: Any, batch: Any) -> None:
    for label in ([], None, ["Odd"], "Odd", [3]):
        got = imported("faithbench", batch([sample([mark("r0", label)])]))
        assert got.labels == [None, "yes"] and got.claims[0].detail == "1 unclear"
        assert got.reasons[0] == "unknown_label" and got.left[0].what == "5-7 annotation"


def test_marks_in_lead_ins_and_refusals(imported: Any, batch: Any) -> None:
    end = SUMMARY.index("300") + 3
    over = mark("r0", INTRINSIC) | {
        **{"summary_start": 0, "summary_end": end, "summary_span": SUMMARY[:end]}
    }
    got = imported("faithbench", batch([sample([over])]))
    assert got.labels == ["no", "yes"], "the lead-in is not what was meant"
    got = imported("faithbench", batch([sample([mark("r0", INTRINSIC, "a concise summary")])]))
    assert got.labels == ["no", "yes", "yes"]
    got = imported("faithbench", batch([sample([mark("r0", EXTRINSIC, "the fee")])]))
    assert got.labels == ["yes", "yes", "idk"]


def test_batches_tell_samples_apart(imported: Any, batch: Any) -> None:
    for name in ("batch_10.json", "batch_2.json", "batch_12.json"):
        folder = batch([sample([])], name).parent
    got = imported("faithbench", folder)
    assert [claim.claim_id for claim in got.claims[::2]] == [
        f"faithbench-{number}-7-1" for number in (2, 10, 12)
    ]
    assert len({claim.group for claim in got.claims}) == 1


def test_what_does_not_come_in(imported: Any, batch: Any) -> None:
    samples = [
        sample([], summary=None),
        sample([], source=" "),
        {name: value for name, value in sample([]).items() if name != "annotations"},
        sample([mark("", INTRINSIC)]),
        sample([mark("r0", INTRINSIC, summary_start=None, summary_span="not there")]),
        sample([3]),
        "text",
        sample([], sample_id=None),
    ]
    got = imported("faithbench", batch(samples))
    assert got.reasons[:6] == ["missing_text", "missing_context", *["malformed"] * 4]
    assert [claim.claim_id for claim in got.claims] == [None, None]
    assert len(got.problems) == 1 and got.problems[0].where.endswith("row 7")


def test_one_torn_batch_leaves_the_others(imported: Any, batch: Any) -> None:
    folder = batch([sample([])]).parent
    (folder / "batch_6.json").write_text('{"samples": [\n{"sample_id"', encoding="utf-8")
    got = imported("faithbench", folder)
    assert len(got.claims) == 2 and [fault.line for fault in got.problems] == [2]


def test_samples_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    rows = [sample([mark("r0", INTRINSIC)]) | {"batch": 4}]
    write_with_datasets(rows, tmp_path / "saved")
    got = imported("faithbench", tmp_path / "saved")
    assert got.labels == ["no", "yes"] and got.claims[0].claim_id == "faithbench-4-7-1"

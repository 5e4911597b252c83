import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError

STORY = "Ada left at dawn.\nBo stayed. 他没有走。"


def summary(**more: Any) -> dict[str, Any]:
    return {
        **{"label": 0, "difficulty": "easy", "story": STORY, "story-id": 4, "split": "val"},
        **{"summary": ["Ada left.", "Bo left too.", "They met again."], "errors": [1, 0, 0]},
        **{"explanations": ["Bo stayed.", "They do not meet."], "claims": ["x"], "model": "claude"},
    } | more


def test_one_is_consistent(imported: Any, saved: Any) -> None:
    got = imported("storysumm", saved({"k1": summary()}, "storysumm.json"))
    assert got.labels == ["supported", "unsupported", "unsupported"]
    assert [claim.note for claim in got.claims] == [None, "Bo stayed.", "They do not meet."]
    first = got.claims[0]
    assert first.answer_id == "storysumm-b637b17af0" and first.claim_id == f"{first.answer_id}-0"
    assert (first.slice, first.generator, first.group) == ("summary", "claude", "storysumm-story-4")
    assert first.passages == (STORY,) and first.where.endswith("storysumm.json row 1")


def test_lengths_that_differ(imported: Any, saved: Any) -> None:
    held = {
        "k1": summary(errors=[1, 0]),
        "k2": summary(explanations=["only one"]),
        "k3": summary(errors=[]),
    }
    got = imported("storysumm", saved(held, "storysumm.json"))
    assert got.labels == ["supported", "unsupported", "unsupported"]
    assert [claim.note for claim in got.claims] == [None] * 3
    assert [(left.reason, left.what, left.detail) for left in got.left] == [
        ("malformed", "k1", "3 sentences, 2 labels"),
        ("malformed", "k2 explanations", "1 explanation for 2 errors"),
        ("malformed", "k3", "3 sentences, 0 labels"),
    ]


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    held = {
        "k1": summary(story=None),
        "k2": summary(errors=[1, 2, "0"], explanations=[]),
        "k3": summary(summary=["Ada left.", None, 3], errors=[1, 1, 1], explanations=[]),
        "k4": "text",
        "k5": summary(summary="Ada left."),
    }
    got = imported("storysumm", saved(held, "storysumm.json"))
    assert got.labels == ["supported"] * 2
    assert got.reasons == [
        *("missing_context", "unknown_label", "unknown_label"),
        *("missing_text", "malformed", "malformed"),
    ]
    assert [(left.what, left.detail) for left in got.left[1:3]] == [
        ("k2", "errors[1] is 2"),
        ("k2", "errors[2] is '0'"),
    ]
    assert [fault.field for fault in got.problems] == ["k4"]


@pytest.mark.parametrize(
    ("whole", "stray"),
    [('"No."\n', '"No.""\n'), ('"Bo stayed.",\n', '"Bo stayed.","\n'), (" 0\n", ' 0"\n')],
)
def test_the_stray_quote_of_upstream_is_left_out_visibly(
    imported: Any, saved: Any, whole: str, stray: str
) -> None:
    path = saved({"k1": summary(explanations=["Bo stayed.", "No."])}, "storysumm.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(whole, stray), encoding="utf-8")
    with pytest.raises(json.JSONDecodeError):
        json.loads(path.read_text(encoding="utf-8"))
    got = imported("storysumm", path)
    line = text[: text.index(whole)].count("\n") + 1
    assert got.labels == ["supported", "unsupported", "unsupported"] and got.problems == []
    assert [(left.reason, left.line, left.what) for left in got.left] == [
        ("malformed", line, "a quote")
    ]


@pytest.mark.parametrize("fault", ['"errors": [1, 0 0]', '"errors": [1, "0]', '"errors": [1'])
def test_any_other_fault_is_a_problem_with_its_line(
    imported: Any, tmp_path: Path, fault: str
) -> None:
    path = tmp_path / "storysumm.json"
    path.write_text(f'{{"k1": {{"story": "x",\n{fault}\n}}}}', encoding="utf-8")
    got = imported("storysumm", path)
    assert got.rows == [] and len(got.problems) == 1
    assert got.problems[0].line in (2, 3) and "not JSON" in got.problems[0].law


def test_the_file_with_subjective_labels_and_no_file(imported: Any, saved: Any) -> None:
    held = {"k1": summary(subjective=[0, 1, 2])}
    folder = saved(held, "set/storysumm_w_subj.json").parent
    assert len(imported("storysumm", folder).claims) == 3
    with pytest.raises(GoldError, match="the folder holds no"):
        imported("storysumm", folder.parent)


def test_summaries_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    write_with_datasets([summary(id="k1"), summary(id=None)], tmp_path / "saved")
    got = imported("storysumm", tmp_path / "saved")
    assert got.labels == ["supported", "unsupported", "unsupported"] * 2
    assert len({claim.answer_id for claim in got.claims}) == 2
    assert got.claims[0].answer_id == "storysumm-b637b17af0"

import json
from pathlib import Path
from typing import Any

WORDS = {
    **{"e": "entailment", "c": "contradiction", "n": "neutral"},
    **{"u": "unrelated", "k": "unknown"},
}
RATERS = tuple(f"label{number}" for number in range(5))


def record(label: str | None, raters: str = "", number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "level": "easy",
        "sentence1": "码头的灯塔去年修好了，晚上又能看见了。",
        "sentence2": f"灯塔第{number}次修好。",
        "label": label,
        **{rater: WORDS[letter] for rater, letter in zip(RATERS, raters, strict=False)},
        "genre": "phone",
        "prem_id": "phone_1",
        "id": number,
    } | more


def lines(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "dev.json"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def test_json_lines_under_a_json_name(imported: Any, tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        record("entailment", "eeeen", 1),
        record("contradiction", "ccccc", 2),
        record("neutral", "nnnec", 3),
    )
    got = imported("ocnli", path)
    assert got.labels == ["yes", "no", "idk"] and not got.problems
    assert got.votes(0) == dict(zip(RATERS, ["yes"] * 4 + ["idk"], strict=True))
    first = got.claims[0]
    assert (first.claim_id, first.line, first.lang, first.slice) == (
        *("ocnli-1", 1, "zh", "inference"),
    )


def test_b91_no_majority_is_settled_by_people(imported: Any, tmp_path: Path) -> None:
    path = lines(tmp_path, record("-", "ccnne", 1), record("-", "eeuuk", 2), record("-", "", 3))
    got = imported("ocnli", path)
    assert got.labels == [None, None, None]
    assert [(claim.unlabelled, claim.detail) for claim in got.claims] == [
        ("tied", "2 no, 2 idk, 1 yes"),
        ("unsettled", "2 yes"),
        ("unsettled", ""),
    ]
    assert len(got.claims[0].annotations) == 5


def test_a_raters_own_word_is_counted_and_never_guessed(imported: Any, tmp_path: Path) -> None:
    path = lines(tmp_path, record("entailment", "eueke", 8))
    got = imported("ocnli", path)
    assert got.labels == ["yes"]
    assert list(got.votes()) == ["label0", "label2", "label4"]
    assert got.claims[0].note == "label1: unrelated; label3: unknown"
    assert [(left.reason, left.what, left.line, left.detail) for left in got.left] == [
        ("unknown_label", "8 label1", 1, "the rater wrote unrelated"),
        ("unknown_label", "8 label3", 1, "the rater wrote unknown"),
    ]
    mapped = imported("ocnli", path, labels={"unrelated": "idk", "unknown": "idk"})
    assert mapped.left == [] and mapped.votes()["label1"] == "idk"


def test_one_id_in_two_splits(imported: Any, saved: Any, tmp_path: Path) -> None:
    saved([record("entailment", number=1)], "ocnli/dev.json")
    saved([record("neutral", number=1, sentence2="灯塔是新的。")], "ocnli/train.json")
    got = imported("ocnli", tmp_path / "ocnli")
    assert [(claim.label, claim.claim_id) for claim in got.claims] == [
        ("yes", "ocnli-1"),
        ("idk", None),
    ]


def test_what_does_not_come_in(imported: Any, tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        record("maybe", number=1),
        record("neutral", number=2, sentence1=None),
        record("neutral", number=3, sentence2=""),
        record("neutral", number=4, sentence1=["码头"]),
        record(None, number=5),
        record("neutral", number=6, label0=3),
    )
    got = imported("ocnli", path)
    assert got.reasons == [
        *("unknown_label", "missing_context", "missing_text", "malformed", "unknown_label")
    ]
    assert got.labels == [None, "idk"]
    assert got.claims[1].note == "label0: 3"

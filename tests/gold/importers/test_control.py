from pathlib import Path
from typing import Any

from metajudge.gold.importers.control import FORMAT, read
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.source import Source


def row(label: Any, hypothesis: str = "It is long.", **more: Any) -> dict[str, Any]:
    return {
        **{"uid": "id_1", "premise": "The pier is 300 metres long.", "hypothesis": hypothesis},
        "label": label,
    } | more


def test_three_labels_in_letters_and_words(imported: Any, saved: Any) -> None:
    words = ["e", "c", "n", "entailment", "Contradiction", "neutral"]
    got = imported("control", saved([row(word, f"Claim {word}.") for word in words], "dev.jsonl"))
    assert got.labels == ["yes", "no", "idk"] * 2 and got.left == []
    assert {claim.slice for claim in got.claims} == {"inference"}


def test_ids_are_of_content_since_uids_repeat(imported: Any, saved: Any) -> None:
    got = imported("control", saved([row("e"), row("c", "It is short.")], "dev.jsonl"))
    assert [claim.claim_id for claim in got.claims] == [
        "control-77a596a191f8",
        "control-07cf0133cda3",
    ]
    assert len({claim.group for claim in got.claims}) == 1
    assert [claim.line for claim in got.claims] == [1, 2]


def test_two_labels_of_one_pair_settle_nothing(saved: Any) -> None:
    source = Source(saved([row("e"), row("c"), row("e", "It is old.")], "dev.jsonl"))
    made = assemble(FORMAT, read(source), About("twice"), source)
    assert [claim.claim for claim in made.goldset.claims] == ["It is old."]
    assert [claim.claim for claim in made.goldset.pending] == ["It is long."]


def test_chinese_pairs(saved: Any) -> None:
    rows = [row("n", "码头很旧。", premise="码头长三百米。")]
    source = Source(saved(rows, "dev.jsonl"))
    made = assemble(FORMAT, read(source), About("zh"), source).goldset
    assert [(claim.label, claim.lang) for claim in made.claims] == [("idk", "zh")]


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [row("x"), row("e", " "), row("e", premise=None), row(None), row("e", premise=["a"])]
    path = saved(rows, "dev.jsonl")
    got = imported("control", path)
    assert got.reasons == ["unknown_label", "missing_text", "missing_context", "malformed"]
    assert [left.line for left in got.left] == [1, 2, 3, 5] and got.labels == [None]
    assert imported("control", path, labels={"x": "idk"}).labels[0] == "idk"


def test_rows_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    write_with_datasets([row("entailment"), row("c", "It is short.")], tmp_path / "saved")
    assert imported("control", tmp_path / "saved").labels == ["yes", "no"]

"""Importing sets that people labelled, where they lie beside the project."""

from pathlib import Path

import pytest

from metajudge.gold import load_goldset, read_table
from metajudge.gold.lint import check_goldset
from metajudge.gold.rows import read_jsonl
from metajudge.gold.writer import write_goldset

FOLDER = Path(__file__).parents[3] / "shared" / "public_gold"
FILES = sorted(FOLDER.glob("*/normalised.jsonl"))
COLUMNS = {"claim_id": "id", "passages": "context", "label": "label_binary"}

pytestmark = pytest.mark.skipif(not FILES, reason="no public gold sets beside the project")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_binary_labels_of_every_set(path: Path) -> None:
    rows = read_jsonl(path).rows
    gold = read_table(path, columns=COLUMNS, allow_empty_context=True)
    assert [claim.claim_id for claim in gold.claims] == [row.fields["id"] for row in rows]
    assert [claim.claim for claim in gold.claims] == [row.fields["claim"] for row in rows]
    assert [claim.label for claim in gold.claims] == [row.fields["label_binary"] for row in rows]
    assert gold.manifest.label_space == "binary"
    first = gold.claims[0]
    assert list(gold.passages(first)) == [
        text for text in rows[0].fields["context"] if text.strip()
    ]


def test_three_labels_with_annotations_and_a_round_trip(tmp_path: Path) -> None:
    path = FOLDER / "ocnli" / "normalised.jsonl"
    columns = COLUMNS | {"label": "label", "annotations": "annotators"}
    gold = read_table(path, columns=columns, labels={"unrelated": "idk"})
    assert {claim.label for claim in gold.claims} == {"yes", "no", "idk"}
    assert gold.manifest.languages == ("zh",)
    assert all(len(claim.annotations) >= 2 for claim in gold.claims)
    write_goldset(gold, tmp_path)
    assert load_goldset(tmp_path) == gold
    assert check_goldset(gold).counts.annotators == 5


def test_upstream_field_names_with_a_map() -> None:
    path = FOLDER / "wice" / "original" / "entailment_retrieval_claim_dev.jsonl"
    gold = read_table(
        path,
        columns={"passages": "evidence"},
        labels={"not_supported": "unsupported", "partially_supported": "unsupported"},
        allow_empty_context=True,
    )
    assert {claim.label for claim in gold.claims} == {"supported", "unsupported"}

"""The hub names that five of the formats declare, and the rows that stand under them."""

import json
from typing import Any

import pytest

from metajudge.gold.importers.formats import format_named
from metajudge.gold.importing import source as source_module
from metajudge.gold.tabular import dataset_of, rows_of_dataset

WICE = [
    {
        **{"label": label, "supporting_sentences": [[1], [0, 1]], "claim": f"Claim {label}."},
        **{"evidence": ["(meta data) TITLE: Pier", "It is long."]},
        "meta": {"id": f"dev0{number}", "claim_title": "Pier", "claim_context": ""},
    }
    for number, label in enumerate(["supported", "partially_supported", "not_supported"])
]
CASES: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "wandb/RAGTruth-processed": (
        "ragtruth",
        [
            {
                **{"id": "7", "query": "Sum it up:", "context": "It is 200 m long."},
                **{"output": "The pier is 300 metres long.", "task_type": "Summary"},
                **{"quality": "good", "model": "m", "temperature": 1.0, "input_str": "x"},
                "hallucination_labels": json.dumps(
                    [{"start": 12, "end": 15, "label_type": "Evident Conflict"}]
                ),
                "hallucination_labels_processed": {"evident_conflict": 1, "baseless_info": 0},
            }
        ],
        ["no"],
    ),
    "jon-tow/wice": ("wice", WICE, ["supported", "unsupported", "unsupported"]),
    "tasksource/wice": ("wice", WICE, ["supported", "unsupported", "unsupported"]),
    "Salesforce/summedits": (
        "summedits",
        [
            {
                **{"id": f"b_{label}", "domain": "billsum", "doc": "It is long.", "label": label},
                **{"summary": f"It is {label}.", "seed_summary": "x", "edit_types": "[]"},
            }
            for label in ("1", "0")
        ],
        ["supported", "unsupported"],
    ),
    "tasksource/ConTRoL-nli": (
        "control",
        [
            {"uid": "id_1", "premise": "It is long.", "hypothesis": f"It is {word}.", "label": word}
            for word in ("entailment", "contradiction", "neutral")
        ],
        ["yes", "no", "idk"],
    ),
}


@pytest.mark.parametrize("hub", CASES)
def test_rows_of_a_hub_set(imported: Any, monkeypatch: pytest.MonkeyPatch, hub: str) -> None:
    form, rows, labels = CASES[hub]
    assert hub in format_named(form).hub
    table = dataset_of(rows)
    monkeypatch.setattr(
        source_module, "read_with_datasets", lambda place: rows_of_dataset(table, place)
    )
    got = imported(form, f"hf:{hub}#test")
    assert got.labels == labels and got.left == [] and got.problems == []
    assert got.claims[0].where == f"hf:{hub}#test row 1" and got.claims[0].line is None


def test_rows_that_need_a_file_beside_them(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub set has nothing beside it: responses without their sources are left out."""
    row = {"id": "7", "source_id": "3", "response": "The pier is long indeed.", "labels": []}
    table = dataset_of([row])
    monkeypatch.setattr(
        source_module, "read_with_datasets", lambda place: rows_of_dataset(table, place)
    )
    assert imported("ragtruth", "hf:some/set").reasons == ["missing_context"]
    monkeypatch.setattr(
        source_module,
        "read_with_datasets",
        lambda place: rows_of_dataset(
            dataset_of(
                [
                    {
                        **{"hash": "ab", "model_name": "m", "Factuality": 1.0, "OutE": 1.0},
                        **{"Semantic_Frame_Errors": 1.0, "Discourse_Errors": 1.0},
                    }
                ]
            ),
            place,
        ),
    )
    assert imported("frank", "hf:some/set").reasons == ["missing_context"]

"""Sets on the Hugging Face hub and folders that `datasets` saved, by the formats that read them."""

from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importers.formats import format_named
from metajudge.gold.importing import source as source_module
from metajudge.gold.tabular import dataset_of, rows_of_dataset, write_with_datasets

WORDS = ["SUPPORTS", "REFUTES", "NOT_ENOUGH_INFO"]
Case = tuple[str, list[dict[str, Any]], list[str | None]]
ROWS: dict[str, Case] = {
    "tals/vitaminc": (
        "vitaminc",
        [
            {
                "unique_id": f"c_{number}",
                "case_id": "c",
                "wiki_revision_id": "90210",
                "label": word,
                "claim": f"The pier has {number} lamps .",
                "evidence": "The pier has one lamp .",
                "page": "Pier",
                "revision_type": "real",
                "FEVER_id": None,
            }
            for number, word in enumerate(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
        ],
        ["yes", "no", "idk"],
    ),
    "osunlp/AttributionBench": (
        "attributionbench",
        [
            {
                "question": "How high?",
                "claim": "It is high [1].",
                "claim_raw_string": "It is high.",
                "response": "It is high.",
                "references": ["[1] It is 41 metres high."],
                "citation_links": ["[1]"],
                "webpage_references": [None],
                "attribution_label": word,
                "src_dataset": "LFQA",
                "id": f"LFQA_alpaca_{word}",
            }
            for word in ("attributable", "not attributable")
        ],
        ["yes", "unsupported"],
    ),
    "lytang/LLM-AggreFact": (
        "llm-aggrefact",
        [
            {
                "dataset": "Wice",
                "doc": "The pier is long.",
                "claim": f"The pier is {word}.",
                "label": label,
                "contamination_identifier": "0",
            }
            for word, label in (("long", 1), ("short", 0), ("old", None))
        ],
        ["yes", "unsupported", None],
    ),
    "clue/clue:ocnli": (
        "ocnli",
        [
            {"sentence1": "码头很长。", "sentence2": f"码头{word}。", "label": label, "idx": number}
            for number, (word, label) in enumerate(
                [
                    ("不短", "entailment"),
                    ("很短", "contradiction"),
                    ("很旧", "neutral"),
                    ("新", None),
                ]
            )
        ],
        ["yes", "no", "idk", None],
    ),
    "Ki-Seki/UHGEvalDataset": (
        "uhgeval",
        [
            {
                "id": "num_1",
                "headLine": "（经济）茶厂去年出口三千吨",
                "broadcastDate": "2015-03-01",
                "type": "num",
                "newsBeginning": "茶厂公布业绩。",
                "hallucinatedContinuation": "去年出口五千吨。",
                "generatedBy": "Model_A",
                "annotations": ["五千吨<sep>不合理，应为三千吨"],
                "realContinuation": "去年出口三千吨。",
                "newsRemainder": "去年出口三千吨。",
            }
        ],
        ["no", "yes"],
    ),
    "opencompass/anah": (
        "anah",
        [
            {
                "name": "码头",
                "language": "zh",
                "documents": ["码头长三百米。"],
                "selected_questions": ["多长？"],
                "GPT3.5_answers_D": ["长三百米。"],
                "human_GPT3.5_answers_D_ann": [["<幻觉>无\n<参考>长三百米\n<改正>无"]],
                "InternLM_answers": ["长五百米。"],
                "human_InternLM_answers_ann": [["<幻觉>矛盾\n<参考>长三百米\n<改正>三百米"]],
            }
        ],
        ["yes", "no"],
    ),
    "tdiggelm/climate_fever": (
        "fever",
        [
            {
                "claim_id": "12",
                "claim": "Glaciers grow.",
                "claim_label": "DISPUTED",
                "evidences": [
                    {
                        "evidence_id": f"Glacier:{number}",
                        "evidence_label": word,
                        "article": "Glacier",
                        "evidence": f"Sentence {number}.",
                        "entropy": 0.0,
                        "votes": [word, word, None, None, None],
                    }
                    for number, word in enumerate(WORDS)
                ],
            }
        ],
        ["yes", "no", "idk"],
    ),
    "pietrolesci/nli_fever": (
        "fever",
        [
            {
                "cid": number,
                "fid": str(number),
                "id": number,
                "premise": f"The pier has {number} lamps.",
                "hypothesis": "Pier . The pier has one lamp .",
                "verifiable": 1,
                "fever_gold_label": word,
                "label": "neutral",
            }
            for number, word in enumerate(["SUPPORTS", "REFUTES", "not available"])
        ],
        ["yes", "no", None],
    ),
    "copenlu/fever_gold_evidence": (
        "fever",
        [
            {
                "id": number,
                "claim": f"The pier has {number} lamps.",
                "label": word,
                "evidence": [["Pier", "0", "The pier has one lamp ."]],
                "verifiable": "VERIFIABLE",
                "original_id": number,
            }
            for number, word in enumerate(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
        ],
        ["yes", "no", "idk"],
    ),
}
CASES = [pytest.param(name, case, id=name) for name, case in ROWS.items()]


@pytest.mark.parametrize(("hub", "case"), CASES)
def test_rows_of_a_hub_set(
    imported: Any, monkeypatch: pytest.MonkeyPatch, hub: str, case: Case
) -> None:
    form, rows, labels = case
    assert hub in format_named(form).hub
    table = dataset_of(rows)
    monkeypatch.setattr(
        source_module, "read_with_datasets", lambda place: rows_of_dataset(table, place)
    )
    got = imported(form, f"hf:{hub}#test")
    assert got.labels == labels and got.left == [] and got.problems == []
    assert got.claims[0].where == f"hf:{hub}#test row 1" and got.claims[0].line is None


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_rows_of_a_saved_folder(imported: Any, tmp_path: Path, case: Case) -> None:
    form, rows, labels = case
    write_with_datasets(rows, tmp_path / "saved")
    got = imported(form, tmp_path / "saved")
    assert got.labels == labels and got.left == [] and got.problems == []


def test_in_nli_fever_the_premise_is_the_claim(imported: Any, saved: Any) -> None:
    got = imported("fever", saved(ROWS["pietrolesci/nli_fever"][1], "rows.jsonl"))
    assert got.claims[0].claim == "The pier has 0 lamps."
    assert got.claims[0].passages == ("Pier . The pier has one lamp .",)


def test_labels_as_classes(imported: Any, tmp_path: Path) -> None:
    import datasets

    _, rows, labels = ROWS["clue/clue:ocnli"]
    names = ["neutral", "entailment", "contradiction"]
    table = datasets.Dataset.from_list(
        [row | {"label": -1 if row["label"] is None else names.index(row["label"])} for row in rows]
    ).cast_column("label", datasets.ClassLabel(names=names))
    table.save_to_disk(str(tmp_path / "saved"))
    assert imported("ocnli", tmp_path / "saved").labels == labels


def test_nested_labels_as_classes(imported: Any, tmp_path: Path) -> None:
    import datasets

    _, rows, labels = ROWS["tdiggelm/climate_fever"]
    table = dataset_of(rows)
    features = table.features.copy()
    evidence = features["evidences"]
    inner = evidence.feature if hasattr(evidence, "feature") else evidence[0]
    inner["evidence_label"] = datasets.ClassLabel(names=WORDS)
    table.cast(features).save_to_disk(str(tmp_path / "saved"))
    assert imported("fever", tmp_path / "saved").labels == labels

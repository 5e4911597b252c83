"""Files that the installed Ragas writes, its objects, and annotations in the form of its app."""

import warnings
from typing import Any

import pytest

from metajudge.gold.importers.ragas import read_objects
from metajudge.gold.importing.imported import ImportedClaim

ODD = 'Says "one", it\'s two;\nthree\tand 四。'
PASSAGES = [ODD, "The gate opens at six.", "闸门六点开。"]


@pytest.fixture(scope="module")
def peer() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ragas.dataset_schema")


def samples(peer: Any, **more: Any) -> Any:
    fields = {"user_input": "几点？", "response": ODD, "retrieved_contexts": PASSAGES}
    rows = [fields | {"reference": "Six."} | more, fields | {"response": "六点。"} | more]
    return peer.EvaluationDataset.from_list([rows[0], rows[1] | {"reference": "6"}])


def test_b88_what_to_jsonl_and_to_csv_write_comes_back(peer, imported, tmp_path):
    made = samples(peer)
    made.to_jsonl(tmp_path / "set.jsonl")
    made.to_csv(tmp_path / "set.csv")
    for name in ("set.jsonl", "set.csv"):
        read = imported("ragas", tmp_path / name)
        assert [claim.claim for claim in read.claims] == [ODD, "六点。"]
        assert read.claims[0].passages == tuple(PASSAGES)
        assert (read.claims[0].question, read.labels) == ("几点？", [None, None])
        assert [claim.unlabelled for claim in read.claims] == ["unlabelled", "unlabelled"]
        assert (read.left, read.problems) == ([], [])


def test_a_set_saved_by_datasets(peer, imported, tmp_path):
    samples(peer).to_hf_dataset().save_to_disk(str(tmp_path / "set"))
    assert imported("ragas", tmp_path / "set").claims[0].passages == tuple(PASSAGES)


def test_objects_at_hand(peer):
    rows = list(read_objects(samples(peer)))
    assert [row.claim for row in rows if isinstance(row, ImportedClaim)] == [ODD, "六点。"]
    assert rows[0].where == "EvaluationDataset row 1"
    (row,) = read_objects([{"response": "a", "retrieved_contexts": ["b"], "判断": "支持"}],
                          {"label": "判断"}, {"支持": "yes"})  # fmt: skip
    assert row.label == "yes"


def test_conversations_and_samples_without_context(peer, imported, tmp_path, saved):
    turns = [{"content": "hi", "type": "human"}, {"content": "oh", "type": "ai"}]
    peer.EvaluationDataset.from_list([{"user_input": turns}]).to_jsonl(tmp_path / "set.jsonl")
    assert imported("ragas", tmp_path / "set.jsonl").reasons == ["no_claim"]
    rows = [{"user_input": "?", "response": "a"}, {"user_input": "?", "retrieved_contexts": ["a"]}]
    read = imported("ragas", saved(rows, "other.jsonl"))
    assert [(out.reason, out.line) for out in read.left] == [
        ("missing_context", 1),
        ("missing_text", 2),
    ]


def test_a_printed_array_is_not_taken_for_a_passage(imported, tmp_path):
    path = tmp_path / "set.csv"
    path.write_text("user_input,response,retrieved_contexts\n?,a,\"['x' 'y']\"\n", encoding="utf-8")
    assert imported("ragas", path).reasons == ["missing_context"]


def test_b92_scores_of_metrics_are_never_gold(imported, saved):
    rows = [{"user_input": "?", "response": "a", "retrieved_contexts": ["b"], "faithfulness": 1.0}]
    read = imported("ragas", saved(rows, "a.jsonl"))
    assert (read.labels, [(out.reason, out.what) for out in read.left]) == (
        [None],
        [("model_made", "faithfulness")],
    )


def verdicts(*words: int) -> dict[str, Any]:
    texts = ("闸门六点开。", "It is red.")
    return {
        "statements": [
            {"statement": text, "reason": "理由", "verdict": word}
            for text, word in zip(texts, words, strict=True)
        ]
    }


def sample(context: str = "\n".join(PASSAGES), **more: Any) -> dict[str, Any]:
    prompt = {
        "prompt_input": {"context": context, "statements": ["闸门六点开。", "It is red."]},
        "prompt_output": verdicts(1, 1),
        "is_accepted": True,
        "edited_output": None,
    }
    return {
        "metric_input": {"user_input": "?", "response": ODD, "retrieved_contexts": PASSAGES},
        "metric_output": 1.0,
        "prompts": {
            "n_l_i_statement_prompt": prompt | more,
            "other": {"prompt_input": {}, "prompt_output": {}},
        },
        "is_accepted": True,
        "target": None,
    }


def test_statements_that_a_person_edited_or_accepted(imported, saved, peer):
    held = {
        "faithfulness": [
            sample(edited_output=verdicts(1, 0)),
            sample(context="Other."),
            sample(is_accepted=False),
        ]
    }
    assert all(peer.SampleAnnotation(**row).metric_output for row in held["faithfulness"])
    read = imported("ragas", saved(held))
    assert read.labels == ["supported", "unsupported", "supported", "supported", None, None]
    assert read.claims[0].passages == tuple(PASSAGES)
    assert read.claims[2].passages == ("Other.",)
    assert read.claims[0].annotations[0].note == "理由"
    assert read.claims[0].question == "?"
    assert read.reasons == ["model_made", "model_made"]
    assert read.left[0].where.endswith("faithfulness sample 3")


def test_one_metric_alone_and_other_prompts(imported, saved):
    bare = sample()
    bare["prompts"] = {"p": {"prompt_input": {}, "prompt_output": {"verdict": 1}}}
    read = imported("ragas", saved({"name": "faithfulness", "samples": [sample(), bare]}))
    assert (read.labels, read.reasons) == (["supported", "supported"], ["no_claim"])


def test_the_label_map_may_say_what_a_verdict_is(imported, saved):
    held = {"faithfulness": [sample(edited_output=verdicts(1, 2))]}
    read = imported("ragas", saved(held), None, {"1": "yes"})
    assert (read.labels, read.left[0].what) == (["yes", None], "2")

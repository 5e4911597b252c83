"""Files that the installed DeepEval writes, and its objects."""

import json
from typing import Any

import pytest

from metajudge.gold.importers.deepeval import read_objects
from metajudge.gold.importing.imported import ImportedClaim, LeftOut

ODD = 'Says "one", two;\nthree\tand 四。'
SECOND = "The gate opens at six.\nIt closes at ten."


@pytest.fixture(scope="module")
def peer() -> Any:
    """DeepEval, with what it warns of while it is imported kept apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
        return pytest.importorskip("deepeval")


def case(**more: Any) -> Any:
    from deepeval.test_case import LLMTestCase

    fields = {
        "input": "几点开门？",
        "actual_output": ODD,
        "retrieval_context": [ODD, SECOND],
        "context": ["never used"],
        "metadata": {"verdict": "支持", "label": "yes"},
    }
    return LLMTestCase(**(fields | more))


def dataset(*cases: Any) -> Any:
    from deepeval.dataset import EvaluationDataset

    made = EvaluationDataset()
    for one in cases:
        made.add_test_case(one)
    return made


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_b88_what_save_as_writes_comes_back(peer, imported, tmp_path, kind):
    from deepeval.test_case import RetrievedContextData

    sourced = RetrievedContextData(source="a.md, p. 2", context=SECOND)
    made = dataset(case(), case(actual_output="茶。", retrieval_context=[sourced, "二"]))
    path = made.save_as(kind, str(tmp_path), "set", include_test_cases=True)
    read = imported("deepeval", tmp_path / f"set.{kind}")
    assert path.endswith(f"set.{kind}")
    assert [claim.claim for claim in read.claims] == [ODD, "茶。"]
    assert [claim.passages for claim in read.claims] == [(ODD, SECOND), (SECOND, "二")]
    assert read.claims[0].question == "几点开门？"
    assert (read.left, read.problems) == ([], [])


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_a_label_in_the_metadata_by_its_name_or_by_the_map(peer, imported, tmp_path, kind):
    dataset(case()).save_as(kind, str(tmp_path), "set", include_test_cases=True)
    path = tmp_path / f"set.{kind}"
    assert imported("deepeval", path).labels == ["yes"]
    columns = {"label": "additional_metadata.verdict"}
    read = imported("deepeval", path, columns)
    assert (read.labels, read.left[0].what) == ([None], "支持")
    assert imported("deepeval", path, columns, {"支持": "supported"}).labels == ["supported"]


@pytest.mark.parametrize("inside", ["a | b", "| a | b |", "a||b"])
def test_a_bar_inside_a_passage_cannot_be_told_from_two(peer, imported, tmp_path, inside):
    made = dataset(case(retrieval_context=[inside, SECOND]))
    for kind in ("csv", "jsonl"):
        made.save_as(kind, str(tmp_path), "set", include_test_cases=True)
        read = imported("deepeval", tmp_path / f"set.{kind}")
        assert [(out.reason, out.what) for out in read.left] == [("malformed", "retrieval_context")]
        assert read.left[0].detail.endswith("save as json")
    made.save_as("json", str(tmp_path), "set", include_test_cases=True)
    assert imported("deepeval", tmp_path / "set.json").claims[0].passages == (inside, SECOND)


def test_goldens_without_an_answer_and_without_context(peer, imported, tmp_path):
    from deepeval.dataset import Golden

    made = dataset(case(retrieval_context=None), case(retrieval_context=None, context=None))
    made.add_golden(Golden(input="Why?", expected_output="So.", retrieval_context=["x"]))
    made.add_golden(Golden(input="?", actual_output="A.", context=["y"], comments="看第二段"))
    made.save_as("json", str(tmp_path), "set", include_test_cases=True)
    read = imported("deepeval", tmp_path / "set.json")
    assert sorted(read.reasons) == ["missing_context", "missing_text"]
    assert [claim.passages for claim in read.claims] == [("y",), ("never used",)]
    assert [claim.note for claim in read.claims] == ["看第二段", None]
    assert [out.where[-5:] for out in read.left] == ["row 1", "row 4"]


def test_objects_at_hand(peer):
    from deepeval.dataset import Golden

    made = dataset(case(), case(metadata=None))
    made.add_golden(Golden(input="Why?", additional_metadata={"label": "no"}))
    rows = list(read_objects(made))
    claims = [row for row in rows if isinstance(row, ImportedClaim)]
    assert [claim.label for claim in claims] == ["yes", None]
    assert claims[1].unlabelled == "unlabelled"
    assert claims[0].where == "EvaluationDataset row 1"
    assert [row.reason for row in rows if isinstance(row, LeftOut)] == ["missing_text"]
    columns = {"label": "metadata.verdict"}
    (claim,) = list(read_objects([case()], columns, {"支持": "yes"}))
    assert (claim.label, claim.passages) == ("yes", (ODD, SECOND))


def test_conversations_are_not_read(peer):
    from deepeval.test_case import ConversationalTestCase, Turn

    made = ConversationalTestCase(turns=[Turn(role="user", content="hi")])
    assert [row.reason for row in read_objects([made])] == ["no_claim"]


def test_b92_scores_of_a_test_run_are_never_gold(imported, saved):
    made = {
        "testCases": [
            {
                "name": "t0",
                "input": "When?",
                "actualOutput": "At six.",
                "retrievalContext": [SECOND],
                "success": True,
                "metricsData": [{"name": "Faithfulness", "score": 1.0, "success": True}],
            }
        ],
        "conversationalTestCases": [],
    }
    read = imported("deepeval", saved(made))
    assert (read.labels, read.reasons) == ([None], ["model_made"])
    assert read.claims[0].unlabelled == "model_made"
    marked = {"input": "", "actual_output": "x", "retrieval_context": ["y"],
              "additional_metadata": {"label": "yes", "label_source": "model"}}  # fmt: skip
    columns = {"label_source": "additional_metadata.label_source"}
    assert imported("deepeval", saved([marked]), columns).reasons == ["model_made"]


def test_b86_there_are_no_ids_upstream(imported, saved):
    rows = [{"input": "?", "actual_output": f"a{n}", "retrieval_context": ["x"]} for n in (1, 2)]
    one = imported("deepeval", saved(rows)).claims
    other = imported("deepeval", saved(rows[::-1])).claims
    assert {json.dumps([c.claim_id, c.claim]) for c in one} == {
        json.dumps([c.claim_id, c.claim]) for c in other
    }

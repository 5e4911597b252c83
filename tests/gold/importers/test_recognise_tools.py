"""Exports of tools in all their forms, and what looks like one: never a plain table in silence."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.importing import prepare
from metajudge.gold.importing.recognise import recognise
from metajudge.gold.importing.source import Source

TEXTS = {"claim": "The kettle holds 2 litres.", "context": "Kettle: 2 l."}
SCORE = {"name": "label", "source": "ANNOTATION", "stringValue": "yes"}
FORMS: list[tuple[str, Any]] = [
    ("label-studio", [{"id": 1, "data": TEXTS, "annotations": []}]),
    ("label-studio", [{"id": 1, "data": TEXTS, "completions": []}]),
    ("label-studio", [TEXTS | {"annotator": 1, "annotation_id": 2, "lead_time": 1.5}]),
    ("argilla", [{"fields": TEXTS, "responses": {}, "suggestions": {}}]),
    ("argilla", [TEXTS | {"label.responses": ["yes"], "label.responses.users": ["anna"]}]),
    ("argilla", [TEXTS | {"_server_id": "s", "label.suggestion": "no"}]),
    ("argilla", [{"inputs": TEXTS, "prediction": [], "annotation": "no", "status": "Default"}]),
    ("argilla", [{"inputs": TEXTS, "annotation": "no", "annotation_agent": "anna"}]),
    ("argilla", [TEXTS | {"label-suggestion": "no", "label-suggestion-metadata": {}}]),
    ("argilla", [TEXTS | {"label": [], "label-suggestion": "no", "external_id": "e"}]),
    ("argilla", {"items": [{"fields": TEXTS, "responses": {}, "suggestions": {}}]}),
    ("prodigy", [TEXTS | {"_input_hash": 1, "_task_hash": 2, "answer": "accept"}]),
    ("prodigy", [TEXTS | {"_input_hash": 1, "_task_hash": 2}]),
    ("doccano", [{"id": 1, "text": "Tea.", "label": ["no"], "Comments": []}]),
    ("langsmith", [{"inputs": TEXTS, "outputs": {"label": "yes"}, "dataset_id": "d"}]),
    ("langsmith", [{"run_type": "chain", "inputs": {}, "outputs": {}, "trace_id": "t"}]),
    ("langsmith", [{"run_id": "r", "key": "label", "feedback_source": {"type": "app"}}]),
    ("langfuse", [SCORE | {"traceId": "t"}]),
    ("langfuse", [SCORE | {"trace_id": "t", "data_type": "CATEGORICAL"}]),
    ("langfuse", [{"scores": [], "input": {}, "output": "", "observations": []}]),
    ("langfuse", {"trace": {"id": "t"}, "observations": [], "scores": []}),
    ("langfuse", {"data": [{"timestamp": "", "userId": "u", "input": {}, "output": ""}]}),
    ("langfuse", [{"datasetId": "d", "input": TEXTS, "expectedOutput": {"label": "yes"}}]),
    ("langfuse", [{"dataset_id": "d", "input": TEXTS, "expected_output": {"label": "yes"}}]),
    ("phoenix", [{"span_id": "s", "annotator_kind": "HUMAN", "result": {"label": "yes"}}]),
    ("phoenix", [{"context": {"span_id": "s"}, "attributes": {}, "span_kind": "CHAIN"}]),
    ("phoenix", [{"context.span_id": "s", "attributes.input.value": "?"}]),
    ("phoenix", [{"example_id": "e", "input": {}, "output": {}, "metadata": {}}]),
    ("mlflow", [{"info": {"trace_id": "t"}, "data": {"spans": []}}]),
    ("mlflow", [{"trace_id": "t", "assessments": [], "spans": []}]),
    ("mlflow", [{"request": "?", "response": "Tea.", "assessments": []}]),
    ("mlflow", {"records": [{"dataset_record_id": "r", "inputs": {}, "expectations": {}}]}),
    ("promptfoo", {"evalId": "e", "results": {"results": []}}),
    ("promptfoo", [{"promptIdx": 0, "testIdx": 0, "vars": TEXTS}]),
    ("promptfoo", {"tests": [{"vars": TEXTS, "assert": []}]}),
    ("deepeval", [{"input": "?", "actual_output": "Tea.", "retrieval_context": ["Tea."]}]),
    ("deepeval", {"testCases": [], "conversationalTestCases": []}),
    ("deepeval", [{"input": "?", "actualOutput": "Tea.", "context": ["Tea."]}]),
    ("ragas", [{"user_input": "?", "response": "Tea.", "retrieved_contexts": ["Tea."]}]),
    ("ragas", {"faithfulness": [{"metric_input": {}, "prompts": {}}]}),
    ("ragas", [{"question": "?", "answer": "Tea.", "contexts": [], "ground_truths": []}]),
]


def written(path: Path, held: Any) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(held[0]))
            table.writeheader()
            table.writerows(held)
    else:
        path.write_text(json.dumps(held, indent=1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "held"), FORMS, ids=[f"{name}-{n}" for n, (name, _) in enumerate(FORMS)]
)
def test_b92_every_form_of_an_export_is_recognised(tmp_path, name, held):
    endings = ("json", "jsonl", "csv") if isinstance(held, list) else ("json",)
    for ending in endings:
        path = written(tmp_path / f"rows.{ending}", held)
        assert recognise(Source(path)).format.name == name, ending


def test_a_file_whose_first_record_is_half_of_a_format(tmp_path):
    rows = [{"id": "t", "input": TEXTS, "output": "Tea."}, SCORE | {"traceId": "t"}]
    assert recognise(Source(written(tmp_path / "all.jsonl", rows))).format.name == "langfuse"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"label.suggestion": "no", "label.suggestion.agent": "gpt"}, "label.suggestion"),
        ({"id": "a", "label-suggestion": "no"}, "label-suggestion"),
        ({"meta": {"prediction": "no"}}, "meta.prediction"),
        ({"predictions": [{"label": "no"}]}, "predictions"),
        ({"judged": [{"annotator_kind": "LLM"}]}, "judged.annotator_kind"),
        ({"assessments": []}, "assessments"),
    ],
)
def test_b92_what_looks_like_an_export_stops(tmp_path, row, field):
    path = written(tmp_path / "rows.json", [TEXTS | row])
    with pytest.raises(GoldError, match="looks like the export of a tool") as caught:
        recognise(Source(path))
    assert field in caught.value.problems[0].law
    assert "--from table" in caught.value.problems[0].mend
    assert prepare(Source(path, {"claim": "claim", "context": "context"}), "table")


def test_the_formats_that_are_near_are_listed(tmp_path):
    path = written(tmp_path / "rows.json", [TEXTS | {"label.suggestion": "no"}])
    with pytest.raises(GoldError) as caught:
        recognise(Source(path))
    assert caught.value.problems[0].mend.startswith("Say which: --from FORMAT (argilla")


@pytest.mark.parametrize("more", [{"prediction": "no"}, {"completed_by": "anna"}])
def test_a_column_of_ones_own_table_is_no_export(tmp_path, more):
    path = written(tmp_path / "rows.csv", [TEXTS | {"label": "yes"} | more])
    assert recognise(Source(path)).format.name == "table"


@pytest.mark.parametrize("name", ["argilla", "langfuse", "label-studio"])
def test_a_tool_that_was_named_wrongly_is_doubted(tmp_path, name):
    rows = [{"uid": "1", "premise": "Tea is hot.", "hypothesis": "Tea is cold.", "label": "c"}]
    path = written(tmp_path / "rows.jsonl", rows)
    assert "is --from right?" in prepare(Source(path), name).notes[0]
    assert prepare(Source(path, {"claim": "hypothesis"}), name).notes == ()
    assert prepare(Source(path)).notes == prepare(Source(path), "control").notes == ()


@pytest.mark.parametrize(
    ("content", "law"),
    [
        ("x", "this is not JSON at character 1"),
        ("{", "this is not JSON at character 2"),
        ("[", "this is not JSON at character 2"),
        ("", "the file is empty"),
        ("\0", "this is not JSON at character 1"),
        ("{}", "it holds no record with fields"),
    ],
)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("named", [None, "table"])
def test_a_file_without_a_record_says_what_it_has(tmp_path, content, law, ending, named):
    path = tmp_path / f"rows.{ending}"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(GoldError) as caught:
        prepare(Source(path), named)
    assert "--map" not in str(caught.value)
    assert law.replace("at character 1", "at character") in str(caught.value)


def test_other_files_without_a_record(tmp_path):
    path = tmp_path / "rows.json"
    for content, law in (("null", "must hold one list"), ("[]", "no record with fields")):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(GoldError, match=law):
            prepare(Source(path))
    lines = tmp_path / "rows.jsonl"
    lines.write_bytes(b'{"claim": "Tea."}\r{"claim": "Milk."}\r')
    with pytest.raises(GoldError, match="lines end in CR alone"):
        prepare(Source(lines))


@pytest.mark.parametrize("named", [None, "fever"])
@pytest.mark.parametrize("name", ["a.zip", "a.jsonl.gz", "a.tar", "a.jsonl", "a.csv", "a.json"])
def test_a_packed_file_is_to_be_unpacked(tmp_path, name, named):
    import gzip

    path = tmp_path / name
    path.write_bytes(gzip.compress(b'{"claim": "Tea."}\n'))
    with pytest.raises(GoldError, match="Unpack it"):
        prepared = prepare(Source(path), named)
        list(prepared.source.rows())


def test_chinese_json_in_gb18030_needs_its_encoding_and_no_more(tmp_path):
    rows = [{"sentence1": "茶很热。", "sentence2": "茶是热的。", "label": "entailment"}]
    rows[0] |= {"genre": "g", "prem_id": "1"}
    path = tmp_path / "dev.json"
    for text in (json.dumps(rows[0], ensure_ascii=False), json.dumps(rows, ensure_ascii=False)):
        path.write_bytes(text.encode("gb18030"))
        with pytest.raises(GoldError, match="--encoding gb18030"):
            prepare(Source(path))
        source = Source(path, encoding="gb18030")
        assert recognise(source).format.name == "ocnli"
        assert [row.fields["sentence2"] for row in source.rows()] == ["茶是热的。"]

"""Answers in every form, read alike; every fault named at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import InputError
from metajudge.release.answers import AnswerClaim
from metajudge.release.answers_file import read_answers
from tests.release.applied import write_rows

ROWS: list[dict[str, Any]] = [
    {
        "answer_id": "a1",
        "context": ["Tea is a drink.", "It is hot."],
        "question": "What is tea?",
        "answer": "A hot drink, made of leaves.",
        "claims": ["Tea is a hot drink.", 'It is "made", of\nleaves.'],
        "lang": "en",
        "team": "red",
    },
    {
        "answer_id": "a2",
        "context": ["茶是饮料。"],
        "question": "茶是什么？",
        "answer": "茶是热饮。",
        "claims": ["茶是热饮。"],
        "lang": "zh",
        "team": "blue",
    },
]


def faults(source: Any, claims: Any = "auto") -> list[str]:
    with pytest.raises(InputError) as caught:
        read_answers(source, claims)
    return [str(problem) for problem in caught.value.problems]


def as_csv(path: Path, mark: str = "") -> Path:
    import csv
    import io

    sheet = io.StringIO()
    writer = csv.writer(sheet, delimiter=";", lineterminator="\r\n")
    writer.writerow(ROWS[0])
    for row in ROWS:
        writer.writerow(
            json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for v in row.values()
        )
    path.write_bytes((mark + sheet.getvalue()).encode())
    return path


def test_one_sample_in_every_form_gives_the_same_answers(tmp_path):
    import datasets
    import pandas as pd

    told = read_answers(ROWS).answers
    table = datasets.Dataset.from_list(ROWS)
    table.to_parquet(tmp_path / "a.parquet")
    table.save_to_disk(tmp_path / "saved")
    (tmp_path / "a.json").write_text(json.dumps(ROWS), encoding="utf-8")
    sources = [
        table,
        datasets.DatasetDict({"train": table}),
        pd.DataFrame(ROWS),
        write_rows(tmp_path / "a.jsonl", ROWS),
        tmp_path / "a.json",
        tmp_path / "a.parquet",
        str(tmp_path / "saved"),
        as_csv(tmp_path / "a.csv", "\ufeff"),
    ]
    for source in sources:
        read = read_answers(source).answers
        assert [a.answer_id for a in read] == ["a1", "a2"], source
        assert [a.claims for a in read] == [a.claims for a in told], source
        assert [a.passages for a in read] == [a.passages for a in told], source
        assert [a.fields for a in read] == [{"team": "red"}, {"team": "blue"}], source


def test_b85_a_spreadsheet_s_csv_and_b88_its_texts_come_through_whole(tmp_path):
    read = read_answers(as_csv(tmp_path / "a.csv", "\ufeff")).answers
    assert read[0].claims is not None
    assert read[0].claims[1].claim == 'It is "made", of\nleaves.'


@pytest.mark.parametrize(
    "row",
    [
        {"retrieval_context": ["Tea."], "actual_output": "It is.", "input": "Is it?"},
        {"retrieved_contexts": ["Tea."], "response": "It is.", "user_input": "Is it?"},
        {"contexts": ["Tea."], "answer": "It is.", "question": "Is it?"},
        {"vars": {"context": "Tea.", "question": "Is it?"}, "response": "It is."},
    ],
)
def test_field_names_of_the_frameworks(row):
    (read,) = read_answers([row]).answers
    assert (read.passages, read.answer, read.question) == (("Tea.",), "It is.", "Is it?")
    assert read.claims is None


def test_two_columns_for_one_field_are_a_fault_unless_one_is_empty():
    row = {"context": ["A."], "retrieved_contexts": ["B."], "answer": "It is so."}
    assert "'context' and 'retrieved_contexts', both stand for 'passages'" in faults([row])[0]
    (read,) = read_answers([row | {"context": None}]).answers
    assert read.passages == ("B.",)


def test_claims_as_texts_and_as_objects():
    claims = ["One.", {"claim": "Two.", "claim_id": "mine", "slice": "summary"}]
    (read,) = read_answers([{"answer_id": 7, "context": "C.", "claims": claims}]).answers
    assert read.answer_id == "7"
    assert read.claims == (
        AnswerClaim("7#1", "One."),
        AnswerClaim("mine", "Two.", "summary"),
    )


def test_rows_of_one_claim_each_are_put_together_in_order():
    rows = [
        {"answer_id": "b", "claim": "First.", "context": ["C."], "id": "k1", "model": "m", "n": 1},
        {"answer_id": "a", "claim": "Alone.", "context": ["D."]},
        {"answer_id": "b", "claim": "Second.", "slice": "literal", "model": "m", "n": 2},
    ]
    read = read_answers(rows)
    assert [a.answer_id for a in read.answers] == ["b", "a"]
    assert read.answers[0].claims == (
        AnswerClaim("k1", "First."),
        AnswerClaim("b#2", "Second.", "literal"),
    )
    assert read.answers[0].fields == {"model": "m"}
    assert "field 'n' differs between the claims of an answer: left out (1)" in read.notes


def test_claim_rows_of_one_answer_must_agree():
    rows = [
        {"answer_id": "b", "claim": "First.", "context": ["C."], "question": "Q?"},
        {"answer_id": "b", "claim": "Second.", "context": ["D."], "question": "R?"},
        {"answer_id": "b", "context": ["C."], "claims": ["Third."]},
    ]
    told = faults(rows)
    assert ["context" in told[0], "question" in told[1]] == [True, True]
    assert "the answer_id stands twice" in told[2]


def test_b86_ids_are_made_from_content_and_stay_in_any_order():
    rows = [{"context": ["C."], "claims": [text]} for text in ("One.", "Two.", "One.")]
    ids = [a.answer_id for a in read_answers(rows).answers]
    assert len(set(ids)) == 3
    assert ids[2] == f"{ids[0]}-2"
    turned = [a.answer_id for a in read_answers(rows[1::-1]).answers]
    assert turned == [ids[1], ids[0]]
    assert "answer_id made from content (3)" in read_answers(rows).notes


def test_claim_ids_used_by_several_answers_are_told_apart():
    rows = [
        {"answer_id": name, "context": ["C."], "claims": [{"claim": "It is.", "claim_id": "c1"}]}
        for name in ("a", "b")
    ]
    read = read_answers(rows)
    assert [a.claims[0].claim_id for a in read.answers if a.claims] == ["a#c1", "b#c1"]
    assert "claim_id used by several answers" in read.notes[0]


def test_an_id_is_never_longer_than_an_id_may_be():
    (read,) = read_answers(
        [{"answer_id": "a" * 200, "context": "C.", "claims": ["It is."]}]
    ).answers
    assert read.claims is not None
    assert len(read.claims[0].claim_id) <= 200


@pytest.mark.parametrize("said", ["", "  \n", "I don't know.", "抱歉，我无法回答。", None])
def test_b30_b31_an_empty_answer_or_a_refusal_has_no_claims(said):
    (read,) = read_answers([{"context": ["C."], "answer": said}]).answers
    assert read.claims == ()


def test_an_empty_cell_of_an_answer_column_is_an_empty_answer(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('answer_id,context,answer\na,"[""C.""]",\n', encoding="utf-8")
    assert read_answers(path).answers[0].claims == ()


def test_an_empty_context_is_meant_where_it_is_written_and_a_missing_one_is_not():
    read = read_answers([{"context": [], "claims": ["It is."]}, {"context": "", "claims": ["A."]}])
    assert [a.passages for a in read.answers] == [(), ()]
    assert "the context is empty (2)" in read.notes
    assert "needs the context" in faults([{"claims": ["It is."]}])[0]
    assert "needs the context" in faults([{"context": None, "claims": ["It is."]}])[0]


def test_lang_is_guessed_by_the_script_and_told():
    rows = [
        {"context": ["C."], "claims": ["5G核心网由AMF和SMF组成。"]},
        {"context": ["C."], "claims": ["The AMF is a core function (核心网)."]},
        {"context": ["C."], "claims": ["Tee ist warm."], "lang": "de"},
    ]
    read = read_answers(rows)
    assert [a.lang for a in read.answers] == ["zh", "en", "de"]
    assert "lang guessed from the script (2)" in read.notes


def test_where_claims_come_from():
    given = {"answer_id": "a", "context": ["C."], "answer": "It is warm.", "claims": ["It is."]}
    bare = {"answer_id": "b", "context": ["C."], "answer": "It is warm."}
    mute = {"answer_id": "c", "context": ["C."], "answer": "Sorry."}
    auto = read_answers([given, bare, mute]).answers
    assert [a.claims is None for a in auto] == [False, True, False]
    forced = read_answers([given, bare, mute], "extract")
    assert [a.claims is None for a in forced.answers] == [True, True, False]
    assert "given claims passed over, since claims are extracted (1)" in forced.notes
    (told,) = faults([given, bare, mute], "fixed")
    assert "row 2: claims: claims are fixed" in told
    assert "--claims auto" in told
    assert (
        "no answer to extract from" in faults([{"context": ["C."], "claims": ["A."]}], "extract")[0]
    )
    assert "neither an answer nor" in faults([{"context": ["C."]}])[0]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_rows_that_evaluate_wrote_give_the_claims_that_it_judged(tmp_path, ending):
    from tests.metrics.judging import evaluated, script

    rows = [
        {"answer_id": "a", "context": ["C."], "answer": "It is warm, and dry.", "question": "?"},
        {"answer_id": "b", "context": ["C."], "answer": "Sorry.", "question": "?"},
    ]
    claims = ["It is warm.", "It is dry."]
    judge = script(tmp_path, {}, {rows[0]["answer"]: claims}, otherwise="yes")
    told = evaluated(tmp_path, rows, ["faithfulness"], judge)
    read = read_answers(told.save(tmp_path / f"evaluated.{ending}"), "fixed")
    assert [[c.claim for c in answer.claims] for answer in read.answers] == [claims, []]
    assert "claims taken from faithfulness_verdicts (1)" in read.notes
    again = read_answers(told.save(tmp_path / f"evaluated.{ending}"), "extract")
    assert again.answers[0].claims is None


def test_every_fault_is_named_with_file_line_field_value_and_mend(tmp_path):
    rows = [
        {"answer_id": "a", "context": ["C."], "claims": "It is."},
        {"answer_id": "b", "context": 7, "claims": ["It is."]},
        {"answer_id": "c", "context": ["C.", 3], "claims": ["", 5]},
        {"answer_id": "d", "context": ["C."], "claims": [{"claim": "A.", "slice": "sumary"}]},
        {"answer_id": "d", "context": ["C."], "claims": [{"text": "A."}]},
        {"answer_id": True, "context": ["C."], "claims": ["A."]},
        {"answer_id": "e" * 201, "context": ["C."], "claims": ["A."]},
        {"answer_id": "f", "context": ["C."], "claims": ["A."], "claim": "B."},
        {"answer_id": "g", "context": ["C."], "claims": [{"claim": "A.", "claim_id": "k"}] * 2},
    ]
    path = write_rows(tmp_path / "a.jsonl", rows)
    text = path.read_text(encoding="utf-8") + '{"answer_id": "h", "context": ["C."'
    path.write_text(text, encoding="utf-8")
    told = faults(path)
    places = {int(line.removeprefix(f"{path}:").split(":")[0]) for line in told}
    assert places == set(range(1, 11))
    assert any("must be a list of texts" in line and "(got 'It is.')" in line for line in told)
    assert any("context[1]: must be a text (got 3)" in line for line in told)
    assert any("claims[0]: a claim must not be empty" in line for line in told)
    assert any("Did you mean 'summary'?" in line for line in told)
    assert any("claims[0].text: a claim has no such field" in line for line in told)
    assert any("the claim_id stands twice" in line for line in told)
    assert any("the last line is torn" in line for line in told)


def test_b39_traces_of_missing_values_and_half_characters_are_faults():
    told = faults([{"context": ["nan"], "claims": ["ok \ud83d"], "question": "None"}])
    assert sum("trace of a missing value" in line for line in told) == 2
    assert any("half a character (U+D83D)" in line for line in told)


def test_missing_numbers_of_a_table_are_missing_and_other_values_come_back_as_json():
    import pandas as pd

    table = pd.DataFrame(
        {
            "answer_id": ["a", "b"],
            "context": [["C."], ["D."]],
            "claims": [["It is."], ["It was."]],
            "question": [None, float("nan")],
            "day": pd.to_datetime(["2025-03-01", None]),
            "votes": [1.5, float("nan")],
        }
    )
    first, second = read_answers(table).answers
    assert first.question is second.question is None
    assert json.loads(json.dumps(first.fields))["votes"] == 1.5
    assert second.fields == {"day": None, "votes": None}


def test_own_fields_that_json_does_not_have_come_back_as_texts(tmp_path):
    import datasets
    import pandas as pd

    row = {"context": ["C."], "claims": ["It is."], "day": pd.Timestamp("2025-03-01"), "x": 1e400}
    datasets.Dataset.from_list([row]).to_parquet(tmp_path / "a.parquet")
    for source in ([row], tmp_path / "a.parquet"):
        (read,) = read_answers(source).answers
        assert json.loads(json.dumps(read.fields)) == {"day": "2025-03-01 00:00:00", "x": None}


def test_claim_rows_without_ids_are_put_together_by_what_they_are_about():
    shared = {"context": ["C."], "question": "Q?"}
    rows = [
        {**shared, "answer": "One. Two.", "claim": "One."},
        {**shared, "answer": "Three.", "claim": "Three."},
        {**shared, "answer": "One. Two.", "claim": "Two."},
    ]
    read = read_answers(rows).answers
    assert [[c.claim for c in a.claims or ()] for a in read] == [["One.", "Two."], ["Three."]]


def test_language_tags_of_either_spelling():
    row = {"context": ["C."], "claims": ["茶是热的。"], "lang": "zh_CN"}
    assert read_answers([row]).answers[0].lang == "zh-CN"


def test_b83_a_text_that_looks_like_a_schema_is_a_text(tmp_path):
    claim = "columns are action: string, datetime: timestamp[s]"
    path = write_rows(tmp_path / "a.jsonl", [{"context": [claim], "claims": [claim]}])
    (read,) = read_answers(path).answers
    assert read.claims is not None
    assert read.claims[0].claim == claim


def test_a_single_mapping_or_nothing_is_refused(tmp_path):
    assert "Put a single answer in [ ]" in faults({"context": ["C."], "claims": ["A."]})[0]
    assert "there is no answer in it" in faults([])[0]
    assert "an answer is a mapping" in faults(["It is."])[0]
    assert "no such file" in faults(tmp_path / "none.jsonl")[0]
    assert "no such file or folder" in faults(tmp_path / "none.parquet")[0]


def test_a_gold_set_is_no_file_of_answers(tmp_path):
    (tmp_path / "goldset.yaml").write_text("name: x\n")
    with pytest.raises(InputError, match="a gold set keeps claims and contexts apart"):
        read_answers(tmp_path)


def test_a_case_with_an_ideal_context_is_judged_against_the_retrieved_one() -> None:
    case = {"actual_output": "At 9.", "context": ["Ideal."], "retrieval_context": ["Found."]}
    read = read_answers([case])
    assert read.answers[0].passages == ("Found.",)
    assert read.answers[0].fields == {"reference_contexts": ["Ideal."]}
    assert any("taken as the ideal one" in note for note in read.notes)

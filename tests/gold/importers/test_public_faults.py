"""No record of a public set, however broken, ends in a trace or gets lost unseen."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importers.formats import format_named, reader_named
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from tests.gold.importers.faults import broken

NOTE = "<幻觉>无\n<参考>长三百米\n<改正>无"
RECORDS: dict[str, dict[str, Any]] = {
    "vitaminc": {
        **{"unique_id": "c_1", "case_id": "c", "page": "Pier", "wiki_revision_id": 9},
        **{"claim": "The pier is long .", "evidence": "It is 300 m long .", "label": "SUPPORTS"},
    },
    "fever": {
        **{"claim_id": "12", "claim": "Glaciers grow.", "claim_label": "SUPPORTS"},
        "evidences": [
            {
                **{"evidence_id": "Glacier:1", "evidence_label": "SUPPORTS"},
                **{"article": "Glacier", "evidence": "They do.", "votes": ["SUPPORTS", None]},
            }
        ],
    },
    "averitec": {
        **{"claim": "The pier is long.", "label": "Supported", "justification": "So it says."},
        "fact_checking_article": "an article",
        "questions": [
            {
                "question": "Is it?",
                "answers": [
                    {
                        **{"answer": "Yes", "answer_type": "Boolean"},
                        "boolean_explanation": "300 m.",
                    }
                ],
            }
        ],
    },
    "factcheck-gpt": {
        **{"prompt": "How long?", "response": "The pier is long."},
        "sentences": {
            "sentence1": {
                **{"sentence_checkworthiness": "yes", "claims": ["The pier is long."]},
                **{"claim_checkworthiness": ["factual"], "auto_evidence": [["300 m."]]},
                "if_automatic_evidence_enough_to_verify": ["yes"],
                "stance_claim_autoEvid": [["completely-support"]],
            }
        },
    },
    "factcheck-gpt/pairs": {
        **{"claim": "The pier is long.", "evidence": "300 m.", "stance": "completely-support"}
    },
    "fever/nli": {"cid": 7, "query": "It is long.", "context": "300 m.", "label": "SUPPORTS"},
    "fever/texts": {
        **{"id": 7, "claim": "It is long.", "label": "SUPPORTS"},
        "evidence": [["Pier", 0, "300 m."]],
    },
    "begin": {
        **{"model_name": "t5", "data_source": "wow", "knowledge": "it is 300 m long ."},
        **{"message": "how long ?", "response": "300 m", "begin_label": "Fully attributable"},
    },
    "attributionbench": {
        **{"question": "How long?", "claim": "300 m [1].", "references": ["[1] 300 m."]},
        **{"attribution_label": "attributable", "src_dataset": "LFQA", "id": "LFQA_1"},
    },
    "ocnli": {
        **{"sentence1": "码头长三百米。", "sentence2": "码头很长。", "label": "entailment"},
        **{f"label{number}": "entailment" for number in range(5)},
        **{"genre": "lit", "prem_id": "lit_1", "id": 4},
    },
    "uhgeval": {
        **{"id": "num_1", "headLine": "（经济）码头建成", "newsBeginning": "码头昨日建成。"},
        **{"hallucinatedContinuation": "码头长五百米。", "newsRemainder": "长三百米。"},
        **{"annotations": ["五百米<sep>不合理，应为三百米"], "generatedBy": "Model_A"},
    },
    "llm-aggrefact": {"dataset": "Wice", "doc": "300 m.", "claim": "It is long.", "label": 1},
    "anah": {
        **{"name": "码头", "language": "zh", "documents": ["码头长三百米。"]},
        **{"selected_questions": ["多长？"], "InternLM_answers": ["长三百米。"]},
        **{"human_InternLM_answers_ann": [[NOTE]], "GPT3.5_answers_D": []},
        "human_GPT3.5_answers_D_ann": [],
    },
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_whole_record_comes_in(imported: Any, saved: Any, name: str) -> None:
    got = imported(_form(name), saved([RECORDS[name]], "whole.jsonl"))
    assert got.left == [] and got.problems == []
    assert all(claim.label is not None for claim in got.claims)


@pytest.mark.parametrize("name", RECORDS)
def test_a_broken_record_is_seen(tmp_path: Path, name: str) -> None:
    path = tmp_path / "broken.jsonl"
    whole = len(list(_read(name, _source(path, [RECORDS[name]]))))
    rows = list(broken(RECORDS[name]))
    for row in rows:
        try:
            found = list(_read(name, _source(path, [row])))
        except GoldError as error:
            assert error.problems[0].line == 1
            continue
        assert found or _is_empty(name, row), row
        assert len(found) <= whole + 5, row
        assert all(out.where == str(path) and out.line == 1 for out in found)


@pytest.mark.parametrize("name", RECORDS)
def test_broken_records_beside_whole_ones_make_a_set(tmp_path: Path, name: str) -> None:
    rows = [row for row in broken(RECORDS[name]) if not _is_refused(tmp_path, name, row)]
    source = _source(tmp_path / "many.jsonl", [RECORDS[name], *rows])
    for space in ("binary", "ternary"):
        about = About("many", label_space=space)
        made = assemble(format_named(_form(name)), _read(name, source), about, source)
        assert made.goldset.claims and made.left_out


@pytest.mark.parametrize("name", RECORDS)
def test_a_torn_last_line_is_a_fault_with_its_line(imported: Any, saved: Any, name: str) -> None:
    path = saved([RECORDS[name]], "torn.jsonl")
    path.write_text(path.read_text(encoding="utf-8") + '{"claim": "to', encoding="utf-8")
    got = imported(_form(name), path)
    assert got.claims and [fault.line for fault in got.problems] == [2]


def _form(name: str) -> str:
    return name.partition("/")[0]


def _read(name: str, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    return reader_named(_form(name))(source)


def _source(path: Path, rows: list[dict[str, Any]]) -> Source:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Source(path)


def _is_refused(folder: Path, name: str, row: dict[str, Any]) -> bool:
    try:
        list(_read(name, _source(folder / "one.jsonl", [row])))
    except GoldError:
        return True
    return False


def _is_empty(name: str, row: dict[str, Any]) -> bool:
    """Whether a record holds no claim at all: no sentence, no answer, no annotated sentence."""
    if name == "factcheck-gpt":
        return row["sentences"] == {}
    if name == "anah":
        said = row.get("human_InternLM_answers_ann")
        return (not said and not row.get("InternLM_answers")) or said == [[]]
    return False

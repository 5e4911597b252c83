"""No record of these nine public sets, however broken, ends in a trace or gets lost unseen."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importers.formats import format_named, reader_named
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from tests.gold.importers.faults import broken

SCORES = {
    **{"Factuality": 0.5, "Semantic_Frame_Errors": 0.5, "Discourse_Errors": 1.0},
    **{"Content_Verifiability_Errors": 1.0, "OutE": 1.0, "EntE": 0.5, "GramE": 1},
}
RECORDS: dict[str, dict[str, Any]] = {
    "ragtruth": {
        **{"id": "7", "source_id": "3", "model": "some-model", "quality": "good"},
        **{
            "task_type": "QA",
            "response": "The pier is 300 metres long. It opened to people in 1931.",
        },
        "source_info": {"question": "How long?", "passages": "passage 1:It is 200 m long.\n\n"},
        "labels": [
            {
                **{"start": 12, "end": 22, "text": "300 metres", "meta": "it says 200"},
                **{"label_type": "Evident Conflict", "implicit_true": False, "due_to_null": None},
            }
        ],
    },
    "ragtruth/hub": {
        **{"id": "7", "query": "Sum it up:", "context": "It is 200 m long.", "model": "m"},
        **{"output": "The pier is 300 metres long.", "task_type": "Summary", "quality": "good"},
        "hallucination_labels": json.dumps(
            [{"start": 12, "end": 22, "text": "300 metres", "label_type": "Subtle Conflict"}]
        ),
    },
    "faithbench": {
        **{"sample_id": 4, "source": "The pier , opened 1931 , is 200 m long ."},
        "summary": "The pier is 300 metres long. It opened in the year 1931.",
        "annotations": [
            {
                **{"annot_id": 1, "annotator_id": "a1", "annotator_name": "One"},
                **{"label": ["Unwanted", "Unwanted.Intrinsic"], "note": "200", "source_start": 30},
                **{"summary_span": "300 metres", "summary_start": 12, "summary_end": 22},
                **{"source_span": "200 m", "source_end": 35},
            }
        ],
        "metadata": {"summarizer": "some/model", "raw_sample_id": 9},
    },
    "xsum-hallucination": {
        **{
            "bbcid": "11",
            "system": "Gold",
            "summary": "the pier isn\\'t long .",
            "article": "300.",
        },
        **{"hallucination_type": "intrinsic", "hallucinated_span": "isn\\'t long"},
        **{"hallucinated_span_start": 9, "hallucinated_span_end": 19, "worker_id": "wid_0"},
    },
    "frank": {
        **{"hash": "ab12", "model_name": "bart", "article": "It is long.", "summary": "It is not."},
        **SCORES,
    },
    "wice": {
        **{"label": "supported", "supporting_sentences": [[0, 1], [1, 2]]},
        **{"claim": "It is long.", "evidence": ["(meta data) TITLE: Pier", "300 m.", "Long."]},
        "meta": {"id": "dev00001", "claim_title": "Pier", "claim_context": "There is a pier."},
    },
    "storysumm": {
        **{"label": 0, "story": "Ada left. Bo stayed.", "summary": ["Ada left.", "Bo left."]},
        **{"errors": [1, 0], "explanations": ["Bo stayed."], "story-id": 3, "model": "claude"},
    },
    "summedits": {
        **{"id": "q_1_og", "doc": "It is long.", "summary": "It is not long.", "label": 1},
        "edit_types": ["negation"],
    },
    "contractnli": {
        **{
            "id": 9,
            "file_name": "nda.txt",
            "text": "Keep it. Return it.",
            "spans": [[0, 8], [9, 19]],
        },
        "annotation_sets": [
            {
                "annotations": {
                    "nda-1": {"choice": "Entailment", "spans": [0, 1]},
                    "nda-2": {"choice": "NotMentioned", "spans": []},
                }
            }
        ],
    },
    "contractnli/rows": {
        **{"premise": "Keep it.", "hypothesis": "It is kept.", "label": "entailment"},
    },
    "control": {"uid": "id_1", "premise": "300 m.", "hypothesis": "It is long.", "label": "e"},
}
HYPOTHESES = {f"nda-{number}": {"hypothesis": f"It is rule {number}."} for number in (1, 2)}
KEEPS_ALL = {"ragtruth": 2, "faithbench": 2, "storysumm": 2, "contractnli": 2}


def place(folder: Path, name: str, rows: list[Any]) -> Path:
    """The rows in the upstream form of a set."""
    forms: dict[str, tuple[str, Callable[[], Any]]] = {
        "faithbench": ("batch_1.json", lambda: {"samples": rows}),
        "storysumm": ("storysumm.json", lambda: {f"k{at}": row for at, row in enumerate(rows)}),
        "contractnli": ("dev.json", lambda: {"documents": rows, "labels": HYPOTHESES}),
    }
    if name in forms:
        path, document = folder / forms[name][0], forms[name][1]()
        path.write_text(json.dumps(document), encoding="utf-8")
        return path
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(name: str, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    return reader_named(form(name))(source)


def form(name: str) -> str:
    return name.partition("/")[0]


@pytest.mark.parametrize("name", RECORDS)
def test_a_whole_record_comes_in(tmp_path: Path, name: str) -> None:
    source = Source(place(tmp_path, name, [RECORDS[name]]))
    found = list(read(name, source))
    assert source.problems == [] and len(found) == KEEPS_ALL.get(name, 1)
    assert all(isinstance(claim, ImportedClaim) and claim.label for claim in found)


@pytest.mark.parametrize("name", RECORDS)
def test_a_broken_record_is_seen(tmp_path: Path, name: str) -> None:
    for row in broken(RECORDS[name]):
        source = Source(place(tmp_path, name, [row]))
        try:
            found = list(read(name, source))
        except GoldError as error:
            assert error.problems
            continue
        assert found or source.problems or _is_empty(row), row
        assert all(out.where.startswith(source.place) for out in found)


@pytest.mark.parametrize("space", ["binary", "ternary"])
@pytest.mark.parametrize("name", RECORDS)
def test_broken_records_beside_whole_ones_make_a_set(tmp_path: Path, name: str, space: Any) -> None:
    rows = [RECORDS[name]]
    for row in broken(RECORDS[name]):
        source = Source(place(tmp_path, name, [row]))
        try:
            list(read(name, source))
        except GoldError:
            continue
        if not source.problems:
            rows.append(row)
    source = Source(place(tmp_path, name, rows))
    made = assemble(format_named(form(name)), read(name, source), About("many", space), source)
    assert made.goldset.claims and made.left_out


@pytest.mark.parametrize("name", [name for name in RECORDS if name not in KEEPS_ALL])
def test_a_torn_last_line_is_a_fault_with_its_line(tmp_path: Path, name: str) -> None:
    path = place(tmp_path, name, [RECORDS[name]])
    path.write_text(path.read_text(encoding="utf-8") + '{"claim": "to', encoding="utf-8")
    source = Source(path)
    assert list(read(name, source)) and [fault.line for fault in source.problems] == [2]


@pytest.mark.parametrize("name", ["faithbench", "storysumm", "contractnli"])
@pytest.mark.parametrize("torn", ["{", "[1, 2]", '"text"', "{}", '{"samples": [3], "k": 3}'])
def test_a_document_of_another_form_is_a_fault(tmp_path: Path, name: str, torn: str) -> None:
    path = place(tmp_path, name, [])
    path.write_text(torn, encoding="utf-8")
    source = Source(path)
    assert list(read(name, source)) == []
    assert source.problems or (name, torn) == ("storysumm", "{}")


def _is_empty(row: dict[str, Any]) -> bool:
    """Whether a record holds no claim at all: a contract without an annotation."""
    sets = row.get("annotation_sets")
    return bool(sets) and isinstance(sets, list) and sets[0] == {"annotations": {}}

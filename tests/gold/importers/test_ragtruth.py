from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importers.ragtruth import FORMAT, read
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.source import Source

RESPONSE = (
    "Here is what the passages say:\n\n"
    "1. The pier is 300 metres long. It was built by Ada Lindt in 1931.\n"
    "2. It closes to all every winter.\n\n"
    "Two million people visit it each year. It is open to all people."
)
ARTICLE = "The pier is 200 metres long and opened in 1931. \n"


def mark(text: str, kind: str, **more: Any) -> dict[str, Any]:
    start = RESPONSE.index(text)
    return {"start": start, "end": start + len(text), "text": text, "label_type": kind} | more


def response(labels: Any = None, **more: Any) -> dict[str, Any]:
    return {
        **{"id": "70", "source_id": "9", "model": "m-7b", "temperature": 0.7, "split": "test"},
        **{"labels": labels or [], "quality": "good", "response": RESPONSE},
    } | more


@pytest.fixture
def pair(saved: Any, tmp_path: Path) -> Any:
    def write(responses: list[Any], info: Any = ARTICLE, task: str = "Summary") -> Path:
        saved(responses, "set/response.jsonl")
        source = {"source_id": "9", "task_type": task, "source": "x", "source_info": info}
        saved([source], "set/source_info.jsonl")
        return tmp_path / "set"

    return write


def test_spans_become_labels_of_sentences(imported: Any, pair: Any) -> None:
    marks = [
        mark("300 metres", "Evident Conflict", meta="200\nmetres", due_to_null=False),
        mark("Ada Lindt", "Subtle Baseless Info", implicit_true=True),
        mark("every winter", "Evident Baseless Info", implicit_true=None, due_to_null=True),
    ]
    got = imported("ragtruth", pair([response(marks)]))
    assert got.labels == ["no", None, "idk", "yes", "yes"]
    assert [claim.claim_id for claim in got.claims] == [f"ragtruth-70-{n}" for n in range(1, 6)]
    first, gap, third, *_ = got.claims
    assert first.claim == "The pier is 300 metres long."
    assert first.note == "Evident Conflict “300 metres”: 200 metres"
    assert (gap.unlabelled, gap.slice) == ("policy_gap", "outside_true")
    assert gap.detail == "true in the world, absent from the context"
    assert third.note == "Evident Baseless Info (due_to_null) “every winter”"
    assert {claim.slice for claim in got.claims} == {None, "outside_true"}
    assert [(left.reason, left.what, left.detail) for left in got.left] == [
        ("no_claim", "70-0", "a lead-in")
    ]


def test_ids_groups_and_the_model(imported: Any, pair: Any) -> None:
    other = response(id="71", model="n-13b", response="It is 200 metres long.")
    got = imported("ragtruth", pair([response(), other]))
    assert {claim.answer_id for claim in got.claims} == {"ragtruth-70", "ragtruth-71"}
    assert {claim.generator for claim in got.claims} == {"m-7b", "n-13b"}
    assert {claim.group for claim in got.claims} == {"ragtruth-source-9"}
    assert {claim.passages for claim in got.claims} == {(ARTICLE.strip(),)}
    assert [claim.line for claim in got.claims] == [1, 1, 1, 1, 1, 2]


def test_both_kinds_in_one_sentence_are_no(imported: Any, pair: Any) -> None:
    marks = [
        mark("It was built", "Evident Baseless Info"),
        mark("1931", "Subtle Conflict"),
        mark("by Ada Lindt", "Subtle Baseless Info", implicit_true=True),
    ]
    assert imported("ragtruth", pair([response(marks)])).labels[1] == "no"
    got = imported("ragtruth", pair([response([marks[0], marks[2]])]))
    assert got.labels[1] == "idk", "one span that is not true outside is enough"


def test_one_span_over_many_sentences_and_a_marked_lead_in(imported: Any, pair: Any) -> None:
    start = RESPONSE.index("Here")
    end = RESPONSE.index("Two million")
    whole = {"start": start, "end": end, "text": RESPONSE[start:end]}
    got = imported("ragtruth", pair([response([whole | {"label_type": "Evident Conflict"}])]))
    assert got.labels == ["no", "no", "no", "no", "yes", "yes"]
    assert got.claims[0].claim == "Here is what the passages say:" and got.left == []


def test_a_span_over_the_full_stop_does_not_count(imported: Any, pair: Any) -> None:
    at = RESPONSE.index(" It was built")
    span = {"start": at, "end": at + 3, "text": " It", "label_type": "Evident Conflict"}
    assert imported("ragtruth", pair([response([span])])).labels[:2] == ["yes", "no"]
    span |= {"start": at - 2, "end": at + 2, "text": "g. I"}
    assert imported("ragtruth", pair([response([span])])).labels[:2] == ["yes", "yes"]


def test_a_question_with_passages(imported: Any, pair: Any) -> None:
    info = {
        "question": "how long is the pier",
        "passages": "passage 1:It is long.\n\npassage 2:It has\n\ntwo parts.\n\n",
    }
    got = imported("ragtruth", pair([response()], info, "QA"))
    assert got.claims[0].passages == ("It is long.", "It has\n\ntwo parts.")
    assert got.claims[0].question == "how long is the pier"


def test_data_as_the_context(imported: Any, pair: Any) -> None:
    info = {"name": "小茶馆", "attributes": {"WiFi": None}, "review_info": [{"review_stars": 1.0}]}
    claim = imported("ragtruth", pair([response()], info, "Data2txt")).claims[0]
    assert '"name": "小茶馆"' in claim.passages[0] and '"WiFi": null' in claim.passages[0]
    assert claim.question is None


def test_what_does_not_come_in(imported: Any, pair: Any) -> None:
    wrong = mark("300 metres", "Evident Conflict") | {"start": 0, "end": 5}
    rows = [
        response(id="1", quality="truncated"),
        response(id="2", quality="incorrect_refusal"),
        response(id="3", response=None),
        response(id="4", source_id="10"),
        response(id="5") | {"labels": None},
        response([wrong | {"text": "It"}], id="6"),
        response([mark("300 metres", "Strange")], id="7", response=RESPONSE[:63]),
        response(id="8", response="Unable to answer based on given passages. Sorry!"),
        response([wrong], id="9", response=RESPONSE[:63]),
    ]
    got = imported("ragtruth", pair(rows))
    assert [(left.reason, left.what) for left in got.left] == [
        ("set_aside", "1"),
        ("set_aside", "2"),
        ("missing_text", "'3' response"),
        ("missing_context", "4"),
        ("malformed", "'5' labels"),
        ("malformed", "6"),
        ("no_claim", "7-0"),
        ("unknown_label", "7-1"),
        ("no_claim", "8-0"),
        ("no_claim", "8-1"),
        ("no_claim", "9-0"),
    ]
    assert [left.line for left in got.left][:6] == [1, 2, 3, 4, 5, 6]
    assert got.left[0].detail == "quality is 'truncated'"
    assert got.left[7].detail == "label_type 'Strange'"
    assert got.labels == ["no"], "a span whose offsets are wrong, at the one place of its text"


def test_sources_at_fault_and_no_sources(imported: Any, saved: Any, pair: Any) -> None:
    got = imported("ragtruth", pair([response()], {"passages": 3}))
    assert got.claims == [] and got.reasons == ["missing_context"]
    assert [fault.line for fault in got.problems] == [1]
    alone = saved([response()], "alone/response.jsonl")
    for place in (alone, alone.parent):
        with pytest.raises(GoldError, match=r"no source_info\.jsonl beside"):
            imported("ragtruth", place)
    with pytest.raises(GoldError, match="no such file"):
        imported("ragtruth", alone.parent / "nothing")


def test_a_chinese_response(imported: Any, pair: Any) -> None:
    text = "以下是要点：\n1、码头长三百米。\n2、每年冬天关闭。"
    at = text.index("三百米")
    span = {"start": at, "end": at + 3, "text": "三百米", "label_type": "Evident Conflict"}
    source = Source(pair([response([span], response=text)], "码头长二百米。"))
    made = assemble(FORMAT, read(source), About("zh"), source)
    assert [(claim.claim, claim.label, claim.lang) for claim in made.goldset.claims] == [
        ("码头长三百米。", "no", "zh"),
        ("每年冬天关闭。", "yes", "zh"),
    ]


def test_the_joined_copy_of_the_hub(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    rows = [
        {
            **{"id": "70", "query": "how long is it", "context": "It is long.\n\nIt is wide."},
            **{"output": RESPONSE, "task_type": "QA", "quality": "good", "model": "m-7b"},
            **{"temperature": 0.7, "input_str": "…", "hallucination_labels": "[]"},
            "hallucination_labels_processed": {"evident_conflict": 0, "baseless_info": 0},
        }
    ]
    rows.append(rows[0] | {"id": "71", "task_type": "Summary", "query": "Summarize it:"})
    rows.append(rows[0] | {"id": "72", "hallucination_labels": "[{'start'"})
    write_with_datasets(rows, tmp_path / "saved")
    got = imported("ragtruth", tmp_path / "saved")
    assert [claim.claim_id for claim in got.claims[:2]] == ["ragtruth-70-1", "ragtruth-70-2"]
    assert got.claims[0].passages == ("It is long.", "It is wide.")
    assert got.claims[0].question == "how long is it"
    assert got.claims[-1].passages == ("It is long.\n\nIt is wide.",)
    assert got.claims[-1].question is None and got.claims[-1].group is None
    assert got.reasons == ["no_claim", "no_claim", "malformed"]

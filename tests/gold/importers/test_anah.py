from typing import Any

import pytest

DOCUMENTS = ["盐沼灯塔建于1802年，高41米。", "灯塔现由港务局管理。"]


def topic(answers: list[Any], annotations: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "盐沼灯塔",
        "language": "zh",
        "documents": DOCUMENTS,
        "selected_questions": ["灯塔有多高？", "谁管理灯塔？"],
        "InternLM_answers": answers,
        "human_InternLM_answers_ann": annotations,
        "GPT3.5_answers_D": [],
        "human_GPT3.5_answers_D_ann": [],
    } | more


def test_chinese_tags(imported: Any, saved: Any) -> None:
    notes = [
        "<幻觉>无\n<参考>高41米<SEP>“建于1802年”\n<改正>无",
        "<幻觉>矛盾\n<参考>灯塔现由港务局管理\n<改正>“教堂”改为“港务局”",
        "<幻觉>无法验证\n<参考>无\n<改正>删去这句",
        "<无事实>",
    ]
    text = "灯塔高41米。灯塔由教堂管理。守塔人姓林。你还想知道什么？"
    got = imported("anah", saved([topic([text], [notes])], "a.jsonl"))
    assert got.labels == ["yes", "no", "idk"]
    assert [claim.claim for claim in got.claims] == [
        "灯塔高41米。",
        "灯塔由教堂管理。",
        "守塔人姓林。",
    ]
    assert got.claims[0].spans == ("高41米", "建于1802年") and got.claims[2].spans == ()
    assert [claim.note for claim in got.claims] == [None, "“教堂”改为“港务局”", "删去这句"]
    assert [left.reason for left in got.left] == ["no_claim"]
    first = got.claims[0]
    assert (first.question, first.generator, first.lang) == ("灯塔有多高？", "InternLM", "zh")
    assert first.passages == tuple(DOCUMENTS) and first.title == "盐沼灯塔"
    assert {claim.answer_id for claim in got.claims} == {first.claim_id.rpartition("-")[0]}


def test_english_tags(imported: Any, saved: Any) -> None:
    notes = [
        "<Hallucination> None\n<Reference> 41 metres high\n<Correction> None",
        "<Hallucination> Contradictory\n<Reference> built in 1802\n<Correction> in 1802",
        "<Hallucination> Unverifiable\n<Reference> None\n<Correction> None",
        "<No Fact>\n<Reference> None\n<Correction> None",
    ]
    text = "It is 41 metres high. It was built in 1900. Ann keeps it. I hope this helps!"
    row = topic(
        [text], [notes], language="en", documents=["The tower, built in 1802, is 41 metres high."]
    )
    got = imported("anah", saved([row], "a.jsonl"))
    assert got.labels == ["yes", "no", "idk"] and got.reasons == ["no_claim"]
    assert [claim.spans for claim in got.claims] == [("41 metres high",), ("built in 1802",), ()]
    assert got.claims[0].lang == "en"


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("无法验证", "idk"),
        ("无", "yes"),
        ("无。", "yes"),
        ("矛盾", "no"),
        ("无事实", None),
        ("可疑", None),
    ],
)
def test_the_longer_word_first(imported: Any, saved: Any, said: str, label: str | None) -> None:
    row = topic(["灯塔高41米。"], [[f"<幻觉>{said}\n<参考>无\n<改正>无"]])
    got = imported("anah", saved([row], "a.jsonl"))
    assert got.labels == ([label] if label else [])
    assert got.reasons == {"无事实": ["no_claim"], "可疑": ["unknown_label"]}.get(said, [])


def test_the_point_is_the_claim(imported: Any, saved: Any) -> None:
    notes = ["<要点>灯塔高41米\n<幻觉>无\n<参考>高41米\n<改正>无", "<幻觉>无\n<参考>无\n<改正>无"]
    got = imported("anah", saved([topic(["灯塔高41米。很高。真的。"], [notes])], "a.jsonl"))
    assert [claim.claim for claim in got.claims] == ["灯塔高41米"]
    assert [(left.reason, left.detail) for left in got.left] == [
        ("missing_text", "2 annotations, 3 sentences")
    ]


def test_two_models_and_two_answers(imported: Any, saved: Any) -> None:
    note = "<幻觉>无\n<参考>无\n<改正>无"
    row = topic(["高41米。", "港务局。"], [[note], [note]])
    row |= {"GPT3.5_answers_D": ["高41米。"], "human_GPT3.5_answers_D_ann": [[note]]}
    got = imported("anah", saved([row], "a.jsonl"))
    assert [(claim.generator, claim.question) for claim in got.claims] == [
        ("GPT3.5", "灯塔有多高？"),
        ("InternLM", "灯塔有多高？"),
        ("InternLM", "谁管理灯塔？"),
    ]
    assert len({claim.answer_id for claim in got.claims}) == 3


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    note = "<幻觉>无"
    rows = [
        topic(["高41米。"], [[note]], documents=[]),
        topic(["高41米。"], []),
        topic([None, "高41米。"], [[note], [note]]),
        topic(["高41米。"], ["text"]),
        topic(["高41米。"], [[5]]),
        topic(["高41米。"], [["没有标签"]]),
        topic("高41米。", [[note]]),
    ]
    got = imported("anah", saved(rows, "a.jsonl"))
    assert [(left.reason, left.line) for left in got.left] == [
        ("missing_context", 1),
        ("malformed", 2),
        ("missing_text", 3),
        ("malformed", 4),
        ("malformed", 5),
        ("unknown_label", 6),
        ("malformed", 7),
    ]
    assert got.labels == ["yes"]

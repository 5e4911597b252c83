from typing import Any


def answer(text: str | None = "It has 12 arches.", kind: str = "Extractive", **more: Any) -> Any:
    return {"answer": text, "answer_type": kind, "source_url": "u", "source_medium": "Web"} | more


def asked(question: str = "How many arches?", *answers: Any) -> dict[str, Any]:
    return {"question": question, "answers": list(answers or (answer(),))}


def record(label: str | None = "Supported", **more: Any) -> dict[str, Any]:
    return {
        "claim": "The bridge at Orrin has 12 arches.",
        "required_reannotation": False,
        "label": label,
        "justification": "The first answer says so.",
        "claim_date": "1-2-2021",
        "speaker": None,
        "fact_checking_article": "an article",
        "claim_types": ["Numerical Claim"],
        "questions": [asked()],
    } | more


def test_labels(imported: Any, saved: Any) -> None:
    words = ["Supported", "Refuted", "Not Enough Evidence", "Conflicting Evidence/Cherrypicking"]
    rows = [record(word, claim=f"Claim {number}.") for number, word in enumerate(words)]
    got = imported("averitec", saved(rows, "dev.json"))
    assert got.labels == ["yes", "no", "idk", None]
    last = got.claims[-1]
    assert (last.unlabelled, last.detail) == ("unsettled", words[-1])
    assert got.claims[0].note == "The first answer says so."
    assert got.claims[0].where.endswith("row 1") and got.claims[0].line is None
    assert {claim.group for claim in got.claims} == {"an article"}
    assert got.claims[0].claim_id is got.claims[0].slice is None


def test_the_context_is_made_of_questions_and_answers(imported: Any, saved: Any) -> None:
    questions = [
        asked("How many arches?", answer(), answer("Twelve.", "Abstractive")),
        asked("Is it old?", answer("Yes", "Boolean", boolean_explanation="It dates from 1740.")),
        asked("Who paid?", answer("No answer could be found.", "Unanswerable")),
        asked("Who drew it?", answer("", "Unanswerable")),
        asked("Any damage?", answer("None")),
    ]
    got = imported("averitec", saved([record(questions=questions)], "dev.json"))
    assert got.claims[0].passages == (
        "Q: How many arches?\nA: It has 12 arches.",
        "Q: How many arches?\nA: Twelve.",
        "Q: Is it old?\nA: Yes It dates from 1740.",
        "Q: Who paid?\nA: No answer could be found.",
        "Q: Who drew it?\nA: No answer could be found.",
        "Q: Any damage?\nA: None",
    )


def test_an_upstream_id_is_kept(imported: Any, saved: Any) -> None:
    rows = [record(claim_id=4), record(claim="The bridge at Orrin is new.", claim_id=4)]
    got = imported("averitec", saved(rows, "dev.json"))
    assert [claim.claim_id for claim in got.claims] == ["averitec-4", None]


def test_a_hidden_label_waits_for_people(imported: Any, saved: Any) -> None:
    row = record()
    del row["label"], row["justification"]
    got = imported("averitec", saved([row], "test.json"))
    assert got.labels == [None] and got.claims[0].unlabelled == "unlabelled"


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        record("Mostly true"),
        record(claim=None),
        record(questions=[]),
        record(questions=None),
        record(questions="What?"),
        record(questions=["What?"]),
        record(questions=[{"question": "What?"}]),
        record(questions=[{"question": None, "answers": []}]),
        record(questions=[asked("What?", "a text")]),
        record(questions=[asked("What?", answer(None))]),
    ]
    got = imported("averitec", saved(rows, "dev.json"))
    assert got.claims == []
    assert got.reasons == [
        *("unknown_label", "missing_text", "missing_context", "missing_context"),
        *("malformed", "malformed", "malformed", "missing_text", "malformed", "missing_text"),
    ]
    assert got.left[-1].where.endswith("row 10")

from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importers.factcheck_gpt import label_of_stances

FULL, PART, AGAINST, NOTHING = (
    *("completely-support", "partially-support", "refute", "irrelevant"),
)
SNIPPETS = [f"Snippet {number} on the harbour of Ness." for number in range(5)]


def sentence(*claims: tuple[list[str], str], **more: Any) -> dict[str, Any]:
    return {
        "text": "A sentence.",
        "sentence_checkworthiness": "yes",
        "claims": [f"Claim {number} of Ness." for number in range(len(claims))],
        "claim_checkworthiness": ["factual"] * len(claims),
        "if_automatic_evidence_enough_to_verify": [flag for _, flag in claims],
        "auto_evidence": [SNIPPETS] * len(claims),
        "stance_claim_autoEvid": [stances for stances, _ in claims],
        "claims_factuality_label": [True] * len(claims),
    } | more


def answer(*sentences: Any, **more: Any) -> dict[str, Any]:
    return {
        "prompt": "What is the harbour of Ness?",
        "response": "It is a harbour.",
        "sentences": {f"sentence{number}": part for number, part in enumerate(sentences, 1)},
    } | more


@pytest.mark.parametrize(
    ("stances", "enough", "label"),
    [
        ([FULL, NOTHING], "yes", "yes"),
        ([FULL, PART], "yes", "yes"),
        ([FULL], "no", None),
        ([FULL, AGAINST], "yes", None),
        ([AGAINST, PART], "yes", "no"),
        ([AGAINST], "no", None),
        ([AGAINST], "na", None),
        ([NOTHING, NOTHING], "no", "idk"),
        ([NOTHING, NOTHING], "yes", None),
        ([PART, NOTHING], "no", "unsupported"),
        ([PART, NOTHING], "yes", "unsupported"),
        ([FULL], None, "yes"),
        ([NOTHING], None, "idk"),
    ],
)
def test_the_rule(stances: list[str], enough: str | None, label: str | None) -> None:
    assert label_of_stances(stances, enough) == label


def test_claims_of_an_answer(imported: Any, saved: Any) -> None:
    part = sentence(([FULL] + [NOTHING] * 4, "yes"), ([NOTHING] * 5, "no"), ([AGAINST] * 5, "no"))
    got = imported("factcheck-gpt", saved([answer(part)], "b.jsonl"))
    assert got.labels == ["yes", "idk", None] and got.left == []
    first, _, last = got.claims
    assert first.passages == tuple(SNIPPETS)
    assert first.question == first.group == "What is the harbour of Ness?"
    assert len({claim.answer_id for claim in got.claims}) == 1
    assert first.note == f"stances: {FULL}{', irrelevant' * 4}; evidence enough to verify: yes"
    assert last.unlabelled == "unsettled" and last.detail.endswith("evidence enough to verify: no")


def test_truth_in_the_world_is_not_support(imported: Any, saved: Any) -> None:
    part = sentence(([NOTHING] * 5, "no"), claims_factuality_label=[True])
    assert imported("factcheck-gpt", saved([answer(part)], "b.jsonl")).labels == ["idk"]


def test_parallel_lists_that_are_missing_or_of_another_length(imported: Any, saved: Any) -> None:
    two = ([NOTHING] * 5, "no"), ([NOTHING] * 5, "no")
    short = sentence(*two, stance_claim_autoEvid=[[NOTHING] * 5])
    absent = sentence(*two)
    del absent["auto_evidence"]
    uneven = sentence(([NOTHING] * 3, "no"))
    no_list = sentence(([NOTHING] * 5, "no"), auto_evidence=["one text"])
    got = imported("factcheck-gpt", saved([answer(short, absent, uneven, no_list)], "b.jsonl"))
    assert got.claims == [] and got.reasons == ["malformed"] * 6
    assert [left.what for left in got.left] == [
        *("sentence1 claim 0", "sentence1 claim 1", "sentence2 claim 0", "sentence2 claim 1"),
        *("sentence3 claim 0", "sentence4 claim 0"),
    ]
    assert got.left[0].detail == "stance_claim_autoEvid is not as long as claims"
    assert got.left[2].detail == "auto_evidence is not as long as claims"


def test_sentences_and_claims_that_claim_nothing(imported: Any, saved: Any) -> None:
    opinion = sentence(([], "NA"), claim_checkworthiness=["opinion"])
    empty = sentence(sentence_checkworthiness="other")
    strange = sentence(claims=None)
    got = imported("factcheck-gpt", saved([answer(opinion, empty, strange, "text")], "b.jsonl"))
    assert got.reasons == ["no_claim", "no_claim", "malformed", "malformed"]
    assert got.left[0].detail == "the annotators call it 'opinion'"


def test_an_unknown_stance_leaves_out_its_claim_alone(imported: Any, saved: Any) -> None:
    part = sentence((["supports"] * 5, "yes"), ([NOTHING] * 5, "no"))
    got = imported("factcheck-gpt", saved([answer(part)], "b.jsonl"))
    assert got.labels == ["idk"] and got.reasons == ["unknown_label"]


def test_broken_answers(imported: Any, saved: Any) -> None:
    good = sentence(([NOTHING] * 5, "no"))
    rows = [answer(good, sentences=[good]), answer(good, response=None), {"prompt": "x"}]
    got = imported("factcheck-gpt", saved(rows, "b.jsonl"))
    assert [(left.reason, left.line) for left in got.left] == [
        *(("malformed", 1), ("missing_text", 2), ("malformed", 3)),
    ]


def pairs(claim: str, *stances: str) -> list[dict[str, Any]]:
    return [
        {"claim": claim, "evidence": snippet, "stance": stance}
        for snippet, stance in zip(SNIPPETS, stances, strict=False)
    ]


def test_claim_snippet_pairs(imported: Any, saved: Any) -> None:
    rows = [
        *pairs("Ness is a port.", FULL, *[NOTHING] * 4),
        *pairs("Ness is a city.", *[NOTHING] * 5),
        *pairs("Ness is old.", PART),
        *pairs("Ness is new.", "perhaps"),
    ]
    got = imported("factcheck-gpt", saved(rows, "subtask3.jsonl"))
    assert got.labels == ["yes", "idk", "unsupported"]
    assert [claim.line for claim in got.claims] == [1, 6, 11]
    assert [len(claim.passages) for claim in got.claims] == [5, 5, 1]
    assert got.claims[0].question is None and got.claims[0].note == f"stances: {FULL}" + (
        ", irrelevant" * 4
    )
    assert [(left.reason, left.line) for left in got.left] == [("unknown_label", 12)]


def test_both_files_give_a_claim_once(imported: Any, saved: Any, tmp_path: Path) -> None:
    part = sentence(([NOTHING] * 5, "yes"))
    saved([answer(part)], "f/factcheck-GPT-benchmark.jsonl")
    rows = [*pairs("Claim 0 of Ness.", *[NOTHING] * 5), *pairs("Ness is a port.", *[FULL] * 5)]
    saved(rows, "f/subtask3_claim_evidence_stance.jsonl")
    got = imported("factcheck-gpt", tmp_path / "f")
    assert got.labels == [None, "yes"]
    assert [(left.reason, left.detail) for left in got.left] == [
        ("duplicate", "it is in the answers")
    ]


def test_records_of_another_subtask(imported: Any, saved: Any) -> None:
    got = imported("factcheck-gpt", saved([{"claim": "a", "label": "factual"}], "subtask2.jsonl"))
    assert got.reasons == ["malformed"]

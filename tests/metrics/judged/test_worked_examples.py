"""Worked examples of the literature on each judged metric, in English and Chinese."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.metrics.judged.answer_correctness import statement_f1
from metajudge.metrics.judged.context_relevance import average_precision
from tests.metrics.judging import evaluated, script

FREE_PLAN = {
    "The free plan has 5 members.": "yes",
    "The free plan has 2 GB of space.": "yes",
    "The free plan has unlimited projects.": "no",
    "The free plan has 5,000 API calls.": "idk",
    "The paid plan costs 79 a month.": "no",
}
FREE_PLAN_ZH = {
    "免费版最多5人。": "是",
    "免费版有2GB空间。": "是",
    "免费版项目数不限。": "否",
    "免费版有5000次调用。": "不知道",
    "付费版每月79元。": "否",
}
TRAVEL = {
    "There is a travel policy.": "yes",
    "Tier-1 hotels are capped at 500 a night.": "yes",
    "Tier-2 hotels are capped at 350 a night.": "yes",
    "Going over the cap needs approval beforehand.": "yes",
    "The head of department gives the approval.": "idk",
}


@pytest.mark.parametrize("verdicts", [FREE_PLAN, FREE_PLAN_ZH])
def test_two_of_five_claims_are_0_40(tmp_path: Path, verdicts: dict[str, str]) -> None:
    row = {"answer_id": "a", "context": ["Plans."], "claims": list(verdicts)}
    found = evaluated(tmp_path, [row], ["faithfulness"], script(tmp_path, verdicts))
    assert found.scores("faithfulness") == {"a": 0.4}
    assert found.of("a", "faithfulness").policy == "strict"


def test_four_of_five_statements_of_the_travel_answer_are_0_8(tmp_path: Path) -> None:
    response = "A travel policy exists, with caps, approval and an approver."
    passages = ["Travel policy: caps are 500 and 350; more needs approval."]
    row = {"answer_id": "a", "retrieved_contexts": passages, "response": response}
    lists = {response: list(TRAVEL)}
    judge = script(tmp_path, TRAVEL, lists)
    found = evaluated(tmp_path, [row], ["faithfulness"], judge).of("a", "faithfulness")
    assert found.score == 0.8
    assert [unit.label for unit in found.units] == ["yes"] * 4 + ["idk"]
    assert found.calls == 6
    assert "“The head of department gives the approval.” (not there)" in str(found.reason)


@pytest.mark.parametrize(("policy", "score"), [("lenient", 1.0), ("strict", 0.0)])
def test_twenty_claims_that_the_context_does_not_mention(
    tmp_path: Path, policy: str, score: float
) -> None:
    claims = [f"Step {n} of the session set-up is done by the core." for n in range(20)]
    row = {"answer_id": "a", "context": ["5.6 Session management (sub-sections)"], "claims": claims}
    judge = script(tmp_path, {}, otherwise="idk")
    policies = {"faithfulness": policy}
    found = evaluated(tmp_path, [row], ["faithfulness"], judge, policies=policies)
    told = found.of("a", "faithfulness")
    assert told.score == score
    if policy == "strict":
        assert str(told.reason).startswith("0 of 20 claims are supported")
        assert str(told.reason).count("(not there)") == 5
        assert str(told.reason).endswith(", 15 more.")
    if policy == "lenient":
        assert "20 of them the context does not mention at all" in str(told.reason)
        assert "not that it is supported" in str(told.reason)


@pytest.mark.parametrize("metric", ["faithfulness", "context_recall"])
@pytest.mark.parametrize(
    ("policy", "score", "told"),
    [
        ("strict", 0.5, "“Two.” (not there)"),
        ("lenient", 0.75, "1 of them the context does not mention at all, which costs nothing"),
        ("drop_idk", 2 / 3, "drop_idk leaves them out"),
        ("partial(0.5)", 0.625, "“Two.” (not there)"),
    ],
)
def test_b28_what_idk_is_worth_is_told_with_every_score(
    tmp_path: Path, metric: str, policy: str, score: float, told: str
) -> None:
    verdicts = {"One.": "yes", "Two.": "idk", "Three.": "no", "Four.": "yes"}
    units = list(verdicts)
    row = {"answer_id": "a", "context": ["x"], "reference": "r", "claims": units}
    row["statements"] = units
    judge = script(tmp_path, verdicts)
    found = evaluated(tmp_path, [row], [metric], judge, policies={metric: policy}).of("a", metric)
    assert found.score == pytest.approx(score, abs=1e-6)
    assert (found.policy, told in str(found.reason)) == (policy, True)


def test_lenient_groundedness_says_that_it_is_no_support(tmp_path: Path) -> None:
    row = {"answer_id": "a", "answer": "停车免费。", "context": ["九点开门。"]}
    judge = script(tmp_path, {"停车免费。": "不知道"})
    policies = {"groundedness": "lenient"}
    found = evaluated(tmp_path, [row], ["groundedness"], judge, policies=policies)
    told = found.of("a", "groundedness")
    assert (told.score, told.details["grounded"]) == (1.0, False)
    assert "不表示有依据" in str(told.reason)


@pytest.mark.parametrize(
    ("question", "passages", "words"),
    [
        (
            "How many people are on the free plan?",
            ["Free: 5 members.", "Pro: 20 members.", "Team: 50 members."],
            ["yes", "no", "no"],
        ),
        (
            "免费版几个人？",
            ["免费版最多5人。", "专业版最多20人。", "团队版最多50人。"],
            ["是", "否", "否"],
        ),
    ],
)
def test_one_of_three_passages_is_0_333(
    tmp_path: Path, question: str, passages: list[str], words: list[str]
) -> None:
    row = {"answer_id": "a", "input": question, "retrieval_context": passages}
    judge = script(tmp_path, {}, passages=dict(zip(passages, words, strict=True)))
    found = evaluated(tmp_path, [row], ["context_relevance", "context_precision"], judge)
    relevance = found.of("a", "context_relevance")
    assert relevance.score == pytest.approx(1 / 3, abs=1e-6)
    assert [unit.passage for unit in relevance.units] == [0, 1, 2]
    assert passages[1] in str(relevance.reason)
    assert found.of("a", "context_precision").score == 1.0
    assert found.summary.calls.needed == 3, "both metrics rest on the same calls"


def test_context_precision_by_hand() -> None:
    # Ranks 1 and 3 of four help: (1/1 + 2/3) / 2.
    assert average_precision([True, False, True, False]) == pytest.approx(5 / 6)
    # Ranks 2, 3 and 5: (1/2 + 2/3 + 3/5) / 3.
    assert average_precision([False, True, True, False, True]) == pytest.approx(53 / 90)
    assert average_precision([False] * 3) == 0.0


def test_entity_recall(tmp_path: Path) -> None:
    reference = "Mira Olsen opened the Harbour Museum in Lund in 1931."
    entities = {"Mira Olsen": "no", "Harbour Museum": "yes", "Lund": "yes", "1931": "yes"}
    row = {"answer_id": "a", "reference": reference, "context": ["The museum in Lund, 1931."]}
    judge = script(tmp_path, entities, {reference: list(entities)})
    found = evaluated(tmp_path, [row], ["context_entity_recall"], judge)
    assert found.scores("context_entity_recall") == {"a": 0.75}
    assert "“Mira Olsen”" in str(found.of("a", "context_entity_recall").reason)


def test_context_recall_counts_statements_of_the_reference(tmp_path: Path) -> None:
    statements = {
        "门票30元。": "是",
        "周一闭馆。": "不知道",
        "九点开门。": "是",
        "可以带狗。": "否",
    }
    row = {"answer_id": "a", "ground_truth": "门票30元，周一闭馆。", "contexts": ["门票30元。"]}
    row |= {"statements": list(statements)}
    found = evaluated(tmp_path, [row], ["context_recall"], script(tmp_path, statements))
    told = found.of("a", "context_recall")
    assert told.score == 0.5
    assert told.reason == (
        "参考答案的 4 条陈述中有 2 条在材料中；"
        "没有检索到：“周一闭馆。”（未提及）、“可以带狗。”（否）。"
    )


def test_correctness_is_the_f1_of_statements(tmp_path: Path) -> None:
    made = {"It opens at nine.": "yes", "It costs 30.": "yes", "Dogs may come in.": "no"}
    wanted = {"The door opens at nine.": "yes", "On Mondays it is closed.": "idk"}
    texts = {"answer": "At nine, 30, dogs too.", "reference": "Nine. Not Mondays."}
    lists = {"claims": list(made), "statements": list(wanted)}
    row = {"answer_id": "a", **texts, **lists}
    judge = script(tmp_path, made | wanted)
    found = evaluated(tmp_path, [row], ["answer_correctness"], judge).of("a", "answer_correctness")
    # TP 2, FP 1, FN 1: 2 / (2 + 1).
    assert found.score == pytest.approx(2 / 3, abs=1e-6)
    assert found.details["missing"] == ["On Mondays it is closed."]


def test_f1_of_statements_by_hand() -> None:
    assert statement_f1(1, 1, 1) == 0.5
    assert statement_f1(0, 2, 3) == 0.0
    assert statement_f1(0, 0, 0) is None


def test_answer_relevance_lists_what_is_missing_and_redundant(tmp_path: Path) -> None:
    question = "How do the plans differ in size, storage, price and API calls?"
    aspects = {"team size": "yes", "storage": "no", "price": "no", "API calls": "no"}
    answer = "The free plan has 5 members and Pro has 20. We love our customers."
    sentences = {"The free plan has 5 members and Pro has 20.": "yes"}
    sentences |= {"We love our customers.": "no"}
    row = {"answer_id": "a", "user_input": question, "response": answer}
    judge = script(tmp_path, aspects | sentences, {question: list(aspects)})
    found = evaluated(tmp_path, [row], ["answer_relevance", "answer_redundancy"], judge)
    told = found.of("a", "answer_relevance")
    assert told.score == 0.25
    assert told.details == {
        "missing": ["storage", "price", "API calls"],
        "redundant": ["We love our customers."],
    }
    assert found.scores("answer_redundancy") == {"a": 0.5}


def test_groundedness_names_the_passage_of_each_sentence(tmp_path: Path) -> None:
    passages = ["办公室九点开门。", "押金为500元。"]
    verdicts = {"押金是500元。": "是", "办公室九点开门。": "是", "停车免费。": "不知道"}
    row = {"answer_id": "a", "answer": "".join(verdicts), "context": passages}
    found = evaluated(tmp_path, [row], ["groundedness"], script(tmp_path, verdicts))
    told = found.of("a", "groundedness")
    assert told.score == pytest.approx(2 / 3, abs=1e-6)
    assert told.details["grounded"] is False
    assert [unit.passage for unit in told.units] == [1, 0, None]


@pytest.mark.parametrize(
    ("answer", "units"),
    [
        ("Hello! The fee is 10. I hope this helps!", ["The fee is 10."]),
        ("您好！押金是500元。如有其他问题，欢迎随时提问。", ["押金是500元。"]),
        ('他说"押金是500元。"停车免费。', ['他说"押金是500元。"', "停车免费。"]),
    ],
)
def test_b33_sentences_that_state_nothing_are_not_judged(
    tmp_path: Path, answer: str, units: list[str]
) -> None:
    row = {"answer_id": "a", "answer": answer, "context": ["x"]}
    judge = script(tmp_path, {}, otherwise="是" if "元" in answer else "yes")
    told = evaluated(tmp_path, [row], ["groundedness"], judge).of("a", "groundedness")
    assert [unit.unit for unit in told.units] == units
    assert told.score == 1.0


def test_the_three_cases_that_faithfulness_and_groundedness_tell_apart(tmp_path: Path) -> None:
    cases = {
        "rests on the context": ("The fee is 10.", "yes", "yes"),
        "right, but unrelated": ("The moon is far.", "idk", "idk"),
        "contradicts it": ("The fee is 99.", "no", "no"),
    }
    rows = [
        {"answer_id": name, "answer": text, "claims": [text], "context": ["The fee is 10."]}
        for name, (text, _, _) in cases.items()
    ]
    judge = script(tmp_path, {text: word for text, word, _ in cases.values()})
    metrics, policies = ["faithfulness", "groundedness"], {"faithfulness": "lenient"}
    found = evaluated(tmp_path, rows, metrics, judge, policies=policies)
    assert list(found.scores("faithfulness").values()) == [1.0, 1.0, 0.0]
    assert list(found.scores("groundedness").values()) == [1.0, 0.0, 0.0]


def test_goal_achievement_lists_missing_steps(tmp_path: Path) -> None:
    goal = "Book a room for Friday and tell Ana."
    steps = {"A room is booked for Friday.": "yes", "Ana is told.": "no"}
    row = {
        "answer_id": "a",
        "goal": goal,
        "turns": [
            {"role": "user", "content": goal},
            {"role": "assistant", "content": "", "tool_calls": [{"name": "book", "args": {}}]},
            {"role": "assistant", "content": "Booked."},
        ],
    }
    judge = script(tmp_path, steps | {goal: "no"}, {goal: list(steps)})
    told = evaluated(tmp_path, [row], ["goal_achievement"], judge).of("a", "goal_achievement")
    assert told.score == 0.5
    assert told.details == {"achieved": False, "missing_steps": ["Ana is told."]}

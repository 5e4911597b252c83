"""Ragas, DeepEval and our metrics on the same fifty answers with the same reader behind them.

Every peer's score has to be what its own formula gives on the reader's labels, and wherever it
differs from ours the cause has to be one of `CAUSES`: no difference is left unexplained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.evaluation import Evaluation
from tests.loopback import chat, serve
from tests.metrics.side_by_side.deepeval_side import deepeval_scores
from tests.metrics.side_by_side.ragas_side import ragas_scores, rating
from tests.metrics.side_by_side.reader import Case, Reader, cases

pytest.importorskip("ragas", reason="Ragas is not installed here")
pytest.importorskip("deepeval", reason="DeepEval is not installed here")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

OURS = (
    "faithfulness",
    "context_relevance",
    "context_precision",
    "context_recall",
    "context_entity_recall",
    "answer_relevance",
    "answer_correctness",
)
CAUSES = {
    "full marks for nothing": "an answer that states nothing has no score or 0 here, and 1 there",
    "idk is free": "claims that the context does not mention cost nothing by default there",
    "another unit": "statements inside the passages are counted there, passages here",
    "another scale": "the context is rated as a whole there (0, 1, 2), passage by passage here",
    "names as written": "two spellings of one name are two entities there, one here",
    "likeness of questions": "questions made from the answer are compared there, aspects here",
    "off topic, not coverage": "statements beside the question count there, missing ones here",
}
Score = float | str | None


class Peer(NamedTuple):
    """A peer's metric held against one of ours.

    Attributes:
        ours: Our metric; `faithfulness lenient` under that policy.
        formula: What the peer's own formula gives on the reader's labels.
        cause: Why it differs from ours where it does and the answer states something.
    """

    ours: str
    formula: Callable[[Case], float | None]
    cause: str | None = None


def share(hits: list[bool], empty: float | None) -> float | None:
    """Share of hits; `empty` where there is nothing."""
    return sum(hits) / len(hits) if hits else empty


def labels(case: Case, *wanted: str) -> list[bool]:
    """Which claims of the answer have one of some labels against the context."""
    return [sentence.context in wanted for sentence in case.sentences]


def precision(case: Case) -> float:
    """Mean precision at the ranks that help; 0 where none does."""
    helps = [good for _, good, _ in case.topic["passages"]]
    at = [sum(helps[: rank + 1]) / (rank + 1) for rank, good in enumerate(helps) if good]
    return sum(at) / len(at) if at else 0.0


def recall(case: Case) -> float | None:
    """Share of the reference's statements that the context holds."""
    return share([label == "yes" for _, label, _ in case.topic["reference"]], None)


def correctness(case: Case) -> float:
    """F1 of statements; 1 where the answer has none."""
    if not case.sentences:
        return 1.0
    right = sum(s.reference == "yes" for s in case.sentences)
    lacking = case.recalled().count(False)
    return 2 * right / (right + len(case.sentences) + lacking)


def names(case: Case) -> float:
    """Share of the reference's names that stand in the context letter by letter."""
    entities = case.topic["entities"]
    there = {name for _, name in entities}
    return sum(name in there for name, _ in entities) / len(entities)


RAGAS = {
    "faithfulness": Peer("faithfulness", lambda c: share(labels(c, "yes"), None)),
    "context_precision": Peer("context_precision", precision),
    "context_relevance": Peer("context_relevance", lambda c: rating(c) / 2, "another scale"),
    "context_recall": Peer("context_recall", recall),
    "context_entity_recall": Peer("context_entity_recall", names, "names as written"),
    "answer_correctness": Peer("answer_correctness", correctness),
    "answer_relevance": Peer(
        "answer_relevance", lambda c: float(bool(c.sentences)), "likeness of questions"
    ),
}
DEEPEVAL = {
    "faithfulness lenient": Peer(
        "faithfulness", lambda c: share(labels(c, "yes", "idk"), 1.0), "idk is free"
    ),
    "faithfulness": Peer("faithfulness", lambda c: share(labels(c, "yes"), 1.0)),
    "context_relevance": Peer(
        "context_relevance",
        lambda c: share([good for _, _, parts in c.topic["passages"] for _, good in parts], 0.0),
        "another unit",
    ),
    "context_precision": Peer("context_precision", precision),
    "context_recall": Peer("context_recall", recall),
    "answer_relevance": Peer(
        "answer_relevance",
        lambda c: share([s.serves for s in c.sentences], 1.0),
        "off topic, not coverage",
    ),
}
EXPECTED: dict[str, dict[tuple[str, str | None], int]] = {
    "ragas": {
        ("faithfulness", None): 50,
        ("context_precision", None): 50,
        ("context_recall", None): 50,
        ("context_relevance", None): 15,
        ("context_relevance", "another scale"): 35,
        ("context_entity_recall", None): 40,
        ("context_entity_recall", "names as written"): 10,
        ("answer_relevance", None): 28,
        ("answer_relevance", "likeness of questions"): 22,
        ("answer_correctness", None): 47,
        ("answer_correctness", "full marks for nothing"): 3,
    },
    "deepeval": {
        ("faithfulness", None): 47,
        ("faithfulness", "full marks for nothing"): 3,
        ("faithfulness lenient", None): 20,
        ("faithfulness lenient", "full marks for nothing"): 3,
        ("faithfulness lenient", "idk is free"): 27,
        ("context_precision", None): 50,
        ("context_recall", None): 50,
        ("context_relevance", None): 25,
        ("context_relevance", "another unit"): 25,
        ("answer_relevance", None): 29,
        ("answer_relevance", "full marks for nothing"): 3,
        ("answer_relevance", "off topic, not coverage"): 18,
    },
}
"""Answers of fifty by metric and cause; None: the same score on both sides."""


@pytest.fixture(scope="module")
def answers() -> list[Case]:
    return cases()


@pytest.fixture(scope="module")
def ours(answers: list[Case], tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    folder: Path = tmp_path_factory.mktemp("side")
    reader = Reader(answers)
    with (
        pytest.MonkeyPatch.context() as patch,
        serve(lambda c: chat(reader.reply(*(m["content"] for m in c.messages)))) as server,
    ):
        patch.setenv("OPENAI_API_KEY", "none")
        return evaluate(
            [case.row for case in answers],
            OURS,
            judge="openai/reader",
            api_base=server.url,
            store=folder / "replies.sqlite",
        )


def near(one: Score, other: Score) -> bool:
    """Equal but for the small numbers that peers add to their denominators."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < 1e-6
    return one == other


def cause_of(peer: Peer, case: Case) -> str | None:
    """Why a peer's score of an answer may differ from ours."""
    of_answer = not peer.ours.startswith("context")
    silent = of_answer and not case.sentences and peer.formula(case) == 1.0
    return "full marks for nothing" if silent else peer.cause


def compared(
    answers: list[Case], ours: Evaluation, framework: str
) -> tuple[Counter[tuple[str, str | None]], list[str]]:
    """Answers by metric and cause (None: the same score), and what nothing explains."""
    table = RAGAS if framework == "ragas" else DEEPEVAL
    counts: Counter[tuple[str, str | None]] = Counter()
    unexplained = []
    for case in answers:
        found: Mapping[str, Score] = (
            ragas_scores(case) if framework == "ragas" else deepeval_scores(case)
        )
        assert set(found) == set(table)
        for name, peer in table.items():
            own, theirs = ours.of(case.name, peer.ours).score, found[name]
            if not near(theirs, peer.formula(case)):
                told = f"{theirs} is not its formula's {peer.formula(case)}"
                unexplained.append(f"{framework} {name} on {case.name}: {told}")
            cause = None if near(own, theirs) else cause_of(peer, case)
            if cause is None and not near(own, theirs):
                unexplained.append(f"{framework} {name} on {case.name}: {own} here, {theirs} there")
            counts[name, cause] += 1
    return counts, unexplained


def test_fifty_answers_in_two_languages(answers: list[Case], ours: Evaluation) -> None:
    assert len(answers) == len(ours.rows) == 50
    assert Counter(case.lang for case in answers) == {"en": 25, "zh": 25}
    assert [account.failures for account in ours.summary.metrics] == [{}] * len(OURS)
    assert sum(not case.sentences for case in answers) == 3


@pytest.mark.parametrize("framework", ["ragas", "deepeval"])
def test_no_difference_is_left_unexplained(
    answers: list[Case], ours: Evaluation, framework: str
) -> None:
    counts, unexplained = compared(answers, ours, framework)
    assert unexplained == []
    assert {cause for _, cause in counts if cause is not None} <= set(CAUSES)
    assert counts == EXPECTED[framework]

"""The same reader behind Ragas' metrics."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from metajudge.templates.peers import peer_module
from tests.metrics.side_by_side.reader import Case

REFUSED = "refused"
"""What stands for a metric that raises on a row."""
Score = float | str | None


def ragas_scores(case: Case) -> dict[str, Score]:
    """Scores of Ragas' equivalents; None for nan."""
    return asyncio.run(_scores(case))


async def _scores(case: Case) -> dict[str, Score]:
    ragas = peer_module("ragas.metrics.collections")
    llm, vectors = _llm(case), _embeddings()
    asked = {"user_input": case.question}
    context = {"retrieved_contexts": case.passages}
    runs: dict[str, tuple[Any, dict[str, Any]]] = {
        "faithfulness": (
            ragas.Faithfulness(llm=llm),
            {**asked, **context, "response": case.answer},
        ),
        "context_precision": (
            ragas.ContextPrecisionWithReference(llm=llm),
            {**asked, **context, "reference": case.reference},
        ),
        "context_relevance": (ragas.ContextRelevance(llm=llm), {**asked, **context}),
        "context_recall": (
            ragas.ContextRecall(llm=llm),
            {**asked, **context, "reference": case.reference},
        ),
        "context_entity_recall": (
            ragas.ContextEntityRecall(llm=llm),
            {**context, "reference": case.reference},
        ),
        "answer_correctness": (
            ragas.AnswerCorrectness(llm=llm, embeddings=vectors, weights=[1.0, 0.0]),
            {**asked, "response": case.answer, "reference": case.reference},
        ),
        "answer_relevance": (
            ragas.AnswerRelevancy(llm=llm, embeddings=vectors, strictness=1),
            {**asked, "response": case.answer},
        ),
    }
    found: dict[str, Score] = {}
    for name, (metric, fields) in runs.items():
        try:
            value = float((await metric.ascore(**fields)).value)
        except ValueError:
            found[name] = REFUSED
            continue
        found[name] = None if math.isnan(value) else value
    return found


def _llm(case: Case) -> Any:
    from ragas.llms.base import InstructorBaseRagasLLM

    class ReaderLLM(InstructorBaseRagasLLM):  # type: ignore[misc, unused-ignore]
        def generate(self, prompt: str, response_model: Any) -> Any:
            return response_model.model_validate(answer(case, prompt, response_model.__name__))

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return self.generate(prompt, response_model)

    return ReaderLLM()


def answer(case: Case, prompt: str, form: str) -> dict[str, Any]:
    """What the reader answers to a prompt of Ragas, by the form that is asked for."""
    data = prompt.rpartition("Now perform the same")[2] or prompt
    statements = [(text, label == "yes") for text, label, _ in case.topic["reference"]]
    own = [(s.text, s.context == "yes") for s in case.sentences]
    of_reference = case.reference in data
    helps = [good for text, good, _ in case.topic["passages"] if text in data]
    names = [row[not of_reference] for row in case.topic["entities"]]
    answers: dict[str, dict[str, Any]] = {
        "StatementGeneratorOutput": {
            "statements": [text for text, _ in (statements if of_reference else own)]
        },
        "NLIStatementOutput": {"statements": _marked(own, "verdict")},
        "ContextPrecisionOutput": {"reason": "", "verdict": int(helps[:1] == [True])},
        "ContextRelevanceOutput": {"rating": rating(case)},
        "ContextRecallOutput": {"classifications": _marked(statements, "attributed")},
        "EntitiesList": {"entities": [name for name in names if name]},
        "ClassificationWithReason": _classified(case),
        "AnswerRelevanceOutput": {
            "question": case.question,
            "noncommittal": int(not case.sentences),
        },
    }
    return answers[form]


def _marked(pairs: list[tuple[str, bool]], name: str) -> list[dict[str, Any]]:
    return [{"statement": text, "reason": "", name: int(good)} for text, good in pairs]


def rating(case: Case) -> int:
    """Ragas' scale of three for the context as a whole: 2 where every passage needed is there."""
    known = [label == "yes" for _, label, _ in case.topic["reference"]]
    return 2 if all(known) else int(any(known))


def _classified(case: Case) -> dict[str, Any]:
    def told(texts: list[str]) -> list[dict[str, str]]:
        return [{"statement": text, "reason": ""} for text in texts]

    pairs = zip(case.topic["reference"], case.recalled(), strict=True)
    return {
        "TP": told([s.text for s in case.sentences if s.reference == "yes"]),
        "FP": told([s.text for s in case.sentences if s.reference != "yes"]),
        "FN": told([row[0] for row, there in pairs if not there]),
    }


def _embeddings() -> Any:
    from ragas.embeddings.base import BaseRagasEmbedding

    class OneHot(BaseRagasEmbedding):  # type: ignore[misc, unused-ignore]
        def embed_text(self, text: str, **_: Any) -> list[float]:
            return [1.0, 0.0]

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return OneHot()

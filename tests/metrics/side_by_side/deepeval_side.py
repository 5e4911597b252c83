"""The same reader behind DeepEval's metrics."""

from __future__ import annotations

from typing import Any

from tests.event_loop import own_loop
from tests.metrics.side_by_side.reader import Case


def deepeval_scores(case: Case) -> dict[str, float | None]:
    """Scores of DeepEval's equivalents."""
    from deepeval import metrics
    from deepeval.test_case import LLMTestCase

    asked = LLMTestCase(
        input=case.question,
        actual_output=case.answer,
        expected_output=case.reference,
        retrieval_context=case.passages,
    )
    common: dict[str, Any] = {
        "model": _model(case),
        "include_reason": False,
        "async_mode": False,
    }
    runs = {
        "faithfulness lenient": metrics.FaithfulnessMetric(**common),
        "faithfulness": metrics.FaithfulnessMetric(penalize_ambiguous_claims=True, **common),
        "context_relevance": metrics.ContextualRelevancyMetric(**common),
        "context_precision": metrics.ContextualPrecisionMetric(**common),
        "context_recall": metrics.ContextualRecallMetric(**common),
        "answer_relevance": metrics.AnswerRelevancyMetric(**common),
    }
    found: dict[str, float | None] = {}
    for name, metric in runs.items():
        with own_loop():
            found[name] = float(metric.measure(asked, _show_indicator=False))
    return found


def _model(case: Case) -> Any:
    from deepeval.models import DeepEvalBaseLLM

    class ReaderModel(DeepEvalBaseLLM):  # type: ignore[misc, unused-ignore]
        def load_model(self) -> Any:
            return self

        def generate(self, prompt: str, schema: Any = None) -> Any:
            where = schema.__module__.split(".")[-2]
            return schema.model_validate(answer(case, prompt, where, schema.__name__))

        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            return self.generate(prompt, schema)

        def get_model_name(self) -> str:
            return "reader"

    return ReaderModel("reader")


def answer(case: Case, prompt: str, metric: str, form: str) -> dict[str, Any]:
    """What the reader answers to a prompt of DeepEval, by metric and the form asked for."""
    if form == "Truths":
        return {"truths": case.passages}
    if form in ("Claims", "Statements"):
        return {form.lower(): [s.text for s in case.sentences]}
    if metric == "contextual_relevancy":
        shown = [row for row in case.topic["passages"] if row[0] in prompt]
        parts = [part for _, _, statements in shown for part in statements]
        told = [{"statement": text, **_verdict(good)} for text, good in parts]
        return {"verdicts": told}
    words: dict[str, list[dict[str, Any]]] = {
        "faithfulness": [_verdict(_SAYS[s.context]) for s in case.sentences],
        "answer_relevancy": [_verdict(s.serves) for s in case.sentences],
        "contextual_precision": [_verdict(good) for _, good, _ in case.topic["passages"]],
        "contextual_recall": [_verdict(label == "yes") for _, label, _ in case.topic["reference"]],
    }
    return {"verdicts": words[metric]}


_SAYS: dict[str, bool | None] = {"yes": True, "no": False, "idk": None}


def _verdict(holds: bool | None) -> dict[str, Any]:
    """A verdict in DeepEval's words; None is borderline."""
    word = {True: "yes", False: "no", None: "borderline"}[holds]
    return {"verdict": word, "reason": ""}

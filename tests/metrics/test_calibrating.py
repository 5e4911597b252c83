"""Raw scores read by gold: cut-offs in the account, a label and a probability a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metajudge.errors import GoldError, InputError
from metajudge.metrics import computed_metrics
from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.evaluation import Evaluation
from tests.experiment.folder import write_gold

ROWS: list[dict[str, Any]] = [
    {
        "answer_id": "in",
        "answer": "The hall opens at nine.",
        "context": ["The hall opens at nine."],
    },
    {"answer_id": "out", "answer": "停车场免费。", "context": ["图书馆九点开门。"], "lang": "zh"},
    {"answer_id": "none", "answer": "Yes.", "context": []},
]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """60 contexts: of two claims, one stands in its context, the other shares no word with it."""
    contexts, claims = [], []
    for at in range(60):
        passages = [f"Room {at} holds a piano.", f"第{at}间有钢琴。"]
        contexts.append({"context_id": f"c{at}", "passages": passages})
        told = {"yes": f"Room {at} holds a piano.", "idk": "Visitors park free outside."}
        claims += [
            {
                "claim_id": f"c{at}-{label}",
                "answer_id": f"c{at}",
                "context_id": f"c{at}",
                "claim": text,
                "label": label,
                "lang": "en",
            }
            for label, text in told.items()
        ]
    return write_gold(tmp_path, claims, contexts, split={"salt": "s", "dev_share": 0.7})


def found(folder: Path, metric: str, **more: Any) -> Evaluation:
    return evaluate(ROWS, [metric], store=folder / "replies.sqlite", **more)


def test_each_row_gets_a_label_and_a_probability(tmp_path: Path, gold: Path) -> None:
    told = found(tmp_path, "ngram_coverage", calibrate=gold, calibrate_bound=0.2)
    rows = {row["answer_id"]: row for row in told.records}
    labels = {name: row["ngram_coverage_label"] for name, row in rows.items()}
    assert labels == {"in": "supported", "out": "unsupported", "none": None}
    assert rows["in"]["ngram_coverage_probability"] == 1.0
    assert rows["out"]["ngram_coverage_probability"] == 0.0
    assert rows["none"]["ngram_coverage_probability"] is None
    assert rows["in"]["ngram_coverage_details"] == {}


def test_the_account_has_cut_offs_with_intervals(tmp_path: Path, gold: Path) -> None:
    told = found(tmp_path, "ngram_coverage", calibrate=gold, calibrate_bound=0.2)
    account = told.summary.metrics[0].calibration
    assert account is not None
    assert account.supported_from.score == 1.0
    assert account.supported_from.wrong.value == 0.0
    assert account.supported_from.wrong.high is not None
    assert 0 < account.supported_from.wrong.high <= 0.2
    assert account.unsupported_to.score == 0.0
    assert account.bound == 0.2
    assert account.labels == {"supported": 1, "unsupported": 1, "undecided": 0}
    assert 0 < account.claims < 120, "the dev split alone is read"
    assert told.summary.metrics[0].warnings == ()


def test_without_gold_the_raw_number_is_said_to_mean_nothing(tmp_path: Path) -> None:
    told = found(tmp_path, "ngram_coverage")
    (warning,) = told.summary.metrics[0].warnings
    assert "no threshold that means anything" in warning.en
    assert "没有任何有意义的阈值" in warning.zh
    assert "ngram_coverage_label" not in told.records[0]


def test_entailment_opens_its_model_once(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    class Wording:
        """Entailed is what the context says in the same words."""

        def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Any:
            rows = [(1.0, 0.0, 0.0) if one == other else (0.0, 1.0, 0.0) for one, other in pairs]
            return np.array(rows)

    def open_it(place: str) -> Wording:
        opened.append(place)
        return Wording()

    monkeypatch.setattr(computed_metrics, "open_entailment", open_it)
    told = found(tmp_path, "nli_entailment", nli="a/b", calibrate=gold, calibrate_bound=0.2)
    assert opened == ["a/b"]
    labels = [row["nli_entailment_label"] for row in told.records]
    assert labels == ["supported", "unsupported", None]


def test_gold_for_another_question_is_refused(tmp_path: Path, gold: Path) -> None:
    manifest = gold / "goldset.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(f"{text}metric: context_recall\n", encoding="utf-8")
    with pytest.raises(GoldError, match="gold for faithfulness or groundedness"):
        found(tmp_path, "ngram_coverage", calibrate=gold)


def test_gold_that_calibrates_nothing_is_refused(tmp_path: Path, gold: Path) -> None:
    with pytest.raises(InputError, match="neither is asked for"):
        found(tmp_path, "turns", calibrate=gold)
    with pytest.raises(InputError, match="above 0 and under 1"):
        found(tmp_path, "ngram_coverage", calibrate=gold, calibrate_bound=1.5)

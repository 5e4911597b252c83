"""Gold for another metric than faithfulness: its labels, its evidence, its hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.goldset import load_goldset
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.gold.writer import write_manifest


def folder(place: Path, metric: str | None, label: str = "no", passages: int = 1) -> Path:
    """A gold set of two units."""
    manifest: dict[str, Any] = {
        "name": "small",
        "version": "1.0.0",
        "languages": ["en", "zh"],
        "labelling_policy": {"version": "1"},
        "licence": "CC0-1.0",
        "provenance": "written for a test",
        "label_source": "author",
    }
    manifest |= {} if metric is None else {"metric": metric}
    place.mkdir(exist_ok=True)
    (place / "goldset.yaml").write_text(dump_yaml(manifest), encoding="utf-8")
    rows = [
        {"claim_id": "c1", "claim": "When does it open?", "label": "yes", "lang": "en"},
        {"claim_id": "c2", "claim": "几点开门？", "label": label, "lang": "zh"},
    ]
    about = {"answer_id": "a", "context_id": "x"}
    texts = [json.dumps(row | about, ensure_ascii=False) for row in rows]
    (place / "claims.jsonl").write_text("\n".join(texts), encoding="utf-8")
    context = {"context_id": "x", "passages": [f"Passage {n}." for n in range(passages)]}
    (place / "contexts.jsonl").write_text(json.dumps(context), encoding="utf-8")
    return place


def test_a_set_says_which_metric_it_is_gold_for(tmp_path: Path) -> None:
    assert load_goldset(folder(tmp_path / "a", None)).manifest.metric == "faithfulness"
    assert load_goldset(folder(tmp_path / "b", "groundedness")).manifest.metric == "groundedness"


def test_the_metric_is_hashed_and_written_unless_it_is_faithfulness(tmp_path: Path) -> None:
    plain = load_goldset(folder(tmp_path / "a", None))
    named = load_goldset(folder(tmp_path / "b", "faithfulness"))
    other = load_goldset(folder(tmp_path / "c", "groundedness"))
    assert plain.sha256 == named.sha256 != other.sha256
    assert "metric" not in named.manifest.model_dump()
    assert other.manifest.model_dump()["metric"] == "groundedness"
    for goldset, told in ((named, False), (other, True)):
        write_manifest(goldset.manifest, tmp_path)
        written = (tmp_path / "goldset.yaml").read_text(encoding="utf-8")
        assert ("metric: groundedness" in written) == told
        assert "metric: faithfulness" not in written


@pytest.mark.parametrize("metric", ["context_relevance", "answer_relevance", "answer_redundancy"])
def test_a_metric_with_two_labels_has_no_third(tmp_path: Path, metric: str) -> None:
    with pytest.raises(GoldError, match=f"gold for {metric} has the labels yes, no"):
        load_goldset(folder(tmp_path / "a", metric, label="idk"))
    assert len(load_goldset(folder(tmp_path / "b", metric)).claims) == 2


def test_metrics_with_three_labels_keep_idk(tmp_path: Path) -> None:
    assert len(load_goldset(folder(tmp_path / "a", "context_recall", label="idk")).claims) == 2


def test_context_relevance_has_one_passage_a_context(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="one passage at a time, and this context has 3"):
        load_goldset(folder(tmp_path / "a", "context_relevance", passages=3))


def test_an_unknown_metric_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="groundedness"):
        load_goldset(folder(tmp_path / "a", "groundednes"))

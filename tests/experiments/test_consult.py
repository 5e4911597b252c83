"""Experiment 003 and the shipped release replay from what is committed, without a call."""

from __future__ import annotations

import gzip
import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from metajudge import consult
from metajudge.release.verify import open_case, verify
from metajudge.report.consult_results import ConsultReport
from metajudge.runner.limits import Budget
from metajudge.runner.store import Store

ROOT = Path(__file__).parents[2] / "experiments"
PLACE = ROOT / "003-consult"
RECORDINGS = [
    ROOT / "recordings" / f"{name}.jsonl.gz"
    for name in ("001-templates", "003-consult", "003-deepeval")
]
DEEPEVAL = "deepeval:faithfulness"
ROWS = {
    "1-lenient-to-strict": (DEEPEVAL, f"{DEEPEVAL}?penalize_ambiguous_claims=true", 1),
    "2-own-prompt-to-release": (DEEPEVAL, "faithfulness-verdict@1", 1),
    "3-literal-lenient-to-strict": ("literal+lenient", "literal+strict", 1),
    "4-literal-to-summary-tolerant": ("literal+strict", "summary-tolerant+strict", 1),
    "5-to-release-three-draws": ("literal+lenient", "faithfulness-verdict@1", 3),
}
NOT_MEASURED = {"created", "package_version", "calls"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("consult") / "replies.sqlite"
    with Store(path) as replies:
        for recording in RECORDINGS:
            replies.load(recording)
    return path


def assert_same(one: Any, other: Any) -> None:
    """Equal, but for a last digit that another processor may round the other way."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_same(mine, theirs)
    elif isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other, abs=2e-6)
    else:
        assert one == other


@pytest.mark.parametrize("row", ROWS)
def test_every_row_of_experiment_003_is_found_again(row: str, store: Path) -> None:
    current, proposed, repeats = ROWS[row]
    if DEEPEVAL in (current, proposed):
        pytest.importorskip("deepeval", reason="reads DeepEval's own prompt")
        if metadata.version("deepeval") != "4.3.1":
            pytest.skip("recorded with the prompts of DeepEval 4.3.1")
    again = consult(
        current,
        proposed,
        PLACE / "answers.jsonl",
        judge="local:qwen2.5-coder-1.5b",
        repeats=repeats,
        store=store,
        registry=ROOT / "releases",
        budget=Budget(calls=1),
    )
    kept = ConsultReport.model_validate_json((PLACE / row / "consult.json").read_text("utf-8"))
    assert again.calls.sent == 0
    assert_same(again.model_dump(exclude=NOT_MEASURED), kept.model_dump(exclude=NOT_MEASURED))


def test_replies_to_prompts_that_are_not_ours_are_kept_without_them() -> None:
    with gzip.open(RECORDINGS[-1], "rt", encoding="utf-8") as lines:
        next(lines)
        rows = [json.loads(line) for line in lines]
    assert len(rows) == 96
    assert all(row["request"] is None for row in rows)


def test_the_shipped_release_is_verified() -> None:
    found = verify(open_case("faithfulness-verdict@1", ROOT / "releases"))
    assert {check.name for check in found.checks if check.state != "ok"} <= {"signature"}

"""Experiment 002 rests on third-party sets that are not part of the project."""

from __future__ import annotations

import gzip
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import load_goldset

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "002-people"
SOURCE = ROOT.parent / "shared" / "public_gold"
SETS = ("ragtruth", "faithbench", "xsum_hallucination", "uhgeval", "contractnli", "wice")
LONG = 40

pytestmark = pytest.mark.skipif(
    not SOURCE.is_dir(), reason="the public sets are not beside the project"
)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        script: dict[str, Any] = runpy.run_path(str(FOLDER / "prepare.py"))
        script["main"](SOURCE)
        place: Path = folder / script["OUT"]
    return place


@pytest.mark.parametrize("name", SETS)
def test_the_sample_is_the_one_that_was_measured(samples: Path, name: str) -> None:
    gold = load_goldset(samples / name)
    assert len(gold.claims) >= 60
    assert all(claim.label_source == "human" for claim in gold.claims)
    told = json.loads((FOLDER / name / "results.json").read_text(encoding="utf-8"))
    assert [claim["claim_id"] for claim in told["claims"]] == [c.claim_id for c in gold.claims]
    assert told["gold"]["sha256"] == gold.sha256
    assert told["calls"]["stopped"] is None


@pytest.mark.parametrize("name", SETS)
def test_no_third_party_text_is_in_the_project(samples: Path, name: str) -> None:
    gold = load_goldset(samples / name)
    texts = {claim.claim for claim in gold.claims}
    texts |= {text for context in gold.contexts.values() for text in context.passages}
    pieces = [text[:LONG] for text in texts if len(text) >= LONG]
    assert pieces
    kept = {
        path.name: path.read_text(encoding="utf-8")
        for path in FOLDER.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for path in FOLDER.parent.glob("recordings/*.gz"):
        kept[path.name] = gzip.decompress(path.read_bytes()).decode("utf-8")
    for where, text in kept.items():
        assert not [piece for piece in pieces if piece in text], where

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import write_goldset
from metajudge.gold.claim import Annotation, Context, PendingClaim
from metajudge.gold.exporters.export import export_goldset
from metajudge.gold.goldset import load_goldset
from metajudge.gold.importers.exported import FORMAT, read
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.recognise import recognise
from metajudge.gold.importing.source import Source
from tests.gold.reading import Make

NAMES = {"jsonl": "a.jsonl", "csv": "a.csv", "parquet": "a.parquet", "datasets": "a"}
FULL = Annotation(
    annotator="小明",
    label="no",
    time="2025-03-01T09:30:00+00:00",
    note='=1 "quoted"\n茶',
    seconds=2.5,
    slice="summary",
    spans=("hot",),
    policy="2.0.0",
    flagged=True,
)


def imported(path: Path) -> Imported:
    source = Source(path)
    return assemble(FORMAT, read(source), About("tea"), source)


@pytest.mark.parametrize("form", NAMES)
def test_an_export_is_recognised_and_comes_back(form: str, make_gold: Make, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"annotations": (FULL,), "spans": ("hot",), "note": "-n", "slice": "hedged"},
        {"label": "no", "label_source": "author", "question": "Is it?", "generator": "m"},
        {"label": "idk", "context_id": "y", "label_policy": "2.0.0"},
    ]
    gold = make_gold(rows, {"x": ("Tea is hot.", "=茶"), "y": ("Milk.",)})
    contexts = {"x": Context(context_id="x", passages=("Tea is hot.", "=茶"), title="T", group="g")}
    gold = replace(gold, contexts=gold.contexts | contexts)
    export_goldset(gold, tmp_path / NAMES[form], form)
    assert recognise(Source(tmp_path / NAMES[form])).format.name == "metajudge"
    found = imported(tmp_path / NAMES[form])
    assert (found.goldset.claims, found.goldset.contexts) == (gold.claims, gold.contexts)
    assert found.left_out == () and found.goldset.pending == ()


def test_labels_of_a_model_and_claims_set_aside_do_not_become_gold(
    make_gold: Make, tmp_path: Path
) -> None:
    gold = make_gold([{"label_source": "model"}, {"exclude": True}, {}])
    waits = PendingClaim(
        claim_id="p",
        answer_id="a",
        context_id="x",
        claim="Waits.",
        annotations=(FULL, FULL.model_copy(update={"annotator": "bo", "label": "yes"})),
        why="a tie: 1 yes, 1 no",
    )
    export_goldset(replace(gold, pending=(waits,)), tmp_path / "a.jsonl")
    found = imported(tmp_path / "a.jsonl")
    assert [claim.claim_id for claim in found.goldset.claims] == ["c2"]
    assert {claim.claim_id: claim.why for claim in found.goldset.pending} == {
        "c0": "a model made the label",
        "p": "people did not settle it: a tie: 1 yes, 1 no",
    }
    assert dict(found.left_out_counts) == {"set_aside": 1}
    write_goldset(found.goldset, tmp_path / "again")
    assert len(load_goldset(tmp_path / "again").pending) == 2

"""Whatever people do: no claim is lost, and undoing everything gives the set back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.gold import load_goldset
from metajudge.gold.events import (
    Event,
    SettleEvent,
)
from metajudge.gold.folded import fold
from tests.gold.folding import CHANGED, FIRST, Desk, inferred, made

# What holds whatever people do.

ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "label": st.sampled_from(["yes", "no", "idk"]),
            "slice": st.sampled_from(["inference", "literal"]),
            "label_source": st.sampled_from(["human", "author", "model"]),
        },
    ),
    min_size=1,
    max_size=3,
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["label", "settle", "undo"]),
        st.sampled_from(["bo", "cy"]),
        st.sampled_from(["c0", "c1", "c9"]),
        st.sampled_from(["yes", "no", "idk"]),
        st.sampled_from([None, "1.0.0", "2.0.0"]),
        st.integers(0, 9),
    ),
    max_size=10,
)


def acted(steps: list[tuple[str, str, str, str, str | None, int]]) -> list[Event]:
    desk = Desk()
    for kind, who, claim, what, policy, minute in steps:
        if kind == "undo":
            desk.undo(who, f"save-{minute:04}", claim)
        elif kind == "label":
            desk.label(who, what, claim, minute, policy=policy)
        else:
            desk.settle(who, what, claim, minute, policy=policy)
    return desk.acts


@settings(max_examples=150)
@given(ROWS, STEPS, st.booleans())
def test_no_claim_is_lost_or_doubled_and_files_may_come_in_any_order(
    rows: list[dict[str, Any]], steps: list[Any], changed: bool
) -> None:
    gold = made(rows, labelling_policy=CHANGED if changed else FIRST)
    acts = acted(steps)
    folded = fold(gold, acts)
    ids = [claim.claim_id for claim in folded.every_claim]
    assert sorted(ids) == sorted(claim.claim_id for claim in gold.every_claim)
    by_file = [act for who in ("cy", "bo") for act in acts if act.annotator == who]
    other = fold(gold, by_file)
    labels = {c.claim_id: (c.label, c.label_source) for c in folded.claims}
    settled_at_once = len({a.time for a in acts if isinstance(a, SettleEvent)}) < sum(
        isinstance(a, SettleEvent) for a in acts
    )
    if not settled_at_once:
        assert labels == {c.claim_id: (c.label, c.label_source) for c in other.claims}
    stated = {c.claim_id: c for c in gold.claims}
    for name, claim in stated.items():
        assert name in labels, claim
    for correction in folded.corrections:
        assert correction.was != correction.label
        assert labels[correction.claim_id][0] == correction.label


@settings(max_examples=100)
@given(ROWS, STEPS)
def test_undoing_everything_gives_the_set_back(
    rows: list[dict[str, Any]], steps: list[Any]
) -> None:
    gold = made(rows)
    acts = acted([step for step in steps if step[0] != "undo"])
    desk = Desk()
    desk.acts = list(acts)
    for act in acts:
        desk.undo(act.annotator, act.save_id, act.claim_id)
    assert fold(gold, desk.acts) == gold


def test_a_folded_set_written_out_reads_back_with_the_same_labels(
    desk: Desk, tmp_path: Path
) -> None:
    from metajudge.gold import write_goldset

    desk.label("bo", "idk", "c0", policy="2.0.0")
    desk.label("bo", "yes", "c1", policy="1.0.0")
    gold = fold(made([inferred(label="yes"), {}], labelling_policy=CHANGED), desk.acts)
    write_goldset(gold, tmp_path / "out")
    assert load_goldset(tmp_path / "out") == replace(gold, corrections=())

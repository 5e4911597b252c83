from dataclasses import replace
from typing import Any

from metajudge.gold import GoldSet, LabellingPolicy, load_goldset
from metajudge.gold.claim import Annotation, PendingClaim, PolicyChange
from metajudge.gold.counts import count_claims
from metajudge.gold.events import (
    Event,
    LabelEvent,
    SettleEvent,
    SkipEvent,
    append_event,
    read_events,
)
from metajudge.gold.finding import Finding
from metajudge.gold.folded import Correction, fold
from metajudge.gold.lint import check_goldset
from tests.gold.reading import Make, Tea

TIME = "2025-03-01T09:30:00+00:00"
CHANGED = LabellingPolicy(
    version="2.0.0",
    support={"inference": False},
    changes=(PolicyChange(version="2.0.0", support={"inference": False}),),
)


def found(gold: GoldSet, code: str) -> list[Finding]:
    return [finding for finding in check_goldset(gold).findings if finding.code == code]


def waiting(n: int, **more: Any) -> PendingClaim:
    fields = {"claim_id": f"p{n}", "answer_id": "a", "context_id": "x", "claim": f"Waits {n}."}
    return PendingClaim.model_validate(fields | more)


def act(kind: type[Any], claim: str, save: int, who: str = "bo", **more: Any) -> Event:
    common = {"claim_id": claim, "annotator": who, "time": TIME, "save_id": f"save-{save:04}"}
    made: Event = kind.model_validate(common | more)
    return made


def test_pending_claims_are_counted_with_the_reasons(make_gold: Make) -> None:
    pending = (waiting(0), waiting(1), waiting(2, why="a tie: 1 yes, 1 no"))
    gold = replace(make_gold([{}]), pending=pending)
    (finding,) = found(gold, "pending")
    assert finding.severity == "warning" and check_goldset(gold).passed
    assert "3 claims have no gold label yet and take no part" in finding.message
    assert "2: nobody has labelled it; 1: a tie: 1 yes, 1 no" in finding.message
    assert found(make_gold([{}]), "pending") == []


def test_many_reasons_are_shortened(make_gold: Make) -> None:
    gold = replace(make_gold([{}]), pending=tuple(waiting(n, why=f"why {n}") for n in range(9)))
    assert found(gold, "pending")[0].message.endswith("1: why 4; 4 more)")


def test_a_set_that_waits_as_a_whole_cannot_be_judged(make_gold: Make) -> None:
    gold = replace(make_gold([{}]), claims=(), pending=(waiting(0),))
    (finding,) = found(gold, "nothing-to-judge")
    assert finding.severity == "error" and "all wait for a label" in finding.message
    assert found(gold, "unused-context") == []


def test_labels_of_before_a_change_of_the_policy(make_gold: Make) -> None:
    rows: list[dict[str, Any]] = [{"slice": "inference"}, {}, {}, {"slice": "literal"}]
    (finding,) = found(make_gold(rows, labelling_policy=CHANGED), "needs-relabelling")
    assert (finding.severity, finding.where) == ("warning", "c0, c1, c2")
    assert "3 labels are of before the labelling policy '2.0.0'" in finding.message
    assert "2 no slice, so that they may depend on it, 1 inference" in finding.message


def test_corrections_are_a_note(make_gold: Make) -> None:
    corrections = tuple(Correction(f"c{n}", "yes", "no", "bo", TIME, "why") for n in range(12))
    gold = replace(make_gold([{}]), corrections=corrections)
    (finding,) = found(gold, "corrections")
    assert finding.severity == "note"
    assert finding.message == "12 gold labels were corrected: 12 yes -> no"
    assert finding.where.endswith("c9, 2 more")


def test_what_the_logs_say(tea: Tea) -> None:
    folder = tea()
    acts = [
        act(LabelEvent, "gone", 1, label="yes"),
        act(SettleEvent, "gone", 2, label="yes", why="w"),
        act(LabelEvent, "c1", 3, label="no", flagged=True),
        act(SkipEvent, "c2", 4, who="Bo ", flagged=True),
        act(LabelEvent, "c2", 5, who="ada", label="yes"),
    ]
    for one in acts:
        append_event(folder, one)
    gold = load_goldset(folder)
    (unknown,) = found(gold, "acts-of-unknown-claims")
    assert (unknown.severity, unknown.where) == ("warning", "gone")
    assert unknown.message.startswith("2 labels by annotators")
    (flagged,) = found(gold, "flagged")
    assert (flagged.severity, flagged.where) == ("warning", "c1, c2")
    (alike,) = found(gold, "annotators-alike")
    assert alike.where == "'bo', 'Bo '"
    append_event(folder, act(SettleEvent, "c1", 6, label="yes", why="looked"))
    assert [f.where for f in found(load_goldset(folder), "flagged")] == ["c2"]


def test_names_of_the_file_the_manifest_and_of_pending_claims_are_compared(make_gold: Make) -> None:
    rows = [{"annotations": [Annotation(annotator="Ａda", label="yes")]}]
    gold = make_gold(rows, annotators=("ada", "小明"))
    gold = replace(
        gold, pending=(waiting(0, annotations=(Annotation(annotator="小 明", label="no"),)),)
    )
    assert [f.where for f in found(gold, "annotators-alike")] == [
        "'Ａda', 'ada'",
        "'小 明', '小明'",
    ]
    assert count_claims(gold).annotators == 2


def test_counts_of_what_waits_and_was_corrected(make_gold: Make) -> None:
    gold = make_gold([{"slice": "inference"}, {"slice": "literal"}], labelling_policy=CHANGED)
    gold = replace(
        gold,
        pending=(waiting(0),),
        corrections=(Correction("c0", "yes", "no", "bo", None, ""),),
    )
    counts = count_claims(gold)
    assert (counts.claims, counts.pending, counts.corrected, counts.stale) == (2, 1, 1, 1)


def test_a_label_that_somebody_settled_may_stand_against_the_votes(tea: Tea) -> None:
    row = {"claim_id": "c0", "answer_id": "a", "context_id": "x1", "claim": "Hot.", "label": "yes"}
    folder = tea([row | {"lang": "en"}])
    append_event(folder, act(LabelEvent, "c0", 1, label="no"))
    assert len(found(load_goldset(folder), "label-against-votes")) == 1
    append_event(folder, act(SettleEvent, "c0", 2, who="ada", label="yes", why="Line two."))
    assert found(load_goldset(folder), "label-against-votes") == []


def test_settled_labels_of_before_a_change_are_to_be_settled_again(tea: Tea) -> None:
    row = {"claim_id": "c0", "answer_id": "a", "context_id": "x1", "claim": "热。", "lang": "zh"}
    folder = tea([row | {"slice": "inference"}])
    append_event(folder, act(SettleEvent, "c0", 1, who="ada", label="yes", why="Line two."))
    append_event(folder, act(LabelEvent, "c0", 2, label="no", policy="2.0.0"))
    manifest = load_goldset(folder).manifest.model_copy(update={"labelling_policy": CHANGED})
    base = replace(load_goldset(folder, with_acts=False), manifest=manifest)
    gold = fold(base, read_events(folder))
    assert [claim.label for claim in gold.claims] == ["yes"]
    (told,) = found(gold, "needs-relabelling")
    assert "1 of them was settled and is never" in told.mend and "--adjudicate" in told.mend

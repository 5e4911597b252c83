from typing import Any

import pytest

from metajudge.gold.claim import Annotation, Claim, PendingClaim
from metajudge.gold.importing.repeats import Copy, contradictions, joined

EARLY, LATE = "2025-03-01T09:00:00Z", "2025-03-01T10:00:00+00:00"


def votes(**labels: Any) -> tuple[Annotation, ...]:
    return tuple(Annotation(annotator=name, label=label) for name, label in labels.items())


def copy(label: Any = None, *notes: Annotation, reason: Any = "unlabelled", **more: Any) -> Copy:
    fields: dict[str, Any] = {"claim_id": "c", "answer_id": "a", "context_id": "x", "claim": "Tea."}
    fields |= {"annotations": notes} | more
    entry = PendingClaim(**fields) if label is None else Claim(**fields, label=label)
    return Copy(entry, reason)


def told(found: Copy) -> tuple[Any, dict[str, str]]:
    return found.label or found.reason, {n.annotator: n.label for n in found.entry.annotations}


@pytest.mark.parametrize("reason", ["unlabelled", "model_made", "cancelled", "unknown_label"])
def test_a_label_stands_against_a_copy_that_nobody_labelled(reason):
    waits, labelled = copy(reason=reason), copy("yes", note="n")
    for pair in ((waits, labelled), (labelled, waits)):
        assert told(joined(*pair)) == ("yes", {})
        assert joined(*pair).entry.note == "n"
    assert joined(waits, labelled).detail == " without a label, which stands here"


@pytest.mark.parametrize("reason", ["tied", "unsettled", "policy_gap"])
def test_what_people_disagree_on_waits_whichever_comes_first(reason):
    waits, labelled = copy(reason=reason, why="it is open"), copy("yes")
    for pair in ((waits, labelled), (labelled, waits)):
        found = joined(*pair)
        assert (told(found), getattr(found.entry, "why", "")) == ((reason, {}), "it is open")
        assert "has the label yes" in found.detail


def test_votes_of_two_exports_of_one_task_count_together():
    anna, bo, cy = (copy(label, *votes(**{who: label})) for who, label in
                    (("anna", "yes"), ("bo", "no"), ("cy", "yes")))  # fmt: skip
    tie = joined(anna, bo)
    assert told(tie) == ("tied", {"anna": "yes", "bo": "no"})
    assert getattr(tie.entry, "why", "") == "a tie: 1 yes, 1 no"
    assert told(joined(tie, cy)) == ("yes", {"anna": "yes", "bo": "no", "cy": "yes"})
    assert told(joined(copy(), bo)) == ("no", {"bo": "no"})
    same = joined(anna, copy("yes", *votes(anna="yes")))
    assert (told(same), same.detail) == (("yes", {"anna": "yes"}), "")


def test_of_one_persons_two_labels_the_later_stands_and_undated_ones_settle_nothing():
    early = Annotation(annotator="anna", label="yes", time=EARLY)
    late = Annotation(annotator="anna", label="no", time=LATE)
    for pair in ((early, late), (late, early)):
        first, second = (copy(note.label, note) for note in pair)
        assert told(joined(first, second)) == ("no", {"anna": "no"})
    undated = joined(copy("yes", *votes(anna="yes")), copy("no", *votes(anna="no")))
    assert undated.label is None and undated.reason == "unsettled"
    assert "neither stands" in undated.detail


def test_two_stated_labels_settle_nothing():
    found = joined(copy("yes"), copy("idk"))
    assert getattr(found.entry, "why", "") == "it stands there twice, as yes and as idk"


def test_contradictions_are_counted_by_context_and_question():
    def claim(text: str, label: Any, **more: Any) -> Claim:
        fields: dict[str, Any] = {"claim_id": f"{text}{label}{more}", "answer_id": "a"}
        return Claim(**fields | {"context_id": "x", "claim": text, "label": label} | more)

    claims = [claim("Tea.", "yes"), claim("tea. ", "no"), claim("茶。", "yes")]
    assert contradictions(claims) == 2
    assert contradictions([*claims, claim("茶。", "no", question="?"), claim("茶。", "yes")]) == 2

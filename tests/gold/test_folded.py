import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import GoldError
from metajudge.gold import Claim, GoldSet, LabellingPolicy, load_goldset
from metajudge.gold.claim import Annotation, Context, GoldManifest, PendingClaim, PolicyChange
from metajudge.gold.events import (
    Event,
    LabelEvent,
    ReviewEvent,
    SettleEvent,
    SkipEvent,
    UndoEvent,
    append_event,
)
from metajudge.gold.folded import Correction, base_version, fold
from metajudge.gold.policy import needs_relabelling
from metajudge.labelling.contested import why_contested

FIRST = LabellingPolicy(version="1.0.0")
CHANGED = LabellingPolicy(
    version="2.0.0",
    support={"inference": False},
    changes=(PolicyChange(version="2.0.0", support={"inference": False}),),
)


def made(claims: list[dict[str, Any]], **manifest: Any) -> GoldSet:
    """A gold set from claim fields; those without a label are pending."""
    fields: dict[str, Any] = {
        "name": "tea",
        "version": "1.0.0",
        "languages": ("en",),
        "labelling_policy": FIRST,
        "licence": "none",
        "provenance": "tests",
        "label_source": "human",
    }
    whole = [
        {"claim_id": f"c{n}", "answer_id": "a", "context_id": "x", "claim": f"Claim {n}."} | one
        for n, one in enumerate(claims)
    ]
    return GoldSet(
        GoldManifest.model_validate(fields | manifest),
        tuple(Claim.model_validate(one) for one in whole if "label" in one),
        {"x": Context(context_id="x", passages=("Tea is hot.",))},
        pending=tuple(PendingClaim.model_validate(one) for one in whole if "label" not in one),
    )


class Desk:
    """Writes acts, each with its own save id and a time one minute after the last."""

    def __init__(self) -> None:
        self.acts: list[Event] = []

    def _common(self, who: str, claim: str, minute: int | None) -> dict[str, Any]:
        number = len(self.acts)
        minute = number if minute is None else minute
        time = f"2025-03-01T{9 + minute // 60:02}:{minute % 60:02}:00+00:00"
        return {
            "claim_id": claim,
            "annotator": who,
            "time": time,
            "save_id": f"save-{number:04}",
        }

    def label(
        self, who: str, what: str, claim: str = "c0", minute: int | None = None, **more: Any
    ) -> str:
        common = self._common(who, claim, minute)
        self.acts.append(LabelEvent.model_validate(common | {"label": what} | more))
        return self.acts[-1].save_id

    def settle(
        self, who: str, what: str, claim: str = "c0", minute: int | None = None, **more: Any
    ) -> str:
        common = self._common(who, claim, minute) | {"label": what, "why": f"{who} says"}
        self.acts.append(SettleEvent.model_validate(common | more))
        return self.acts[-1].save_id

    def undo(self, who: str, save: str, claim: str = "c0") -> str:
        self.acts.append(
            UndoEvent.model_validate(self._common(who, claim, None) | {"undoes": save})
        )
        return self.acts[-1].save_id


@pytest.fixture
def desk() -> Desk:
    return Desk()


def only(gold: GoldSet) -> Claim | PendingClaim:
    (claim,) = gold.every_claim
    return claim


def told(gold: GoldSet) -> str:
    claim = only(gold)
    return claim.label if isinstance(claim, Claim) else f"pending: {claim.why}"


def test_without_acts_the_set_is_as_it_was() -> None:
    gold = made([{"label": "yes"}, {}])
    assert fold(gold, ()) is gold


# 1. What somebody settled.


def test_what_is_settled_stands_over_file_and_annotations(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.label("cy", "yes")
    desk.settle("ada", "no")
    assert told(fold(made([{"label": "idk"}]), desk.acts)) == "no"
    assert told(fold(made([{}]), desk.acts)) == "no"


def test_a_settled_label_that_is_undone_gives_the_one_before(desk: Desk) -> None:
    desk.settle("ada", "no")
    second = desk.settle("ada", "idk")
    undone = desk.undo("ada", second)
    gold = made([{"label": "yes"}])
    assert told(fold(gold, desk.acts)) == "no"
    desk.undo("ada", undone)
    assert told(fold(gold, desk.acts)) == "idk"
    desk.undo("ada", second)
    desk.undo("ada", "save-0000")
    back = fold(gold, desk.acts)
    assert (told(back), back.corrections, back.manifest.version) == ("yes", (), "1.0.0")


def test_one_persons_last_word_is_the_last_they_wrote_whatever_the_clock(desk: Desk) -> None:
    desk.settle("ada", "no", minute=50)
    desk.settle("ada", "idk", minute=10)
    assert told(fold(made([{"label": "yes"}]), desk.acts)) == "idk"


def test_between_people_the_later_time_counts_whatever_the_order_of_files(desk: Desk) -> None:
    desk.settle("ada", "no", minute=50)
    desk.settle("bo", "idk", minute=10)
    gold = made([{"label": "yes"}])
    assert told(fold(gold, desk.acts)) == told(fold(gold, desk.acts[::-1])) == "no"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2025-03-01T09:30:00Z", "2025-03-01T09:30:00.500000+00:00"),
        ("2025-03-01T09:30:00.500000Z", "2025-03-01T09:30:01Z"),
        ("2025-03-01T09:30:00+00:00", "2025-03-01T09:30:00.000001Z"),
        ("2025-03-01T09:30:59Z", "2025-03-01T09:31:00+00:00"),
    ],
)
def test_times_are_compared_as_times(desk: Desk, earlier: str, later: str) -> None:
    desk.settle("ada", "no")
    desk.settle("bo", "idk")
    acts = [act.model_copy(update={"time": t}) for act, t in zip(desk.acts, (later, earlier))]  # noqa: B905
    gold = made([{"label": "yes"}])
    assert told(fold(gold, acts)) == told(fold(gold, acts[::-1])) == "no"


# 2. The label of the claims file.


def test_the_files_label_stands_over_labels_of_annotators(desk: Desk) -> None:
    desk.label("bo", "no")
    desk.label("cy", "no")
    gold = fold(made([{"label": "yes"}]), desk.acts)
    assert told(gold) == "yes" and gold.corrections == ()
    assert [note.label for note in only(gold).annotations] == ["no", "no"]
    assert only(gold).label_source == "human"


def test_an_authors_label_stays_the_authors(desk: Desk) -> None:
    desk.label("bo", "no")
    gold = made([{"label": "yes", "label_source": "author"}])
    assert only(fold(gold, desk.acts)).label_source == "author"
    desk.settle("bo", "no")
    assert only(fold(gold, desk.acts)).label_source == "human"


def test_a_models_label_gives_way_to_people(desk: Desk) -> None:
    row = {"label": "yes", "label_source": "model"}
    desk.label("bo", "no")
    gold = fold(made([row]), desk.acts)
    assert (told(gold), only(gold).label_source) == ("no", "human")
    assert gold.corrections == () and gold.manifest.version == "1.0.0"
    assert gold.judged().claims == gold.claims


def test_annotations_of_a_models_row_are_no_votes_of_people(desk: Desk) -> None:
    models = tuple(Annotation(annotator=f"model-{n}", label="yes") for n in range(3))
    row = {"label": "yes", "label_source": "model", "annotations": models}
    desk.label("bo", "no")
    assert told(fold(made([row]), desk.acts)) == "no"
    desk.label("cy", "yes")
    tied = fold(made([row]), desk.acts)
    assert (told(tied), only(tied).label_source) == ("yes", "model")
    assert tied.judged().claims == ()


def test_a_set_that_a_model_labelled_becomes_peoples_claim_by_claim(desk: Desk) -> None:
    rows = [{"label": "yes", "label_source": "model"}, {"label": "no", "label_source": "model"}]
    desk.label("bo", "yes", "c1")
    gold = fold(made(rows, label_source="model"), desk.acts)
    assert [claim.label_source for claim in gold.claims] == ["model", "human"]
    assert len(gold.judged().claims) == 1


# 3. The rule of adjudication.


def test_annotators_decide_where_the_file_has_no_label(desk: Desk) -> None:
    gold = made([{}])
    desk.label("bo", "yes", seconds=3, spans=("hot",), note="n", slice="literal", flagged=True)
    folded = fold(gold, desk.acts)
    claim = only(folded)
    assert (told(folded), claim.slice, claim.spans) == ("yes", "literal", ("hot",))
    (note,) = claim.annotations
    assert note == Annotation(
        annotator="bo",
        label="yes",
        time="2025-03-01T09:00:00+00:00",
        note="n",
        seconds=3,
        slice="literal",
        spans=("hot",),
        flagged=True,
    )
    assert folded.pending == ()
    desk.label("cy", "no")
    assert told(fold(gold, desk.acts)) == "pending: a tie: 1 yes, 1 no"
    desk.label("di", "no")
    assert told(fold(gold, desk.acts)) == "no"


def test_the_rule_of_the_set_is_the_one_that_decides(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.label("cy", "no")
    gold = made([{}], adjudication="majority_then_latest")
    assert told(fold(gold, desk.acts)) == "no"


def test_the_last_label_of_an_annotator_counts_and_an_undo_gives_the_one_before(
    desk: Desk,
) -> None:
    gold = made([{}])
    desk.label("bo", "yes", minute=30)
    second = desk.label("bo", "no", minute=5)
    assert told(fold(gold, desk.acts)) == "no"
    desk.undo("bo", second)
    assert told(fold(gold, desk.acts)) == "yes"
    desk.undo("bo", "save-0000")
    back = fold(gold, desk.acts)
    assert told(back) == "pending: nobody has labelled it" and only(back).annotations == ()


def test_an_annotators_label_takes_the_place_of_theirs_in_the_file(desk: Desk) -> None:
    votes = (Annotation(annotator="bo", label="yes"), Annotation(annotator="cy", label="no"))
    gold = made([{"annotations": votes, "why": "a tie: 1 yes, 1 no"}])
    save = desk.label("bo", "no")
    assert told(fold(gold, desk.acts)) == "no"
    desk.undo("bo", save)
    assert fold(gold, desk.acts) == gold


def test_skips_and_reviews_change_no_label(desk: Desk) -> None:
    common = desk._common("bo", "c0", None)
    skip = SkipEvent.model_validate(common | {"flagged": True})
    review = ReviewEvent.model_validate(
        common
        | {"save_id": "save-0009", "outcome": "gold_wrong", "verdict": "no", "gold": "yes"}
        | {"trial": "literal", "source": "served"}
    )
    gold = made([{"label": "yes"}])
    assert fold(gold, [skip, review]) is gold


def test_the_slice_is_the_settled_one_then_the_files_then_the_choice_of_most(desk: Desk) -> None:
    desk.label("bo", "yes", slice="summary")
    desk.label("cy", "yes", slice="hedged")
    assert only(fold(made([{}]), desk.acts)).slice is None
    desk.label("di", "yes", slice="hedged")
    assert only(fold(made([{}]), desk.acts)).slice == "hedged"
    assert only(fold(made([{"slice": "literal"}]), desk.acts)).slice == "literal"
    desk.settle("ada", "yes", slice="inference")
    assert only(fold(made([{"slice": "literal"}]), desk.acts)).slice == "inference"


def test_spans_are_those_of_the_file_or_of_whoever_gave_the_label(desk: Desk) -> None:
    desk.label("bo", "yes", spans=("Tea", "hot"))
    desk.label("cy", "no", spans=("is",))
    desk.label("di", "yes", spans=("hot",))
    assert only(fold(made([{}]), desk.acts)).spans == ("Tea", "hot")
    assert only(fold(made([{"spans": ["."]}]), desk.acts)).spans == (".",)


# The labelling policy.


def inferred(**more: Any) -> dict[str, Any]:
    return {"slice": "inference"} | more


def test_a_label_from_before_a_change_stands_until_people_label_again(desk: Desk) -> None:
    gold = made([inferred(label="yes")], labelling_policy=CHANGED)
    desk.label("bo", "yes")
    assert told(fold(gold, desk.acts)) == "yes"
    desk.label("cy", "idk", policy="2.0.0")
    again = fold(gold, desk.acts)
    assert told(again) == "idk"
    assert again.claims[0].label_policy == "2.0.0"
    why = "labelled again after a change of the policy"
    assert again.corrections == (Correction("c0", "yes", "idk", "cy", desk.acts[1].time, why),)
    assert again.manifest.version == "1.0.0+c1"


def test_a_tie_after_a_change_leaves_the_label_that_stood(desk: Desk) -> None:
    desk.label("bo", "idk", policy="2.0.0")
    desk.label("cy", "no", policy="2.0.0")
    gold = made([inferred(label="yes")], labelling_policy=CHANGED)
    assert told(fold(gold, desk.acts)) == "yes"


def test_slices_that_a_change_does_not_concern_keep_every_vote(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.label("cy", "no", policy="2.0.0")
    desk.label("di", "yes")
    gold = made([{"slice": "literal"}], labelling_policy=CHANGED)
    folded = fold(gold, desk.acts)
    assert told(folded) == "yes" and folded.claims[0].label_policy is None
    assert told(fold(made([inferred()], labelling_policy=CHANGED), desk.acts)) == "no"
    assert told(fold(made([{}], labelling_policy=CHANGED), desk.acts)) == "no"


def test_labels_in_the_log_alone_stay_gold_when_the_policy_changes(desk: Desk) -> None:
    desk.label("bo", "yes", policy="1.0.0")
    gold = made([inferred()], labelling_policy=CHANGED)
    stale = fold(gold, desk.acts)
    assert told(stale) == "yes" and stale.claims[0].label_policy == "1.0.0"
    desk.label("bo", "idk", policy="2.0.0")
    again = fold(gold, desk.acts)
    assert told(again) == "idk" and again.corrections == ()
    desk.acts.pop()
    desk.label("cy", "idk", policy="2.0.0")
    (correction,) = fold(gold, desk.acts).corrections
    assert (correction.was, correction.label) == ("yes", "idk")


def test_a_settled_label_from_before_a_change_is_settled_again_and_never_outvoted(
    desk: Desk,
) -> None:
    gold = made([inferred(label="no")], labelling_policy=CHANGED)
    desk.settle("ada", "yes", policy="1.0.0")
    settled = fold(gold, desk.acts)
    assert told(settled) == "yes" and list(needs_relabelling(settled)) == ["c0"]
    desk.label("bo", "idk", policy="2.0.0")
    desk.label("cy", "idk", policy="2.0.0")
    again = fold(gold, desk.acts)
    assert told(again) == "yes" and list(needs_relabelling(again)) == ["c0"]
    assert [(c.was, c.label, c.annotator) for c in again.corrections] == [("no", "yes", "ada")]
    assert why_contested(again.claims[0], desk.acts) == "gold_against_votes"
    desk.settle("ada", "idk", policy="2.0.0")
    done = fold(gold, desk.acts)
    assert told(done) == "idk" and needs_relabelling(done) == {}
    assert why_contested(done.claims[0], desk.acts) is None


def test_a_settled_label_stands_under_a_changed_policy_once_everybody_agrees(desk: Desk) -> None:
    gold = made([inferred()], labelling_policy=CHANGED)
    desk.label("cy", "idk", policy="1.0.0")
    desk.settle("ada", "yes", policy="1.0.0")
    desk.label("bo", "yes", policy="2.0.0")
    desk.label("cy", "no", policy="2.0.0")
    split = fold(gold, desk.acts)
    assert told(split) == "yes" and list(needs_relabelling(split)) == ["c0"]
    assert why_contested(split.claims[0], desk.acts) == "gold_against_votes"
    desk.label("cy", "yes", policy="2.0.0")
    agreed = fold(gold, desk.acts)
    assert told(agreed) == "yes" and needs_relabelling(agreed) == {}
    assert agreed.claims[0].label_policy == "2.0.0"
    assert why_contested(agreed.claims[0], desk.acts) is None


def test_a_correction_by_relabelling_names_all_who_gave_the_label_and_the_last_time(
    desk: Desk,
) -> None:
    desk.label("cy", "idk", policy="2.0.0", minute=40)
    desk.label("bo", "idk", policy="2.0.0", minute=5)
    desk.label("di", "no", policy="2.0.0", minute=50)
    gold = fold(made([inferred(label="yes")], labelling_policy=CHANGED), desk.acts)
    (fix,) = gold.corrections
    assert (fix.label, fix.annotator, fix.time) == ("idk", "cy, bo", "2025-03-01T09:40:00+00:00")


def test_annotations_in_the_file_count_under_the_policy_they_name() -> None:
    votes = (
        Annotation(annotator="bo", label="yes"),
        Annotation(annotator="cy", label="idk", policy="2.0.0"),
    )
    row = inferred(label="yes", annotations=votes, label_source="author")
    gold = fold(made([row], labelling_policy=CHANGED), ())
    claim = gold.claims[0]
    assert (claim.label, claim.label_policy, claim.label_source) == ("idk", "2.0.0", "author")
    assert len(gold.corrections) == 1


def test_a_row_that_says_its_label_is_of_the_new_policy_stands(desk: Desk) -> None:
    desk.label("bo", "idk", policy="2.0.0")
    row = inferred(label="yes", label_policy="2.0.0")
    assert told(fold(made([row], labelling_policy=CHANGED), desk.acts)) == "yes"


# Corrections and the version.


def test_a_settled_label_that_differs_from_the_files_is_a_correction(desk: Desk) -> None:
    desk.settle("ada", "no", because="review")
    gold = fold(made([{"label": "yes"}, {"label": "no"}]), desk.acts)
    time = "2025-03-01T09:00:00+00:00"
    assert gold.corrections == (Correction("c0", "yes", "no", "ada", time, "ada says"),)
    assert gold.manifest.version == "1.0.0+c1"


def test_settling_what_stood_or_what_never_stood_corrects_nothing(desk: Desk) -> None:
    desk.settle("ada", "yes")
    desk.settle("ada", "no", "c1")
    gold = fold(made([{"label": "yes"}, {}]), desk.acts)
    assert gold.corrections == () and gold.manifest.version == "1.0.0"


def test_a_review_of_a_label_that_the_log_made_is_a_correction(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.settle("ada", "no", was="yes", because="review")
    gold = fold(made([{}]), desk.acts)
    assert [(c.was, c.label, c.annotator) for c in gold.corrections] == [("yes", "no", "ada")]


def test_corrections_add_to_those_that_the_files_count_already(desk: Desk) -> None:
    desk.settle("ada", "no")
    gold = fold(made([{"label": "yes"}], version="1.0.0+c3"), desk.acts)
    assert gold.manifest.version == "1.0.0+c4"


def test_versions_without_a_count_of_corrections() -> None:
    assert [base_version(v) for v in ("1.0.0", "1.0.0+c12", "2+cat", "+c", "1+c1+c2", "1+c²")] == [
        "1.0.0",
        "1.0.0",
        "2+cat",
        "+c",
        "1+c1",
        "1+c²",
    ]


# Label spaces, and claims that are gone.


def test_labels_of_another_space_are_refused_all_at_once(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.settle("ada", "idk", "c1")
    desk.label("bo", "supported", "c2")
    gold = made([{"label": "supported"}] * 3, label_space="binary")
    with pytest.raises(GoldError) as caught:
        fold(gold, desk.acts)
    first, second = map(str, caught.value.problems)
    assert "a binary gold set has the labels supported, unsupported (got 'yes')" in first
    assert "ada" in second and "'save-0001'" in second


def test_labels_of_another_space_that_no_longer_stand_do_no_harm(desk: Desk) -> None:
    desk.label("bo", "yes")
    desk.label("bo", "unsupported")
    desk.undo("cy", desk.label("cy", "idk"))
    assert told(fold(made([{}], label_space="binary"), desk.acts)) == "unsupported"


def test_binary_sets_fold_as_others_do(desk: Desk) -> None:
    desk.label("bo", "supported")
    desk.label("cy", "unsupported")
    gold = made([{}, {"label": "supported"}], label_space="binary")
    assert fold(gold, desk.acts).pending[0].why == "a tie: 1 supported, 1 unsupported"
    desk.settle("ada", "unsupported", "c1")
    assert fold(gold, desk.acts).manifest.version == "1.0.0+c1"


def test_acts_about_claims_that_are_gone_are_counted(desk: Desk) -> None:
    desk.label("bo", "yes", "gone")
    desk.settle("ada", "no", "gone too")
    desk.label("bo", "yes")
    gold = fold(made([{}]), desk.acts)
    assert told(gold) == "yes"
    assert any("(2 acts)" in note for note in gold.notes)


def test_a_claim_that_leaves_the_file_takes_its_labels_along(tea: Callable[..., Path]) -> None:
    rows = [
        {"claim_id": f"c{n}", "answer_id": "a", "context_id": "x1", "claim": f"{n}", "lang": "en"}
        for n in range(2)
    ]
    folder, desk = tea(rows), Desk()
    desk.label("bo", "yes", "c0")
    desk.label("bo", "no", "c1")
    for act in desk.acts:
        append_event(folder, act)
    assert [claim.label for claim in load_goldset(folder).claims] == ["yes", "no"]
    (folder / "claims.jsonl").write_text(json.dumps(rows[1]) + "\n", encoding="utf-8")
    gold = load_goldset(folder)
    assert [claim.label for claim in gold.claims] == ["no"]
    assert any("(1 acts)" in note for note in gold.notes)
    assert load_goldset(folder, with_acts=False).pending[0].claim_id == "c1"


def test_the_order_of_claims_stays(desk: Desk) -> None:
    desk.label("bo", "yes", "c3")
    desk.label("bo", "no", "c1")
    gold = fold(made([{"label": "yes"}, {}, {"label": "idk"}, {}]), desk.acts)
    assert [claim.claim_id for claim in gold.claims] == ["c0", "c2", "c1", "c3"]


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

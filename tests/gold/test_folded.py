import json
from collections.abc import Callable
from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold import load_goldset
from metajudge.gold.claim import Annotation
from metajudge.gold.events import (
    ReviewEvent,
    SkipEvent,
    append_event,
)
from metajudge.gold.folded import fold
from tests.gold.folding import Desk, made, only, told


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
    assert any("(1 act)" in note for note in gold.notes)
    assert load_goldset(folder, with_acts=False).pending[0].claim_id == "c1"


def test_the_order_of_claims_stays(desk: Desk) -> None:
    desk.label("bo", "yes", "c3")
    desk.label("bo", "no", "c1")
    gold = fold(made([{"label": "yes"}, {}, {"label": "idk"}, {}]), desk.acts)
    assert [claim.claim_id for claim in gold.claims] == ["c0", "c2", "c1", "c3"]

"""Labels that were given before the labelling policy changed, and corrections of gold labels."""

from metajudge.gold.claim import Annotation
from metajudge.gold.folded import Correction, base_version, fold
from metajudge.gold.policy import needs_relabelling
from metajudge.labelling.contested import why_contested
from tests.gold.folding import CHANGED, Desk, inferred, made, told


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

from __future__ import annotations

import pytest

from metajudge.agreement.ceiling import MISSING
from metajudge.gold import load_goldset, write_goldset
from metajudge.gold.claim import LabellingPolicy, PolicyChange
from metajudge.gold.events import LabelEvent, SettleEvent, append_event
from metajudge.labelling.agree import agreement_report
from metajudge.labelling.log_counts import log_counts
from metajudge.labelling.same_policy import comparable
from metajudge.labelling.votes import soft_labels, votes_of
from tests.labelling.panel import note, panel

POLICY = LabellingPolicy(
    version="3",
    support={"summary": True, "inference": False},
    changes=(
        PolicyChange(version="2", support={"summary": True}),
        PolicyChange(version="3", support={"inference": False}),
    ),
)


def claim(*notes, kind="summary", claim_id="c1", **more):
    fields = {"claim_id": claim_id, "context_id": "x1", "slice": kind, "annotations": list(notes)}
    return fields | more


def tea(*claims):
    return panel(claims, labelling_policy=POLICY)


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("summary", ["bo", "cy"]), ("inference", ["cy"]), ("literal", ["ana", "bo", "cy"])],
)
def test_labels_before_a_change_that_concerns_the_claim_do_not_count(kind, kept):
    votes = [note("ana", "no"), note("bo", "yes", policy="2"), note("cy", "yes", policy="3")]
    found = tea(claim(*votes, kind=kind)).pending[0]
    assert [each.annotator for each in comparable(POLICY, found).annotations] == kept


def test_labels_of_one_earlier_version_stay_beside_each_other():
    votes = votes_of(tea(claim(note("ana", "no"), note("bo", "yes"))))
    assert (votes.counts.tolist(), votes.set_aside) == ([[1, 1, 0]], 0)


def test_a_gold_label_of_an_earlier_version_is_not_held_against_later_labels():
    now = [note("ana", "no", policy="3"), note("bo", "idk", policy="3")]
    votes = votes_of(tea(claim(*now, label="yes")))
    assert votes.gold.tolist() == [MISSING]
    assert next(soft_labels(votes))["gold"] is None
    report = agreement_report(tea(claim(*now, label="yes")), resamples=200)
    assert report.disputed[0].whys == ("tie", "split")
    assert report.annotators[0].with_gold.value is None


def test_labels_before_a_gold_label_of_a_later_version_are_no_error_of_the_annotators():
    before = [note("ana", "no", flagged=True), note("bo", "no")]
    report = agreement_report(tea(claim(*before, label="yes", label_policy="2")), resamples=200)
    assert (report.set_aside, report.annotators, report.disputed) == (2, (), ())


def test_a_label_that_a_model_made_sets_nothing_aside():
    made = claim(note("ana", "no"), label="yes", label_source="model", label_policy="3")
    assert votes_of(tea(made)).set_aside == 0


def about(claim_id, who, second):
    return {
        "claim_id": claim_id,
        "annotator": who,
        "time": f"2025-03-01T09:00:{second:02d}+00:00",
        "save_id": f"{claim_id}-{who}-{second:08d}",
    }


def test_what_was_settled_before_a_change_is_open_once_people_labelled_anew(tmp_path):
    rows = [claim(claim_id=name, label="no") for name in ("c1", "c2")]
    folder = tmp_path / "tea"
    write_goldset(tea(*rows), folder)
    for name in ("c1", "c2"):
        append_event(folder, SettleEvent(**about(name, "chair", 1), label="no", why="rule 1"))
    assert log_counts(load_goldset(folder)).settled == {"c1", "c2"}
    for second, (who, what) in enumerate([("ana", "yes"), ("bo", "yes"), ("cy", "no")], 2):
        label = LabelEvent(**about("c1", who, second), label=what, policy="3")
        append_event(folder, label)
    report = agreement_report(load_goldset(folder), resamples=200)
    assert report.settled == 1
    assert [(one.claim_id, one.gold, one.whys) for one in report.disputed] == [
        ("c1", None, ("split",))
    ]

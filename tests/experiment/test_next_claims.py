from __future__ import annotations

import numpy as np
import pytest

from metajudge.experiment import Experiment
from metajudge.experiment.next_claims import Weighed, weigh
from metajudge.experiment.waiting_claims import claims_of_experiment
from tests.experiment.folder import halls, write_gold, write_script
from tests.experiment.test_waiting_claims import experiment, half_labelled


def weighed(declared: Experiment, folder, *, second: bool = False, **options: object) -> Weighed:
    at_hand = claims_of_experiment(declared, second=second)
    return weigh(declared, at_hand, store=folder / "replies.sqlite", **options)  # type: ignore[arg-type]


@pytest.fixture
def swept(tmp_path) -> Experiment:
    """Candidates were asked about labelled and about waiting claims."""
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    weighed(declared, tmp_path, live=True)
    return declared


def test_stored_replies_are_enough(swept, tmp_path) -> None:
    found = weighed(swept, tmp_path)
    assert found.why_not is None
    assert found.worlds is not None
    assert (found.calls, found.missing, found.reports) == (56, 0, ())
    assert found.judged.tolist() == list(range(28))
    assert [key.trial for key in found.keys] == ["literal", "mine"]


def test_contenders_are_shown_apart_without_what_they_said(swept, tmp_path) -> None:
    found = weighed(swept, tmp_path)
    at_hand = claims_of_experiment(swept)
    summary = next(i for i, c in enumerate(at_hand.waiting) if c.claim_id.endswith("summary"))
    other = next(i for i, c in enumerate(at_hand.waiting) if c.claim_id.endswith("literal"))
    assert found.worlds is not None
    assert found.worlds.contenders.tolist() == [0, 1]
    assert [len(side) for side in found.sides(summary)] == [1, 1]
    assert [len(side) for side in found.sides(other)] == [2]
    assert found.sides(10_000) == ()


def test_the_same_seed_gives_the_same_worlds(swept, tmp_path) -> None:
    one, two = (weighed(swept, tmp_path, seed=7) for _ in range(2))
    assert one.worlds is not None
    assert two.worlds is not None
    assert one.worlds.information.tolist() == two.worlds.information.tolist()


def test_without_replies_about_waiting_claims_nothing_is_weighed(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = weighed(declared, tmp_path)
    assert found.worlds is None
    assert found.why_not == "no candidate has been asked about the claims that wait"
    assert (found.calls, found.missing) == (56, 56)


def test_without_a_sweep_nothing_is_weighed(tmp_path) -> None:
    half_labelled(tmp_path)
    found = weighed(experiment(tmp_path), tmp_path, live=True)
    assert found.worlds is None
    assert str(found.why_not).endswith("sweep first")


def test_a_budget_that_is_spent_leaves_the_claims_that_were_answered(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    short = declared.changed(budget={"calls": 20})
    found = weighed(short, tmp_path, live=True)
    assert found.reports[-1].stopped == "budget"
    assert 0 < len(found.judged) < 28
    assert found.worlds is not None
    assert len(found.worlds.kinds.of) == len(found.judged)


def test_a_trial_without_replies_takes_no_part_and_is_named(swept, tmp_path) -> None:
    more = swept.changed(templates=["literal", "templates/*.yaml", "summary-tolerant"])
    found = weighed(more, tmp_path)
    assert [key.trial for key in found.keys] == ["literal", "mine"]
    assert found.notes == ("No part, for want of replies: summary-tolerant.",)


def test_no_claim_has_a_label(tmp_path) -> None:
    half_labelled(tmp_path, labelled=0)
    found = weighed(experiment(tmp_path), tmp_path)
    assert "no claim has a gold label yet" in str(found.why_not)


def test_no_claim_waits(tmp_path) -> None:
    write_gold(tmp_path)
    assert weighed(experiment(tmp_path), tmp_path).why_not == "no claim waits"


def test_one_candidate_has_nothing_to_be_told_apart_from(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path, templates=["literal"])
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = weighed(declared, tmp_path, live=True)
    assert found.worlds is not None
    assert np.abs(found.worlds.information).max() < 1e-9
    assert found.worlds.unchanged() == 1


def test_verdicts_that_all_failed(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path, judges=[write_script(tmp_path, [], default="well")])
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = weighed(declared, tmp_path, live=True)
    assert found.worlds is not None
    assert found.worlds.information.max() <= 1e-9


def test_second_labels_need_no_call(tmp_path) -> None:
    claims, contexts = halls(8)
    write_gold(tmp_path, claims, contexts)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = weighed(declared, tmp_path, second=True)
    assert found.worlds is not None
    assert (found.calls, found.missing, len(found.judged)) == (0, 0, 32)
    assert found.worlds.fixed == 0


def test_guardrails_that_rest_on_other_calls_are_kept(tmp_path) -> None:
    half_labelled(tmp_path, n=16, labelled=8)
    declared = experiment(tmp_path, controls={"per_kind": 6})
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = weighed(declared, tmp_path, live=True)
    assert found.worlds is not None
    results = declared.sweep(store=tmp_path / "replies.sqlite").results
    blind = {
        row.trial
        for row in results.ranking
        if any(broken.guardrail == "insensitive" for broken in row.broken)
    }
    first = {found.keys[row].trial for (row, safe) in found.worlds.standings() if safe}
    assert not first & blind


def test_the_decision_now_is_the_first_of_the_sweep(swept, tmp_path) -> None:
    found = weighed(swept, tmp_path)
    assert found.worlds is not None
    results = swept.sweep(store=tmp_path / "replies.sqlite").results
    now = found.worlds.now
    assert found.keys[now.row[0]].trial == results.ranking[0].trial
    assert bool(now.safe[0]) == results.ranking[0].safe

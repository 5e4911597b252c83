from __future__ import annotations

import pytest

from metajudge.experiment.next_claims import weigh
from metajudge.experiment.next_labels import next_labels
from metajudge.experiment.waiting_claims import claims_of_experiment, claims_of_gold
from tests.experiment.folder import halls, write_gold
from tests.experiment.test_waiting_claims import experiment, half_labelled


@pytest.fixture
def told(tmp_path):
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    at_hand = claims_of_experiment(declared)
    return at_hand, weigh(declared, at_hand, store=tmp_path / "replies.sqlite", live=True)


def test_the_outlook_says_how_sure_the_decision_is_and_becomes(told) -> None:
    found = next_labels(*told, n=10)
    outlook = found.outlook
    assert outlook is not None
    assert len(found.picks) == 10
    assert sum(row.share for row in outlook.standings) == pytest.approx(1)
    assert all(0 <= p <= 1 for p in (outlook.unchanged, outlook.after, outlook.at_random))
    assert outlook.now.share == outlook.unchanged
    assert outlook.information == pytest.approx(
        sum(max(pick.information or 0, 0) for pick in found.picks)
    )


def test_all_claims_lead_to_the_decision_of_all_labels(told) -> None:
    outlook = next_labels(*told, n=500).outlook
    assert outlook is not None
    assert outlook.after == outlook.at_random == 1


def test_the_same_seed_gives_the_same_answer(told) -> None:
    assert next_labels(*told, n=9, seed=4).picks == next_labels(*told, n=9, seed=4).picks
    assert next_labels(*told, n=9, seed=4).outlook == next_labels(*told, n=9, seed=4).outlook


def test_without_an_experiment_there_is_no_outlook(tmp_path) -> None:
    half_labelled(tmp_path)
    found = next_labels(claims_of_gold(str(tmp_path / "gold")), n=3)
    assert found.outlook is None
    assert {pick.reason for pick in found.picks} == {"cover"}


def test_claims_that_wait_for_a_second_label_do_not_count_as_labelled_for_cover(tmp_path) -> None:
    claims, contexts = halls(3)
    write_gold(tmp_path, claims, contexts)
    found = next_labels(claims_of_gold(str(tmp_path / "gold"), second=True), n=12)
    assert len(found.picks) == 12
    contexts_first = [found.at_hand.waiting[pick.place].context_id for pick in found.picks[:3]]
    assert len(set(contexts_first)) == 3

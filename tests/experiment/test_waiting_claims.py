from __future__ import annotations

import numpy as np
import pytest

from metajudge.errors import GoldError
from metajudge.experiment import Experiment
from metajudge.experiment.waiting_claims import (
    claims_of_experiment,
    claims_of_gold,
    hear,
    put_to_judges,
    read_waiting,
)
from metajudge.runner.store import Store
from metajudge.selection.readings import read_candidates
from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)

SPLIT = {"salt": "s/1", "dev_share": 0.5}
UNKNOWN = ("label", "slice")


def half_labelled(folder, n: int = 12, labelled: int = 5, **manifest: object) -> list[dict]:
    """A gold set with labels in the first halls only; gives the rows as they were."""
    claims, contexts = halls(n)
    rows = [
        claim
        if int(claim["claim_id"].split("-")[0][2:]) < labelled
        else {key: value for key, value in claim.items() if key not in UNKNOWN}
        for claim in claims
    ]
    write_gold(folder, rows, contexts, **manifest)
    return claims


def experiment(folder, **fields: object) -> Experiment:
    write_template(folder, "mine", rule="MIND the gist:")
    usual: dict[str, object] = {
        "templates": ["literal", "templates/*.yaml"],
        "baseline": "literal",
    }
    if "judges" not in fields:
        usual["judges"] = [write_script(folder, CAREFUL)]
    return declare(folder, **(usual | fields))


def test_claims_of_the_experiments_split_and_languages_only(tmp_path) -> None:
    half_labelled(tmp_path, split=SPLIT)
    declared = experiment(tmp_path, gold={"path": "gold", "split": "dev"})
    found = claims_of_experiment(declared)
    assert {found.gold.split_of(claim) for claim in (*found.labelled, *found.waiting)} == {"dev"}
    assert found.elsewhere == sum(found.gold.split_of(c) == "test" for c in found.gold.pending) > 0
    other = experiment(tmp_path, gold={"path": "gold", "languages": ["zh"]})
    assert claims_of_experiment(other)[1:3] == ((), ())


def test_a_split_that_is_not_there_is_said(tmp_path) -> None:
    half_labelled(tmp_path)
    with pytest.raises(GoldError, match="declares no split"):
        claims_of_experiment(experiment(tmp_path, gold={"path": "gold", "split": "dev"}))


def test_of_a_gold_set_alone_all_claims_are_taken_but_excluded_ones(tmp_path) -> None:
    claims, contexts = halls(4)
    for claim in claims[:6]:
        claim.pop("label")
    claims[0]["exclude"] = True
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    found = claims_of_gold(str(tmp_path / "gold"))
    assert (len(found.waiting), len(found.labelled), found.elsewhere) == (5, 10, 0)


def test_labels_of_one_annotator_wait_for_a_second_one(tmp_path) -> None:
    claims, contexts = halls(2)
    one, two = {"annotator": "ann", "label": "yes"}, {"annotator": "bo", "label": "yes"}
    claims[0]["annotations"] = [one, two]
    claims[1]["annotations"] = [one]
    write_gold(tmp_path, claims, contexts)
    found = claims_of_gold(str(tmp_path / "gold"), second=True)
    assert found.second
    assert [c.claim_id for c in found.waiting] == [c["claim_id"] for c in claims[1:]]
    assert len(found.labelled) == 8


def test_the_store_is_asked_first_and_the_judge_only_when_allowed(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    declared.sweep(store=tmp_path / "replies.sqlite")
    found = claims_of_experiment(declared)
    prepared = declared.prepare()
    bare = put_to_judges(prepared, found.waiting, found.gold)
    assert {claim.slice for claim in bare.gold.claims} == {None}
    with Store(tmp_path / "replies.sqlite") as store:
        before = hear(declared, bare, store)
        assert (before.missing, before.calls) == (56, 56)
        assert not before.answered.any()
        after = hear(declared, bare, store, live=True)
        assert (after.missing, after.calls) == (0, 56)
        assert after.answered.all()
        assert sum(report.answered for report in after.reports) == 56
        assert hear(declared, bare, store).answered.all()


def test_a_plan_that_is_turned_down_asks_nothing(tmp_path) -> None:
    half_labelled(tmp_path)
    declared = experiment(tmp_path)
    found = claims_of_experiment(declared)
    bare = put_to_judges(declared.prepare(), found.waiting, found.gold)

    class TurnedDown(Exception):
        pass

    def refuse(*_: object) -> None:
        raise TurnedDown

    with Store(tmp_path / "replies.sqlite") as store:
        with pytest.raises(TurnedDown):
            hear(declared, bare, store, live=True, before=refuse)
        assert hear(declared, bare, store).missing == 56


def test_waiting_claims_are_read_as_they_will_be_once_labelled(tmp_path) -> None:
    rows = half_labelled(tmp_path)
    declared = experiment(tmp_path)
    found = claims_of_experiment(declared)
    prepared = declared.prepare()
    with Store(tmp_path / "replies.sqlite") as store:
        labelled = hear(declared, prepared, store, live=True)
        bare = put_to_judges(prepared, found.waiting, found.gold)
        waiting = hear(declared, bare, store, live=True)
        trials = labelled.trials()
        keys = read_candidates(trials, declared.config.readings).codes.keys
        codes = read_waiting(keys, trials, labelled, waiting)
        write_gold(tmp_path, rows, halls(12)[1])
        whole = hear(declared, declared.prepare(), store)
    assert whole.missing == 0
    again = read_candidates(whole.trials(), declared.config.readings).codes.codes
    assert np.array_equal(codes, again[:, 20:])


def test_several_claims_a_call_are_asked_in_groups_of_waiting_claims(tmp_path) -> None:
    half_labelled(tmp_path)
    answer = {"form": "label_only", "json": True}
    declared = declare(
        tmp_path,
        judges=[write_script(tmp_path, [], default='{"1": "yes", "2": "yes"}')],
        templates=[{"name": "literal", "claims_per_call": 2, "answer": answer}],
    )
    found = claims_of_experiment(declared)
    bare = put_to_judges(declared.prepare(), found.waiting, found.gold)
    with Store(tmp_path / "replies.sqlite") as store:
        heard = hear(declared, bare, store, live=True)
    assert (heard.calls, heard.missing) == (14, 0)
    assert heard.answered.all()


def test_facts_that_were_not_extracted_leave_claims_unanswered(tmp_path) -> None:
    half_labelled(tmp_path, n=3, labelled=1)
    declared = experiment(tmp_path, context_forms=["truths"], templates=["literal"], baseline=None)
    found = claims_of_experiment(declared)
    bare = put_to_judges(declared.prepare(), found.waiting, found.gold)
    with Store(tmp_path / "replies.sqlite") as store:
        heard = hear(declared, bare, store)
    assert heard.study.waiting
    assert not heard.answered.any()
    assert heard.missing > 0

from __future__ import annotations

import os

import pytest

from metajudge.errors import GoldError
from metajudge.gold import load_goldset
from metajudge.gold.events import events_file
from metajudge.labelling.folder import GoldFolder
from tests.labelling.desks import gold_folder, said, write_claims


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 4)


def folded(folder):
    return {claim.claim_id: claim for claim in load_goldset(folder).every_claim}


def test_a_folder_that_is_no_set_is_refused(tmp_path):
    place = tmp_path / "empty"
    place.mkdir()
    (place / "goldset.yaml").write_text("name: x\n")
    with pytest.raises(GoldError, match=r"goldset.yaml"):
        GoldFolder(place)


def test_acts_of_others_come_in_one_by_one(folder):
    gold = GoldFolder(folder)
    assert gold.changed() == ()
    said(folder, "ann", "c2", "yes")
    gold.refresh()
    assert gold.changed() == ("c2",)
    assert gold.changed() == ()
    said(folder, "ann", "c2", "no", save_id="ann-second")
    said(folder, "cem", "c3", "idk")
    gold.refresh()
    assert set(gold.changed()) == {"c2", "c3"}
    assert gold.claims == folded(folder)
    assert gold.reloads == 1


def test_the_rest_of_a_line_is_waited_for(folder):
    gold = GoldFolder(folder)
    said(folder, "ann", "c1", "yes")
    log = events_file(folder, "ann")
    whole = log.read_bytes()
    log.write_bytes(whole[:30])
    gold.refresh()
    assert gold.changed() == ()
    with log.open("ab") as file:
        file.write(whole[30:])
    gold.refresh()
    assert gold.changed() == ("c1",)


def test_a_log_that_was_shortened_is_read_anew(folder):
    said(folder, "ann", "c1", "yes")
    said(folder, "ann", "c2", "no")
    gold = GoldFolder(folder)
    log = events_file(folder, "ann")
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[1])
    gold.refresh()
    assert set(gold.changed()) == {"c1", "c2"}
    assert gold.claims == folded(folder)
    assert gold.saved("ann", "ann-c1-save") is None


def test_a_log_that_was_replaced_or_taken_away_is_read_anew(folder):
    said(folder, "ann", "c1", "yes")
    gold = GoldFolder(folder)
    log = events_file(folder, "ann")
    draft = log.with_suffix(".draft")
    draft.write_text(log.read_text().replace('"yes"', '"idk"'))
    os.replace(draft, log)
    gold.refresh()
    assert gold.claims["c1"].label == "idk"
    log.unlink()
    gold.refresh()
    assert gold.claims == folded(folder)


def test_more_claims_are_taken_in(folder):
    gold = GoldFolder(folder)
    said(folder, "ann", "c1", "yes")
    write_claims(folder, [{}] * 6)
    gold.refresh()
    assert gold.reloads == 2
    assert len(gold.claims) == 6
    assert gold.claims == folded(folder)


def test_a_set_that_cannot_be_read_stays_as_it_was_known(folder):
    gold = GoldFolder(folder)
    before = dict(gold.claims)
    whole = (folder / "claims.jsonl").read_text()
    (folder / "claims.jsonl").write_text(whole + "{\n")
    gold.refresh()
    assert gold.trouble[0].line == 5
    assert gold.claims == before
    said(folder, "ann", "c1", "yes")
    gold.refresh()
    assert gold.claims["c1"].label == "yes"
    (folder / "claims.jsonl").write_text(whole)
    gold.refresh()
    assert (gold.trouble, gold.log_trouble) == ((), ())
    assert gold.claims == folded(folder)


def test_a_label_of_another_space_is_trouble_of_the_log(folder):
    gold = GoldFolder(folder)
    said(folder, "ann", "c1", "supported")
    gold.refresh()
    assert "ternary" in str(gold.log_trouble[0])
    assert gold.trouble == ()
    events_file(folder, "ann").unlink()
    gold.refresh()
    assert gold.log_trouble == ()
    assert gold.claims == folded(folder)


def test_one_claim_folds_as_the_whole_set_does(folder):
    gold = GoldFolder(folder)
    for name, label in (("ann", "yes"), ("cem", "no"), ("dee", "no")):
        said(folder, name, "c1", label, slice="literal", spans=("Tea",), note="a note")
        gold.refresh()
        assert gold.claims == folded(folder)
    assert gold.claims["c1"].label == "no"


def test_acts_about_claims_that_are_not_there_do_no_harm(folder):
    gold = GoldFolder(folder)
    said(folder, "ann", "gone", "yes")
    gold.refresh()
    assert gold.changed() == ()
    assert gold.log_trouble == ()

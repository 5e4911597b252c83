"""`release verify --live` asks the judge again and tells its whims from a change.

The judge is a script beside the release, which these tests rewrite.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ReleaseError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release
from metajudge.release.evidence import read_evidence
from metajudge.release.live import LiveCheck, ask_again
from metajudge.release.manifest import REPLIES
from metajudge.release.verify import open_case
from metajudge.release.verify_case import CannotCheckError
from metajudge.runner.limits import Budget
from metajudge.runner.store import Store
from tests.experiment.folder import CAREFUL, write_script
from tests.release.confirmed import confirmed

WRONG = [(r"(?s)Claim: Access.*MIND", "no"), *CAREFUL]
"""Summaries are called no."""


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pristine")
    confirmed(folder).release()
    return folder


def place_of(release: Release) -> Path:
    return release.folder.parents[2]


def ask(release: Release, store: Path, budget: Budget | None = None) -> LiveCheck:
    case = open_case(str(release.folder))
    with Store(store) as kept:
        return ask_again(case, read_evidence(release.folder), kept, budget or Budget())


def rewrite(release: Release, **script: Any) -> None:
    write_script(place_of(release), CAREFUL)
    path = place_of(release) / "judge.yaml"
    told = {
        "name": "script",
        "rules": [{"match": match, "reply": reply} for match, reply in CAREFUL],
        "replies": ["idk"],
        **script,
    }
    path.write_text(dump_yaml(told), "utf-8")


def test_a_judge_that_answers_as_before_is_as_pinned(release: Release, tmp_path: Path) -> None:
    found = ask(release, tmp_path / "fresh.sqlite")
    assert found.as_pinned
    assert found.identity == ()
    assert found.claims == 44
    assert (found.changed.value, found.directions) == (0.0, {})
    assert (found.better, found.worse, found.mcnemar_p, found.swap_p) == (0, 0, 1.0, 1.0)
    assert found.allowed == 0.05
    assert found.sentence.startswith("Nothing says")


def test_a_judge_that_got_worse_is_told_from_chance(release: Release, tmp_path: Path) -> None:
    write_script(place_of(release), WRONG)
    found = ask(release, tmp_path / "fresh.sqlite")
    assert not found.as_pinned
    assert found.directions == {"yes->no": 11}
    assert (found.better, found.worse) == (0, 11)
    assert found.mcnemar_p == pytest.approx(2**-10, abs=1e-6)
    assert found.swap_p == pytest.approx(2**-10, abs=1e-6)
    assert found.difference.value == -0.25
    assert "right less often than it was, by more than chance" in found.sentence
    assert [change.name for change in found.identity] == ["backend_version"]


def test_many_changes_that_cancel_out_are_no_proof_of_the_same_judge(
    release: Release, tmp_path: Path
) -> None:
    """Literal claims of some halls become right, and lost claims of the same halls wrong."""
    rules = [
        (r"Claim: Hall \w+ opens at [23]\d\.", "yes"),
        (r"Claim: Somebody sells tea near Hall en(1[1-9]|2\d)", "no"),
        *CAREFUL,
    ]
    write_script(place_of(release), rules)
    found = ask(release, tmp_path / "fresh.sqlite")
    assert found.better == found.worse == 7
    assert found.difference.value == 0
    assert found.swap_p == 1.0
    assert not found.as_pinned
    assert "changes more verdicts than its repeats do" in found.sentence


def test_one_changed_verdict_is_no_alarm(release: Release, tmp_path: Path) -> None:
    case = open_case(str(release.folder))
    name = case.golds["dev"].claims[0].claim.split(" opens")[0]
    write_script(place_of(release), [(rf"Claim: {name} opens", "idk"), *CAREFUL])
    found = ask(release, tmp_path / "fresh.sqlite")
    assert sum(found.directions.values()) <= 2
    assert found.as_pinned


def test_another_model_is_not_the_pinned_one_whatever_it_says(
    release: Release, tmp_path: Path
) -> None:
    rewrite(release, name="other script")
    found = ask(release, tmp_path / "fresh.sqlite")
    assert found.identity[0].model_dump() == {
        "name": "model",
        "pinned": "scripted:script",
        "now": "scripted:other script",
    }
    assert not found.as_pinned
    assert "another model" in found.sentence
    assert found.changed.value == 0


def test_stored_replies_are_never_taken_for_new_ones(release: Release, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with Store(path) as store:
        store.load(release.folder / REPLIES)
    with pytest.raises(ReleaseError, match="the replies that the release was made from"):
        ask(release, path)


def test_an_early_end_leaves_claims_out_and_the_store_lets_it_go_on(
    release: Release, tmp_path: Path
) -> None:
    path = tmp_path / "own.sqlite"
    found = ask(release, path, Budget(calls=10))
    assert found.stopped == "budget"
    assert (found.claims, found.not_asked) == (10, 34)
    assert found.changed.value == 0
    again = ask(release, path)
    assert (again.claims, again.not_asked, again.stopped) == (44, 0, None)


def test_a_judge_that_is_down_proves_nothing(release: Release, tmp_path: Path) -> None:
    rewrite(release, rules=[], replies=[{"error": "connection"}])
    with pytest.raises(CannotCheckError):
        ask(release, tmp_path / "fresh.sqlite")


def test_without_the_gold_set_nothing_is_asked(release: Release, tmp_path: Path) -> None:
    (place_of(release) / "gold").rename(tmp_path / "away")
    with pytest.raises(CannotCheckError, match="there is no gold set"):
        ask(release, tmp_path / "fresh.sqlite")

"""Watching a release: what is evidence, what is an alarm at once, and what is neither."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from metajudge.errors import InputError, ReleaseError
from metajudge.release.bundle import Release, read_release
from metajudge.release.evidence import read_evidence
from metajudge.release.manifest import EXAMPLES
from metajudge.release.sums import write_sums
from metajudge.release.watch import Watch, open_watch
from metajudge.release.watch_state import (
    WatchState,
    read_state,
    write_state,
)
from metajudge.report.figure import rounded
from metajudge.runner.limits import Budget
from tests.experiment.folder import halls, rows, write_gold
from tests.release.watched import (
    AS_RELEASED,
    CHATTY,
    SUMMARIES_IDK,
    TEA_YES,
    judge_of,
    released,
    says,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    released(folder)
    return folder


@pytest.fixture
def release(home) -> Release:
    return read_release(home / "releases" / "faithfulness-verdict" / "1.0.0")


@pytest.fixture
def copied(home, tmp_path) -> Release:
    """A release whose files may be changed."""
    place = tmp_path / "home"
    shutil.copytree(home, place)
    return read_release(place / "releases" / "faithfulness-verdict" / "1.0.0")


def watch(release: Release, **settings) -> Watch:
    gold = release.folder / release.manifest.gold.path
    return open_watch(release, gold, **{"noise": 0.02, **settings})


def days(watched: Watch, n: int, state: WatchState | None = None) -> WatchState:
    """State after up to n runs; an alarm ends them."""
    state = state or watched.begin()
    for _ in range(n):
        if state.now.alarm is not None:
            break
        state = watched.take(state).state
    return state


def test_a_judge_that_says_the_same_stays_quiet(release, monkeypatch):
    judge = judge_of(release, AS_RELEASED)
    says(monkeypatch, judge)
    watched = watch(release, claims=20)
    state = days(watched, 12)
    assert state.now.alarm is None
    assert state.now.e < 1
    assert [run.changed for run in state.now.runs] == [0] * 12
    assert judge.asked == sum(run.claims for run in state.now.runs)


def test_every_run_asks_afresh_and_chooses_contexts_anew(release, monkeypatch):
    says(monkeypatch, judge_of(release, AS_RELEASED))
    watched = watch(release, claims=16)
    canary = watched.canary
    parts = [
        frozenset(claim.context_id for claim in canary.chosen(16, run, "s").claims)
        for run in range(200)
    ]
    assert {len(part) for part in parts} == {4}
    assert frozenset.union(*parts[:20]) == frozenset(canary.contexts)
    asked = [sum(name in part for part in parts) for name in canary.contexts]
    assert max(asked) - min(asked) < 50
    assert canary.chosen(16, 3, "s").claims == canary.chosen(16, 3, "s").claims
    assert canary.chosen(16, 3, "t").claims != canary.chosen(16, 3, "s").claims
    assert len(canary.chosen(10_000, 0, "s").claims) == len(canary.claims)


def test_a_silent_change_of_the_judge_is_found_and_named(release, monkeypatch):
    """B76 the other way round: the provider, not we, put another judge in its place."""
    says(monkeypatch, judge_of(release, AS_RELEASED))
    watched = watch(release, claims=20)
    quiet = days(watched, 6)
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    state = days(watched, 10, quiet)
    alarm, last = state.now.alarm, state.now.runs[-1]
    assert alarm is not None
    assert alarm.kind == "verdicts"
    assert len(state.now.runs) - 6 <= 3
    assert last.e >= 20
    assert {(change.was, change.now) for change in last.changes} == {("yes", "idk")}
    assert all(change.claim_id.endswith("summary") for change in last.changes)
    assert last.credited == 0


def test_new_over_credit_has_evidence_of_its_own(release, monkeypatch):
    says(monkeypatch, judge_of(release, TEA_YES))
    state = watch(release, claims=8).take(watch(release).begin()).state
    components = state.now.components
    assert state.now.runs[0].credited == state.now.runs[0].changed == 2
    assert components["over_credit"].log_e > components["verdicts"].log_e > 0


def test_replies_that_cannot_be_read_are_changes_and_count_against_coverage(release, monkeypatch):
    says(monkeypatch, judge_of(release, CHATTY))
    state = watch(release, claims=8).take(watch(release).begin()).state
    run = state.now.runs[0]
    assert (run.changed, run.unreadable, run.unanswered) == (2, 2, 0)
    assert {change.now for change in run.changes} == {"failure"}
    assert state.now.components["coverage"].log_e > 0


def test_a_claim_without_an_answer_is_no_evidence(release, monkeypatch):
    rules = [(r"Claim: Somebody", {"error": "bad_request"}), *AS_RELEASED]
    says(monkeypatch, judge_of(release, rules))
    state = watch(release).take(watch(release).begin()).state
    run = state.now.runs[0]
    assert run.counted
    assert run.unanswered == 11
    assert run.changed == 0
    assert state.now.e < 1


@pytest.mark.parametrize("claims", [4, 1000], ids=["one context", "all"])
def test_a_judge_that_is_down_moves_nothing_and_is_noted(release, monkeypatch, claims):
    says(monkeypatch, judge_of(release, [], {"error": "bad_request"}))
    watched = watch(release, claims=claims)
    before = watched.begin()
    taken = watched.take(before)
    assert taken.stopped is not None
    assert taken.stopped.stopped == "judge_down"
    assert taken.state.now.components == before.now.components
    (run,) = taken.state.now.runs
    assert not run.counted
    assert run.note


def test_a_spent_budget_moves_nothing(release, monkeypatch):
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    watched = watch(release, budget=Budget(calls=3))
    taken = watched.take(watched.begin())
    assert taken.stopped is not None
    assert taken.stopped.stopped == "budget"
    assert taken.state.now.e == 1.0


def test_another_identity_is_an_alarm_without_asking(copied):
    script = copied.folder.parents[2] / "judge.yaml"
    script.write_text(script.read_text() + "# a new build\n")
    taken = watch(copied).take(watch(copied).begin())
    assert taken.state.now.alarm is not None
    assert taken.state.now.alarm.kind == "identity"
    assert "backend_version is" in taken.state.now.alarm.told[0]
    assert taken.state.runs == 0


def test_another_model_in_the_reply_is_an_alarm(release, monkeypatch):
    judge = judge_of(release, AS_RELEASED)
    judge.reports = "script-2025-02"
    says(monkeypatch, judge)
    state = watch(release).take(watch(release).begin()).state
    assert state.now.alarm is not None
    assert state.now.alarm.kind == "identity"
    assert "script-2025-02" in state.now.alarm.told[0]
    assert state.now.runs[0].changed == 0


def test_other_messages_than_those_of_the_release_are_an_alarm(copied, monkeypatch):
    """What a version of metajudge that renders differently would look like."""
    judge = judge_of(copied, AS_RELEASED)
    says(monkeypatch, judge)
    path = copied.folder / EXAMPLES
    path.write_text(path.read_text().replace("Claim:", "Statement:"))
    write_sums(copied.folder)
    altered = read_release(copied.folder)
    state = watch(altered).take(watch(altered).begin()).state
    assert state.now.alarm is not None
    assert state.now.alarm.kind == "prompt"
    assert EXAMPLES in state.now.alarm.told[0]
    assert judge.asked == 0


def test_a_release_that_was_tampered_with_is_not_watched(copied):
    path = copied.folder / "evidence.json"
    path.write_text(path.read_text().replace("0", "1", 1))
    with pytest.raises(ReleaseError, match=r"evidence\.json"):
        watch(copied)


def test_two_draws_take_the_place_of_a_noise_limit(release, monkeypatch):
    """The experiment measured no flip rate, so each claim is asked twice."""
    says(monkeypatch, judge_of(release, AS_RELEASED))
    watched = watch(release, noise=None)
    assert watched.noise.source == "two_draws"
    quiet = days(watched, 5)
    assert [run.draws for run in quiet.now.runs] == [2] * 5
    assert quiet.now.components["verdicts"].log_e == pytest.approx(0.0, abs=1e-5)
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    assert days(watched, 4, quiet).now.alarm is not None


def test_a_measured_flip_rate_is_the_limit_where_it_says_enough(release, monkeypatch):
    evidence = read_evidence(release.folder)
    figure = {"value": 0.01, "low": 0.0, "high": 0.04, "n": 100}

    def told(high: float):
        carried = evidence.carried.model_dump() | {"flip_rate": figure | {"high": high}}
        return lambda folder: evidence.model_validate(evidence.model_dump() | {"carried": carried})

    monkeypatch.setattr("metajudge.release.watch.read_evidence", told(0.04))
    assert watch(release, noise=None).noise.model_dump() == {"source": "evidence", "limit": 0.04}
    monkeypatch.setattr("metajudge.release.watch.read_evidence", told(0.2))
    assert watch(release, noise=None).noise.model_dump() == {"source": "two_draws", "limit": None}
    assert watch(release, noise=0.1).noise.source == "declared"


def test_a_canary_that_the_release_has_no_verdict_on_is_refused(release, tmp_path):
    claims, contexts = halls(2, "zz")
    for row in (*claims, *contexts):
        row["lang"] = "en"
    with pytest.raises(ReleaseError, match="has a stored verdict on"):
        open_watch(release, write_gold(tmp_path, claims, contexts), noise=0.02)


def test_claims_without_a_stored_verdict_are_left_out_with_their_context(release, tmp_path):
    claims, contexts = halls(24)
    odd = {**claims[0], "claim_id": "own", "claim": "Hall en0 has a blue door."}
    place = write_gold(tmp_path, [*claims[:8], odd], contexts)
    canary = open_watch(release, place, noise=0.02).canary
    assert canary.left_out == 5
    assert {claim.context_id for claim in canary.claims} == {"x-en1"}


def test_a_set_with_a_split_gives_its_dev_claims_only(release):
    """The sealed labels stay sealed, also for a release that was confirmed on them."""
    watched = watch(release)
    assert {watched.canary.gold.split_of(claim) for claim in watched.canary.claims} == {"dev"}


def test_a_state_of_another_watch_is_refused_with_everything_that_differs(release, tmp_path):
    watched = watch(release)
    state = watched.begin().model_copy(update={"release": "other@1.0.0", "alpha": 0.01})
    with pytest.raises(ReleaseError, match="--state") as caught:
        watched.check(state, tmp_path / "state.json")
    assert [problem.field for problem in caught.value.problems] == ["release", "alpha"]
    with pytest.raises(ReleaseError, match="noise"):
        watch(release, noise=0.03).check(watched.begin(), tmp_path / "state.json")
    watch(release, claims=8).check(watched.begin(), tmp_path / "state.json")


def test_a_state_goes_through_its_file_and_on(release, monkeypatch, tmp_path):
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    path = tmp_path / "deep" / "state.json"
    watched = watch(release, claims=4, noise=0.1)
    first = watched.take(watched.begin()).state
    write_state(path, first, None)
    assert read_state(path) == first
    second = watched.take(first).state
    write_state(path, second, first)
    assert read_state(path) == second
    assert second.now.components["verdicts"].batches == 2
    json.loads(path.read_text(), parse_constant=pytest.fail)


def test_the_second_of_two_runs_at_a_time_is_refused(release, tmp_path):
    path = tmp_path / "state.json"
    state = watch(release).begin()
    write_state(path, state, None)
    with pytest.raises(ReleaseError, match="meanwhile"):
        write_state(path, state.restarted("why", "2025-03-01T09:30:00+00:00"), None)
    assert read_state(path) == state


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"format": "metajudge-watch/2"}', '{"release": 3}', "\x00"],
)
def test_a_file_that_is_no_state_is_refused(tmp_path, text):
    path = tmp_path / "state.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match="no state of a watch"):
        read_state(path)


def test_a_state_with_a_missing_number_is_refused(release, monkeypatch, tmp_path):
    says(monkeypatch, judge_of(release, AS_RELEASED))
    path = tmp_path / "state.json"
    state = watch(release).take(watch(release).begin()).state
    told = json.loads(state.model_dump_json())
    told["series"][0]["components"]["verdicts"]["log_wealth"].pop()
    path.write_text(json.dumps(told))
    with pytest.raises(InputError, match="log_wealth"):
        read_state(path)


def test_an_acknowledged_series_stays_and_a_new_one_begins_at_one(release, monkeypatch):
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    alarmed = days(watch(release), 10)
    new = alarmed.restarted("we changed the endpoint", "2025-03-01T09:30:00+00:00")
    assert new.series[0].alarm is not None
    assert new.series[0].ended is not None
    assert new.series[0].ended.why == "we changed the endpoint"
    assert (new.now.e, new.now.alarm, new.now.runs) == (1.0, None, ())
    assert new.runs == alarmed.runs


def test_what_is_foretold_is_the_theory(release):
    watched = watch(release, claims=44)
    foretold = watched.runs_to_alarm(0.1)
    assert foretold is not None
    growth = 0.1 * np.log(0.1 / 0.02) + 0.9 * np.log(0.9 / 0.98)
    assert foretold == pytest.approx(np.log(20) / growth / 44)
    assert watch(release, noise=0.1).runs_to_alarm(0.1) is None


def test_numbers_in_the_file_are_rounded_to_six_decimals(release, monkeypatch):
    says(monkeypatch, judge_of(release, SUMMARIES_IDK))
    state = watch(release, claims=8).take(watch(release).begin()).state
    for component in state.now.components.values():
        assert all(number == rounded(number) for number in component.log_wealth)


def test_rows_of_a_gold_set_may_come_as_a_part_in_another_order(release, home, tmp_path):
    """Order is not identity: a shuffled part of the canary has the same stored verdicts."""
    whole = watch(release).canary
    lines = [json.loads(line) for line in (home / "gold" / "claims.jsonl").read_text().splitlines()]
    wanted = {claim.context_id for claim in whole.claims[:8]}
    part = [line for line in reversed(lines) if line["context_id"] in wanted]
    place = write_gold(tmp_path, part, None)
    used = [
        json.loads(line) for line in (home / "gold" / "contexts.jsonl").read_text().splitlines()
    ]
    rows(place / "contexts.jsonl", [row for row in used if row["context_id"] in wanted])
    again = open_watch(release, Path(place), noise=0.02).canary
    stored = {c.claim_id: code for c, code in zip(whole.claims, whole.stored, strict=True)}
    assert [stored[c.claim_id] for c in again.claims] == again.stored.tolist()

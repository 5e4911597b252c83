from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from math import log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment
from metajudge.experiment.searching.loop import Incumbent, Search
from metajudge.experiment.searching.search import changed_search, open_search, search
from metajudge.gold.ledger import read_ledger
from metajudge.report.search_results import SearchResults
from metajudge.selection.columns import CandidateKey
from metajudge.selection.search.trials import KnownTrial
from metajudge.templates.catalogue import read_wordings
from metajudge.templates.template import Template
from tests.experiment.folder import write_script, write_template
from tests.experiment.searched import RULES, SPACE, searchable, served_answer
from tests.loopback import hang, serve

VARIES = {"created", "calls", "study"}


def same(results: SearchResults) -> dict[str, Any]:
    """What must not depend on kills and resumes."""
    return results.model_dump(exclude=VARIES)


def found(folder: Path, experiment: Experiment, **fields: Any) -> SearchResults:
    return search(experiment, store=folder / "r.sqlite", out=folder / "out", **fields)


def test_the_text_that_helps_is_found_and_the_rule_that_harms_is_never_proposed(
    tmp_path: Path,
) -> None:
    results = found(tmp_path, searchable(tmp_path))
    assert len(results.trials) == 18
    assert results.proposal is not None
    assert results.proposal.first and results.proposal.told_apart
    changed = {change.axis: change.value for change in results.proposal.changes}
    assert changed["en.definition.yes"] == "0"
    assert "en.rule.0" not in changed
    assert results.ranking[0].safe and results.ranking[0].target.value == 0.0
    assert results.spent < 0.6 * results.spent_full
    for trial in results.trials:
        assert trial.candidate is not None
        mad = trial.setting["en.rule.0"]
        assert (trial.candidate.off != 0) == mad
        if mad and trial.candidate.stopped is not None:
            assert trial.candidate.stopped.why.startswith("guardrail over_credit")
    assert results.importance["summary_as_idk"]["en.definition.yes"] > 0.9


def test_a_server_without_probabilities_is_asked_nothing_twice_and_comes_to_the_same(
    tmp_path: Path,
) -> None:
    for name in ("served", "scripted"):
        (tmp_path / name).mkdir()
    with serve(served_answer) as server:
        judge = {"spec": "openai/m", "api_base": server.url}
        served = found(tmp_path / "served", searchable(tmp_path / "served", judges=[judge]))
    assert set(Counter(call.prompt for call in server.received).values()) == {1}
    expected = found(tmp_path / "scripted", searchable(tmp_path / "scripted"))
    assert served.proposal is not None and expected.proposal is not None
    assert served.proposal.setting == expected.proposal.setting
    assert served.ranking == expected.ranking
    assert served.calls.asked == server.calls


def test_the_proposal_is_swept_like_any_other_at_no_call(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    results = found(tmp_path, experiment)
    assert results.proposal is not None
    proposal = Experiment.from_file(tmp_path / "out" / results.proposal.experiment)
    assert proposal.config.search is None
    outcome = proposal.sweep(store=tmp_path / "r.sqlite")
    assert outcome.results.calls.asked == 0
    assert outcome.results.decision.winner == results.proposal.trial
    files = [tmp_path / "out" / path for path in results.proposal.templates]
    (wording,) = read_wordings(files).values()
    template = wording.source_for("en")
    assert isinstance(template, Template) and template.parentage is not None
    assert template.parentage.trial == results.proposal.number
    assert template.parentage.setting == results.proposal.setting
    assert [parent.label for parent in template.parentage.parents] == ["plain@1.0.0/en"]
    confirmed = proposal.confirm(outcome, store=tmp_path / "r.sqlite")
    assert confirmed.selection is not None and confirmed.selection.confirmation is not None
    assert confirmed.selection.confirmation.holds


def test_test_claims_are_neither_asked_nor_loaded(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    ready = open_search(experiment, store=tmp_path / "r.sqlite")
    gold = ready.choices.gold
    assert {gold.split_of(claim) for claim in gold.claims} == {"dev"}
    found(tmp_path, experiment)
    assert len(read_ledger(tmp_path / "gold")) == 0


def test_a_split_that_is_not_dev_is_refused(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    for split in (None, "test"):
        gold = {"path": "gold", "split": split}
        with pytest.raises(ExperimentError, match=r"gold\.split"):
            open_search(experiment.changed(gold=gold))


def test_run_again_it_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    first, second = (found(tmp_path, experiment) for _ in range(2))
    assert second.calls.asked == 0
    assert same(first) == same(second)


def test_more_trials_go_on_where_it_was(tmp_path: Path) -> None:
    experiment = searchable(tmp_path, search={"trials": 12})
    some = found(tmp_path, experiment)
    more = found(tmp_path, changed_search(experiment, trials=18))
    assert [t.setting for t in more.trials[:12]] == [t.setting for t in some.trials]
    (tmp_path / "whole").mkdir()
    whole = searchable(tmp_path / "whole", search={"trials": 18})
    again = found(tmp_path / "whole", whole)
    assert [t.setting for t in more.trials] == [t.setting for t in again.trials]


def test_a_budget_ends_it_and_what_is_answered_is_kept(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    short = found(tmp_path, experiment.changed(budget={"calls": 150}))
    assert short.calls.stopped == "budget" and short.ended == "budget"
    assert short.calls.asked == 150
    assert 0 < len([t for t in short.trials if t.state == "told"]) < 18
    assert "ended early" in short.decision.sentence
    assert "提前结束" in short.decision.sentence_zh
    (tmp_path / "whole").mkdir()
    whole = found(tmp_path / "whole", searchable(tmp_path / "whole"))
    rest = found(tmp_path, experiment)
    assert rest.calls.asked == whole.calls.asked - 150
    assert [t.model_dump() for t in rest.trials] == [t.model_dump() for t in whole.trials]


def test_an_exhausted_space_ends_it(tmp_path: Path) -> None:
    space = {**SPACE, "rules": {}}
    experiment = searchable(tmp_path, search={"template": space, "trials": 60})
    results = found(tmp_path, experiment)
    assert results.ended == "exhausted"
    assert len(results.trials) == results.study.settings == 9
    assert "Every setting of the space was tried." in results.notes


def test_without_a_safe_candidate_nothing_is_proposed(tmp_path: Path) -> None:
    experiment = searchable(tmp_path, guardrails={"over_credit_upper": 0.001})
    results = found(tmp_path, experiment)
    assert results.proposal is None and results.decision.winner is None
    assert "nothing is proposed" in results.decision.sentence
    assert "没有提案" in results.decision.sentence_zh
    assert not (tmp_path / "out").exists()
    assert not results.front


@pytest.mark.parametrize("race", [True, False])
def test_a_declared_template_that_stays_first_is_said_to(tmp_path: Path, race: bool) -> None:
    write_template(tmp_path, "mindful", "MIND")
    experiment = searchable(
        tmp_path,
        templates=["templates/*.yaml"],
        search={"template": {**SPACE, "definitions": {}}, "trials": 8},
    )
    results = found(tmp_path, changed_search(experiment, race=race))
    assert results.decision.winner is None
    assert results.ranking[0].trial == "mindful"
    if race:
        assert results.proposal is None
        assert "mindful (top) stays first" in results.decision.sentence
        assert "仍居首位" in results.decision.sentence_zh
    else:
        assert results.proposal is not None and not results.proposal.first
        assert results.proposal.against == "mindful (top)"
        assert "Nothing comes before what is declared" in results.decision.sentence


def test_without_racing_every_setting_answers_every_claim(tmp_path: Path) -> None:
    experiment = changed_search(searchable(tmp_path, search={"trials": 6}), race=False)
    results = found(tmp_path, experiment)
    entries = results.gold.claims
    assert {t.candidate.claims for t in results.trials if t.candidate} == {entries}
    assert results.spent == results.spent_full
    assert results.study.name == "test-unraced"


def likely(text: str, p: float = 0.9) -> dict[str, Any]:
    """A reply with label probabilities."""
    rest = [word for word in ("yes", "no", "idk") if word != text]
    tops = {text: log(p), **{word: log((1 - p) / 2) for word in rest}}
    return {"text": text, "first_token": tops}


def test_readings_are_searched_at_no_call(tmp_path: Path) -> None:
    rules = [(match, likely(reply)) for match, reply in RULES if "Somebody" not in match]
    rules.append((r"Claim: Somebody", likely("yes", 0.55)))
    experiment = searchable(
        tmp_path,
        judges=[write_script(tmp_path, rules, likely("idk"))],
        search={"readings": ["top", "top@0.80"], "trials": 18},
    )
    results = found(tmp_path, experiment)
    assert results.study.axes["reading"] == ("top", "top@0.80")
    made = {t.candidate.trial for t in results.trials if t.candidate}
    assert results.proposal is not None and results.proposal.reading == "top@0.80"
    assert results.proposal.setting["reading"] == "top@0.80"
    declared = Experiment.from_file(tmp_path / "out" / results.proposal.experiment)
    assert declared.config.readings == ("top", "top@0.80")
    assert results.spent_full == (len(made) + 1) * results.gold.claims


def test_another_declaration_under_the_same_name_is_refused(tmp_path: Path) -> None:
    experiment = searchable(tmp_path, search={"trials": 6})
    found(tmp_path, experiment)
    with pytest.raises(ExperimentError, match="another name") as caught:
        found(tmp_path, experiment.changed(target="kappa"))
    assert "target: goes on as declared: 'summary_as_idk' (got 'kappa')" in str(caught.value)
    assert "fingerprint" not in str(caught.value)
    found(tmp_path, experiment.changed(budget={"calls": 10_000}))
    assert experiment.config.search is not None
    later = experiment.config.search.racing.model_copy(update={"end_at": 0.0})
    search_ref = experiment.config.search.model_copy(update={"racing": later})
    found(tmp_path, experiment.changed(search=search_ref.model_dump(by_alias=True)))


IN_FLIGHT = 4
CODE = """
import sys
from metajudge.experiment import Experiment
from metajudge.experiment.searching.search import search
search(Experiment.from_file(sys.argv[1]), store=sys.argv[2], out=sys.argv[3])
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("after", [20, 150, 300])
def test_killed_anywhere_it_ends_with_the_same_trials(tmp_path: Path, after: int) -> None:
    with serve(lambda call: served_answer(call) if call.number < after else hang()) as server:
        judge = {"spec": "openai/m", "api_base": server.url, "max_in_flight": IN_FLIGHT}
        experiment = searchable(tmp_path, judges=[judge])
        store = tmp_path / "r.sqlite"
        command = [sys.executable, "-c", CODE, str(experiment.path), str(store)]
        child = subprocess.Popen([*command, str(tmp_path / "out")])
        try:
            give_up_at = time.monotonic() + 300
            while server.calls <= after and time.monotonic() < give_up_at:
                time.sleep(0.005)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert after < server.calls <= after + IN_FLIGHT
        server.script = served_answer
        went_on = found(tmp_path, experiment)
        sent = Counter(call.raw for call in server.received)
        assert sum(times - 1 for times in sent.values()) <= IN_FLIGHT

        (tmp_path / "whole").mkdir()
        whole = found(tmp_path / "whole", searchable(tmp_path / "whole", judges=[judge]))
    assert same(went_on) == same(whole)


def test_the_best_of_a_race_is_not_lost_to_a_race_beside_it(tmp_path: Path) -> None:
    """Two processes: the race of the higher numbers ends first, and knew nothing of the other."""
    first, second, third = (CandidateKey(name, "top") for name in ("plain", "a", "b"))

    def told(number: int, raced: list[CandidateKey], best: CandidateKey) -> KnownTrial:
        facts = {
            "together": [number],
            "raced": [list(key) for key in raced],
            "best": Incumbent(best, True, {}).written(),
        }
        return KnownTrial(number, {}, "told", {}, {}, facts, None, "")

    trials = [told(0, [first, second], second), told(1, [first, third], first)]
    search = SimpleNamespace(
        first_declared=Incumbent(first, True),
        study=SimpleNamespace(trials=lambda: trials),
    )

    def bests(before: int) -> list[CandidateKey]:
        return [one.key for one in Search._incumbents(search, before)]  # type: ignore[arg-type]

    assert bests(0) == [first]
    assert bests(1) == [second]
    assert bests(2) == [second, first]
    trials.append(told(2, [first, second, third], third))
    assert bests(3) == [third]
    # Trials told by earlier versions do not say who raced: the last of them stands.
    for trial in trials:
        del trial.facts["raced"]
    assert bests(2) == [first]


def test_a_target_that_no_claim_defines_is_refused_before_a_call(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    claims = tmp_path / "gold" / "claims.jsonl"
    kept = [line for line in claims.read_text("utf-8").splitlines() if '"summary"' not in line]
    claims.write_text("\n".join(kept) + "\n", "utf-8")
    with pytest.raises(ExperimentError, match="none of these 78 claims is a gold-yes claim of"):
        open_search(experiment)

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment
from metajudge.experiment.racing.results import race_declared
from metajudge.experiment.searching.config import RacingRef
from metajudge.report.search_results import RaceResults
from metajudge.selection.racing.race import END_AT
from tests.experiment.folder import write_template
from tests.experiment.searched import RULES, searchable
from tests.loopback import Answer, ServerCall, chat, hang, serve

BLOCKS = RacingRef(block=16)


def field(folder: Path, **changes: Any) -> Experiment:
    """Four wordings: nothing, what helps, what harms, and both."""
    write_template(folder, "mindful", "MIND,")
    write_template(folder, "mad", "MAD,")
    write_template(folder, "both", "MIND, MAD")
    return searchable(folder, templates=["templates/*.yaml"], **changes)


def raced(folder: Path, experiment: Experiment, **fields: Any) -> RaceResults:
    return race_declared(experiment, store=folder / "r.sqlite", **{"racing": BLOCKS, **fields})


def same(results: RaceResults) -> dict[str, Any]:
    return results.model_dump(exclude={"created", "calls"})


def test_the_race_decides_as_the_full_grid_for_a_part_of_its_calls(tmp_path: Path) -> None:
    experiment = field(tmp_path)
    results = raced(tmp_path, experiment)
    assert results.race is not None
    assert results.race.calls == results.calls.asked < 0.8 * results.race.calls_full
    assert results.race.chance_otherwise < 0.05
    whole = experiment.sweep(store=tmp_path / "whole.sqlite").results
    assert (results.decision.winner, results.decision.reading) == ("mindful", "top")
    assert results.decision.winner == whole.decision.winner
    ended = {one.trial: one.stopped.why for one in results.candidates if one.stopped}
    assert ended["mad"].startswith("guardrail over_credit")
    assert ended["plain"] == "beaten"
    assert "首选：mindful（top）" in results.decision.sentence_zh


def test_without_racing_it_asks_everything(tmp_path: Path) -> None:
    results = raced(tmp_path, field(tmp_path), racing=RacingRef(method="none"))
    assert results.race is not None and results.race.calls == results.race.calls_full
    assert {one.claims for one in results.candidates} == {results.claims}
    broken = {one.trial: one.broken for one in results.candidates}
    assert broken["mindful"] == () and "over_credit_upper" in broken["mad"]


@pytest.mark.parametrize("method", ["halving", "wilcoxon"])
def test_other_methods_race_too(tmp_path: Path, method: Any) -> None:
    results = raced(tmp_path, field(tmp_path), racing=RacingRef(method=method, block=16))
    assert results.race is not None and results.race.calls < results.race.calls_full
    assert results.decision.winner == "mindful"


def test_a_budget_leaves_the_race_open_and_it_goes_on(tmp_path: Path) -> None:
    experiment = field(tmp_path)
    short = raced(tmp_path, experiment.changed(budget={"calls": 50}))
    assert short.race is None and short.calls.stopped == "budget"
    assert "Nothing is decided" in short.decision.sentence
    assert "尚无结论" in short.decision.sentence_zh
    rest = raced(tmp_path, experiment)
    (tmp_path / "whole").mkdir()
    whole = raced(tmp_path / "whole", field(tmp_path / "whole"))
    assert rest.calls.asked == whole.calls.asked - 50
    assert same(rest) == same(whole)


def test_without_a_safe_candidate_nobody_is_first(tmp_path: Path) -> None:
    results = raced(tmp_path, field(tmp_path, guardrails={"over_credit_upper": 0.001}))
    assert results.decision.winner is None
    assert "No safe winner" in results.decision.sentence


def test_several_claims_a_call_are_asked_by_whole_contexts(tmp_path: Path) -> None:
    write_template(tmp_path, "mindful", "MIND,")
    batched = [
        {"path": "templates/plain.en.yaml"},
        {
            "path": "templates/mindful.en.yaml",
            "claims_per_call": 4,
            "answer": {"form": "label_only", "json": True},
        },
    ]
    experiment = searchable(tmp_path, templates=batched)
    results = raced(tmp_path, experiment)
    assert results.unit == "context"
    spent = {one.trial: (one.calls, one.claims) for one in results.candidates}
    calls, claims = spent["mindful · label-only json · x4"]
    assert claims == 4 * calls
    with pytest.raises(ExperimentError, match="whole contexts"):
        raced(tmp_path, experiment, racing=RacingRef(unit="claim"))


def test_draws_of_a_claim_stay_together(tmp_path: Path) -> None:
    results = raced(tmp_path, field(tmp_path, repeats=2))
    assert all(one.claims % 2 == 0 for one in results.candidates)
    assert results.decision.winner == "mindful"


def test_test_claims_are_never_raced(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="dev split"):
        raced(tmp_path, field(tmp_path, gold={"path": "gold", "split": "test"}))


def test_extracted_facts_come_first(tmp_path: Path) -> None:
    facts = (r"(?s)facts", "- one fact")
    experiment = field(tmp_path, rules=[*RULES, facts], context_forms=["raw", "truths(3)"])
    results = raced(tmp_path, experiment)
    assert results.race is not None
    assert any("truths" in one.trial for one in results.candidates)


IN_FLIGHT = 4
CODE = """
import sys
from metajudge.experiment import Experiment
from metajudge.experiment.racing.results import race_declared
from metajudge.experiment.searching.config import RacingRef
race_declared(Experiment.from_file(sys.argv[1]), store=sys.argv[2], racing=RacingRef(block=16))
"""


def answer(call: ServerCall) -> Answer:
    return chat(next((reply for match, reply in RULES if re.search(match, call.prompt)), "idk"))


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_killed_hard_it_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    answered = 40
    with serve(lambda call: answer(call) if call.number < answered else hang()) as server:
        judge = {"spec": "openai/m", "api_base": server.url, "max_in_flight": IN_FLIGHT}
        experiment = field(tmp_path, judges=[judge])
        store = tmp_path / "r.sqlite"
        child = subprocess.Popen([sys.executable, "-c", CODE, str(experiment.path), str(store)])
        try:
            give_up_at = time.monotonic() + 300
            while server.calls < answered + IN_FLIGHT and time.monotonic() < give_up_at:
                time.sleep(0.005)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert server.calls == answered + IN_FLIGHT
        server.script = answer
        went_on = raced(tmp_path, experiment)
        sent = Counter(call.raw for call in server.received)
        assert sum(times - 1 for times in sent.values()) <= IN_FLIGHT
        whole = race_declared(experiment, store=tmp_path / "whole.sqlite", racing=BLOCKS)
    assert same(went_on) == same(whole)


def test_a_race_that_may_end_at_less_asks_more(tmp_path: Path) -> None:
    assert RacingRef().end_at == END_AT
    experiment = field(tmp_path)
    early, late = (
        raced(tmp_path, experiment, racing=BLOCKS.model_copy(update={"end_at": end_at}))
        for end_at in (0.4, 0.0)
    )
    assert early.race is not None and late.race is not None
    assert early.race.calls < late.race.calls

"""Optimisers whose judge, proposer, library or user fails: what is told, and what is kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, JudgeAccessError
from metajudge.judges.judge import Request
from metajudge.runner.limits import Budget, Limits
from metajudge.selection.optimise.optimiser import Optimised, Optimiser
from metajudge.verdicts.verdict import Reply
from tests.selection import optimising as world
from tests.selection.optimised import run
from tests.selection.optimising import GOOD, LAX, Listening


def test_b106_a_candidate_whose_calls_fail_is_no_bad_candidate(tmp_path: Path) -> None:
    down = [{"match": "fair summary", "reply": {"error": "bad_request"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(
        tmp_path,
        Optimiser("gepa", rounds=1, minibatch=6, threads=1),
        proposer,
        world.judge(tmp_path, down),
        limits=Limits(stop_after=10_000),
    )
    assert made.neutral == 6
    (candidate,) = made.candidates
    assert candidate.row_mean is not None and candidate.row_mean > 0
    place = made.ranked(candidate)
    assert place is not None and "coverage" in {b.guardrail for b in place.broken}


def test_b106_a_judge_that_goes_down_ends_the_run_and_scores_nothing(tmp_path: Path) -> None:
    down = [{"match": "fair summary", "reply": {"error": "server"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(
        tmp_path,
        Optimiser("gepa", rounds=1, minibatch=6),
        proposer,
        world.judge(tmp_path, down),
        limits=Limits(stop_after=2, max_attempts={"server": 1}),
    )
    assert made.stopped is not None
    assert made.chosen is None
    (candidate,) = made.candidates
    assert made.measured.incomplete[candidate.template.name] > 0
    assert made.ranked(candidate) is None


def test_b107_gepa_without_a_proposing_model_stops_and_says_so(tmp_path: Path) -> None:
    judge = world.judge(tmp_path)
    with pytest.raises(ExperimentError, match=r"dspy\.GEPA needs a model that proposes"):
        run(tmp_path, Optimiser("gepa"), None, judge)
    assert not judge.requests


def test_b107_an_optimiser_that_ends_in_an_error_says_so(tmp_path: Path) -> None:
    proposer = world.scripted(tmp_path, "proposer", replies=["no form at all"])
    made = run(tmp_path, Optimiser("miprov2", rounds=2, data_summary=False), proposer)
    assert made.candidates == ()
    assert made.chosen is None
    assert any("dspy.MIPROv2 ended in" in note for note in made.notes)


def test_b107_an_optimiser_that_ends_in_an_error_with_nothing_proposed_has_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dspy

    def other(self: Any, *, metric: Any) -> None: ...

    monkeypatch.setattr(dspy.GEPA, "__init__", other)
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("gepa", rounds=1), proposer)
    assert made.stopped is not None and "dspy.GEPA ended in TypeError" in made.stopped
    assert made.chosen is None


@pytest.mark.parametrize("proposed", [None, ["a text"], {0: []}, {"verdict": ["a text"]}])
def test_a_dspy_that_proposes_in_another_way_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proposed: Any
) -> None:
    import dspy

    if proposed is None:
        monkeypatch.delattr(dspy.MIPROv2, "_propose_instructions")
    else:
        monkeypatch.setattr(dspy.MIPROv2, "_propose_instructions", lambda *_, **__: proposed)
    proposer = world.mipro_proposer(tmp_path, [GOOD])
    with pytest.raises(ExperimentError, match="this version does not"):
        run(tmp_path, Optimiser("miprov2", rounds=1, data_summary=False), proposer)


def test_a_dspy_that_lacks_what_is_imported_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "metajudge.selection.optimise.methods", None)
    with pytest.raises(ExperimentError, match="needs DSPy and GEPA"):
        run(tmp_path, Optimiser("gepa"), world.gepa_proposer(tmp_path, [GOOD]))


def test_a_trial_of_miprov2_that_fails_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import dspy

    def failing(*_: Any, **__: Any) -> None:
        raise ValueError("no such demo")

    monkeypatch.setattr(dspy.MIPROv2, "_select_and_insert_instructions_and_demos", failing)
    proposer = world.mipro_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("miprov2", rounds=1, data_summary=False), proposer)
    assert any("ended in ValueError: no such demo" in note for note in made.notes)
    assert made.chosen is not None
    assert capfd.readouterr() == ("", "")


def test_half_of_the_calls_may_fail(tmp_path: Path) -> None:
    lost = r"(?m)^Claim: [^\n]*(day|season|night|week) [02468]"
    down = [{"match": lost, "reply": {"error": "bad_request"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [LAX, GOOD])
    judge = world.judge(tmp_path, down)
    made = run(tmp_path, Optimiser("gepa", rounds=3, minibatch=6), proposer, judge)
    assert made.stopped is None
    assert made.neutral > 0
    assert not made.measured.incomplete
    assert all(figures.table[:, 3].sum() > 0 for figures in made.measured.figures)


def test_b107_rounds_without_a_readable_proposal_are_told(tmp_path: Path) -> None:
    proposer = world.scripted(tmp_path, "proposer", replies=["no form at all"])
    made = run(tmp_path, Optimiser("gepa", rounds=2, minibatch=6), proposer)
    assert made.candidates == ()
    assert any("a proposal could not be had" in note for note in made.notes)
    assert made.stopped is not None and "a proposal could not be had" in made.stopped


def test_the_budget_holds_for_judge_and_proposer_together(tmp_path: Path) -> None:
    judge, proposer = world.judge(tmp_path), world.gepa_proposer(tmp_path, [LAX, GOOD])
    limits = Limits(budget=Budget(calls=50))
    optimiser = Optimiser("gepa", rounds=3, minibatch=6)
    made = run(tmp_path, optimiser, proposer, judge, limits=limits)
    assert made.stopped is not None and "50 calls" in made.stopped
    assert made.calls == len(judge.requests) + len(proposer.requests) == 50
    # With more to spend it goes on where it was, and ends as if it had never stopped.
    later = run(tmp_path, optimiser, world.gepa_proposer(tmp_path, [LAX, GOOD]))
    (tmp_path / "whole").mkdir()
    whole = run(tmp_path / "whole", optimiser, world.gepa_proposer(tmp_path / "whole", [LAX, GOOD]))
    assert [c.template for c in later.candidates] == [c.template for c in whole.candidates]
    assert later.chosen == whole.chosen is not None


def test_a_key_that_is_refused_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    rules = [{"match": ".", "reply": {"error": "access"}}]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("gepa", rounds=1), proposer, world.judge(tmp_path, rules))
    assert made.stopped is not None
    assert made.chosen is None


class Broken(Listening):
    async def ask(self, request: Request) -> Reply:
        raise JudgeAccessError("the key is missing")


def test_what_the_user_has_to_mend_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(JudgeAccessError, match="the key is missing"):
        run(
            tmp_path,
            Optimiser("bootstrap", examples=1),
            None,
            Broken(world.judge(tmp_path)),  # type: ignore[arg-type]
        )


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """SIGINT is ignored by what a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_interrupts")
def test_an_interrupt_ends_the_run_and_the_next_goes_on(tmp_path: Path) -> None:
    def interrupt(role: str, sent: int) -> None:
        if role == "proposer":
            signal.raise_signal(signal.SIGINT)

    proposer = world.gepa_proposer(tmp_path, [GOOD])
    optimiser = Optimiser("gepa", rounds=1, minibatch=6)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, optimiser, proposer, told=interrupt)
    later = run(tmp_path, optimiser, world.gepa_proposer(tmp_path, [GOOD]))
    (tmp_path / "whole").mkdir()
    whole = gepa_once(tmp_path / "whole")
    assert later.chosen == whole.chosen == 0
    assert later.measured.ranked == whole.measured.ranked
    assert 0 < later.calls < whole.calls


def gepa_once(folder: Path) -> Optimised:
    optimiser = Optimiser("gepa", rounds=1, minibatch=6)
    return run(folder, optimiser, world.gepa_proposer(folder, [GOOD]))

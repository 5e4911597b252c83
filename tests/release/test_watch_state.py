"""The state file of a watch: only what a watch can have written goes on."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.watch_state import (
    CanaryPin,
    Component,
    Noise,
    Run,
    Series,
    WatchState,
    read_state,
    write_state,
)

TIME = "2025-03-01T09:30:00+00:00"
NAN, INFINITY = float("nan"), float("inf")


def state(runs: int = 3) -> WatchState:
    """A state after some quiet runs."""
    parts = {"verdicts": Component.fresh(0.02), "coverage": Component.fresh(0.02)}
    done = []
    for _ in range(runs):
        parts = {name: component.after((0.0, 0.25)) for name, component in parts.items()}
        done.append(
            Run(
                time=TIME, contexts=2, claims=8, draws=1, changed=1, credited=0, unreadable=0,
                unanswered=0, counted=True, e=1.0,
            )
        )  # fmt: skip
    return WatchState(
        release="faithfulness-verdict@1.0.0",
        release_sha256="0" * 64,
        canary=CanaryPin(name="halls", version="1", sha256="1" * 64, claims=8, contexts=2),
        alpha=0.05,
        noise=Noise(source="declared", limit=0.02),
        series=(Series(started=TIME, components=parts, runs=tuple(done)),),  # type: ignore[arg-type]
    )


def part(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = told["series"][-1]["components"]["verdicts"]
    return found


EDITS: dict[str, Callable[[dict[str, Any]], object]] = {
    "nan that is silent for ever": lambda told: part(told).update(log_wealth=[NAN] * 4),
    "nan evidence": lambda told: part(told).update(log_e=NAN),
    "infinite wealth": lambda told: part(told).update(log_wealth=[INFINITY] * 4),
    "boundless wealth": lambda told: part(told).update(log_wealth=[1e308] * 4),
    "a component without money": lambda told: part(told).update(log_wealth=[-1e8] * 4),
    "evidence that nothing made": lambda told: part(told).update(log_e=50.0),
    "other bets": lambda told: part(told).update(bets=[0.5]),
    "no bets": lambda told: part(told).update(bets=[], log_wealth=[]),
    "no components": lambda told: told["series"][-1].update(components={}),
    "fewer batches": lambda told: part(told).update(batches=2),
    "batches beyond counting": lambda told: part(told).update(batches=10**400),
    "runs taken out": lambda told: told["series"][-1]["runs"].pop(),
    "a run with nan": lambda told: told["series"][-1]["runs"][-1].update(e=NAN),
    "a run with less than nothing": lambda told: told["series"][-1]["runs"][-1].update(claims=-1),
    "a series that ended and goes on": lambda told: told["series"][-1].update(
        ended={"time": TIME, "why": "x"}
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edited_state_is_refused_and_the_file_is_named_B34(
    tmp_path: Path, edit: Callable[[dict[str, Any]], object]
) -> None:
    path = tmp_path / "state.json"
    told = json.loads(state().model_dump_json())
    path.write_text(json.dumps(told))
    assert read_state(path) == state()
    edit(told)
    path.write_text(json.dumps(told))
    with pytest.raises(ReleaseError, match=r"state\.json: this is no state of a watch"):
        read_state(path)


def test_of_runs_that_end_at_the_same_moment_one_is_kept_and_the_others_are_told(
    tmp_path: Path,
) -> None:
    path, before = tmp_path / "state.json", state(1)
    write_state(path, before, None)
    gate, outcomes = threading.Barrier(8), []

    def end(runs: int) -> None:
        gate.wait()
        try:
            write_state(path, state(runs), before)
            outcomes.append(runs)
        except ReleaseError:
            outcomes.append(0)

    threads = [threading.Thread(target=end, args=(runs,)) for runs in range(2, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (kept,) = [runs for runs in outcomes if runs]
    assert read_state(path) == state(kept)
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_a_state_of_a_thousand_runs_stays_small_and_is_read_at_once(tmp_path: Path) -> None:
    path, long = tmp_path / "state.json", state(1000)
    write_state(path, long, None)
    assert path.stat().st_size < 500_000
    assert read_state(path) == long

"""Sweeps at servers that answer in odd ways: another sweep of the same store says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.report.results import Results
from tests.experiment.searched import searchable, served_answer
from tests.loopback import Answer, ServerCall, error, serve

SETTINGS = ("temperature", "seed", "logprobs")


def refusing(call: ServerCall) -> Answer:
    """Refuses every setting from the 20th request on."""
    named = next((name for name in SETTINGS if name in call.body), None)
    if call.number < 20 or named is None:
        return served_answer(call)
    return error(400, "Unsupported parameter", param=named)


def ill(call: ServerCall) -> Answer:
    """Cannot take one of the contexts."""
    return error(500, "out of memory") if "Hall en3 " in call.prompt else served_answer(call)


def comparable(results: Results) -> dict[str, object]:
    return results.model_dump(mode="json", exclude={"created", "calls"})


@pytest.mark.parametrize("script", [refusing, ill])
def test_a_sweep_of_the_same_replies_comes_to_the_same(
    tmp_path: Path, script: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metajudge.runner.limits.MAX_ATTEMPTS", {})
    with serve(script) as server:  # type: ignore[arg-type]
        judge = {"spec": "openai/m", "api_base": server.url, "seed": 7, "max_in_flight": 2}
        experiment = searchable(tmp_path, n=12, judges=[judge])
        first = experiment.sweep(store=tmp_path / "r.sqlite").results
        again = experiment.sweep(store=tmp_path / "r.sqlite").results
    assert comparable(again) == comparable(first)
    assert (first.calls.stopped, again.calls.stopped) == (None, None)
    assert again.calls.failed == first.calls.failed
    assert any("came without" in note for note in first.notes)

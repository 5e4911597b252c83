from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import JudgeDownError
from metajudge.judges.direct import DirectJudge
from tests.loopback import chat, drop, serve
from tests.release.consult.test_consultation import MINDING, PLAIN, ask, place

__all__ = ["place"]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every session that a judge opens."""
    opened: list[Any] = []
    original = DirectJudge._new_session

    def spied(self: DirectJudge) -> Any:
        opened.append(original(self))
        return opened[-1]

    monkeypatch.setattr(DirectJudge, "_new_session", spied)
    monkeypatch.setattr("metajudge.runner.limits.MAX_ATTEMPTS", {})
    return opened


def consult(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", url)
    ask(PLAIN.format("strict"), MINDING.format("strict"), judge="openai/m", repeats=2)


def test_every_asking_goes_through_one_session_that_is_closed_at_the_end(
    place: Path, sessions: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(chat("yes")) as server:
        consult(server.url, monkeypatch)
    assert [session.closed for session in sessions] == [True]


def test_connections_are_given_back_also_where_nothing_was_heard(
    place: Path, sessions: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(drop()) as server, pytest.raises(JudgeDownError, match="connection"):
        consult(server.url, monkeypatch)
    assert [session.closed for session in sessions] == [True]

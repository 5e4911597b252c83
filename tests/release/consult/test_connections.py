from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import JudgeDownError
from metajudge.judges.direct import DirectJudge
from tests.loopback import drop, serve
from tests.release.consult.test_consultation import MINDING, PLAIN, ask, place

__all__ = ["place"]


def test_connections_are_given_back_also_where_nothing_was_heard(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    original = DirectJudge._new_session

    def spied(self: DirectJudge) -> Any:
        opened.append(original(self))
        return opened[-1]

    monkeypatch.setattr(DirectJudge, "_new_session", spied)
    monkeypatch.setattr("metajudge.runner.limits.MAX_ATTEMPTS", {})
    with serve(drop()) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        with pytest.raises(JudgeDownError, match="connection"):
            ask(PLAIN.format("strict"), MINDING.format("strict"), judge="openai/m", repeats=2)
    assert opened
    assert all(session.closed for session in opened)

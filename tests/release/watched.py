"""A released judge that says something else from some day on, under the same name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metajudge.judges.judge import Request
from metajudge.judges.scripted import Script, ScriptedJudge
from metajudge.release.bundle import Release
from metajudge.release.candidate import JudgePin
from metajudge.verdicts.verdict import Reply
from tests.experiment.folder import CAREFUL
from tests.release.confirmed import confirmed

Rules = Sequence[tuple[str, Any]]

AS_RELEASED: Rules = CAREFUL
SUMMARIES_IDK: Rules = [(r"(?s)Claim: Access", "idk"), *CAREFUL]
TEA_YES: Rules = [(r"Claim: Somebody", "yes"), *CAREFUL]
CHATTY: Rules = [(r"Claim: Somebody", "Well, tea is a question of taste."), *CAREFUL]


class Counted(ScriptedJudge):
    """A scripted judge that counts its calls and may report another model."""

    asked = 0
    reports: str | None = None

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        reply = await super().ask(request)
        if self.reports is not None:
            from dataclasses import replace

            return replace(reply, model=self.reports)
        return reply


def judge_of(release: Release, rules: Rules, default: Any = "idk") -> Counted:
    """A judge with the identity that the release pins, whatever it says."""
    script = Script.model_validate(
        {
            "name": "script",
            "rules": [{"match": match, "reply": reply} for match, reply in rules],
            "replies": default if isinstance(default, list) else [default],
        }
    )
    pin = release.manifest.judge
    return Counted(pin.spec, script, str(pin.identity["backend_version"]))


def says(monkeypatch: pytest.MonkeyPatch, judge: ScriptedJudge) -> None:
    """From now on pins open this judge."""
    monkeypatch.setattr(JudgePin, "opened", lambda pin: judge)


def released(folder: Path, **fields: Any) -> Release:
    """A release with its experiment and gold set in a folder."""
    return confirmed(folder, **fields).release().release

"""A budget in USD at a judge without known prices: what was not kept is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.loopback import chat, serve
from tests.release.applied import answer, made, write_rows

TOLD = {"en": "the budget of 1 USD could not be kept", "zh": "无法对其遵守 1 美元的预算"}
VERBS = {
    "judge": ("--release", "faithfulness-verdict@1", "--registry", "registry"),
    "evaluate": ("--metrics", "faithfulness"),
}


@pytest.mark.parametrize("lang", list(TOLD))
@pytest.mark.parametrize("verb", list(VERBS))
def test_it_is_told_where_calls_were_made_under_it(run, monkeypatch, verb, lang):
    monkeypatch.setenv("COLUMNS", "300")
    made(Path())
    rows = write_rows(Path("a.jsonl"), [answer("a", "Hall A opens at 9.", "Hall A lends books.")])
    with serve(chat("yes")) as server:
        line = (verb, rows, *VERBS[verb], "--judge", "openai/m", "--api-base", server.url)
        ended = run(*line, "--lang", lang, "--budget-usd", 1)
        again = run(*line, "--lang", lang, "--budget-usd", 1)
        free = run(*line, "--json")
    assert (ended.exit_code, again.exit_code) == (0, 0)
    assert TOLD[lang] in ended.stdout
    assert TOLD[lang] not in again.stdout, "nothing was asked under it"
    assert json.loads(free.stdout)["summary"]["calls"]["message"] == ""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

OPENAI = """\
name: priced
gold: {path: gold}
judges: [JUDGE]
templates: [literal, evidence-first]
policies: [strict]
"""


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_a_dry_run_asks_nothing_and_makes_no_store(run_json, starter, no_network):
    found = run_json("plan")
    assert (found["claims"], found["to_ask"]) == (12, 24)
    (judge,) = found["judges"]
    assert judge["cost_usd"] == {"low": 0.0, "high": 0.0}
    assert judge["cost_basis"] == "this judge costs nothing"
    assert not Path(".metajudge").exists()
    assert not Path("runs").exists()


def test_what_is_answered_is_not_planned_again(run, run_json, starter):
    assert run("sweep", "-q", "--limit", 6).exit_code == 0
    (judge,) = run_json("plan")["judges"]
    assert (judge["calls"], judge["from_store"], judge["to_ask"]) == (24, 12, 12)
    shown = run("plan").stdout
    assert "24, 12 answered already" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_a_priced_judge_has_a_cost_range(run_json, starter, no_network):
    Path("p.yaml").write_text(OPENAI.replace("JUDGE", "openai/gpt-4o-mini"), encoding="utf-8")
    (judge,) = run_json("plan", "p.yaml")["judges"]
    low, high = judge["cost_usd"]["low"], judge["cost_usd"]["high"]
    assert 0 < low < high < 0.1
    tokens = judge["prompt_tokens"]
    assert 24 * 40 < tokens["low"] < tokens["high"] < 24 * 1000
    assert judge["completion_tokens"]["low"] >= 24
    assert judge["minutes"]["high"] > judge["minutes"]["low"] > 0
    assert "litellm's price table" in judge["cost_basis"]


def test_b59_an_unknown_price_is_null_and_said(run, run_json, starter, no_network):
    judge = '{spec: openai/no-such-model, api_base: "http://127.0.0.1:9/v1"}'
    Path("p.yaml").write_text(OPENAI.replace("JUDGE", judge), encoding="utf-8")
    found = run_json("plan", "p.yaml")
    assert found["cost_usd"] is None
    assert found["judges"][0]["cost_usd"] is None
    shown = run("plan", "p.yaml", "--budget-usd", 1).stdout
    assert "unknown: litellm's price table has no price" in " ".join(shown.split())
    assert "cannot be kept for a judge without a known price" in " ".join(shown.split())


def test_a_budget_that_will_not_reach_is_named(run_json, starter):
    assert (
        "24 calls are to ask, the budget has 5." in run_json("plan", "--budget-calls", 5)["notes"]
    )


def test_a_judge_that_cannot_be_asked_here_is_named(run_json, starter):
    Path("p.yaml").write_text(OPENAI.replace("JUDGE", "local:qwen2.5-coder-1.5b"), encoding="utf-8")
    (judge,) = run_json("plan", "p.yaml")["judges"]
    assert judge["obstacle"] == "its model is not on this machine. Get it with: make model"

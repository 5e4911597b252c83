from __future__ import annotations

from pathlib import Path


def test_doctor_finds_a_sound_machine_sound(run, run_json):
    found = run_json("doctor")
    states = {check["what"]: check["state"] for check in found["checks"]}
    assert found["good"] is True
    assert states["python"] == states["store"] == states["telemetry"] == "ok"
    assert states["model"] == "note"
    ended = run("doctor")
    assert ended.exit_code == 0
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_b122_keys_and_proxies_are_shown_by_name_alone(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-live-abcdef")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy:3128")
    shown = run("doctor").stdout
    assert "OPENAI_API_KEY" in shown
    assert "HTTPS_PROXY" in shown
    assert "sk-live" not in shown
    assert "secret" not in shown


def test_a_store_that_cannot_be_used_is_a_fault(run):
    Path("notes.txt").write_text("no database " * 500)
    ended = run("doctor", "--store", "notes.txt")
    assert ended.exit_code == 2
    assert "✗ store" in ended.stdout
    assert run("doctor", "--store", "notes.txt/r.sqlite").exit_code == 2


def test_b126_telemetry_that_is_on_is_a_fault(run, monkeypatch):
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "NO")
    ended = run("doctor")
    assert ended.exit_code == 2
    assert "not switched off: DEEPEVAL_TELEMETRY_OPT_OUT" in ended.stdout

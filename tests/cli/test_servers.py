"""Acceptance 5: servers that do not work, each with one clear message and exit code."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from tests.loopback import Answer, chat, error, hang, html, serve

KEY = "sk-live-7Kq9ZtR4mVx2PaLw"


def stored(path=".metajudge/replies.sqlite"):
    with sqlite3.connect(path) as store:
        return store.execute("select count(*) from replies").fetchone()[0]


def one_message(ended):
    """The explanation on standard error, progress lines taken out."""
    lines = ended.stderr.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("served"))
    message = lines[start:]
    assert all(len(line) <= 80 for line in message), message
    assert "Traceback" not in ended.output
    return " ".join(" ".join(message).split())


def test_b123_a_wrong_key_ends_with_2(run, served, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(error(401, "Incorrect API key provided")) as server:
        ended = run("sweep", served(server.url))
        assert server.calls <= 16
    assert ended.exit_code == 2
    assert "refuses the key" in one_message(ended)
    assert "Check the API key" in one_message(ended)
    assert not ended.stdout
    assert not Path("runs").exists()


def test_b123_no_key_at_all_ends_with_2_and_names_the_variable(run, starter):
    Path("served.yaml").write_text(
        "name: served\ngold: {path: gold}\njudges: [openai/gpt-4o-mini]\ntemplates: [literal]\n",
        encoding="utf-8",
    )
    ended = run("sweep", "served.yaml")
    assert ended.exit_code == 2
    assert "OPENAI_API_KEY" in one_message(ended)


def test_b123_an_unreachable_server_ends_with_4(run, served):
    with serve(chat("yes")) as server:
        gone = server.url
    ended = run("sweep", served(gone))
    assert ended.exit_code == 4
    assert "run again when the judge is up" in one_message(ended)
    assert not ended.stdout


def test_b123_a_server_that_hangs_ends_with_4(run, served):
    started = time.monotonic()
    with serve(hang()) as server:
        ended = run("sweep", served(server.url, timeout_s=0.3))
    assert ended.exit_code == 4
    assert "timeout" in one_message(ended)
    assert time.monotonic() - started < 300


def test_b123_a_web_page_ends_with_4_and_says_so(run, served):
    with serve(html()) as server:
        ended = run("sweep", served(server.url))
    assert ended.exit_code == 4
    assert "a web page; check that the address ends with /v1" in one_message(ended)


def test_b123_prose_ends_with_4_and_shows_why(run, served):
    with serve(chat("The weather is lovely today.")) as server:
        ended = run("sweep", served(server.url))
        asked = server.calls
        again = run("sweep", "served.yaml")
        assert server.calls == asked
    assert ended.exit_code == again.exit_code == 4
    message = one_message(ended)
    assert "no reply could be read as a verdict (unparsable 12)" in message
    assert "Choose another judge" in message
    kept = json.loads(Path("runs/served/results.json").read_text(encoding="utf-8"))
    assert kept["trials"][0]["failures"] == {"unparsable": 12}


def test_a_judge_that_dies_midway_keeps_what_was_answered(run, served, monkeypatch):
    monkeypatch.setattr("metajudge.runner.engine.LONGEST_BACKOFF_S", 0.01)

    def script(call):
        return chat("yes") if call.number < 5 else error(500)

    path = served("{url}")
    with serve(script) as server:
        path.write_text(path.read_text().replace("{url}", server.url))
        ended = run("sweep", path, "--budget-calls", 15)
    assert ended.exit_code == 3
    assert stored() == 5
    assert "served" in ended.stdout
    with serve(chat("yes")) as server:
        path.write_text(
            path.read_text().split("api_base")[0] + f'api_base: "{server.url}"}}\n'
            "templates: [literal]\npolicies: [strict]\n"
        )
        before = stored()
        assert run("sweep", path).exit_code == 0
        assert server.calls == 12 - before


def test_b123_a_spent_budget_ends_with_3_and_reports_what_is_complete(run, served):
    with serve(chat("yes")) as server:
        path = served(server.url)
        ended = run("sweep", path, "--budget-calls", 5)
        assert server.calls == 5
        assert ended.exit_code == 3
        assert "the budget of 5 calls is spent" in one_message(ended)
        assert "Ranking" in ended.stdout
        assert run("sweep", path).exit_code == 0
        assert server.calls == 12
    kept = json.loads(Path("runs/served/results.json").read_text(encoding="utf-8"))
    assert kept["calls"]["stopped"] is None
    assert kept["calls"]["from_store"] == 5


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(run, served):
    def script(call):
        return chat("yes") if call.number < 6 else hang()

    with serve(script) as server:

        def press():
            while server.calls < 12:
                time.sleep(0.01)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        path = served(server.url, timeout_s=60)
        presser = threading.Thread(target=press, daemon=True)
        presser.start()
        ended = run("sweep", path)
        presser.join(300)
    assert ended.exit_code == 4
    assert "interrupted. What is answered is kept; run again to go on." in one_message(ended)
    assert stored() == 6


def echo(call):
    """A server that shows the key it was given, in every way it can."""
    given = call.headers.get("authorization", "")
    body = json.dumps({"error": {"message": f"Incorrect API key: {given}", "code": given}})
    return Answer(500 if call.number % 2 else 400, body.encode())


@pytest.mark.parametrize("script", [echo, error(401, f"bad key {KEY}")], ids=["400-500", "401"])
def test_b122_the_key_is_found_nowhere(run, served, tmp_path, monkeypatch, script):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(script) as server:
        first = run("sweep", served(server.url), "--budget-minutes", "0.03")
    with serve(chat("yes")) as server:
        second = run("sweep", served(server.url))
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        third = run("report", "runs/served/results.json")
    doctor = run("doctor")
    assert "OPENAI_API_KEY" in doctor.stdout
    shown = "".join(ended.output for ended in (first, second, third, doctor))
    hunted = KEY[:12]
    assert hunted not in shown
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"results.json", "report.html", "verdicts.csv", "replies.sqlite"} <= {
        path.name for path in files
    }
    assert [path for path in files if hunted.encode() in path.read_bytes()] == []


def test_b122_a_key_in_the_experiment_file_is_refused_and_not_repeated(run, starter):
    Path("served.yaml").write_text(
        "name: served\ngold: {path: gold}\ntemplates: [literal]\n"
        f"judges: [{{spec: openai/m, api_key: {KEY}}}]\n",
        encoding="utf-8",
    )
    ended = run("sweep", "served.yaml")
    assert ended.exit_code == 2
    assert "api_key" in ended.stderr
    assert KEY[:12] not in ended.output


def test_b124_quiet_plain_and_json_give_equal_figures_and_codes(run, served):
    kept = []
    codes = []
    with serve(lambda call: chat("yes" if len(call.prompt) % 2 else "idk")) as server:
        path = served(server.url)
        for number, options in enumerate(([], ["--quiet"], ["--json"])):
            places = ["--store", f"{number}.sqlite", "--out", f"out{number}"]
            codes.append(run("sweep", path, *places, *options).exit_code)
            found = json.loads(Path(f"out{number}/results.json").read_text(encoding="utf-8"))
            kept.append({key: found[key] for key in ("trials", "ranking", "verdicts")})
    assert codes == [0, 0, 0]
    assert kept[0] == kept[1] == kept[2]

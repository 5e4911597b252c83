import json
import os
import subprocess
import sys
import time

import pytest

from metajudge.errors import StoreError
from metajudge.judges.judge import Request
from metajudge.metrics.selfcheck.checked import Checked
from metajudge.metrics.selfcheck.kept import Kept
from metajudge.metrics.selfcheck.questions import Matter
from metajudge.runner.store import Store
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply
from tests.loopback import hang, serve
from tests.metrics.selfcheck.asked import ANSWER, BAD, GOOD, PASSAGES, checker, claim_of, reads

CHECKED = Checked("passed", GOOD, 1.0, "so it is")
MATTER = Matter(tuple(PASSAGES), "When?", "en")
REQUEST = Request((Message("user", "?"),), 1)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def waited(what):
    for _ in range(300):
        if what():
            return True
        time.sleep(0.01)
    return False


def test_every_check_is_a_line_and_every_reply_is_stored(tmp_path):
    log, store = tmp_path / "deep" / "checks.jsonl", tmp_path / "replies.sqlite"
    with serve(reads) as server, checker(server.url, log=log, store=store) as checks:
        checks.check(ANSWER, PASSAGES, "When?")
        checks.check("甲馆九点开放。", ["甲馆九点开放。"])
        checks.check(5, PASSAGES)
        assert waited(lambda: not checks.unwritten)
        rows = lines(log)
    assert [row["decision"] for row in rows] == ["stripped", "passed", "refused"]
    first = rows[0]
    assert first["format"] == "metajudge-check/1"
    assert (first["answer"], first["context"], first["question"]) == (ANSWER, PASSAGES, "When?")
    assert [unit["label"] for unit in first["units"]] == ["yes", "no", "idk"]
    assert (first["text"], first["removed"], first["judge"]) == (GOOD, [1, 2], "openai/m")
    assert "九点" in log.read_text(encoding="utf-8")
    with Store(store) as kept:
        assert kept.count() == 4


def test_b74_stored_replies_are_those_that_a_release_would_replay(tmp_path):
    """They lie under the keys of sweeps, so that nothing is asked again later."""
    from metajudge.judges.judge import call_key

    store = tmp_path / "replies.sqlite"
    with serve(reads) as server, checker(server.url, store=store) as checks:
        checks.check(GOOD, PASSAGES)
        judge = next(iter(checks._checks.desks._desks.values())).judge
        message = server.received[0].messages
    request = Request(tuple(Message(m["role"], m["content"]) for m in message), 8, 20)
    key = call_key(judge.identity, request)
    with Store(store) as kept:
        assert [reply.text for reply in kept.get_many([key]).values()] == ["yes"]


def test_b46_what_was_judged_before_the_deadline_is_kept(tmp_path):
    def script(call):
        return hang() if claim_of(call.prompt) == BAD else reads(call)

    log, store = tmp_path / "checks.jsonl", tmp_path / "replies.sqlite"
    settings = {"deadline_s": 3, "log": log, "store": store}
    with serve(script) as server, checker(server.url, **settings) as checks:
        checks.check(ANSWER, PASSAGES)
    (row,) = lines(log)
    assert [unit["label"] for unit in row["units"]] == ["yes", None, "idk"]
    with Store(store) as kept:
        assert kept.count() == 2


@pytest.mark.parametrize("name", ["log", "store"])
def test_b125_a_place_that_cannot_be_written_to_is_refused_at_once(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError), serve(reads) as server:
        checker(server.url, **{name: tmp_path / "file" / "deeper"})


def refusing(monkeypatch, most=0):
    """A disk that is full after so many bytes; gives what makes room."""
    from metajudge.metrics.selfcheck import kept as module

    left, write = [most], os.write

    def refuse(place, text):
        if not left[0]:
            raise OSError(28, "No space left on device")
        done = write(place, text[: left[0]])
        left[0] -= done
        return done

    monkeypatch.setattr(module, "RETRY_S", 0.02)
    monkeypatch.setattr(module.os, "write", refuse)
    return lambda: left.__setitem__(0, 10**9)


@pytest.mark.parametrize("most", [0, 100, 1500])
def test_rows_wait_while_a_disk_refuses_and_are_written_later_whole(tmp_path, monkeypatch, most):
    """Without another row too, and a line of which a part was taken is not torn."""
    path = tmp_path / "checks.jsonl"
    kept = Kept(path, None)
    make_room = refusing(monkeypatch, most)
    for _ in range(5):
        kept.check(CHECKED, GOOD, MATTER, "fake")
    assert waited(lambda: kept.fault is not None)
    assert kept.unwritten >= 2
    assert "No space left" in (kept.fault or "")
    make_room()
    assert waited(lambda: not kept.unwritten)
    kept.close()
    assert (kept.unwritten, kept.fault, kept.dropped) == (0, None, 0)
    assert len(lines(path)) == 5


def test_a_disk_that_goes_on_refusing_does_not_fill_the_memory(tmp_path, monkeypatch):
    from metajudge.metrics.selfcheck import kept as module

    monkeypatch.setattr(module, "MOST_WAITING", 10)
    path = tmp_path / "checks.jsonl"
    with serve(reads) as server, checker(server.url, log=path) as checks:
        make_room = refusing(monkeypatch)
        for _ in range(15):
            checks.check(GOOD, PASSAGES)
        assert (checks.unwritten, checks.dropped) == (10, 5)
        make_room()
    assert len(lines(path)) == 10


def test_a_log_that_is_refused_keeps_no_reply_from_the_store(tmp_path, monkeypatch):
    kept = Kept(tmp_path / "checks.jsonl", tmp_path / "replies.sqlite")
    make_room = refusing(monkeypatch)
    kept.check(CHECKED, GOOD, MATTER, "fake")
    kept.reply({"model": "m"}, REQUEST, Reply("yes"))
    assert waited(lambda: kept.unwritten == 1)
    make_room()
    kept.close()
    with Store(tmp_path / "replies.sqlite") as store:
        assert store.count() == 1


def test_texts_that_are_no_unicode_are_kept_all_the_same(tmp_path):
    path = tmp_path / "checks.jsonl"
    kept = Kept(path, None)
    kept.check(CHECKED, "half \ud83d", Matter(("\udc00",), None, "en"), "fake")
    kept.check(CHECKED, {(1, 2): object()}, None, "fake")
    kept.close()
    kept.close()
    one, other = lines(path)
    assert one["answer"] == "half \ud83d"
    assert other["answer"] == "<dict>"
    assert "context" not in other


def test_nothing_asked_for_keeps_nothing(tmp_path):
    kept = Kept(tmp_path / "checks.jsonl", None)
    kept.reply({"model": "m"}, REQUEST, Reply("yes"))
    assert kept.unwritten == 0
    kept.close()


SCRIPT = """
import os, sys
from tests.metrics.selfcheck.test_kept import CHECKED, GOOD, MATTER, Kept
kept = Kept(sys.argv[1], None)
for _ in range(200):
    kept.check(CHECKED, GOOD, MATTER, "fake")
"""


def run(script, path):
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=os.getcwd(),
    )
    return done.returncode, done.stderr


def test_a_program_that_ends_without_closing_loses_nothing(tmp_path):
    path = tmp_path / "checks.jsonl"
    assert run(SCRIPT, path) == (0, "")
    assert len(lines(path)) == 200


def test_a_killed_program_leaves_whole_lines(tmp_path):
    path = tmp_path / "checks.jsonl"
    code, _ = run(SCRIPT + "import time; time.sleep(0.05); os.kill(os.getpid(), 9)", path)
    assert code == -9
    assert all(row["decision"] == "passed" for row in lines(path))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_keeps_its_own(tmp_path):
    path = tmp_path / "checks.jsonl"
    fork = (
        SCRIPT
        + "child = os.fork()\n"
        + "for _ in range(50):\n    kept.check(CHECKED, GOOD, MATTER, 'fake')\n"
        + "kept.close()\n"
        + "os._exit(0) if not child else os.waitpid(child, 0)\n"
    )
    assert run(fork, path) == (0, "")
    assert len(lines(path)) == 300

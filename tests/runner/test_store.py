import json
import os
import sqlite3
import subprocess
import sys
import time

import pytest

from metajudge.errors import StoreError
from metajudge.runner import Store
from metajudge.runner import store as store_module
from metajudge.verdicts.verdict import Reply, TokenLogprob
from tests.runner.fakes import make_calls

IDENTITY = {"model": "m"}


def fill(store, calls, text="yes"):
    for call in calls:
        store.put(call.key, call.request, IDENTITY, Reply(text))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


def test_replies_come_back_equal_and_survive_closing(tmp_path):
    call = make_calls(1)[0]
    reply = Reply("ja", "stop", (TokenLogprob("ja", -0.1),), cost_usd=0.1, settings={"seed": None})
    with Store(tmp_path / "r.db") as store:
        store.put(call.key, call.request, IDENTITY, reply)
        assert store.get_many([call.key, "absent"]) == {call.key: reply}
    with Store(tmp_path / "r.db") as store:
        assert store.get_many([call.key]) == {call.key: reply}
        assert store.has_many([call.key, "absent"]) == {call.key}
        assert store.count() == 1


def test_b67_callers_cannot_change_what_is_kept(store):
    call = make_calls(1)[0]
    reply = Reply("yes", settings={"seed": 1})
    store.put(call.key, call.request, IDENTITY, reply)
    reply.settings["seed"] = 2
    store.get_many([call.key])[call.key].settings["seed"] = 3
    assert store.get_many([call.key])[call.key].settings == {"seed": 1}


def test_first_reply_under_a_key_stays(store):
    calls = make_calls(1)
    fill(store, calls, "first")
    store.flush()
    fill(store, calls, "second")
    assert store.get_many([calls[0].key])[calls[0].key].text == "first"


def test_b65_b04_failures_and_empty_replies_are_not_kept(store):
    calls = make_calls(5)
    kinds = (
        Reply("", failure="timeout"),
        Reply("", failure="transport"),
        Reply("", failure="missing"),
        Reply(""),
        Reply("", failure="refused"),
    )
    for call, reply in zip(calls, kinds, strict=True):
        store.put(call.key, call.request, IDENTITY, reply)
    assert store.has_many([call.key for call in calls]) == {calls[4].key}


def test_rows_are_readable_text(store, tmp_path):
    fill(store, make_calls(1), "支持")
    store.flush()
    with sqlite3.connect(tmp_path / "replies.db") as file:
        judge, request, reply = file.execute("SELECT judge, request, reply FROM replies").fetchone()
    file.close()
    assert json.loads(judge) == IDENTITY
    assert json.loads(request)["messages"] == [["user", "claim 0"]]
    assert reply == '{"text":"支持"}'


def test_batches_are_written_at_200_replies_or_half_a_second(store, tmp_path, monkeypatch):
    def written():
        file = sqlite3.connect(tmp_path / "replies.db")
        (count,) = file.execute("SELECT count(*) FROM replies").fetchone()
        file.close()
        return count

    now = [time.monotonic()]
    monkeypatch.setattr(store_module.time, "monotonic", lambda: now[0])
    calls = make_calls(202)
    fill(store, calls[:199])
    assert written() == 0
    fill(store, calls[199:200])
    assert written() == 200
    fill(store, calls[200:201])
    now[0] += 0.6
    fill(store, calls[201:])
    assert written() == 202


def test_many_keys_are_looked_up_in_chunks(store):
    calls = make_calls(1203)
    fill(store, calls)
    assert len(store.get_many(call.key for call in calls)) == 1203


def test_changes_of_other_processes_are_seen(store, tmp_path):
    fill(store, make_calls(1))
    store.flush()
    assert not store.changed_elsewhere()
    with Store(tmp_path / "replies.db") as other:
        fill(other, make_calls(1, start=1))
    assert store.changed_elsewhere()
    assert not store.changed_elsewhere()


def test_b125_a_folder_is_refused(tmp_path):
    with pytest.raises(StoreError, match="got a folder"):
        Store(tmp_path)


def test_b125_a_file_as_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made"):
        Store(tmp_path / "file" / "replies.db")


def test_b125_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("no database " * 100)
    with pytest.raises(StoreError, match=r"not a database.*another path"):
        Store(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text().startswith("no database")


def test_b125_another_database_is_refused_and_left_alone(tmp_path):
    file = sqlite3.connect(tmp_path / "other.db")
    file.execute("CREATE TABLE songs (name TEXT)")
    file.commit()
    file.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreError, match="songs"):
        Store(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_b125_a_read_only_store_is_refused_before_use(tmp_path):
    Store(tmp_path / "r.db").close()
    raw = bytearray((tmp_path / "r.db").read_bytes())
    raw[18] = 3  # the header's write version: SQLite then only reads, whoever the user is
    (tmp_path / "r.db").write_bytes(raw)
    with pytest.raises(StoreError, match=r"only be read|cannot be used"):
        Store(tmp_path / "r.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_b125_a_read_only_folder_is_refused(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(StoreError, match="can be written"):
        Store(tmp_path / "locked" / "r.db")


def test_a_store_of_another_format_is_refused(tmp_path):
    Store(tmp_path / "r.db").close()
    with sqlite3.connect(tmp_path / "r.db") as file:
        file.execute("UPDATE facts SET value = '2'")
    file.close()
    with pytest.raises(StoreError, match="format '2'"):
        Store(tmp_path / "r.db")


def test_a_damaged_row_is_named(store, tmp_path):
    call = make_calls(1)[0]
    fill(store, [call])
    store.flush()
    with sqlite3.connect(tmp_path / "replies.db") as file:
        file.execute("""UPDATE replies SET reply = '{"txt":1}'""")
    file.close()
    with pytest.raises(StoreError, match=call.key):
        store.get_many([call.key])


def test_a_closed_store_says_so(tmp_path):
    store = Store(tmp_path / "r.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.count()


def test_odd_characters_in_the_path(tmp_path):
    with Store(tmp_path / "a?b#c%20 字.db") as store:
        fill(store, make_calls(1))
    assert (tmp_path / "a?b#c%20 字.db").exists()


def test_importing_the_runner_loads_no_sqlalchemy():
    code = "import sys, metajudge.runner; print('sqlalchemy' in sys.modules, 'rich' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]

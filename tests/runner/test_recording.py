import gzip
import json

import pytest

from metajudge.errors import StoreError
from metajudge.judges import open_judge
from metajudge.judges.judge import call_key
from metajudge.runner import Call, Store, export_recording, load_recording, read_header
from metajudge.runner.recording import read_recording
from metajudge.verdicts.verdict import Reply, TokenLogprob
from tests.runner.fakes import make_calls

IDENTITY = {"model": "m", "backend": "llama.cpp b1"}


def recorded_calls(n):
    return [Call(call_key(IDENTITY, call.request), call.request) for call in make_calls(n)]


def fill(store, calls):
    for number, call in enumerate(calls):
        reply = Reply(
            f"支持 {number}",
            first_token=(TokenLogprob("支", -0.5),),
            created=f"2026-01-01T00:00:{number:02d}+00:00",
        )
        store.put(call.key, call.request, IDENTITY, reply)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


@pytest.fixture
def recording(store, tmp_path):
    calls = recorded_calls(20)
    fill(store, calls)
    path = tmp_path / "r.jsonl.gz"
    assert export_recording(store, path, [c.key for c in calls], facts={"wall_s": 3}) == 20
    return path


def rewrite(path, lines):
    path.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n"))


def lines_of(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_equal_replies_give_equal_bytes_in_any_order(recording, tmp_path):
    calls = recorded_calls(20)
    with Store(tmp_path / "other.db") as other:
        load_recording(other, recording)
        keys = [call.key for call in reversed(calls)] + [calls[0].key, "absent"]
        assert other.export(tmp_path / "again.jsonl.gz", keys) == 20
    assert lines_of(tmp_path / "again.jsonl.gz")[1:] == lines_of(recording)[1:]
    with Store(tmp_path / "other.db") as other:
        export_recording(other, tmp_path / "late.jsonl.gz", keys, facts={"wall_s": 3})
    assert (tmp_path / "late.jsonl.gz").read_bytes() == recording.read_bytes()
    assert recording.read_bytes()[3:8] == bytes(5)  # neither file name nor time


def test_header_tells_what_is_inside(recording):
    header = read_header(recording)
    assert header.judges == (IDENTITY,)
    assert header.replies == 20
    assert header.date == "2026-01-01T00:00:19+00:00"
    assert header.facts == {"wall_s": 3}


def test_b117_characters_stand_as_they_are(recording):
    assert "支持 7" in "".join(lines_of(recording))


def test_loading_gives_the_same_replies_once(recording, store, tmp_path):
    keys = [call.key for call in recorded_calls(20)]
    with Store(tmp_path / "new.db") as new:
        assert new.load(recording) == 20
        assert new.load(recording) == 0
        assert new.get_many(keys) == store.get_many(keys)
    with Store(tmp_path / "new.db") as new:
        assert new.load(recording) == 0


def test_a_recording_is_read_without_a_store(recording, store, tmp_path):
    calls = read_recording(recording)
    assert {call.key for call in calls} == store.has_many(call.key for call in calls)
    assert sorted(calls) == sorted(store.rows(call.key for call in calls))
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(recording.read_bytes()[:-20])
    with pytest.raises(StoreError, match=r"torn\.jsonl\.gz"):
        read_recording(torn)


def test_a_bare_recording_holds_replies_and_nothing_of_what_was_asked(store, tmp_path):
    calls = recorded_calls(5)
    fill(store, calls)
    keys, path = [call.key for call in calls], tmp_path / "bare.jsonl.gz"
    assert export_recording(store, path, keys, bare=True) == 5
    assert all(json.loads(line)["request"] is None for line in lines_of(path)[1:])
    asked = calls[0].request.messages[-1].content
    assert asked not in gzip.decompress(path.read_bytes()).decode()
    with Store(tmp_path / "new.db") as new:
        assert new.load(path) == 5
        assert new.get_many(keys) == store.get_many(keys)
        assert export_recording(new, tmp_path / "again.jsonl.gz", keys) == 5
    with Store(tmp_path / "third.db") as third:
        assert third.load(tmp_path / "again.jsonl.gz") == 5


def test_a_bare_line_needs_a_key_all_the_same(store, tmp_path):
    calls = recorded_calls(1)
    fill(store, calls)
    path = tmp_path / "bare.jsonl.gz"
    export_recording(store, path, [calls[0].key], bare=True)
    rewrite(path, [line.replace(calls[0].key, "x") for line in lines_of(path)])
    with Store(tmp_path / "new.db") as new, pytest.raises(StoreError, match="no SHA-256"):
        new.load(path)


def test_a_second_load_does_not_read_the_lines(recording, tmp_path, monkeypatch):
    with Store(tmp_path / "new.db") as new:
        new.load(recording)
        monkeypatch.setattr("metajudge.runner.recording._lines", None)
        assert new.load(recording) == 0


def test_replies_already_there_stay(recording, tmp_path):
    call = recorded_calls(1)[0]
    with Store(tmp_path / "new.db") as new:
        new.put(call.key, call.request, IDENTITY, Reply("mine"))
        assert new.load(recording) == 19
        assert new.get_many([call.key])[call.key].text == "mine"


def test_a_file_without_header_is_refused(recording, tmp_path):
    rewrite(recording, lines_of(recording)[1:])
    with Store(tmp_path / "new.db") as new, pytest.raises(StoreError, match=r":1: .*header"):
        new.load(recording)


async def test_recorded_judges_read_the_same_file(recording, store):
    judge = open_judge(f"recorded:{recording}")
    assert judge.identity == IDENTITY
    for call in recorded_calls(20):
        assert await judge.ask(call.request) == store.get_many([call.key])[call.key]


def test_a_torn_file_changes_nothing_and_names_the_line(recording, tmp_path):
    recording.write_bytes(recording.read_bytes()[:-40])
    with Store(tmp_path / "new.db") as new:
        with pytest.raises(StoreError, match=r"r\.jsonl\.gz:\d+: .*whole gzip"):
            new.load(recording)
        assert new.count() == 0


@pytest.mark.parametrize("torn", ['{"key": "k", "iden', "null", "[]", '{"key": 1}'])
def test_a_bad_line_is_named(recording, tmp_path, torn):
    rewrite(recording, [*lines_of(recording)[:4], torn])
    with Store(tmp_path / "new.db") as new:
        with pytest.raises(StoreError, match=r":5: a line must be a recorded call"):
            new.load(recording)
        assert new.count() == 0


def test_an_edited_request_is_found(recording, store, tmp_path):
    lines = lines_of(recording)
    lines[3] = lines[3].replace("claim", "clam")
    rewrite(recording, lines)
    with (
        Store(tmp_path / "new.db") as new,
        pytest.raises(StoreError, match=r":4: .*key of its"),
    ):
        new.load(recording)


def test_missing_lines_are_noticed(recording, tmp_path):
    rewrite(recording, lines_of(recording)[:-1])
    with Store(tmp_path / "new.db") as new, pytest.raises(StoreError, match="promises 20 replies"):
        new.load(recording)


def test_another_version_is_refused(recording, tmp_path):
    header = {**json.loads(lines_of(recording)[0]), "version": 9}
    rewrite(recording, [json.dumps(header, separators=(",", ":")), *lines_of(recording)[1:]])
    with Store(tmp_path / "new.db") as new, pytest.raises(StoreError, match="version 9"):
        new.load(recording)


def test_files_that_cannot_be_read_or_written(store, tmp_path):
    with pytest.raises(StoreError, match="cannot be read"):
        store.load(tmp_path / "absent.jsonl.gz")
    (tmp_path / "text.jsonl.gz").write_text("not gzip")
    with pytest.raises(StoreError, match=r":1: .*whole gzip"):
        store.load(tmp_path / "text.jsonl.gz")
    (tmp_path / "folder.jsonl.gz").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        store.export(tmp_path / "folder.jsonl.gz", [])
    assert not list(tmp_path.glob(".*.part"))

"""Who comes in: addresses, tokens, other sites, the secret, sizes of requests."""

from __future__ import annotations

import os
import stat

import pytest

pytest.importorskip("fastapi")

from metajudge.labelling import door as door_module
from metajudge.labelling.door import MOST_WRONG, Door
from metajudge.labelling.kept import Kept, read_kept, write_kept
from metajudge.labelling.page import static_mark
from metajudge.labelling.place import Place
from tests.labelling.desks import TOKEN, Visitor


def test_every_address_of_this_machine_that_is_listened_on_answers(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for host, name in (("127.0.0.2", "127.0.0.2:8321"), ("::1", "[::1]:8321")):
        door = Place(folder, "bo", host=host).door
        assert door.answers_to(name)
        assert not door.is_open
        assert not door.answers_to("10.0.0.1:8321")


def test_a_new_token_shuts_out_who_came_by_the_one_before():
    secret = b"1" * 32
    doors = [
        Door(secret, "bo", token=token) for token in (TOKEN, TOKEN, "another token of it", None)
    ]
    assert doors[0].session == doors[1].session
    assert len({door.session for door in doors}) == 3
    assert len({door.form_mark for door in doors}) == 3


def test_tokens_cannot_be_tried_out(folder, monkeypatch):
    from starlette.testclient import TestClient

    visitor = Visitor(folder)
    client = TestClient(visitor.site, base_url="http://127.0.0.1:8321")
    now = [1000.0]
    monkeypatch.setattr(door_module.time, "monotonic", lambda: now[0])
    for _ in range(MOST_WRONG - 1):
        assert client.post("/start", data={"token": "wrong"}).status_code == 403
    assert client.post("/start", data={"token": "wrong"}).status_code == 429
    answer = client.post("/start", data={"token": TOKEN})
    assert answer.status_code == 429
    assert "Wait a minute" in answer.text
    # Who is in already goes on.
    visitor.see()
    assert visitor.page == "label"
    now[0] += 61
    assert client.post("/start", data={"token": TOKEN}).status_code == 200


def test_a_link_of_another_site_asks_once_more_by_itself(folder):
    from starlette.testclient import TestClient

    client = TestClient(Visitor(folder).site, base_url="http://127.0.0.1:8321")
    refresh = 'http-equiv="refresh" content="0;url=/"'
    assert refresh in client.get("/", headers={"sec-fetch-site": "cross-site"}).text
    assert refresh not in client.get("/", headers={"sec-fetch-site": "same-origin"}).text
    assert refresh not in client.get("/").text


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_secret_that_others_can_read_is_not_used(tmp_path):
    path = tmp_path / "kept.json"
    assert write_kept(path, Kept(b"1" * 32, 8321))
    assert read_kept(path).secret == b"1" * 32
    path.chmod(0o644)
    assert read_kept(path).secret != b"1" * 32
    outside = tmp_path / "outside"
    outside.write_text("")
    path.with_suffix(f".{os.getpid()}").symlink_to(outside)
    assert write_kept(path, Kept(b"2" * 32, 8321))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert outside.read_text() == ""


@pytest.mark.parametrize("size", ["-1", "9" * 5000, "1_0", "0x1"])
def test_odd_sizes_are_refused(folder, size):
    visitor = Visitor(folder)
    answer = visitor.client.post("/label", content=b"x", headers={"content-length": size})
    assert answer.status_code == 413


def test_static_files_are_kept_by_their_mark_and_pages_are_not(folder):
    visitor = Visitor(folder)
    visitor.see()
    assert visitor.answer.headers["cache-control"] == "no-store"
    for name in ("page.css", "page.js", "mark.svg"):
        address = f"/static/{name}?v={static_mark(name)}"
        assert f'"{address}"' in visitor.text
        answer = visitor.client.get(address)
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers.get_list("cache-control") == [answer.headers["cache-control"]]
        other = visitor.client.get(f"/static/{name}?v=0")
        assert other.headers["cache-control"] == "no-store"

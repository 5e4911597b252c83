"""Who is let in, what a foreign page can do (nothing), and what every answer carries."""

from __future__ import annotations

import stat

import pytest

pytest.importorskip("fastapi")

from metajudge.labelling.door import Door, host_name
from metajudge.labelling.gate import LARGEST_BODY, POLICY
from metajudge.labelling.kept import Kept, kept_file, read_kept, write_kept
from metajudge.labelling.place import Place, host_problems, is_loopback
from metajudge.labelling.site import labelling_site
from tests.labelling.desks import HOST, TOKEN, Visitor, events, gold_folder

PATHS = ("/", "/claim?id=c1", "/history", "/guideline", "/saved?act=x", "/language?to=zh")
POSTS = ("/label", "/skip", "/settle", "/review", "/undo")


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 3)


@pytest.fixture
def visitor(folder):
    return Visitor(folder)


def stranger(site, **more):
    from starlette.testclient import TestClient

    return TestClient(site, **{"base_url": HOST, **more})


def test_without_a_session_nothing_is_shown_or_saved(visitor, folder):
    client = stranger(visitor.site)
    for path in PATHS:
        answer = client.get(path)
        assert answer.status_code == 403, path
        assert "Claim number" not in answer.text
    visitor.see()
    for path in POSTS:
        answer = client.post(path, data=visitor.form | {"label": "yes"})
        assert answer.status_code == 403, path
    assert events(folder) == ()


def test_a_wrong_cookie_is_no_session(visitor):
    client = stranger(visitor.site, cookies={visitor.door.cookie: "0" * 64})
    assert client.get("/").status_code == 403


def test_a_token_of_the_users_own_lets_in_again_and_again(visitor):
    for _ in range(2):
        client = stranger(visitor.site)
        assert 'name="token"' in client.get("/start").text
        assert client.post("/start", data={"token": "wrong"}).status_code == 403
        assert client.get("/").status_code == 403
        assert client.post("/start", data={"token": TOKEN}).status_code == 200
        assert client.get("/").status_code == 200


def test_a_token_of_the_server_lets_in_once(folder, visitor):
    told = []
    door = Door(b"1" * 32, "bo", used=told.append)
    site = labelling_site(visitor.desk, door)
    first = door.start_token
    assert stranger(site).get("/start", params={"token": first}).status_code == 200
    again = stranger(site)
    assert again.get("/start", params={"token": first}).status_code == 403
    assert 'name="token"' not in again.get("/start").text
    assert told == [door.start_token] != [first]
    assert again.get("/start", params={"token": told[0]}).status_code == 200


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(visitor):
    client = stranger(visitor.site, follow_redirects=False)
    cookie = client.get("/start", params={"token": TOKEN}).headers["set-cookie"]
    assert cookie.startswith("metajudge_")
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie


def test_two_annotators_in_one_browser_do_not_share_a_session(folder, visitor):
    other = Visitor(folder, "ann")
    assert other.door.cookie != visitor.door.cookie


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "10.0.0.1", ""]
)
def test_a_name_that_leads_here_by_dns_is_refused(visitor, host):
    answer = visitor.client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "Claim number" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8321", "localhost:9000", "LOCALHOST", "[::1]:8321"])
def test_this_machine_by_any_of_its_names_is_answered(visitor, host):
    assert visitor.door.answers_to(host)
    assert host_name(host) in ("127.0.0.1", "localhost", "::1")


def test_beyond_this_machine_numbers_and_its_name_are_answered():
    door = Door(b"1" * 32, "bo", token=TOKEN, hosts={"0.0.0.0", "localhost"})
    assert door.is_open
    assert door.answers_to("192.168.1.7:8321")
    assert not door.answers_to("evil.example")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_forms_of_other_sites_are_refused(visitor, folder, headers):
    visitor.see()
    visitor.post("/label", visitor.form | {"label": "yes"}, **headers)
    assert visitor.answer.status_code == 403
    assert events(folder) == ()


def test_forms_of_this_site_are_taken(visitor, folder):
    visitor.see()
    form = visitor.form | {"label": "yes"}
    visitor.post("/label", form, **{"origin": HOST, "sec-fetch-site": "same-origin"})
    assert len(events(folder)) == 1


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("mark", ["", "0" * 64, "ü"])
def test_a_form_without_this_servers_mark_is_refused(visitor, folder, path, mark):
    visitor.see()
    visitor.post(path, visitor.form | {"label": "yes", "csrf": mark})
    assert visitor.answer.status_code == 403
    assert "what you typed is kept" in visitor.text
    assert events(folder) == ()


def test_every_answer_carries_the_headers(visitor):
    answers = [visitor.client.get(path) for path in (*PATHS, "/static/page.css", "/nowhere")]
    answers += [stranger(visitor.site).get("/"), visitor.client.get("/", headers={"host": "x"})]
    answers += [visitor.client.post("/label", data={}), visitor.client.post("/", data={})]
    for answer in answers:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "server" not in answer.headers
    assert "'none'" in POLICY
    assert "unsafe" not in POLICY


def test_too_much_text_is_refused_before_it_is_read(visitor, folder):
    visitor.see()
    visitor.post("/label", visitor.form | {"label": "yes", "note": "x" * LARGEST_BODY})
    assert visitor.answer.status_code == 413

    def endless():
        for _ in range(LARGEST_BODY // 1000 + 1):
            yield b"x" * 1000

    assert visitor.client.post("/label", content=endless()).status_code == 413
    many = "&".join(f"f{n}=1" for n in range(100))
    answer = visitor.client.post("/label", content=many)
    assert answer.status_code == 400
    assert events(folder) == ()


@pytest.mark.parametrize("body", [b"label=%ff", b"\xff\xfe", b"label=yes&label=%zz"])
def test_forms_that_are_no_text_are_refused(visitor, folder, body):
    answer = visitor.client.post("/label", content=body)
    assert answer.status_code in (400, 403)
    assert events(folder) == ()


def test_there_is_no_description_of_the_interface(visitor):
    for path in ("/docs", "/redoc", "/openapi.json"):
        answer = visitor.client.get(path, follow_redirects=False)
        assert answer.status_code == 303


def test_only_known_files_are_handed_out(visitor):
    assert visitor.client.get("/static/page.js").headers["content-type"].startswith("text/javas")
    for name in ("page.py", "..%2fsite.py", "texts"):
        assert visitor.client.get(f"/static/{name}", follow_redirects=False).status_code in (
            303,
            404,
        )


def test_a_secret_is_kept_for_its_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = kept_file(tmp_path, "bo")
    new = read_kept(path)
    assert new.port is None
    assert write_kept(path, new._replace(port=8330))
    assert read_kept(path) == Kept(new.secret, 8330)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_file(tmp_path, "ann") != path
    path.write_text('{"secret": "00", "port": 1}')
    assert len(read_kept(path).secret) == 32
    path.write_text("nonsense")
    assert read_kept(path).secret != new.secret


def test_a_cache_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    blocked = tmp_path / "cache"
    blocked.write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert not write_kept(kept_file(tmp_path, "bo"), Kept(b"0" * 32, 1))


def test_windows_stay_open_over_a_restart(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    import socket

    first = Place(folder, "bo")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert first.listens_at(listening)
    second = Place(folder, "bo")
    assert second.port == first.port
    assert (second.door.session, second.door.form_mark) == (
        first.door.session,
        first.door.form_mark,
    )
    assert second.door.start_token != first.door.start_token
    assert f":{first.port}/start?token=" in second.address()
    with_token = Place(folder, "bo", token=TOKEN)
    assert TOKEN not in with_token.address()


def test_hosts_beyond_this_machine_need_a_token():
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [
        True
    ] * 4
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))
    assert "needs a token" in str(host_problems("0.0.0.0", None)[0])
    assert "16 characters" in str(host_problems("0.0.0.0", "short")[0])
    assert "short" not in str(host_problems("0.0.0.0", "short"))
    assert host_problems("0.0.0.0", "x" * 16) == []
    assert host_problems("127.0.0.1", None) == []

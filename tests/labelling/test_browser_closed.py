"""Who is kept out: other names, other sites, windows that were not let in, and too much at once."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.labelling.browser import REBOUND, Server, acts, kind, press, serving, window
from tests.labelling.folders import command, lights

pytestmark = pytest.mark.slow
FIELDS = "() => Object.fromEntries(new FormData(document.querySelector('form[data-form]')))"
NEEDED = {
    "content-security-policy": (
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
    ),
    "x-content-type-options": ("nosniff",),
    "x-frame-options": ("DENY",),
    "cache-control": ("no-store",),
    "referrer-policy": ("same-origin",),
}


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return lights(tmp_path_factory.mktemp("closed") / "lights", 12)


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def ask(server: Server, path: str, form: Mapping[str, str] | None = None, **headers: str) -> Answer:
    """A request that no browser would send so."""
    data = None if form is None else urllib.parse.urlencode(form).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{server.root}{path}", data, named)
    try:
        answer = urllib.request.build_opener(_Stay).open(request, timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        text = answer.read().decode("utf-8", "replace")
        return Answer(answer.status, {k.lower(): v for k, v in answer.headers.items()}, text)


def session(page: Any) -> str:
    return "; ".join(f"{kept['name']}={kept['value']}" for kept in page.context.cookies())


def test_every_answer_carries_what_browsers_need_to_stay_safe(browser: Any, server: Server) -> None:
    with window(browser, server) as page:
        cookie = session(page)
        assert all(kept["httpOnly"] for kept in page.context.cookies())
        assert {kept["sameSite"] for kept in page.context.cookies()} == {"Strict"}
        paths = ("/", "/history", "/guideline", "/claim?id=c001", "/claim?id=no", "/start", "/no")
        answers = [ask(server, path, Cookie=cookie) for path in paths]
        answers += [ask(server, "/"), ask(server, "/label", {}), ask(server, "/", Host="a.example")]
        for answer in answers:
            for name, parts in NEEDED.items():
                assert all(part in answer.headers.get(name, "") for part in parts), (name, answer)
            assert "unsafe" not in answer.headers["content-security-policy"]
            assert not {"server", "access-control-allow-origin"} & set(answer.headers)
        for name in ("page.js", "page.css", "mark.svg"):
            got = ask(server, f"/static/{name}")
            assert (got.status, got.headers["x-content-type-options"]) == (200, "nosniff")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "192.0.2.7", ""]
)
def test_another_name_for_this_machine_is_not_answered(server: Server, host: str) -> None:
    got = ask(server, "/start?token=x", Host=host)
    assert got.status == 421
    assert "lights" not in got.text
    assert "set-cookie" not in got.headers


def test_a_browser_that_was_led_here_by_another_name_is_refused(
    browser: Any, server: Server
) -> None:
    context = browser.new_context()
    page = context.new_page()
    token = server.url.partition("?")[2]
    assert page.goto(f"http://{REBOUND}:{server.port}/start?{token}").status == 421
    assert kind(page) == "refused"
    assert context.cookies() == []
    assert server.url.endswith(token)  # which it did not use up
    context.close()


def test_a_form_of_another_site_or_without_its_mark_saves_nothing(
    browser: Any, server: Server, folder: Path
) -> None:
    with window(browser, server) as page:
        form = page.evaluate(FIELDS) | {"label": "yes"}
        cookie, before = session(page), acts(folder) if (folder / "annotations").exists() else []
        without = {name: value for name, value in form.items() if name != "csrf"}
        for status, sent, headers in (
            (403, form, {"Origin": "http://evil.example"}),
            (403, form, {"Origin": f"http://127.0.0.1:{server.port + 1}"}),
            (403, form, {"Origin": "null"}),
            (403, form, {"Sec-Fetch-Site": "cross-site"}),
            (403, form, {"Sec-Fetch-Site": "same-site"}),
            (403, without, {}),
            (403, form | {"csrf": "0" * 64}, {}),
            (413, form | {"note": "x" * 200_000}, {}),
            (400, form | {"label": "maybe"}, {}),
            (400, form | {"save_id": "../../etc"}, {}),
            (400, form | {"spans": "0:0:999999"}, {}),
            (400, form | {"seconds": "soon"}, {}),
            (400, form | {"note": "x" * 5000}, {}),
            (404, form | {"claim_id": "../c000"}, {}),
        ):
            got = ask(server, "/label", sent, Cookie=cookie, **headers)
            assert got.status == status, (headers, got.text[-600:])
        for path in ("/label", "/skip", "/settle", "/review", "/undo"):
            assert ask(server, path, form).status == 403  # without a cookie
            assert ask(server, path, Cookie=cookie).status in (303, 405)  # not by a link
        after = acts(folder) if (folder / "annotations").exists() else []
        assert after == before


def test_a_browser_that_was_not_let_in_sees_nothing(browser: Any, server: Server) -> None:
    used = server.url
    with window(browser, server):
        stranger = browser.new_context()
        page = stranger.new_page()
        for url in (f"{server.root}/", f"{server.root}/claim?id=c001", used, used[:-3]):
            assert page.goto(url).status in (200, 403)
            assert kind(page) == "start"
            assert "Brannock" not in page.content()
            assert "lights" not in page.content()
        assert page.goto(f"{server.root}/../../goldset.yaml").status == 403
        stranger.close()


def test_the_page_cannot_be_framed_or_sent_from_elsewhere(browser: Any, folder: Path) -> None:
    """Another site in the same browser: it can neither show the page nor fill in its form."""
    with serving(folder, "bo") as server, window(browser, server) as page:
        form = page.evaluate(FIELDS) | {"label": "no"}
        fields = "".join(f'<input name="{name}" value="{form[name]}">' for name in form)
        other = (
            f'<iframe src="{server.root}/"></iframe>'
            f'<form method="post" action="{server.root}/label">{fields}<button>win</button></form>'
        )
        evil = page.context.browser.new_context(storage_state=page.context.storage_state())
        site = evil.new_page()
        site.route(
            "http://elsewhere.example/",
            lambda route: route.fulfill(content_type="text/html", body=other),
        )
        site.goto("http://elsewhere.example/")
        assert len(site.frames) == 2
        assert "metajudge" not in site.frames[1].content()
        with site.expect_navigation():
            site.click("button")
        assert kind(site) == "refused"
        evil.close()
        assert not (folder / "annotations" / "bo.jsonl").exists()
        press(page, "1")
        assert len([act for act in acts(folder) if act["annotator"] == "bo"]) == 1


def test_beyond_this_machine_a_token_is_needed(browser: Any, tmp_path: Path) -> None:
    folder = lights(tmp_path / "lights", 2)
    for words in ((), ("--token", "short")):
        with pytest.raises(AssertionError, match="token"):
            command(tmp_path, "label", folder, "--as", "anna", "--host", "0.0.0.0", *words)
    token = "long enough to be one"
    with serving(folder, "anna", "--host", "0.0.0.0", METAJUDGE_LABEL_TOKEN=token) as server:
        assert token not in server.said()
        assert "not encrypted" in server.said()
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{server.root}/start")
        assert "lights" not in page.content()
        page.fill("[name=token]", token[:-1])
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert]")
        page.fill("[name=token]", token)
        press(page, "Enter")
        assert kind(page) == "label"
        assert token not in json.dumps(context.storage_state()) + page.url + page.content()
        assert ask(server, "/", Host="evil.example").status == 421
        context.close()

"""Slips of hands and hostile pages, in a real browser."""

from __future__ import annotations

import pytest

from tests.labelling.browser import acts, claim_id, kind, press, serving, window
from tests.labelling.folders import lights


@pytest.fixture
def server(tmp_path):
    with serving(lights(tmp_path / "lights", 8), "anna") as made:
        yield made


def _settled(page) -> None:
    """Waits until nothing more is sent."""
    page.wait_for_timeout(400)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("key", ["1", "Enter"])
def test_a_key_that_is_held_labels_one_claim(browser, server, key):
    with window(browser, server) as page:
        if key == "Enter":
            page.focus("[data-label=no]")
        with page.expect_navigation():
            for _ in range(25):
                page.keyboard.down(key)
                page.wait_for_timeout(30)
        page.keyboard.up(key)
        _settled(page)
        assert len(acts(server.folder)) == 1


def test_a_double_click_labels_one_claim(browser, server):
    with window(browser, server) as page:
        box = page.locator("[data-label=yes]").bounding_box()
        page.mouse.move(box["x"] + 40, box["y"] + 20)
        with page.expect_navigation():
            for count in (1, 2):
                page.mouse.down(click_count=count)
                page.mouse.up(click_count=count)
                page.wait_for_timeout(350)
        _settled(page)
        assert len(acts(server.folder)) == 1
        with page.expect_navigation():
            page.mouse.down()
            page.mouse.up()
        _settled(page)
        assert len(acts(server.folder)) == 2


def test_enter_in_a_field_is_no_label(browser, server):
    with window(browser, server) as page:
        page.focus("[data-flag]")
        page.keyboard.press("Enter")
        page.focus("[data-slice]")
        page.keyboard.press("Enter")
        _settled(page)
        assert acts(server.folder) == []


def test_enter_in_a_field_is_no_label_without_scripts(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server.url)
    page.focus("[data-flag]")
    press(page, "Enter")
    assert kind(page) == "message"
    assert acts(server.folder) == []
    context.close()


def test_a_slow_server_takes_one_decision(browser, server):
    with window(browser, server) as page:
        page.route("**/label", lambda route: (page.wait_for_timeout(1500), route.continue_()))
        with page.expect_navigation():
            for key in ("1", "2", "s", "u", "3"):
                page.keyboard.press(key)
        _settled(page)
        assert [act["event"] for act in acts(server.folder)] == ["label"]
        assert acts(server.folder)[0]["label"] == "yes"


def test_undo_goes_back_over_many_steps_by_one_key(browser, server):
    with window(browser, server) as page:
        for key in "12312":
            press(page, key)
        for name in ("c004", "c003", "c002", "c001", "c000"):
            press(page, "u")
            assert claim_id(page) == name
        assert page.is_disabled("[data-undo]")


def test_evidence_of_a_text_that_changed_is_not_put_on_the_new_one(browser, server):
    with window(browser, server) as page:
        for key in ("c", "Space", "Escape", "m"):
            page.keyboard.press(key)
        page.keyboard.type("my note")
        assert page.input_value("[data-spans]") == "0:0:35"
        contexts = server.folder / "contexts.jsonl"
        contexts.write_text(contexts.read_text().replace("was lit in 1871", "was never lit at all"))
        page.reload()
        assert page.input_value("[data-note]") == "my note"
        assert page.input_value("[data-spans]") == ""


@pytest.mark.parametrize("path", ["", "/"])
def test_a_link_of_another_site_or_a_terminal_in_a_page_leads_in(browser, server, path):
    """The browser keeps a strict cookie to itself on the way from a foreign page."""
    with window(browser, server) as page:
        address = server.root + path if path else server.url
        codes = []
        page.on("response", lambda answer: codes.append(answer.status))
        page.goto(f"data:text/html,<a href='{address}'>go</a>")
        with page.expect_response(lambda answer: "/static/page.js" in answer.url):
            page.click("a")
        page.wait_for_selector("[data-claim-id]")
        assert 403 in codes


def test_a_foreign_page_can_neither_send_nor_read_nor_frame(browser, server):
    with window(browser, server) as page:
        csrf = page.input_value("[name=csrf] >> nth=0")
        # The same machine at another port: the cookie goes along, nothing else helps.
        cookies = page.context.storage_state()
        context = browser.new_context(storage_state=cookies)
        foreign = context.new_page()
        evil = "http://127.0.0.1:9/evil"
        foreign.route(evil, lambda route: route.fulfill(body="<p>evil", content_type="text/html"))
        foreign.goto(evil)
        found = foreign.evaluate(
            """async ([root, csrf]) => {
              const made = {read: null, sent: null};
              try { made.read = (await fetch(root + "/", {credentials: "include"})).status; }
              catch { made.read = "refused"; }
              const body = new URLSearchParams({csrf, claim_id: "c000", save_id: "from-afar-1",
                                                state: "", seen: "", label: "yes"});
              try { await fetch(root + "/label", {method: "POST", mode: "no-cors", body,
                                                  credentials: "include"}); }
              catch { made.sent = "refused"; }
              return made;
            }""",
            [server.root, csrf],
        )
        assert found["read"] == "refused"
        foreign.set_content(f"<iframe src='{server.root}/start'></iframe>")
        foreign.wait_for_timeout(500)
        assert all("data-page" not in frame.content() for frame in foreign.frames[1:])
        assert acts(server.folder) == []
        context.close()


def test_what_is_chosen_lies_in_sight_in_narrow_and_low_windows(browser, server):
    for size in ({"width": 390, "height": 844}, {"width": 640, "height": 450}):
        with window(browser, server, viewport=size) as page:
            page.keyboard.press("c")
            for _ in range(6):
                page.keyboard.press("ArrowDown")
            seen = page.evaluate(
                """() => {
                  const box = document.querySelector(".here").getBoundingClientRect();
                  const at = document.elementFromPoint(box.left + 5, box.bottom - 5);
                  return at.closest(".here") !== null;
                }"""
            )
            assert seen
            wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
            assert not wide

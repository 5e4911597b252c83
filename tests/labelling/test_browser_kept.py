"""What was typed outlives everything that can come between typing and saving."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import Server, acts, claim_id, kind, press, serving, window
from tests.labelling.folders import lights

pytestmark = pytest.mark.slow
TYPED = "half a thought; 想了一半"
HIDE = """(hidden) => {
  Object.defineProperty(document, 'visibilityState', { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return lights(tmp_path_factory.mktemp("kept") / "lights", 20)


def type_note(page: Any) -> str:
    page.keyboard.press("m")
    page.keyboard.type(TYPED)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    return claim_id(page)


def is_kept(page: Any, name: str) -> None:
    assert (kind(page), claim_id(page)) == ("label", name)
    assert page.input_value("[data-note]") == TYPED
    assert page.is_checked("[data-flag]")


def test_looking_elsewhere_and_coming_back(browser: Any, server: Server, folder: Path) -> None:
    with window(browser, server) as page:
        name = type_note(page)
        press(page, "h")
        page.go_back()
        is_kept(page, name)
        page.reload()
        is_kept(page, name)
        for language in ("zh", "en"):
            page.goto(f"{server.root}/language?to={language}&back={name}")
            is_kept(page, name)
        press(page, "1")
        assert page.input_value("[data-note]") == ""  # the next claim has a note of its own
        assert not page.is_checked("[data-flag]")
        page.go_back()
        is_kept(page, name)  # as what was saved
        assert page.get_attribute("[data-own]", "data-own") == "yes"
        assert [act["note"] for act in acts(folder)] == [TYPED]


def test_a_folder_that_is_in_the_way(browser: Any, server: Server, folder: Path) -> None:
    """A claim that changed, a log that cannot be read, a folder that cannot be written."""
    claims, logs = folder / "claims.jsonl", folder / "annotations"
    with window(browser, server) as page:
        name = type_note(page)
        before = claims.read_text(encoding="utf-8")
        rows = [json.loads(row) for row in before.splitlines()]
        changed = [row | {"claim": "New."} if row["claim_id"] == name else row for row in rows]
        claims.write_text("".join(json.dumps(row) + "\n" for row in changed), encoding="utf-8")
        refused(page, "changed.title", name)
        assert page.inner_text("[data-claim-text]") == "New."
        (logs / "bo.jsonl").write_text('{"event": "label"}\n', encoding="utf-8")
        press(page, "1")
        assert "bo.jsonl:1" in page.inner_text("main")
        assert page.get_attribute("[data-message]", "data-message") == "unreadable.title"
        (logs / "bo.jsonl").unlink()
        page.click("[data-back]")
        is_kept(page, name)
        shutil.move(logs, folder / "away")
        logs.write_text("a file where a folder should be", encoding="utf-8")
        press(page, "1")
        assert page.get_attribute("[data-message]", "data-message") == "unwritable.title"
        logs.unlink()
        shutil.move(folder / "away", logs)
        page.click("[data-back]")
        is_kept(page, name)
        press(page, "2")
        assert acts(folder)[-1]["note"] == TYPED


def refused(page: Any, title: str, name: str) -> None:
    press(page, "1")
    assert page.get_attribute("[data-message]", "data-message") == title
    page.click("[data-back]")
    is_kept(page, name)


def test_a_server_that_forgot_its_secret(browser: Any, server: Server, folder: Path) -> None:
    with window(browser, server) as page:
        name, n = type_note(page), len(acts(folder))
        server.kill()
        shutil.rmtree(folder.parent / "cache")
        server.start()
        press(page, "3")
        assert kind(page) == "start"
        assert len(acts(folder)) == n
        page.goto(server.url)
        is_kept(page, name)


def test_time_counts_while_the_claim_is_in_sight(
    browser: Any, server: Server, folder: Path
) -> None:
    with window(browser, server) as page:
        page.clock.install()
        page.reload()
        page.clock.run_for(20_000)
        page.evaluate(HIDE, "hidden")
        page.clock.run_for(900_000)
        page.evaluate(HIDE, "visible")
        press(page, "1")
        assert 19 <= acts(folder)[-1]["seconds"] < 900, "20 s in sight, less what loading took"


def test_a_window_of_one_person_never_writes_for_another(browser: Any, tmp_path: Path) -> None:
    """Both labelled in this browser, and bo's server now listens where anna's did."""
    folder = lights(tmp_path / "lights", 3)
    with serving(folder, "anna") as server, window(browser, server) as page:
        name = type_note(page)
        with serving(folder, "bo") as other:
            bo = page.context.new_page()
            bo.goto(other.url)
            assert bo.inner_text(".who") == "bo"
        server.kill()
        server.name = "bo"
        server.start()
        press(page, "1")
        assert page.get_attribute("[data-message]", "data-message") == "refused.title"
        assert not (folder / "annotations").exists()
        server.kill()
        server.name = "anna"
        server.start()
        page.goto(f"{server.root}/")
        is_kept(page, name)

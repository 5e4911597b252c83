"""Typing in the fields of the page: input methods, hotkeys that stay out, Enter that sends not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import acts, claim_id, kind, press, serving, window
from tests.labelling.folders import claim, lights
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
HOTKEYS = "1 2 3 y n i u s f m k c e g h ? Y N 1"
SPOKEN = "窗外的灯塔 🗼 gives “light”, 1 次 / y n i"
COMPOSING_KEY = """([selector, key, code]) => {
  const node = selector ? document.querySelector(selector) : document.body;
  const made = new KeyboardEvent('keydown', {
    key, bubbles: true, cancelable: true, isComposing: code !== 229, keyCode: code,
  });
  node.dispatchEvent(made);
  return [made.isComposing, made.keyCode, made.defaultPrevented];
}"""


class Hands:
    """Keys and an input method, as they reach the browser from outside."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._raw = page.context.new_cdp_session(page)

    def compose(self, letters: str) -> None:
        """Letters that an input method has not turned into a word yet."""
        for end in range(1, len(letters) + 1):
            self._key("Process", 229)
            self._raw.send(
                "Input.imeSetComposition",
                {"text": letters[:end], "selectionStart": end, "selectionEnd": end},
            )

    def choose_with_enter(self, word: str) -> None:
        """Enter, which the input method takes, and the word that it puts in."""
        self._key("Enter", 229)
        self._raw.send("Input.insertText", {"text": word})

    def hold(self, key: str) -> None:
        """A key that is kept down: the browser repeats it."""
        for _ in range(5):
            self._key(key, ord(key), autoRepeat=True, text=key)

    def _key(self, key: str, code: int, **more: Any) -> None:
        event = {"type": "keyDown" if "text" in more else "rawKeyDown", "key": key}
        self._raw.send("Input.dispatchKeyEvent", {**event, "windowsVirtualKeyCode": code, **more})


@pytest.fixture(scope="module")
def desk(browser: Any, tmp_path_factory: Any) -> Iterator[tuple[Any, Path]]:
    folder = lights(tmp_path_factory.mktemp("typing") / "lights", 12)
    with serving(folder, "安娜") as server, window(browser, server) as page:
        yield page, folder


def nothing_happened(page: Any, folder: Path, before: str) -> None:
    page.wait_for_timeout(150)
    assert (kind(page), claim_id(page)) == ("label", before)
    assert [act for act in acts(folder) if act["claim_id"] == before] == []
    assert page.locator("dialog[open]").count() == 0
    assert not page.is_checked("[data-flag]")


def test_b90_enter_while_a_word_is_composed_saves_nothing(desk: tuple[Any, Path]) -> None:
    page, folder = desk
    before, hands = claim_id(page), Hands(page)
    page.keyboard.press("m")
    hands.compose("dengta")
    assert page.input_value("[data-note]") == "dengta"
    for key in ("Enter", "1", "y", "Escape"):
        assert page.evaluate(COMPOSING_KEY, ["[data-note]", key, 13])[::2] == [True, False]
        assert page.evaluate(COMPOSING_KEY, ["[data-note]", key, 229])[1:] == [229, False]
    page.keyboard.press("Control+Enter")
    assert page.evaluate("document.activeElement.matches('[data-note]')")
    hands.choose_with_enter("灯塔")
    hands.compose("zaichuangwai")
    hands.choose_with_enter("在窗外")
    nothing_happened(page, folder, before)
    page.keyboard.press("Enter")
    page.keyboard.insert_text(SPOKEN)
    nothing_happened(page, folder, before)
    press(page, "Control+Enter", "3")
    (act,) = (act for act in acts(folder) if act["claim_id"] == before)
    assert (act["label"], act["annotator"]) == ("idk", "安娜")
    assert act["note"] == f"灯塔在窗外\n{SPOKEN}"


def test_b90_no_hotkey_fires_where_an_input_method_has_the_key(desk: tuple[Any, Path]) -> None:
    page, folder = desk
    before = claim_id(page)
    for key in HOTKEYS.split():
        for code in (229, 0):
            assert not page.evaluate(COMPOSING_KEY, ["", key, code])[2]
    nothing_happened(page, folder, before)


def test_b90_letters_in_a_field_are_letters(desk: tuple[Any, Path]) -> None:
    page, folder = desk
    before = claim_id(page)
    page.keyboard.press("m")
    page.keyboard.type(HOTKEYS)
    assert page.input_value("[data-note]") == HOTKEYS
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.keyboard.type("in")  # as every list of choices: the first that begins so
    assert page.input_value("[data-slice]") == "inference"
    nothing_happened(page, folder, before)
    press(page, "Escape", "Y")
    (act,) = (act for act in acts(folder) if act["claim_id"] == before)
    assert (act["label"], act["note"], act["slice"]) == ("yes", HOTKEYS, "inference")


def test_a_key_that_is_held_or_pressed_with_others_labels_nothing(desk: tuple[Any, Path]) -> None:
    page, folder = desk
    before, hands = claim_id(page), Hands(page)
    hands.hold("1")
    hands.hold("y")
    for chord in ("Control+1", "Alt+1", "Control+y", "Meta+s", "Alt+n"):
        page.keyboard.press(chord)
    nothing_happened(page, folder, before)


def test_a_double_press_counts_once(desk: tuple[Any, Path]) -> None:
    page, folder = desk
    before, n = claim_id(page), len(acts(folder))
    with page.expect_navigation():
        page.evaluate(
            "for (const key of '1123') document.body.dispatchEvent("
            "new KeyboardEvent('keydown', { key, bubbles: true }))"
        )
    assert claim_id(page) != before
    assert [(act["claim_id"], act["label"]) for act in acts(folder)[n:]] == [(before, "yes")]


def test_b90_a_reason_is_saved_by_control_enter_and_not_while_composing(
    browser: Any, tmp_path: Path
) -> None:
    split = [note("anna", "yes"), note("bo", "no")]
    folder = lights(tmp_path / "lights", [claim(1, annotations=split), claim(3)])
    with serving(folder, "chair", "--adjudicate") as server, window(browser, server) as page:
        hands = Hands(page)
        page.keyboard.press("n")
        assert page.evaluate("document.activeElement.matches('[data-reason]')")
        hands.compose("liangming")
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(150)
        assert not (folder / "annotations").exists()
        hands.choose_with_enter("两名守塔人。")
        page.keyboard.press("Enter")
        page.keyboard.type("Two, so not three: y n i 1 2 3")
        assert not (folder / "annotations").exists()
        press(page, "Control+Enter")
        (act,) = acts(folder)
        assert (act["event"], act["label"]) == ("settle", "no")
        assert act["why"] == "两名守塔人。\nTwo, so not three: y n i 1 2 3"

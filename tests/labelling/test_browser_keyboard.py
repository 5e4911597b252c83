"""Work without a mouse, with a screen reader, and without JavaScript."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import Server, acts, claim_id, kind, press, window
from tests.labelling.folders import ENGLISH, claim, lights
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
FOCUS = """() => {
  const node = document.activeElement;
  const box = node.getBoundingClientRect(), style = getComputedStyle(node);
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height, 40) / 2);
  return {
    name: node.id || node.dataset.label || Object.keys(node.dataset)[0] || node.innerText.trim(),
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    inSight: Boolean(at && (node.contains(at) || at.contains(node))),
  };
}"""
IN_ORDER = (
    *("yes", "no", "idk", "slice", "note", "flag", "skip"),
    "passages",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    votes = [note("bo", "yes"), note("小李", "no", note="两名")]
    claims = [*(claim(n) for n in range(12)), claim(12, annotations=votes)]
    return lights(tmp_path_factory.mktemp("keys") / "lights", claims)


def focused(page: Any) -> dict[str, Any]:
    return dict(page.evaluate(FOCUS))


def test_tab_walks_the_page_in_reading_order_with_a_ring_in_sight(
    browser: Any, server: Server
) -> None:
    with window(browser, server) as page:
        walked = []
        for _ in range(40):
            page.keyboard.press("Tab")
            found = focused(page)
            if page.evaluate("document.activeElement === document.body"):
                break
            walked.append(found["name"])
            assert found["ring"], found
            assert found["inSight"], found
        assert walked[0] == "Skip to the labels"
        assert [name for name in walked if name in IN_ORDER] == list(IN_ORDER)
        page.goto(f"{server.root}/")
        press_in_place(page, "Tab", "Enter")
        page.keyboard.press("Tab")
        assert focused(page)["name"] in ("yes", "passages")


def press_in_place(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_every_decision_has_a_key_and_is_told_to_screen_readers(
    browser: Any, server: Server, folder: Path
) -> None:
    with window(browser, server) as page:
        first = claim_id(page)
        press_in_place(page, "c", "ArrowDown", "Space")
        page.wait_for_selector("[data-live]:has-text('Marked as evidence: Two keepers')")
        press_in_place(page, "ArrowDown", "Enter", "ArrowUp", "e")
        assert page.locator("[data-evidence] li").all_inner_texts() == [
            "Visitors climb 143 steps.\n×"
        ]
        press_in_place(page, "Escape", "f", "k", "ArrowDown", "ArrowDown", "Escape", "m")
        page.keyboard.type("It says two.")
        press(page, "Control+Enter", "n")
        said = page.locator("[data-said]")
        page.wait_for_function("() => document.querySelector('[data-said]').textContent")
        assert (said.inner_text(), said.get_attribute("role")) == ("Saved: no", "status")
        (act,) = acts(folder)
        assert {
            name: act.get(name) for name in ("claim_id", "label", "slice", "note", "flagged")
        } == {
            "claim_id": first,
            "label": "no",
            "slice": "paraphrase",
            "note": "It says two.",
            "flagged": True,
        }
        assert act["spans"] == [ENGLISH["passages"][1].partition(". ")[0] + "."]
        press(page, "u")
        assert claim_id(page) == first
        assert page.input_value("[data-note]") == "It says two."
        assert page.locator("[data-evidence] li").count() == 1
        press(page, "s")
        assert page.get_attribute("[data-progress]", "data-done") == "0"
        press(page, "u")
        press(page, "1")
        press(page, "h")
        assert kind(page) == "history"
        assert page.locator("[data-act]").count() == 1


def test_selected_text_becomes_evidence(browser: Any, server: Server, folder: Path) -> None:
    """By mouse: within a passage, over two, and once more to take it back."""
    with window(browser, server) as page:
        n = len(acts(folder))
        page.locator("[data-passage='0'] .sentence").first.dblclick(position={"x": 8, "y": 10})
        page.keyboard.press("e")
        assert page.locator("[data-evidence] li bdi").all_inner_texts() == ["The"]
        across = """() => {
          const [one, two] = document.querySelectorAll('[data-passage]');
          const range = document.createRange();
          range.setStart(one.lastChild.lastChild, 4);
          range.setEnd(two.firstChild.firstChild, 8);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }"""
        page.evaluate(across)
        page.click("[data-mark]")
        texts = page.locator("[data-evidence] li bdi").all_text_contents()
        assert len(texts) == 3
        assert texts[2] == "Visitors"
        page.click("[data-evidence] li:first-child [data-remove-span]")
        press(page, "1")
        spans = acts(folder)[n]["spans"]
        assert spans == texts[1:]
        assert spans[0] in ENGLISH["passages"][0]


def test_help_is_one_key_away_and_gives_the_focus_back(browser: Any, server: Server) -> None:
    with window(browser, server) as page:
        before = claim_id(page)
        page.focus("[data-flag]")
        for key, name in (("g", "guideline"), ("?", "keys")):
            page.keyboard.press(key)
            dialog = page.locator("dialog[open]")
            assert dialog.get_attribute("data-dialog") == name
            assert page.evaluate(
                "document.querySelector('dialog[open]').contains(document.activeElement)"
            )
            press_in_place(page, "1", "n", "s", "u", "f")  # keys of the page are out of reach
            assert (kind(page), claim_id(page)) == ("label", before)
            page.keyboard.press("Escape")
            assert page.locator("dialog[open]").count() == 0
            assert focused(page)["name"] == "flag"
        assert not page.is_checked("[data-flag]")


def test_names_for_screen_readers_in_both_languages(browser: Any, server: Server) -> None:
    words = {
        "en": (
            "yes the context supports it",
            "Kind of claim",
            "Note",
            "Skip",
            "Guideline",
            "Progress",
        ),
        "zh": ("支持 yes · 材料支持", "陈述类别", "备注", "跳过", "标注准则", "进度"),
    }
    with window(browser, server) as page:
        for language, (label, kinds, note_name, skip, guideline, progress) in words.items():
            page.goto(f"{server.root}/language?to={language}")
            tree = page.locator("body").aria_snapshot()
            for part in (
                *(f'button "{label}"', f'combobox "{kinds}"', f'textbox "{note_name}"'),
                *(f'button "{skip}"', f'link "{guideline}"', f'progressbar "{progress}"'),
            ):
                assert part in tree, tree
            assert tree.count("heading") >= 3
            assert len(re.findall(r"heading .*\[level=1\]", tree)) == 1
            nameless = re.findall(
                r"^\s*- (?:button|link|textbox|combobox|checkbox)\s*$", tree, re.M
            )
            assert nameless == []
            assert "main" in tree
            assert "banner" in tree


def test_the_basics_work_without_javascript(browser: Any, server: Server, folder: Path) -> None:
    with window(browser, server, java_script_enabled=False) as page:
        before, n = claim_id(page), len(acts(folder))
        page.fill("[data-note]", "no script; 没有脚本")
        page.check("[data-flag]")
        page.select_option("[data-slice]", "summary")
        page.click("[data-label=idk]")
        assert "Saved: idk" in page.inner_text("[data-said]")
        page.click("[data-skip]")
        page.click("[data-undo]")
        page.click("[data-open=guideline]")
        assert kind(page) == "guideline"
        page.click("text=Back to work")
        assert kind(page) == "label"
        label, skip, undo = acts(folder)[n:]
        assert (label["claim_id"], label["label"], label["slice"]) == (before, "idk", "summary")
        assert (label["note"], label["flagged"]) == ("no script; 没有脚本", True)
        assert label.get("seconds") is None
        assert (skip["event"], undo["event"], undo["undoes"]) == ("skip", "undo", skip["save_id"])


def test_a_conflict_can_be_answered_by_keyboard(browser: Any, server: Server) -> None:
    with window(browser, server) as page:
        stale = page.context.new_page()
        stale.goto(f"{server.root}/")
        press(page, "1")
        press(stale, "2")
        assert kind(stale) == "conflict"
        names = []
        for _ in range(12):
            stale.keyboard.press("Tab")
            names.append(focused(stale)["name"])
        assert {"keep", "replace"} <= set(names)
        stale.focus("[data-replace]")
        press(stale, "Enter")
        assert kind(stale) == "label"

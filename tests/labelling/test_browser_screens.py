"""Every page on a desk and on a phone, light and dark, in both languages; pictures are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import (
    DESKTOP,
    PHONE,
    claim_id,
    keep_picture,
    kind,
    press,
    serving,
    window,
)
from tests.labelling.folders import CHINESE, ENGLISH, claim, lights
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
SCREENS = (
    ("desk", DESKTOP, "light"),
    ("desk-dark", DESKTOP, "dark"),
    ("phone", PHONE, "light"),
    ("phone-dark", PHONE, "dark"),
)
THUMB = 44
"""CSS pixels that a finger needs (WCAG 2.1, 2.5.5)."""
LONG_ENGLISH = ENGLISH | {
    "context_id": "long",
    "title": "A history of the Brannock light and of the people who kept it, 1871 to 1988",
    "passages": [
        " ".join(
            f"In the year {1871 + 3 * year} the keepers wrote down {40 + year} nights of fog, "
            f"bought {year + 2} barrels of oil and painted the gallery once more."
            for year in range(9)
        )
        for _ in range(2)
    ],
}
LONG_CHINESE = CHINESE | {
    "context_id": "长",
    "passages": [
        "".join(
            f"{1871 + 3 * year}年，守塔人记下了{40 + year}个大雾之夜，买了{year + 2}桶灯油，"
            "又把观景台重新粉刷了一遍。"
            for year in range(9)
        )
        for _ in range(2)
    ],
}
VOTES = [
    note("anna", "yes", note="Two keepers, so not three.", seconds=12.0, flagged=True),
    note("小李", "no", note="材料说是两名守塔人。", spans=["Two keepers shared the tower"]),
]

TOO_SMALL = """([least, all]) => [...document.querySelectorAll(all)]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .map((node) => [node.innerText.trim().slice(0, 30) || node.outerHTML.slice(0, 60), node.getBoundingClientRect()])
  .filter(([, box]) => box.height < least - 0.5 || box.width < least - 0.5)
  .map(([name, box]) => `${name}: ${Math.round(box.width)} x ${Math.round(box.height)}`)"""
COVERED = """(all) => [...document.querySelectorAll(all)]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled)
  .filter((node) => {
    node.scrollIntoView({ block: 'center' });
    const box = node.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return !(top && (node.contains(top) || top.contains(node)));
  })
  .map((node) => node.innerText.trim())"""
PRESSED = "main button, main a.button, main .check, main select, main label.label, .tool"


def look(page: Any, name: str, language: str) -> None:
    """The page that is shown fits every screen, and a thumb meets what it aims at."""
    for screen, size, theme in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate("scrollTo(0, 0)")
        where = f"{name} {language} {screen}"
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], where
        keep_picture(page, f"{name}-{language}-{screen}")
        assert page.evaluate(COVERED, PRESSED) == [], where
        if size is PHONE:
            assert page.evaluate(TOO_SMALL, [THUMB, PRESSED]) == [], where
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def speak(page: Any, root: str, language: str) -> None:
    page.goto(f"{root}/language?to={language}")
    lang = {"en": "en", "zh": "zh-CN"}[language]
    assert page.get_attribute("html", "lang") == lang


def test_pages_of_labelling(browser: Any, tmp_path: Path) -> None:
    claims = [
        claim(0, context_id="long", question="When was the light lit, and who kept it?"),
        claim(3, context_id="长", question="灯塔什么时候点亮？谁在看守？"),
        *(claim(number) for number in range(4, 8)),
    ]
    folder = lights(tmp_path / "lights", claims, (ENGLISH, CHINESE, LONG_ENGLISH, LONG_CHINESE))
    with serving(folder, "anna") as server, window(browser, server) as page:
        for language, name in (("en", "c000"), ("zh", "c003")):
            speak(page, server.root, language)
            page.goto(f"{server.root}/claim?id={name}")
            for key in ("c", "ArrowDown", "Space", "Escape", "f"):
                page.keyboard.press(key)
            assert page.locator("[data-evidence] li").count() == 1
            look(page, "label", language)
            page.goto(f"{server.root}/claim?id={name}")
            page.keyboard.press("?")
            look_at_dialog(page, "keys", language)
            page.keyboard.press("g")
            look_at_dialog(page, "guideline-dialog", language)
            page.goto(f"{server.root}/guideline")
            look(page, "guideline", language)
        for language, name in (("en", "c004"), ("zh", "c005")):
            speak(page, server.root, language)
            page.goto(f"{server.root}/claim?id={name}")
            stale = page.context.new_page()
            stale.goto(f"{server.root}/claim?id={name}")
            stale.fill("[data-note]", "门票是免费的吗？ Entry is not in the text.")
            stale.keyboard.press("Escape")
            press(page, "2")
            press(stale, "3")
            assert kind(stale) == "conflict"
            look(stale, "conflict", language)
            stale.close()
            page.goto(f"{server.root}/history")
            look(page, "history", language)
            page.goto(f"{server.root}/claim?id=not-there")
            look(page, "message", language)
        page.goto(f"{server.root}/")
        press(page, "s")
        while kind(page) == "label":
            press(page, "1")
        for language in ("en", "zh"):
            speak(page, server.root, language)
            page.goto(f"{server.root}/")
            assert kind(page) == "end"
            look(page, "end", language)
        refused(browser, server.root)


def look_at_dialog(page: Any, name: str, language: str) -> None:
    assert page.locator("dialog[open]").count() == 1
    for screen, size, theme in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        box = page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= size["height"]
        keep_picture(page, f"{name}-{language}-{screen}", whole=False)
    page.set_viewport_size(DESKTOP)
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def refused(browser: Any, root: str) -> None:
    for language in ("en", "zh"):
        context = browser.new_context()
        context.add_cookies([{"name": "metajudge_language", "value": language, "url": root}])
        page = context.new_page()
        assert page.goto(f"{root}/").status == 403
        look(page, "start", language)
        context.set_extra_http_headers({"Origin": "http://elsewhere.example"})
        page.set_content(f'<form method="post" action="{root}/label"><button>go</button></form>')
        context.close()


def test_pages_of_those_who_settle(browser: Any, tmp_path: Path) -> None:
    claims = [claim(1, annotations=VOTES), claim(7, annotations=VOTES, context_id="长")]
    folder = lights(tmp_path / "lights", claims, (ENGLISH, LONG_CHINESE))
    with serving(folder, "chair", "--adjudicate") as server, window(browser, server) as page:
        for language in ("en", "zh"):
            speak(page, server.root, language)
            page.goto(f"{server.root}/")
            assert kind(page) == "settle"
            look(page, f"settle-{claim_id(page)}", language)
            if language == "en":
                page.keyboard.press("s")
                page.wait_for_url("**saved=*")
    assert json.loads((folder / "claims.jsonl").read_text().splitlines()[0])["claim_id"] == "c001"

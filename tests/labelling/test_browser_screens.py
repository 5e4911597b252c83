"""Every page on a desk and on a phone, light and dark, in both languages; pictures are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import (
    PHONE,
    Server,
    acts,
    claim_id,
    keep_picture,
    kind,
    press,
    serving,
    window,
)
from tests.labelling.folders import CHINESE, ENGLISH, claim, lights
from tests.labelling.looks import look, look_at_dialog, read, speak
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
HTML = "text/html"
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
LONG_CLAIMS = {
    "en": " ".join(
        f"In {1871 + year} the keepers counted {year + 3} ships and {year + 9} nights of fog."
        for year in range(20)
    ),
    "zh": "".join(
        f"{1871 + year}年守塔人数到{year + 3}艘船，另有{year + 9}个大雾之夜。" for year in range(20)
    ),
}
LABELS_IN_SIGHT = """() => [...document.querySelectorAll('[data-label]')].every((node) => {
  const box = node.getBoundingClientRect();
  const foot = document.elementFromPoint(box.x + box.width / 2, box.bottom - 3);
  return box.bottom <= innerHeight && node.contains(foot);
})"""
VOTES = [
    note("anna", "yes", note="Two keepers, so not three.", seconds=12.0, flagged=True),
    note("小李", "no", note="材料说是两名守塔人。", spans=["Two keepers shared the tower"]),
]


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
            read(page)
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
        turned_away(browser, server, "en")


def test_labels_stay_in_sight_under_a_claim_of_240_words(browser: Any, tmp_path: Path) -> None:
    assert len(LONG_CLAIMS["en"].split()) == 240
    numbers = {"en": (0, 4), "zh": (3, 7)}
    claims = [
        claim(number, claim=LONG_CLAIMS[language], **more)
        for language, (plain, asked) in numbers.items()
        for number, more in ((plain, {}), (asked, {"question": "When was it lit? 何时点亮？"}))
    ]
    folder = lights(tmp_path / "lights", [*claims, claim(8)])
    with serving(folder, "anna") as server, window(browser, server) as page:
        for language, number in ((key, n) for key, both in numbers.items() for n in both):
            speak(page, server.root, language)
            page.goto(f"{server.root}/claim?id=c{number:03}")
            for size in ({"width": 1280, "height": 800}, PHONE):
                page.set_viewport_size(size)
                assert page.evaluate(LABELS_IN_SIGHT), (number, size)
                reading = page.get_by_role("group", name={"en": "Claim", "zh": "陈述"}[language])
                scrolled = "() => document.querySelector('[data-claim-text]').getClientRects()[0].y"
                before = page.evaluate(scrolled)
                reading.focus()
                page.keyboard.press("End")
                page.wait_for_function(f"() => ({scrolled})() < {before} - 50")
            look(page, f"long-claim-{number}", language)
        page.goto(f"{server.root}/claim?id=c008")
        assert page.locator("[data-reading][tabindex]").count() == 0


def turned_away(browser: Any, server: Server, language: str) -> None:
    """A window that was not let in, and a form of another site."""
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(f"{server.root}/").status == 403
    assert kind(page) == "start"
    look(page, "start", language)
    form = f'<form method="post" action="{server.root}/label"><button>win</button></form>'
    page.route(
        "http://elsewhere.example/", lambda route: route.fulfill(body=form, content_type=HTML)
    )
    page.goto("http://elsewhere.example/")
    with page.expect_navigation():
        page.click("button")
    assert kind(page) == "refused"
    look(page, "refused", language)
    context.close()


def test_a_wrong_tap_on_a_phone_is_taken_back_in_place(browser: Any, tmp_path: Path) -> None:
    folder = lights(
        tmp_path / "lights", [claim(n, context_id="long") for n in range(3)], [LONG_ENGLISH]
    )
    with (
        serving(folder, "anna") as server,
        window(browser, server, viewport=PHONE, has_touch=True, is_mobile=True) as page,
    ):
        first = claim_id(page)
        page.wait_for_timeout(500)  # a tap right after a page has come is taken for a slip
        with page.expect_navigation():
            page.tap("[data-label=no]")
        page.wait_for_function("() => document.querySelector('[data-said]').innerText")
        keep_picture(page, "phone-saved-en", whole=False)
        assert claim_id(page) != first
        undo = page.locator("[data-undo-near]")
        box = undo.bounding_box()
        assert 0 < box["y"] < PHONE["height"] - box["height"]
        assert box["height"] >= 44
        with page.expect_navigation():
            undo.tap()
        assert claim_id(page) == first
        assert [act["event"] for act in acts(folder)] == ["label", "undo"]


def test_a_set_with_two_labels(browser: Any, tmp_path: Path) -> None:
    folder = lights(tmp_path / "lights", 4, label_space="binary")
    with serving(folder, "anna", "--lang", "zh") as server, window(browser, server) as page:
        turned_away(browser, server, "zh")
        for language in ("en", "zh"):
            speak(page, server.root, language)
            page.goto(f"{server.root}/")
            look(page, "binary", language)
        page.keyboard.press("3")
        page.keyboard.press("i")
        for key in ("1", "2", "y", "n"):
            press(page, key)
        assert kind(page) == "end"
    given = [act["label"] for act in acts(folder)]
    assert given == ["supported", "unsupported", "supported", "unsupported"]


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

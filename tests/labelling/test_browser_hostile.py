"""Texts and names that want to be more than text, everywhere that a page shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from metajudge.labelling.forms import LONGEST_NOTE
from tests.labelling.browser import DESKTOP, PHONE, acts, claim_id, kind, press, serving, window
from tests.labelling.folders import MANIFEST, claim, lights
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
RUN = "window.ran=(window.ran||0)+1"
PLAIN = (
    f"<script>{RUN}</script>",
    f'</script><img src=x onerror="{RUN}">',
    f"\"'><svg/onload={RUN}>",
    f"</textarea></bdi></template><iframe srcdoc='<script>parent.{RUN}</script>'>",
    "{{ 7*7 }}{% include 'base.html.j2' %}{# #} ${7*7} #{7*7} <%= 7*7 %>",
    f"javascript:{RUN}",
    "&lt;b&gt; &amp;amp; &#x3c; %3Cscript%3E",
    "null None undefined NaN -0 1e999 [object Object]",
    "مرحبا بالعالم שלום 123 abc",
    "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 ﷽ 𠜎 zero\u200bwidth",
    "-->]]><!-- <plaintext> <base href=//elsewhere.example> <style>*{display:none}</style>",
    "w" * 10_000,
)
HIDDEN = (
    "\u202eexe.gnp\u202c \u2066isolated\u2069",
    "\x1b[31mred\x1b[0m \x07bell \x7f",
    "one\u2028two\u2029three",
)
NAME = f"\"'><img src=x onerror={RUN}>{{{{7*7}}}}"
OF_OTHERS = "[onerror], [onload], [onclick], img, iframe, svg, plaintext, base, object, embed"


def told(text: str) -> str:
    """A text as it should be read: a mark for each character that hides itself or moves others."""
    return re.sub(r"[\x00-\x1f\x7f\u2028-\u202e\u2066-\u2069]", "▯", text)


def harmless(page: Any) -> None:
    assert page.evaluate("window.ran") is None
    assert page.locator(OF_OTHERS).count() == 0
    scripts = page.evaluate("[...document.scripts].map((script) => script.src)")
    assert len(scripts) == 1
    assert "/static/page.js" in scripts[0]
    assert page.locator("style").count() == 0
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def shown(page: Any, selector: str) -> list[str]:
    return [str(text) for text in page.locator(selector).all_text_contents()]


def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    claims, contexts = [], []
    for number, text in enumerate((*PLAIN, *HIDDEN)):
        name = f'{number} {text}&a=1#?/../%2e"'[:200]
        contexts.append(
            {
                "context_id": name,
                "passages": [f"{text} One more sentence.", text],
                "title": text,
                "domain": text[:200],
                "lang": "en",
            }
        )
        made = claim(number, claim=text, context_id=name, claim_id=name, question=text)
        votes = [note(text[:150], "yes", note=text, spans=[text]), note("bo", "no", note=text)]
        claims.append(made | {"annotations": votes if number % 2 else []})
    return claims, contexts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    policy = MANIFEST["labelling_policy"] | {"rules": [*PLAIN[:7], HIDDEN[0]]}
    place = tmp_path_factory.mktemp("hostile") / "lights"
    return lights(place, *rows(), name=PLAIN[1], labelling_policy=policy)


def test_a_page_of_labelling_shows_every_text_and_runs_none(browser: Any, folder: Path) -> None:
    by_id = {row["claim_id"]: row for row in rows()[0]}
    with (
        serving(folder, NAME, "--only", "all") as server,
        window(browser, server) as page,
    ):
        for _ in by_id:
            text = by_id[claim_id(page)]["claim"]
            assert shown(page, "[data-claim-text] bdi") == [told(text)]
            assert shown(page, ".question bdi") == [told(text)]
            assert shown(page, "#context-title bdi") == [told(text)]
            assert shown(page, "[data-passage='1']") == [told(text)]
            assert shown(page, ".who bdi") == [NAME]
            harmless(page)
            page.fill("[data-note]", text)
            press(page, "Escape", "2")
        assert kind(page) == "end"
        harmless(page)
        written = [act for act in acts(folder) if act["annotator"] == NAME]
        kept = {name: row["claim"][:LONGEST_NOTE] for name, row in by_id.items()}
        assert {act["claim_id"]: act["note"] for act in written} == kept
        page.goto(f"{server.root}/history")
        assert sorted(shown(page, ".act-note")) == sorted(map(told, kept.values()))
        harmless(page)
        page.goto(f"{server.root}/guideline")
        rules = shown(page, "#main .rules li")
        assert set(rules) >= {told(rule) for rule in (*PLAIN[:7], HIDDEN[0])}
        harmless(page)
        page.goto(f"{server.root}/claim?id={quote(PLAIN[0])}&undone={quote(PLAIN[1])}")
        harmless(page)


def test_labels_and_notes_of_others_are_text_too(browser: Any, folder: Path) -> None:
    by_id = {row["claim_id"]: row for row in rows()[0]}
    with serving(folder, "chair", "--adjudicate") as server, window(browser, server) as page:
        for name in [name for name, row in by_id.items() if row["annotations"]]:
            page.goto(f"{server.root}/claim?id={quote(name, safe='')}")
            text = told(by_id[name]["claim"])
            assert kind(page) == "settle"
            assert shown(page, "[data-vote] p .lines")[:1] == [text]
            assert shown(page, "[data-vote] blockquote") == [text]
            assert shown(page, "[data-vote] .vote-head bdi")[0] == told(by_id[name]["claim"][:150])
            harmless(page)


def test_marked_evidence_is_cut_where_people_see_it(browser: Any, tmp_path: Path) -> None:
    passage = "The 🗼🏳️‍🌈 stands\r\nby the sea. 灯塔𠜎很高。  \u202eIt turns.\u202c Last."
    context = {"context_id": "x", "passages": ["Fog.", passage], "lang": "en"}
    folder = lights(tmp_path / "lights", [claim(0, context_id="x")], [context])
    with serving(folder, "anna") as server, window(browser, server) as page:
        page.keyboard.press("c")
        for _ in range(page.locator(".sentence").count() - 1):
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Space")
        marks = shown(page, "[data-evidence] li bdi")
        press(page, "Escape", "1")
        (act,) = acts(folder)
    spans = act["spans"]
    assert len(spans) == len(marks) >= 2
    places = [passage.index(span) for span in spans]
    assert places == sorted(places)
    assert "".join("".join(spans).split()) == "".join(passage.split())
    # One mark for one character, so that places stay what they are.
    assert [len(mark) for mark in marks] == [len(span) for span in spans]

"""What a page has to be like on every screen: it fits, thumbs meet their aim, text stands out."""

from __future__ import annotations

from typing import Any

from tests.labelling.browser import DESKTOP, PHONE, keep_picture

SCREENS = (
    ("desk", DESKTOP, "light"),
    ("desk-dark", DESKTOP, "dark"),
    ("phone", PHONE, "light"),
    ("phone-dark", PHONE, "dark"),
)
THUMB = 44
"""CSS pixels that a finger needs (WCAG 2.2, 2.5.5)."""
PRESSED = "main button, main a.button, main .check, main select, main label.label, .tool"
TOO_SMALL = """([least, all]) => [...document.querySelectorAll(all)]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .map((node) => [node.outerHTML.slice(0, 60), node.getBoundingClientRect()])
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
  .map((node) => node.outerHTML.slice(0, 80))"""
FAINT = """() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, under) => under.map((value, i) => top[i] * top[3] + value * (1 - top[3]));
  const light = (rgb) => rgb.map((value) => value / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const parents = (node) => {
    const all = [];
    for (let n = node; n; n = n.parentElement) all.push(getComputedStyle(n));
    return all;
  };
  const isText = (node) => node.nodeType === 3 && node.textContent.trim();
  return [...document.querySelectorAll('body *')]
    .filter((node) => [...node.childNodes].some(isText))
    .filter((node) => node.checkVisibility({ visibilityProperty: true }))
    .filter((node) => !node.closest(':disabled, .hear, option, .said'))
    .map((node) => {
      const styles = parents(node);
      const ground = styles.map((style) => parse(style.backgroundColor)).reverse()
        .reduce((under, top) => over(top, under), [255, 255, 255]);
      const ink = parse(styles[0].color);
      ink[3] *= styles.reduce((whole, style) => whole * Number(style.opacity), 1);
      const [dark, bright] = [light(over(ink, ground)), light(ground)].sort((a, b) => a - b);
      const name = `${node.className} ${node.textContent.trim().slice(0, 30)}`;
      return [name, (bright + 0.05) / (dark + 0.05)];
    })
    .filter(([, contrast]) => contrast < 4.5);
}"""
"""Texts under the contrast of WCAG 2.2, 1.4.3, whatever their size."""


def look(page: Any, name: str, language: str) -> None:
    """Looks at the page that is shown on every screen, and keeps a picture of each."""
    for screen, size, theme in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate("scrollTo(0, 0)")
        where = f"{name} {language} {screen}"
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], where
        keep_picture(page, f"{name}-{language}-{screen}")
        assert page.evaluate(FAINT) == [], where
        assert page.evaluate(COVERED, PRESSED) == [], where
        if size is PHONE:
            assert page.evaluate(TOO_SMALL, [THUMB, PRESSED]) == [], where
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


READING = """() => {
  scrollTo(0, document.querySelector('[data-passage="1"]').getBoundingClientRect().top);
  const passage = document.querySelector('[data-passage]'), style = getComputedStyle(passage);
  const size = parseFloat(style.fontSize);
  const inSight = (selector) => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const top = document.elementFromPoint(box.x + 20, box.y + box.height / 2);
    return Boolean(top && top.closest(selector));
  };
  return {
    size,
    spacing: parseFloat(style.lineHeight) / size,
    wide: passage.getBoundingClientRect().width / size,
    claim: inSight('.claim'),
    labels: ['yes', 'no', 'idk'].every((name) => inSight(`[data-label=${name}]`)),
  };
}"""


def read(page: Any) -> None:
    """Reads on in a long context: lines are easy to follow, claim and labels stay in sight."""
    for _, size, _ in SCREENS[::2]:
        page.set_viewport_size(size)
        found = page.evaluate(READING)
        assert found["size"] >= 16
        assert found["spacing"] >= 1.5
        assert found["wide"] <= 40
        assert found["claim"], size
        assert found["labels"], size
    page.set_viewport_size(DESKTOP)
    page.evaluate("scrollTo(0, 0)")


def look_at_dialog(page: Any, name: str, language: str) -> None:
    """Looks at the dialog that is open on every screen, keeps pictures, and closes it."""
    assert page.locator("dialog[open]").count() == 1
    for screen, size, theme in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        box = page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= size["height"]
        assert page.evaluate(FAINT) == [], f"{name} {language} {screen}"
        keep_picture(page, f"{name}-{language}-{screen}", whole=False)
    page.set_viewport_size(DESKTOP)
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def speak(page: Any, root: str, language: str) -> None:
    """Changes the language of the pages, as the link in their head does."""
    page.goto(f"{root}/language?to={language}")
    assert page.get_attribute("html", "lang") == {"en": "en", "zh": "zh-CN"}[language]

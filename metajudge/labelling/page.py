"""Pages as HTML text: templates in strict mode, and other people's text made harmless."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple, cast

from jinja2 import DictLoader, Environment, StrictUndefined

from metajudge.gold.claim import MetricName
from metajudge.labelling.words import HTML_LANGUAGE, LANGUAGES, Language, word

_HIDDEN = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)))


class Page(NamedTuple):
    """An answer to a browser.

    Attributes:
        body: HTML.
        status: Of HTTP.
        location: Where the browser goes instead; None where it stays.
        cookies: Name -> value, to be set.
    """

    body: str = ""
    status: int = 200
    location: str | None = None
    cookies: tuple[tuple[str, str], ...] = ()


def go(location: str, *cookies: tuple[str, str]) -> Page:
    """Sends the browser to another page of this server."""
    return Page(status=303, location=location, cookies=cookies)


def shown(text: object) -> str:
    r"""A text in which every character can be seen and none moves others, one for one.

    Places in the text stay what they are, so that a marked span can be found by its place.

    >>> shown("a\x1b\u202eb\r\nc")
    'a▯▯b \nc'
    """
    plain = str(text)
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(map(_visible, plain.replace("\r\n", " \n")))


def _visible(char: str) -> str:
    if char in "\n\t":
        return char
    hidden = char in _HIDDEN or "\U000e0000" <= char <= "\U000e0fff"
    return "▯" if hidden or unicodedata.category(char) in ("Cc", "Cs") else char


@cache
def environment() -> Environment:
    """The page templates; every text is escaped, a name that is not there is a fault."""
    folder = files("metajudge.labelling").joinpath("pages")
    sources = {
        file.name: file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".j2")
    }
    made = Environment(
        loader=DictLoader(sources),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: "" if value is None else value,
    )
    made.filters |= {"shown": shown, "minute": _minute}
    made.globals |= {"static": _static_url}
    return made


def render(name: str, language: Language, /, **values: object) -> str:
    """A page in one language."""
    template = environment().get_template(f"{name}.html.j2")
    metric = cast(MetricName, values.get("metric", "faithfulness"))
    return template.render(
        t=partial(_worded, language, metric),
        language=language,
        html_language=HTML_LANGUAGE[language],
        languages=LANGUAGES,
        **values,
    )


def static(name: str) -> bytes:
    """A file of the folder `static`."""
    return files("metajudge.labelling").joinpath("static", name).read_bytes()


@cache
def static_mark(name: str) -> str:
    """What the address of a static file carries, so that a browser keeps it until it changes."""
    return hashlib.sha256(static(name)).hexdigest()[:12]


def _static_url(name: str) -> str:
    return f"/static/{name}?v={static_mark(name)}"


def _worded(language: Language, metric: MetricName, key: str, **values: object) -> str:
    return word(key, language, metric, **values)


def _minute(time: str) -> str:
    """A time to the minute, without the offset that it is given in: always UTC."""
    return shown(time)[:16].replace("T", " ")

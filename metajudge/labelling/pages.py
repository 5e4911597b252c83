"""The pages that are looked at; those that decide something are in `decisions`."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from metajudge.labelling.desk import Desk
from metajudge.labelling.door import Door, read_cookie
from metajudge.labelling.page import Page, go, render
from metajudge.labelling.queue import Queue
from metajudge.labelling.views import (
    claim_url,
    claim_view,
    filled_in,
    frame,
    history_view,
    told,
    verdict_view,
    votes_view,
)
from metajudge.labelling.words import LANGUAGES, Language, word

LANGUAGE_COOKIE = "metajudge_language"
_TEMPLATES = {"label": "label", "double": "label", "adjudicate": "settle", "review": "review"}


class Ask(NamedTuple):
    """A request: its query, its form (empty where it has none), and the reader's language."""

    query: Mapping[str, str]
    form: Mapping[str, str]
    language: Language


class Pages:
    """Pages of one annotator's desk."""

    def __init__(self, desk: Desk, door: Door, default: Language) -> None:
        self.desk = desk
        self.door = door
        self.default = default

    def work(self, ask: Ask) -> Page:
        """The next claim, or what is next when none waits."""
        self.desk.look()
        if self.desk.folder.trouble or self.desk.folder.log_trouble:
            return self.trouble(ask)
        progress = self.desk.queue.progress()
        again = ask.query.get("skipped") == "1" and bool(progress.skipped)
        claim_id = progress.skipped[0] if again else self.desk.queue.next_claim()
        if claim_id is None:
            return self.end(ask)
        return self._claim(ask, claim_id, again)

    def claim(self, ask: Ask) -> Page:
        """One claim by its id, also one that was decided already."""
        self.desk.look()
        if self.desk.folder.trouble or self.desk.folder.log_trouble:
            return self.trouble(ask)
        claim_id = ask.query.get("id", "")
        if not self.is_shown(claim_id):
            return self.message(ask, "gone", 404)
        return self._claim(ask, claim_id, ask.query.get("skipped") == "1")

    def is_shown(self, claim_id: str) -> bool:
        """Whether a claim is part of this sitting, or was decided in it."""
        queue = self.desk.queue
        if claim_id not in self.desk.folder.claims:
            return False
        return queue.status(claim_id) != "out" or queue.mine(claim_id) is not None

    def saved(self, ask: Ask) -> Page:
        """What judges said, after the label was saved."""
        self.desk.look()
        act = self._act(ask.query.get("act", ""))
        if act is None or act.event != "label" or self.desk.queue.my_label(act.claim_id) != act:
            return go("/")
        return self.show(
            ask,
            "verdicts",
            claim=claim_view(self.desk, act.claim_id),
            what=self._told(act, ask),
            saved_claim=act.claim_id,
            skipped=ask.query.get("skipped") == "1",
            **verdict_view(self.desk, act.claim_id),
        )

    def end(self, ask: Ask) -> Page:
        """Nothing waits: what was skipped, and what is next."""
        sitting = self.desk.sitting
        place, name = shlex.quote(str(self.desk.folder.path)), shlex.quote(sitting.annotator)
        every = replace(sitting, work="label", only="all", order=None)
        more = Queue(self.desk.folder, every).progress().waiting > 0
        return self.show(ask, "end", sitting=sitting, folder=place, name=name, more=more)

    def history(self, ask: Ask) -> Page:
        """What this annotator decided, with a way to take each back."""
        self.desk.look()
        rows = history_view(self.desk, ask.language)
        for row in rows:
            row["undo_id"] = new_id()
        return self.show(ask, "history", rows=rows)

    def guideline(self, ask: Ask) -> Page:
        """The labelling policy on a page of its own."""
        self.desk.look()
        return self.show(ask, "guideline")

    def start(self, ask: Ask) -> Page:
        """Lets a browser in by the token in its address, or asks for it."""
        token = ask.query.get("token") or ask.form.get("token", "")
        if token and self.door.admits(token):
            return go("/", (self.door.cookie, self.door.session))
        wrong = "start.wrong" if token and self.door.asks_for_token else ""
        if wrong and self.door.is_tried:
            return self.closed(ask.language, wrong="start.tried", status=429)
        return self.closed(ask.language, wrong=wrong, status=403 if token else 200)

    def closed(
        self, language: Language, *, wrong: str = "", status: int = 403, again: bool = False
    ) -> Page:
        """For a browser that was not let in yet.

        Args:
            language: Of the page.
            wrong: What is said of the token that was given; empty where none was.
            status: Of HTTP.
            again: Whether the browser asks once more by itself. One that follows a link of
                another site keeps the session to itself until then.
        """
        body = render("start", language, asks=self.door.asks_for_token, wrong=wrong, again=again)
        return Page(body, status)

    def language(self, ask: Ask) -> Page:
        """Changes the language of the pages."""
        wanted = ask.query.get("to", "")
        back = ask.query.get("back", "")
        place = claim_url(back) if self.is_shown(back) else "/"
        chosen = (LANGUAGE_COOKIE, f"{self.default}.{wanted}")
        return go(place, chosen) if wanted in LANGUAGES else go(place)

    def language_of(self, cookies: str) -> Language:
        """The language that a reader chose; it holds as long as `--lang` is what it was then."""
        chosen = read_cookie(cookies, LANGUAGE_COOKIE)
        found = (code for code in LANGUAGES if chosen == f"{self.default}.{code}")
        return next(found, self.default)

    def trouble(self, ask: Ask) -> Page:
        """A file of the folder cannot be read now."""
        folder = self.desk.folder
        problems = (*folder.trouble, *folder.log_trouble)
        where = "log" if folder.log_trouble else "set"
        return self.message(ask, "unreadable", 503, problems=problems, lead=f"unreadable.{where}")

    def message(self, ask: Ask, key: str, status: int, **values: Any) -> Page:
        """A page that says what happened and what to do."""
        given = {"lead": f"{key}.lead", "values": {}, "problems": (), "claim_url": None} | values
        return self.show(ask, "message", status, title=f"{key}.title", **given)

    def _claim(self, ask: Ask, claim_id: str, skipped: bool) -> Page:
        desk = self.desk
        undone = ask.query.get("undone", "")
        values: dict[str, Any] = {
            "claim": claim_view(desk, claim_id),
            "fields": filled_in(desk, claim_id, undone),
            "skipped": skipped,
        }
        if not desk.sitting.is_blind:
            values["votes"] = votes_view(desk, claim_id)
        if desk.sitting.work == "review":
            values |= verdict_view(desk, claim_id)
            if not values["verdicts"]:
                return self.message(ask, "gone", 404)
        return self.show(ask, _TEMPLATES[desk.sitting.work], **values)

    def show(self, ask: Ask, name: str, status: int = 200, /, **values: Any) -> Page:
        """A page in its frame."""
        around = {
            **frame(self.desk, ask.language),
            "csrf": self.door.form_mark,
            "desk_name": self.door.cookie,
            "save_id": new_id(),
            "undo_id": new_id(),
            **self._said(ask),
        }
        return Page(render(name, ask.language, **(around | values)), status)

    def _said(self, ask: Ask) -> dict[str, str]:
        """What the page says first: that something was saved or taken back."""
        for key in ("saved", "undone"):
            act = self._act(ask.query.get(key, ""))
            if act is not None:
                said = word(key, ask.language, what=self._told(act, ask))
                return {"said": said, "saved_claim": act.claim_id if key == "saved" else ""}
        return {"said": "", "saved_claim": ""}

    def _told(self, act: Any, ask: Ask) -> str:
        return told(act, ask.language, self.desk.folder.base.manifest.metric)

    def _act(self, save_id: str) -> Any:
        return self.desk.folder.saved(self.desk.sitting.annotator, save_id)


def new_id() -> str:
    """An id for the act that a page may lead to."""
    return secrets.token_urlsafe(12)

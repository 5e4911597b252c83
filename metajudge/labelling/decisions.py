"""What forms decide: each is saved before the next page is shown, or a page says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metajudge.gold.claim import MetricName
from metajudge.gold.metric_checks import metric_labels
from metajudge.labelling.desk import Outcome, Sent
from metajudge.labelling.forms import FormError, as_sent, label_of, outcome_of, save_id_of, sent_of
from metajudge.labelling.page import Page, go
from metajudge.labelling.pages import Ask, Pages, new_id
from metajudge.labelling.views import claim_url, claim_view, told
from metajudge.labelling.words import word

_APART = ("csrf", "save_id", "state")
"""Fields that are made anew where a form is offered again; `seen` stays that of the page."""
_STATUS = {"conflict": 409, "changed": 409, "gone": 404, "unreadable": 503, "unwritable": 503}


class Decisions:
    """Forms of one annotator's desk."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.desk = pages.desk

    def label(self, ask: Ask) -> Page:
        """A label of a claim."""

        def save(sent: Sent) -> Outcome:
            return self.desk.label(sent, label_of(ask.form, self._labels()))

        return self._decide(ask, "/label", save)

    def skip(self, ask: Ask) -> Page:
        """A claim left for later."""
        return self._decide(ask, "/skip", self.desk.skip)

    def settle(self, ask: Ask) -> Page:
        """The gold label of a claim that people disagreed on."""

        def save(sent: Sent) -> Outcome:
            label = label_of(ask.form, self._labels())
            if sent.note is None:
                raise FormError("reason")
            return self.desk.settle(sent, label)

        return self._decide(ask, "/settle", save)

    def review(self, ask: Ask) -> Page:
        """What somebody made of a verdict."""

        def save(sent: Sent) -> Outcome:
            outcome = outcome_of(ask.form)
            shown = self.desk.sitting.verdicts.get(sent.claim_id, ())
            verdict = next((v for v in shown if v.trial == ask.form.get("trial")), None)
            if verdict is None:
                return Outcome("gone")
            if outcome != "gold_wrong":
                return self.desk.review(sent, verdict, outcome)
            label = label_of(ask.form, self._labels())
            if sent.note is None:
                raise FormError("reason")
            return self.desk.review(sent, verdict, outcome, label)

        return self._decide(ask, "/review", save)

    def undo(self, ask: Ask) -> Page:
        """An act of this annotator taken back; its claim is shown again."""
        try:
            undoes = save_id_of(ask.form, "undoes")
            outcome = self.desk.undo(undoes, save_id_of(ask.form, "save_id"))
        except FormError as error:
            return self._bad(ask, error)
        if outcome.kind != "saved" or outcome.act is None:
            return self._refused(ask, "/undo", outcome)
        claim_id = outcome.act.claim_id
        if not self.pages.is_shown(claim_id):
            return go(f"/?undone={undoes}")
        return go(f"{claim_url(claim_id)}&undone={undoes}")

    def _claim_of(self, sent: str) -> str | None:
        """The claim that a form names; browsers change line ends and U+0000 on the way."""
        claims = self.desk.folder.claims
        if sent in claims:
            return sent
        found = [name for name in claims if as_sent(name) == as_sent(sent)]
        return found[0] if len(found) == 1 else None

    def _metric(self) -> MetricName:
        return self.desk.folder.base.manifest.metric

    def _labels(self) -> Any:
        return metric_labels(self._metric(), self.desk.folder.base.manifest.label_space)

    def _decide(self, ask: Ask, path: str, save: Callable[[Sent], Outcome]) -> Page:
        self.desk.look()
        claim_id = self._claim_of(ask.form.get("claim_id", ""))
        if claim_id is None:
            return self.pages.message(ask, "gone", 404)
        ask = ask._replace(form={**ask.form, "claim_id": claim_id})
        try:
            sent = sent_of(ask.form, self.desk.folder.passages(claim_id))
            outcome = save(sent)
        except FormError as error:
            if ask.form.get("seen") != self.desk.seen(claim_id):
                return self._refused(ask, path, Outcome("changed"))
            return self._bad(ask, error)
        if outcome.kind != "saved":
            return self._refused(ask, path, outcome)
        skipped = "&skipped=1" if ask.form.get("skipped") == "1" else ""
        if path == "/label" and self.desk.sitting.verdicts.get(claim_id):
            return go(f"/saved?act={sent.save_id}{skipped}")
        return go(f"/?saved={sent.save_id}{skipped}")

    def _bad(self, ask: Ask, error: FormError) -> Page:
        claim_id = ask.form.get("claim_id", "")
        what = str(error)
        key = {"note": "note", "reason": "need_reason", "slice": "slice", "spans": "evidence"}
        values = {"what": word(key[what], ask.language) if what in key else what}
        url = claim_url(claim_id) if self.pages.is_shown(claim_id) else "/"
        return self.pages.message(ask, "bad_form", 400, values=values, claim_url=url)

    def _refused(self, ask: Ask, path: str, outcome: Outcome) -> Page:
        status = _STATUS[outcome.kind]
        claim_id = ask.form.get("claim_id", "")
        url = claim_url(claim_id) if self.pages.is_shown(claim_id) else "/"
        if outcome.kind == "conflict":
            return self._conflict(ask, path, outcome, claim_id)
        if outcome.kind == "unreadable":
            return self.pages.trouble(ask)
        values = {"reason": outcome.reason} if outcome.kind == "unwritable" else {}
        return self.pages.message(ask, outcome.kind, status, values=values, claim_url=url)

    def _conflict(self, ask: Ask, path: str, outcome: Outcome, claim_id: str) -> Page:
        act: Any = outcome.act
        kept = {key: value for key, value in ask.form.items() if key not in _APART}
        claim = claim_view(self.desk, claim_id)
        made = {"save_id": new_id(), "state": claim["state"]}
        return self.pages.show(
            ask,
            "conflict",
            409,
            path=path,
            claim=claim,
            stands=None if act is None else told(act, ask.language, self._metric()),
            stands_note=getattr(act, "note", None) or getattr(act, "why", None),
            by=None
            if act is None or act.annotator == self.desk.sitting.annotator
            else act.annotator,
            yours=self._yours(ask, path),
            again=kept | made,
        )

    def _yours(self, ask: Ask, path: str) -> str:
        label, outcome = ask.form.get("label", ""), ask.form.get("outcome", "")
        if path == "/skip":
            return word("act.skip", ask.language)
        parts = [word(f"outcome.{outcome}", ask.language)] if path == "/review" else []
        if label in self._labels():
            parts.append(word(f"label.{label}", ask.language, self._metric()))
        return " · ".join(parts)

"""Rows of any source as answers: whole ones, or one claim a row, with every fault named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from metajudge.errors import Problem, short_repr
from metajudge.gold.claim_rows import script_language
from metajudge.gold.fingerprint import answer_id_of, claim_id_of, context_id_of
from metajudge.gold.rows import SourceRow
from metajudge.release.answer_fields import (
    EVALUATED,
    IDEAL_APART,
    LONGEST_ID,
    AnswerFields,
    GivenClaim,
)
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.scoring.statements import is_statement_free

ClaimsMode = Literal["auto", "fixed", "extract"]
"""Where claims come from: given ones, extracted where there are none (`auto`); given ones alone
(`fixed`); extracted ones alone (`extract`)."""


_WORDS = re.compile(r"[^\W\d_]+")
_TELLING = 3
"""Words in another script than Chinese that tell a language: `2 GB` is said in both."""


def spoken_language(texts: Iterable[str | None]) -> str:
    """The language of an answer, `zh` or `en`, from its texts, the most telling kind first.

    The first text with Chinese or with three words decides; `en` where none has.

    >>> spoken_language(["2 GB", "免费版有多大空间？"]), spoken_language(["At nine.", "When?"])
    ('zh', 'en')
    """
    for text in filter(None, texts):
        if script_language(text) == "zh":
            return "zh"
        if len(_WORDS.findall(text)) >= _TELLING:
            return "en"
    return "en"


@dataclass
class _Draft:
    """An answer while its rows are read."""

    row: SourceRow
    answer_id: str
    by_claim: bool
    passages: tuple[str, ...]
    claims: list[GivenClaim] | None
    texts: dict[str, str] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)


class AnswerReader:
    """Gathers answers, faults and notes from rows.

    Attributes:
        problems: Faults found so far, in order.
        notes: What was decided for the user: counts by message.
    """

    def __init__(self, claims: ClaimsMode = "auto") -> None:
        self.mode = claims
        self.problems: list[Problem] = []
        self.notes: Counter[str] = Counter()
        self._drafts: dict[str, _Draft] = {}

    def read(self, row: SourceRow) -> None:
        """Take in one row."""
        fields = AnswerFields(row)
        answer_id = fields.identifier("answer_id")
        texts = {name: fields.text(name) for name in ("answer", "question", "lang")}
        texts["context_id"] = fields.identifier("context_id")
        known = {name: text for name, text in texts.items() if text is not None}
        claims = fields.claims()
        if fields.are_evaluated and self.mode != "extract":
            self.notes[f"claims taken from {EVALUATED}"] += 1
        self.notes[IDEAL_APART] += fields.ideal_apart
        first = self._drafts.get(answer_id or "") if fields.is_claim else None
        passages: tuple[str, ...] | None = None
        if first is None or "passages" in fields.known:
            passages = fields.passages()
        if answer_id is None and passages is not None:
            answer_id = self._made_id(fields, passages, known, claims)
            first = self._drafts.get(answer_id) if fields.is_claim else None
        self.problems += fields.problems
        if answer_id is None:
            return
        if first is not None:
            self._add_claim(first, fields, passages, known, claims)
            return
        if answer_id in self._drafts:
            self._stands_twice(row, answer_id)
            return
        if fields.has_answer:
            known.setdefault("answer", "")
        if passages == ():
            self.notes["the context is empty"] += 1
        self._drafts[answer_id] = _Draft(
            row,
            answer_id,
            fields.is_claim,
            passages or (),
            None if claims is None else list(claims),
            known,
            fields.own,
        )

    def answers(self) -> tuple[Answer, ...]:
        """The answers read so far, in the order of their first rows; see `problems`."""
        drafts = list(self._drafts.values())
        given = Counter(
            claim_id
            for draft in drafts
            for claim_id in {claim.claim_id for claim in draft.claims or () if claim.claim_id}
        )
        shared = any(count > 1 for count in given.values())
        if shared:
            self.notes["claim_id used by several answers: answer_id#claim_id in its place"] = sum(
                1 for draft in drafts for claim in draft.claims or () if claim.claim_id
            )
        return tuple(self._answer(draft, shared) for draft in drafts)

    def _made_id(
        self,
        fields: AnswerFields,
        passages: tuple[str, ...],
        known: dict[str, str],
        claims: Sequence[GivenClaim] | None,
    ) -> str:
        """An id made from content, the same in any order and file (B86)."""
        self.notes["answer_id made from content"] += 1
        question = known.get("question")
        said = [known["answer"]] if "answer" in known else []
        if fields.is_claim:
            return answer_id_of([*passages, *said], question)
        said += [claim.text for claim in claims or ()]
        made = answer_id_of([*passages, *said], question)
        copies = 1
        while (numbered := made if copies == 1 else f"{made}-{copies}") in self._drafts:
            copies += 1
        return numbered

    def _add_claim(
        self,
        draft: _Draft,
        fields: AnswerFields,
        passages: tuple[str, ...] | None,
        known: dict[str, str],
        claims: Sequence[GivenClaim] | None,
    ) -> None:
        """A further claim of an answer: what its row says of the answer has to agree."""
        if not draft.by_claim:
            self._stands_twice(fields.row, draft.answer_id)
            return
        if passages is not None and passages != draft.passages:
            self._differs(draft, fields.row, "context")
        for name, text in known.items():
            if draft.texts.setdefault(name, text) != text:
                self._differs(draft, fields.row, name)
        if draft.claims is not None:
            draft.claims += claims or ()
        for name in [n for n, value in draft.own.items() if fields.own.get(n) != value]:
            del draft.own[name]
            self.notes[f"field {name!r} differs between the claims of an answer: left out"] += 1

    def _answer(self, draft: _Draft, shared_ids: bool) -> Answer:
        text = draft.texts.get("answer")
        claims = self._claims(draft, text, shared_ids)
        spoken = " ".join(claim.text for claim in draft.claims or ())
        lang = draft.texts.get("lang")
        if lang is None:
            self.notes["lang guessed from the script"] += 1
            lang = spoken_language([spoken, text, draft.texts.get("question")])
        return Answer(
            answer_id=draft.answer_id,
            passages=draft.passages,
            claims=claims,
            answer=text,
            question=draft.texts.get("question"),
            lang=lang.replace("_", "-"),
            context_id=draft.texts.get("context_id") or context_id_of(draft.passages),
            line=draft.row.line,
            fields=draft.own,
        )

    def _claims(
        self, draft: _Draft, text: str | None, shared_ids: bool
    ) -> tuple[AnswerClaim, ...] | None:
        """The claims to judge: () where the answer states nothing, None where to be extracted."""
        if draft.claims is not None and self.mode != "extract":
            return self._numbered(draft, draft.claims, shared_ids)
        if draft.claims:
            self.notes["given claims passed over, since claims are extracted"] += 1
        if draft.claims == [] and text is None:
            return ()
        if text is not None and is_statement_free(text):
            return ()
        if text is None or self.mode == "fixed":
            self._lacks_claims(draft, text)
        return None

    def _numbered(
        self, draft: _Draft, claims: Iterable[GivenClaim], shared_ids: bool
    ) -> tuple[AnswerClaim, ...]:
        found: dict[str, AnswerClaim] = {}
        for number, claim in enumerate(claims, 1):
            own = claim.claim_id
            name = own if own and not shared_ids else claim_name(draft.answer_id, own or number)
            if name in found:
                law = "the claim_id stands twice in this answer"
                self._fault(draft.row, "claim_id", law, "Give each claim its own.", own)
            found[name] = AnswerClaim(name, claim.text, claim.slice)
        return tuple(found.values())

    def _lacks_claims(self, draft: _Draft, text: str | None) -> None:
        if text is None and self.mode != "fixed":
            law = "there is neither an answer nor a list of claims"
            law = "there is no answer to extract from" if self.mode == "extract" else law
            mend = "Add answer" if self.mode == "extract" else "Add answer, or claims"
            self._fault(draft.row, "answer", law, f"{mend}; an empty text where it said nothing.")
            return
        law = "claims are fixed, so each answer has to give its own"
        mend = "Add claims; [] where it states nothing. Or let them be extracted: --claims auto."
        self._fault(draft.row, "claims", law, mend)

    def _stands_twice(self, row: SourceRow, answer_id: str) -> None:
        first = self._drafts[answer_id].row
        place = first.where if first.line is None else f"{first.where}:{first.line}"
        law = f"the answer_id stands twice, first at {place}"
        self._fault(row, "answer_id", law, "Give each answer its own.", answer_id)

    def _differs(self, draft: _Draft, row: SourceRow, name: str) -> None:
        place = draft.row.line or draft.row.where
        law = f"the rows of one answer agree in it, and the one at {place} says otherwise"
        self._fault(row, name, law, "Make them equal, or give another answer_id.", draft.answer_id)

    def _fault(self, row: SourceRow, name: str, law: str, mend: str, got: Any = ...) -> None:
        shown = None if got is ... else short_repr(got)
        self.problems.append(Problem(row.where, law, mend, row.line, name, shown))


def claim_name(answer_id: str, tail: object) -> str:
    """A claim's id made from its answer's, never longer than an id may be.

    >>> claim_name("a1", 3)
    'a1#3'
    """
    name = f"{answer_id}#{tail}"
    return name if len(name) <= LONGEST_ID else claim_id_of((), None, answer_id, str(tail))

"""One row an answer: its score, where it comes from, and what was said of each claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.release.answers import Answer
from metajudge.release.extraction import Extracted
from metajudge.release.extraction_spread import over_draws
from metajudge.release.judged import EXTRACTION_FAILED, NOT_YET, JudgeNow
from metajudge.release.scored import Scored
from metajudge.report.figure import rounded
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.scoring.answers import passes
from metajudge.selection.readings import CLASSES, READING_FAILURES
from metajudge.templates.extract import extract_prompt

COUNT_FIELDS = ("yes", "no", "idk", "failures")
NESTED = ("context", "claims", "verdicts")
"""Fields with a list each; they stand last."""
COUNTED = dict(zip(VERDICT_CODES, COUNT_FIELDS, strict=True))


def judged_rows(scored: Scored, judge: JudgeNow) -> tuple[dict[str, Any], ...]:
    """Rows in the order of the answers, all with the same fields.

    What else a row of the input held comes back under its own name, or as `input_<name>` where
    the name is taken. Context and claims come back too, so that the rows are answers to judge.
    """
    maker = _Rows(scored, judge)
    rows = [maker.row(index) for index in range(len(scored.application.answers))]
    own = list(dict.fromkeys(n for a in scored.application.answers for n in a.fields))
    names = _free_names(own, rows[0])
    for row, answer in zip(rows, scored.application.answers, strict=True):
        row |= {shown: answer.fields.get(name) for name, shown in names.items()}
        row |= {name: row.pop(name) for name in NESTED}
    return tuple(rows)


def _free_names(own: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """What the input's own fields are called beside ours.

    >>> _free_names(["score", "input_score", "note"], ["score"])
    {'score': 'input_input_score', 'input_score': 'input_score', 'note': 'note'}
    """
    names = list(own)
    free = {name: name for name in names}
    used = {*taken, *names}
    for name in names:
        if name in taken:
            shown = f"input_{name}"
            while shown in used:
                shown = f"input_{shown}"
            free[name] = shown
            used.add(shown)
    return free


class _Rows:
    def __init__(self, scored: Scored, judge: JudgeNow) -> None:
        self.scored = scored
        application = scored.application
        self.claims = _places(scored.unit_of, len(scored.open))
        self.common = {
            "release": application.release.ref,
            "release_sha256": application.release.sha256,
            "policy": application.candidate.policy.name,
            "threshold": application.candidate.threshold,
            "judge": judge.spec,
            "judge_is_pinned": judge.is_pinned,
        }
        drawn, scores = scored.extraction_scores()
        spread = over_draws(scores)
        self.spread = {
            index: (spread.sd[row], spread.low[row], spread.high[row])
            for row, index in enumerate(drawn)
        }
        self.passed = passes(scored.scores, application.candidate.threshold)

    def row(self, index: int) -> dict[str, Any]:
        """The row of an answer."""
        scored, answer = self.scored, self.scored.application.answers[index]
        unit = int(scored.first_units[index])
        score = _number(scored.scores[index])
        places = self.claims[unit] if unit >= 0 else np.zeros(0, np.int64)
        codes = scored.said.read.codes[places]
        counts = np.bincount(codes.ravel(), minlength=4).tolist()
        return {
            "answer_id": answer.answer_id,
            "score": score,
            "reason": None if score is not None else self._reason(index, unit),
            "passed": None if score is None else bool(self.passed[index]),
            **self.common,
            "n_claims": len(places) if unit >= 0 else None,
            "draws": scored.application.settings.repeats,
            **dict(zip(COUNT_FIELDS, counts, strict=True)),
            "repeat_sd": _number(scored.over_repeats.sd[unit]) if unit >= 0 else None,
            **self._extraction(index, answer),
            "context_id": answer.context_id,
            "lang": answer.lang,
            "question": answer.question,
            "answer": answer.answer,
            "context": list(answer.passages),
            "claims": self._claims(unit),
            "verdicts": [self._verdict(place, n, unit) for n, place in enumerate(places.tolist())],
        }

    def _claims(self, unit: int) -> list[dict[str, Any]] | None:
        if unit < 0:
            return None
        return [asdict(claim) for claim in self.scored.application.units[unit].claims]

    def _reason(self, index: int, unit: int) -> str:
        scored = self.scored
        if unit < 0:
            first = scored.application.extracted[index][0]
            return NOT_YET if first.open else f"{EXTRACTION_FAILED}: {first.failure}"
        return NOT_YET if scored.open[unit] else scored.undefined(unit)

    def _extraction(self, index: int, answer: Answer) -> dict[str, Any]:
        draws: Sequence[Extracted] = self.scored.application.extracted.get(index, ())
        prompt = extract_prompt(answer.lang) if draws else None
        sd, low, high = self.spread.get(index, (np.nan,) * 3)
        return {
            "claims_from": "extracted" if draws else "given" if answer.claims else "none",
            "extraction_template": None if prompt is None else prompt.label,
            "extraction_sha256": None if prompt is None else prompt.fingerprint,
            "extraction_detail": draws[0].detail if draws else None,
            "extraction_draws": len(draws) or None,
            "extraction_failed_draws": sum(not d.known for d in draws) if draws else None,
            "extraction_score_sd": _number(sd),
            "extraction_score_low": _number(low),
            "extraction_score_high": _number(high),
        }

    def _verdict(self, place: int, number: int, unit: int) -> dict[str, Any]:
        scored = self.scored
        read, row = scored.said.read, scored.said.row
        claim = scored.application.units[unit].claims[number]
        code, lost = int(read.codes[place, 0]), int(read.classes[place, 0])
        chances = read.probabilities[place, 0]
        failure = CLASSES[lost] if lost >= 0 else None
        words = ("yes", "no", "idk")
        entry: dict[str, Any] = {
            "claim_id": claim.claim_id,
            "claim": claim.claim,
            "slice": claim.slice,
            "verdict": None if failure else words[code],
            "probabilities": (
                {word: rounded(float(p)) for word, p in zip(words, chances, strict=True)}
                if np.isfinite(chances).all()
                else None
            ),
            "lost_points": None if scored.open[unit] else _number(scored.lost[place]),
            "reason": row.reasons.get(place),
            "failure": failure,
            "failure_detail": _detail(row.variants[0].details.get(place), failure),
        }
        if scored.application.settings.repeats > 1:
            entry["verdict_draws"] = [VERDICT_CODES[c] for c in read.codes[place].tolist()]
        return entry


def _detail(told: str | None, failure: str | None) -> str | None:
    if failure is None:
        return None
    return READING_FAILURES.get(failure) or (told or "").removeprefix(f"{failure}: ") or None


def _places(unit_of: Ints, n_units: int) -> list[Ints]:
    """Places of each unit's claims."""
    ends = np.cumsum(np.bincount(unit_of, minlength=n_units))
    return [np.asarray(part, np.int64) for part in np.split(np.arange(len(unit_of)), ends)][:-1]


def _number(value: float) -> float | None:
    return rounded(float(value)) if np.isfinite(value) else None


def costly(rows: Sequence[Mapping[str, Any]], most: int) -> Iterator[Mapping[str, Any]]:
    """The lowest rows with a score under 1, lowest first."""
    scored = [row for row in rows if row["score"] is not None and row["score"] < 1]
    yield from sorted(scored, key=lambda row: float(row["score"]))[:most]

"""What the claim browser of the HTML report shows, as small arrays: 5,000 claims x 24 rows fit."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from metajudge.gold.claim import SLICES
from metajudge.gold.goldset import GoldSet
from metajudge.report.inert import visible
from metajudge.report.prompts import Prompts
from metajudge.report.ranked import RankedTrial
from metajudge.report.results import ClaimKey, Results, TrialVerdicts

GOLD_LABELS = ("yes", "no", "idk", "supported", "unsupported")
"""In the order in which the page lists them."""
VERDICT_LETTERS = {"yes": "y", "no": "n", "idk": "i", "failure": "f"}
PROBABILITY_STEPS = 250
"""Probabilities travel as bytes: p = byte / 250; 255 stands for none."""
_NONE = 255


class _Pool:
    """Texts that occur often, each kept once and named by its position."""

    def __init__(self, first: Iterable[str] = ()) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}
        for text in first:
            self.place(text)

    def place(self, text: str) -> int:
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = len(self.texts)
            self.texts.append(text)
        return found

    def places(self, texts: Iterable[str]) -> list[int]:
        return [self.place(text) for text in texts]


def browser_data(
    results: Results,
    rows: Sequence[RankedTrial],
    gold: GoldSet | None,
    prompts: Prompts | None = None,
) -> dict[str, Any]:
    """Claims, verdicts and texts for the page's script.

    Columns of `claims` have one entry a claim; golds, slices, languages, contexts and reasons are
    positions in the lists beside them. Texts are `visible`: no control characters, no bidi
    overrides.

    Args:
        results: A finished sweep.
        rows: Its rows, in the order of the report.
        gold: Where the texts come from; None shows ids alone.
        prompts: What was sent, by trial and language, with places for context and claim.
    """
    claims = results.claims
    golds = _Pool(label for label in GOLD_LABELS if any(c.gold == label for c in claims))
    slices = _Pool(name for name in SLICES if any(c.slice == name for c in claims))
    languages, contexts, said = (_Pool() for _ in range(3))
    columns = {
        "id": [visible(claim.claim_id) for claim in claims],
        "gold": golds.places(claim.gold for claim in claims),
        "slice": slices.places(claim.slice or "" for claim in claims),
        "lang": languages.places(claim.lang for claim in claims),
        "context": contexts.places(claim.context_id for claim in claims),
        "text": _claim_texts(claims, gold),
    }
    places = {claim.claim_id: index for index, claim in enumerate(claims)}
    return {
        "claims": columns,
        "golds": golds.texts,
        "slices": slices.texts,
        "languages": languages.texts,
        "contexts": [visible(context_id) for context_id in contexts.texts],
        "passages": _passages(contexts.texts, gold),
        "rows": [_row(row, places, said) for row in rows],
        "said": [visible(text) for text in said.texts],
        "prompts": _prompts(prompts or {}),
    }


def _prompts(prompts: Prompts) -> dict[str, dict[str, list[str]]]:
    return {
        visible(trial): {lang: [visible(text) for text in texts] for lang, texts in spoken.items()}
        for trial, spoken in prompts.items()
    }


def _claim_texts(claims: Sequence[ClaimKey], gold: GoldSet | None) -> list[str] | None:
    if gold is None:
        return None
    texts = {claim.claim_id: claim.claim for claim in gold.claims}
    return [visible(texts.get(claim.claim_id, "")) for claim in claims]


def _passages(context_ids: Sequence[str], gold: GoldSet | None) -> list[list[str] | None] | None:
    if gold is None:
        return None
    known = gold.contexts
    return [
        [visible(passage) for passage in known[key].passages] if key in known else None
        for key in context_ids
    ]


def _row(row: RankedTrial, places: dict[str, int], said: _Pool) -> dict[str, Any]:
    found = row.verdicts
    entry: dict[str, Any] = {
        "row": row.row,
        "trial": visible(row.trial),
        "reading": row.reading,
        "repeats": row.figures.repeats,
        "codes": "",
        "p": None,
        "reasons": [],
        "failures": [],
    }
    if found is None:
        return entry
    return entry | {
        "codes": "".join(VERDICT_LETTERS[verdict] for verdict in found.verdicts),
        "p": _probability_bytes(found),
        "reasons": _by_claim(found.reasons, places, said),
        "failures": _by_claim(found.failures, places, said),
    }


def _by_claim(texts: dict[str, str], places: dict[str, int], said: _Pool) -> list[list[int]]:
    pairs = sorted((places[key], text) for key, text in texts.items() if key in places)
    return [[index for index, _ in pairs], said.places(text for _, text in pairs)]


def _probability_bytes(found: TrialVerdicts) -> str | None:
    if not any(triple is not None for triple in found.probabilities):
        return None
    packed = bytearray()
    for triple in found.probabilities:
        if triple is None:
            packed += bytes((_NONE, _NONE, _NONE))
        else:
            packed += bytes(round(min(1.0, max(0.0, p)) * PROBABILITY_STEPS) for p in triple)
    return base64.b64encode(bytes(packed)).decode("ascii")

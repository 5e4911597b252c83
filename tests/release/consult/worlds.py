"""Small worlds of claims and verdicts whose figures can be reckoned by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.gold.claim import Claim, GoldLabel
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.consult.bench import Bench, Said, bench
from metajudge.release.consult.on_gold import GoldBench
from metajudge.scoring.policies import parse_policy
from metajudge.templates.catalogue import catalogue

CODES = {"y": 0, "n": 1, "i": 2, "f": 3}
LABELS: dict[str, GoldLabel] = {"y": "yes", "n": "no", "i": "idk"}


def said(*answers: str, draws: Sequence[Sequence[str]] = ()) -> Said:
    """Verdicts by answer, a letter a claim: yes, no, idk, failure; further draws likewise."""
    rows = [[CODES[letter] for letter in "".join(draw)] for draw in (answers, *draws)]
    codes = np.asarray(rows, np.int64).T
    return Said(codes, np.full((*codes.shape, 3), np.nan), np.ones(len(codes), np.bool_))


def claims_of(
    answers: Sequence[str], *, slices: str = "", langs: Sequence[str] = ()
) -> tuple[Claim, ...]:
    """Claims labelled by letters, one context an answer; slices s(ummary) or l(iteral)."""
    kinds = {"s": "summary", "l": "literal", "a": "aggregation", "o": "off_context"}
    letters = [(a, j, letter) for a, text in enumerate(answers) for j, letter in enumerate(text)]
    return tuple(
        Claim(
            claim_id=f"a{a}-{j}",
            answer_id=f"a{a}",
            context_id=f"x{a}",
            claim=f"Claim {j} of answer {a}.",
            label=LABELS[letter],
            slice=kinds[slices[place]] if slices else None,
            lang=langs[a] if langs else "en",
        )
        for place, (a, j, letter) in enumerate(letters)
    )


def bench_of(
    answers: Sequence[str],
    *,
    slices: str = "",
    langs: Sequence[str] = (),
    contexts: Sequence[str] = (),
    resamples: int = 400,
) -> Bench:
    """A bench of claims labelled by letters; `contexts` names that of each answer."""
    claims = claims_of(answers, slices=slices, langs=langs)
    names = [
        contexts[int(claim.answer_id[1:])] if contexts else claim.context_id for claim in claims
    ]
    return bench(claims, names, resamples=resamples, seed=5, level=0.95)


def gold_of(answers: Sequence[str], *, slices: str = "") -> GoldBench:
    """Gold claims labelled by letters."""
    return GoldBench(bench_of(answers, slices=slices), binary=False)


def side(
    policy: str, threshold: float = 0.8, *, template: str = "literal", judge: str = "j"
) -> Candidate:
    """A candidate of a shipped template."""
    return Candidate(
        name=f"{template}+{policy}",
        variants=(catalogue()[template],),
        policy=parse_policy(policy),
        threshold=threshold,
        judge=JudgePin(spec=judge),
    )


def answer(name: str, *claims: str, lang: str = "en", context: str = "") -> Answer:
    """An answer with claims and a passage of its own."""
    return Answer(
        answer_id=name,
        passages=(f"The passage of {context or name}.",),
        claims=tuple(AnswerClaim(f"{name}-{j}", text) for j, text in enumerate(claims)),
        lang=lang,
        context_id=context,
    )

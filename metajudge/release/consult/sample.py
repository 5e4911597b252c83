"""The answers of a consultation and the gold claims beside them, checked before they are asked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from metajudge.counted import counted
from metajudge.errors import InputError, Problem
from metajudge.gold.claim import Claim, MetricName
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import sealed
from metajudge.gold.metric_checks import metric_labels
from metajudge.release.answers import Answer, asked_claims
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate
from metajudge.report.consult_results import ConsultGold, ConsultSample, ShownClaim
from metajudge.scoring.policies import check_policy
from metajudge.shipped import shipped_gold
from metajudge.templates.template import Template

NO_GOLD = "none"
_CREDITED = {"supported": "yes", "unsupported": "no"}
_MOST_NAMED = 5


@dataclass(frozen=True)
class Sample:
    """Answers with claims.

    Attributes:
        name: Of the file, or what a program calls it.
        answers: As given, those without a claim included.
        claims: Their claims in the form that is asked; labels are stand-ins.
        clusters: Context of each claim, as it is resampled.
    """

    name: str
    answers: tuple[Answer, ...]
    claims: GoldSet
    clusters: tuple[object, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the claims."""
        return tuple(dict.fromkeys(claim.lang for claim in self.claims.claims))

    def described(self) -> ConsultSample:
        """The sample as reports name it."""
        claims = self.claims.claims
        stating = [answer for answer in self.answers if answer.claims]
        return ConsultSample(
            name=self.name,
            sha256=_sha256(self.answers),
            answers=len(stating),
            without_claims=len(self.answers) - len(stating),
            claims=len(claims),
            contexts=len(set(self.clusters)),
            languages=dict(Counter(claim.lang for claim in claims)),
            slices=dict(Counter(claim.slice for claim in claims if claim.slice).most_common()),
        )


class Gold(NamedTuple):
    """Gold claims that both sides are asked, and what is to be told about their choice."""

    claims: GoldSet | None
    notes: tuple[str, ...]


def take_sample(
    answers: Iterable[Answer], name: str = "answers", place: str = "answers.jsonl"
) -> Sample:
    """A sample of answers.

    Args:
        answers: With their claims.
        name: What messages and reports call them.
        place: Their file, as a command in a message names it.

    Raises:
        InputError: An id stands twice, an answer's claims have yet to be extracted, or there is no
            claim at all; every fault at once.
    """
    taken = tuple(answers)
    problems = [*_unextracted(taken, name, place), *_doubled(taken, name)]
    if not problems and not any(answer.claims for answer in taken):
        law, mend = "the sample has no claim", "Name another file."
        problems.append(Problem(name, law, mend, got=counted(len(taken), "answers")))
    if problems:
        raise InputError(problems)
    names = [answer.context_id or answer.passages for answer in taken for _ in answer.claims or ()]
    return Sample(name, taken, asked_claims(taken, name), tuple(names))


def take_gold(
    place: str | Path | None,
    release: Release | None,
    languages: Sequence[str],
    metric: MetricName = "faithfulness",
) -> Gold:
    """The gold claims of the dev split in the languages of the sample.

    Args:
        place: A folder or table; `none` for no gold; None for the set that the proposed release
            was made with, or else the shipped one.
        release: The proposed side, where it is a release.
        languages: Languages of the sample.
        metric: What both sides ask for; the shipped set is gold for faithfulness.

    Raises:
        GoldError: The set is faulty.
        InputError: The set of the release is not there.
    """
    if place is not None and str(place) == NO_GOLD:
        return Gold(None, ("No gold set was asked for: what is right cannot be told.",))
    notes = []
    if place is not None:
        whole = load_goldset(place)
    elif release is not None:
        whole = load_goldset(_pinned_gold(release))
        if whole.sha256 != release.manifest.gold.sha256:
            notes.append(
                f"The gold set is not the one that {release.ref} was made with: its hash differs."
            )
    elif metric != "faithfulness":
        told = f"No gold set for {metric} was named (--gold): what is right cannot be told."
        return Gold(None, (told,))
    else:
        whole = load_goldset(shipped_gold())
    part = whole if whole.manifest.split is None else sealed(whole)
    tongues = {_primary(lang) for lang in languages}
    judged = part.judged()
    spoken = sorted({claim.lang for claim in judged.claims if _primary(claim.lang) in tongues})
    left_out = sorted({claim.lang for claim in judged.claims} - set(spoken))
    if not spoken:
        missing = ", ".join(sorted(tongues))
        notes.append(f"The gold set has no claim in {missing}: what is right cannot be told.")
        return Gold(None, tuple(notes))
    if left_out:
        notes.append(f"Gold claims in {', '.join(left_out)} are left out: the sample has none.")
    return Gold(judged.subset(langs=spoken), tuple(notes))


def also_gold(sample: Sample, gold: GoldSet) -> int:
    """Claims of the sample that are gold claims too: the same words on the same passages."""
    labelled = {(gold.passages(claim), claim.claim) for claim in gold.claims}
    asked = sample.claims
    return sum((asked.passages(claim), claim.claim) in labelled for claim in asked.claims)


def described_gold(gold: GoldSet) -> ConsultGold:
    """The gold claims as reports name them."""
    manifest = gold.manifest
    return ConsultGold(
        name=manifest.name,
        version=manifest.version,
        sha256=gold.sha256,
        split=None if manifest.split is None else "dev",
        policy_version=manifest.labelling_policy.version,
        label_source=manifest.label_source,
        claims=len(gold.claims),
        answers=len({claim.answer_id for claim in gold.claims}),
        contexts=len(gold.contexts),
        languages=dict(Counter(claim.lang for claim in gold.claims)),
    )


def together(sample: GoldSet, gold: GoldSet | None) -> GoldSet:
    """The claims of both in one set, those of the sample first, so that they are asked together."""
    parts = [("sample", sample), *([("gold", gold)] if gold is not None else [])]
    claims = tuple(
        claim.model_copy(update={"context_id": f"{name}/{claim.context_id}"})
        for name, part in parts
        for claim in part.claims
    )
    contexts = {
        f"{name}/{key}": context.model_copy(update={"context_id": f"{name}/{key}"})
        for name, part in parts
        for key, context in part.contexts.items()
    }
    return replace(sample, claims=claims, contexts=contexts)


def check_askable(sides: Sequence[Candidate], sample: Sample, gold: GoldSet | None) -> None:
    """Both policies have a value for every label, and templates have what they show of a claim.

    Raises:
        InputError: With every fault.
    """
    languages = sample.languages
    sources = [
        wording.source_for(lang)
        for side in sides
        for wording in side.variants
        for lang in languages
    ]
    labels = {str(label) for source in sources for label in source.dialect.words}
    if gold is not None:
        space = metric_labels(gold.manifest.metric, gold.manifest.label_space)
        labels |= {_CREDITED.get(label, label) for label in space}
    problems: list[Problem] = []
    for side in sides:
        try:
            check_policy(side.policy, sorted(labels), side.name)
        except InputError as error:
            problems += error.problems
    if any(isinstance(source, Template) and source.show_question for source in sources):
        problems += _without_question(sample.claims, sample.name)
        problems += [] if gold is None else _without_question(gold, str(gold.path or "gold"))
    if problems:
        raise InputError(problems)


def shown(claims: Iterable[Claim], wanted: Iterable[str]) -> dict[str, ShownClaim]:
    """Texts of some claims by id, in the order of the claims."""
    ids = set(wanted)
    return {
        claim.claim_id: ShownClaim(
            answer_id=claim.answer_id,
            claim=claim.claim,
            lang=claim.lang,
            slice=claim.slice,
            question=claim.question,
        )
        for claim in claims
        if claim.claim_id in ids
    }


def _unextracted(answers: Sequence[Answer], name: str, place: str) -> list[Problem]:
    open_ones = [answer for answer in answers if answer.claims is None]
    if not open_ones:
        return []
    law = (
        f"a consultation needs the claims of every answer, and {len(open_ones)} "
        f"{'has' if len(open_ones) == 1 else 'have'} none: "
        "claims extracted anew for each side would mix two changes"
    )
    mend = (
        f"Extract them once: metajudge judge {quote(place)} --release faithfulness-verdict@1 "
        "--claims extract --out judged.jsonl (--judge SPEC for another judge), then consult with "
        "--sample judged.jsonl. Rows that metajudge evaluate wrote with faithfulness have theirs."
    )
    return [Problem(name, law, mend, line=open_ones[0].line, got=repr(open_ones[0].answer_id))]


def _doubled(answers: Sequence[Answer], name: str) -> list[Problem]:
    kinds = {
        "answer_id": Counter(answer.answer_id for answer in answers),
        "claim_id": Counter(c.claim_id for answer in answers for c in answer.claims or ()),
    }
    return [
        Problem(
            name, f"every {kind} is its own", "Rename one.", field=kind, got=f"{key!r} {n} times"
        )
        for kind, counts in kinds.items()
        for key, n in [pair for pair in counts.items() if pair[1] > 1][:_MOST_NAMED]
    ]


def _without_question(claims: GoldSet, where: str) -> list[Problem]:
    missing = [claim for claim in claims.claims if not (claim.question or "").strip()]
    law = "a template shows the user's question, and this claim has none"
    mend = "Add the question, or set show_question to false in the template."
    return [
        Problem(where, law, mend, field="question", got=f"claim_id {claim.claim_id!r}")
        for claim in missing[:_MOST_NAMED]
    ]


def _pinned_gold(release: Release) -> Path:
    place = release.folder / release.manifest.gold.path
    if not place.exists():
        law = f"the gold set of {release.ref} is needed, and it is not there"
        mend = "Name it with --gold, or go without it: --gold none."
        raise InputError(Problem(str(place), law, mend, field="--gold"))
    return place


def _primary(language: str) -> str:
    return language.partition("-")[0].casefold()


def _sha256(answers: Sequence[Answer]) -> str:
    rows = [
        [
            a.answer_id,
            a.passages,
            a.question,
            a.lang,
            [[c.claim_id, c.claim] for c in a.claims or ()],
        ]
        for a in answers
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

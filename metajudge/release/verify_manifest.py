"""What `release.yaml` says of templates, gold set and evidence, held against these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metajudge.errors import Problem, short_repr
from metajudge.gold.goldset import GoldSet
from metajudge.gold.ledger import LedgerEntry
from metajudge.release.asking import replayed
from metajudge.release.candidate import Candidate
from metajudge.release.evidence import Carried, Recomputed
from metajudge.release.manifest import EVIDENCE, NEVER_EDITED, Manifest
from metajudge.release.refusals import unsafe, unsaid
from metajudge.report.figure import rounded
from metajudge.selection.readings import Priors, measured_priors
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply


def unlike_candidate(
    pin: Manifest, candidate: Candidate, templates: Iterable[Template], where: str
) -> Iterator[Problem]:
    """Settings that the templates or this package have otherwise.

    Args:
        pin: The manifest.
        candidate: What follows from it.
        templates: The files that it names.
        where: The manifest's file.
    """
    most = max((template.claims_per_call for template in templates), default=1)
    told = {"claims_per_call": pin.claims_per_call, "policy.version": pin.policy.version}
    wanted = {"claims_per_call": most, "policy.version": candidate.policy.version}
    if "temperature" in pin.judge.identity:
        told["judge.temperature"] = pin.judge.temperature
        wanted["judge.temperature"] = pin.judge.identity["temperature"]
    yield from _unlike(told, wanted, where, "what templates, policy and judge have")


def unlike_gold(pin: Manifest, gold: GoldSet, where: str) -> Iterator[Problem]:
    """What the gold set does not say of itself.

    Args:
        pin: The manifest.
        gold: The gold set, of the pinned hash.
        where: The manifest's file.
    """
    told, own = pin.gold, gold.manifest
    langs = {claim.lang for claim in gold.judged().claims}
    spoken = tuple(sorted(langs.intersection(told.languages)))
    wanted = {
        "name": own.name,
        "version": own.version,
        "languages": spoken,
        "policy_version": own.labelling_policy.version,
        "policy_rules": own.labelling_policy.rules,
        "label_source": own.label_source,
    }
    said = {name: getattr(told, name) for name in wanted}
    yield from _unlike(said, wanted, where, "what the gold set says of itself", "gold.")
    languages = {"languages": pin.languages}
    yield from _unlike(languages, {"languages": spoken}, where, "what the gold set speaks")


def unlike_priors(
    candidate: Candidate, dev: GoldSet, replies: Mapping[str, Reply], repeats: int, where: str
) -> Iterator[Problem]:
    """Label priors that the dev replies do not give, to 6 decimals.

    Args:
        candidate: With the priors that the manifest pins.
        dev: The dev claims.
        replies: By key.
        repeats: Draws per claim.
        where: The manifest's file.
    """
    bare = replace(candidate, priors=None)
    (said,) = replayed([bare], dev, replies, repeats=repeats)
    sources = candidate.sources(dev.judged().claims)
    given = measured_priors(said.row, candidate.reading, sources) or ()
    for variant, (pinned, found) in enumerate(zip(candidate.priors or (), given, strict=True)):
        told, wanted = _rounded(pinned), _rounded(found)
        yield from _unlike(
            {name: told.get(name) for name in {*told, *wanted}},
            {name: wanted.get(name) for name in {*told, *wanted}},
            where,
            "the label prior that the dev replies give",
            f"templates, variant {variant}: ",
        )


def _rounded(priors: Priors) -> dict[str, tuple[float, ...]]:
    return {name: tuple(map(rounded, prior)) for name, prior in priors.items()}


def unlike_ledger(
    pin: Manifest, carried: Carried, entries: Sequence[LedgerEntry], where: str
) -> Iterator[Problem]:
    """What the ledger of the gold set does not say of the confirmation.

    Args:
        pin: The manifest.
        carried: What its evidence has from the experiment.
        entries: The ledger, with the confirmation.
        where: The manifest's file.
    """
    sha256 = pin.experiment.config_sha256
    place = next(n for n, e in enumerate(entries, 1) if e.experiment_sha256 == sha256)
    told, own = {"experiment.name": pin.experiment.name}, entries[place - 1].experiment
    yield from _unlike(told, {"experiment.name": own}, where, "what the ledger has")
    if not place <= carried.test_reads <= len(entries):
        law = f"the confirmation must be read {place} of {len(entries)} in the ledger"
        got = repr(carried.test_reads)
        yield Problem(where, law, NEVER_EDITED, field="evidence.carried.test_reads", got=got)


def unlike_evidence(
    pin: Manifest, carried: Carried, found: Recomputed, where: str
) -> Iterator[Problem]:
    """What the evidence says otherwise: whose it is, and whether it had to be overridden.

    Args:
        pin: The manifest.
        carried: What its evidence has from the experiment.
        found: Figures that were made again.
        where: The manifest's file.
    """
    confirmation = carried.confirmation
    told = {
        "experiment.trial": pin.experiment.trial,
        "experiment.baseline": pin.experiment.baseline,
        "reading": pin.reading,
    }
    wanted = {
        "experiment.trial": confirmation.trial,
        "experiment.baseline": confirmation.baseline,
        "reading": confirmation.reading,
    }
    yield from _unlike(told, wanted, where, "what the evidence has")
    ranked = (carried.ranking.trial, carried.ranking.reading, carried.ranking.safe)
    of_test = (confirmation.claims, confirmation.contexts, carried.test_reads)
    for name, got, follows in (
        ("ranking", ranked, (pin.experiment.trial, pin.reading, not carried.ranking.broken)),
        ("confirmation", of_test, (found.test.claims, found.test.contexts, confirmation.reads)),
    ):
        if got != follows:
            law = (
                f"carried.{name} must be of this candidate and these claims ({short_repr(follows)})"
            )
            yield Problem(where, law, NEVER_EDITED, field=EVIDENCE, got=short_repr(got))
    for problem in unsafe(carried, pin.override):
        yield Problem(where, problem.law, NEVER_EDITED, field="override", got=problem.got)
    yield from unsaid(found, carried)


def _unlike(
    told: Mapping[str, Any], wanted: Mapping[str, Any], where: str, whose: str, within: str = ""
) -> Iterator[Problem]:
    for name, value in wanted.items():
        if told[name] != value:
            law = f"the manifest must say {whose} ({short_repr(value)})"
            yield Problem(where, law, NEVER_EDITED, field=within + name, got=short_repr(told[name]))

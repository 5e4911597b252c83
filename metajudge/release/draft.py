"""What is to be released, before it has a number, and the manifest that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from metajudge.gold.appended import utc_now
from metajudge.gold.claim import Split
from metajudge.gold.goldset import GoldSet
from metajudge.release.candidate import Candidate
from metajudge.release.evidence import How
from metajudge.release.manifest import (
    TEMPLATES,
    Change,
    ExperimentPin,
    GoldPin,
    Manifest,
    PolicyPin,
    TemplatePin,
)
from metajudge.report.results import Results
from metajudge.report.selection_results import Confirmation
from metajudge.runner.store import Store
from metajudge.templates.source import PromptSource
from metajudge.verdicts.verdict import Reply
from metajudge.version import __version__

UNNUMBERED = "0.0.0"
"""Stands in the manifest until the number is known."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be released.

    Attributes:
        name: Name of the release.
        candidate: With priors frozen; its judge pin is written as it is.
        gold: The whole gold set.
        golds: The claims of each split in the languages that it stands for.
        gold_path: The gold set's folder as seen from the release's.
        experiment: Where the candidate comes from.
        results: The experiment's results.
        confirmation: What they say of the test split.
        how: How intervals are made.
        override: Why it is released although it is not shown to be safe; None for a safe one.
        notes: What is to be read with the figures.
    """

    name: str
    candidate: Candidate
    gold: GoldSet
    golds: Mapping[Split, GoldSet]
    gold_path: str
    experiment: ExperimentPin
    results: Results
    confirmation: Confirmation
    how: How
    override: str | None
    notes: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the claims that the figures rest on."""
        claims = (claim for gold in self.golds.values() for claim in gold.judged().claims)
        return tuple(sorted({claim.lang for claim in claims}))


class Stored(NamedTuple):
    """Replies that a release is made of.

    Attributes:
        store: Where they are kept.
        replies: By key.
        keys: Keys of the calls that the evidence needs, and no others.
    """

    store: Store
    replies: Mapping[str, Reply]
    keys: tuple[str, ...]


def manifest_of(draft: Draft, previous: str | None) -> Manifest:
    """The manifest but for version and change, which stand open.

    Args:
        draft: What is released.
        previous: Version of the release before it.
    """
    candidate, gold = draft.candidate, draft.gold.manifest
    templates = template_files(draft)
    return Manifest(
        name=draft.name,
        version=UNNUMBERED,
        created=utc_now(),
        package_version=__version__,
        metric=gold.metric,
        languages=draft.languages,
        templates=tuple(pin for pin, _ in templates),
        context_form=str(candidate.form),
        claims_per_call=max(source.claims_per_call for _, source in templates),
        reading=candidate.reading,
        policy=PolicyPin(
            name=candidate.policy.name,
            version=candidate.policy.version,
            threshold=candidate.threshold,
        ),
        judge=candidate.judge,
        gold=GoldPin(
            name=gold.name,
            version=gold.version,
            sha256=draft.gold.sha256,
            path=draft.gold_path,
            policy_version=gold.labelling_policy.version,
            policy_rules=gold.labelling_policy.rules,
            label_source=gold.label_source,
            languages=draft.languages,
        ),
        experiment=draft.experiment,
        previous=previous,
        change=Change(kind="first", reasons=()),
        override=draft.override,
        notes=draft.notes,
    )


def template_files(draft: Draft) -> tuple[tuple[TemplatePin, PromptSource], ...]:
    """Pins and templates of what judges any of the languages, in the order of the wording."""
    return tuple(_template_files(draft))


def _template_files(draft: Draft) -> Iterator[tuple[TemplatePin, PromptSource]]:
    for variant, wording in enumerate(draft.candidate.variants):
        used = {wording.source_for(lang).fingerprint for lang in draft.languages}
        priors = None if draft.candidate.priors is None else draft.candidate.priors[variant]
        for language, source in wording.by_language.items():
            if source.fingerprint in used:
                pin = TemplatePin(
                    variant=variant,
                    language=language,
                    file=f"{TEMPLATES}/{language}{f'.{variant}' if variant else ''}.yaml",
                    label=source.label,
                    fingerprint=source.fingerprint,
                    prior=None if priors is None else priors.get(source.fingerprint),
                )
                yield pin, source

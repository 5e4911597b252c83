"""Why a release is refused: every reason as a problem with its mend, none raised by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metajudge.errors import ExperimentError, Problem
from metajudge.gold.folded import base_version
from metajudge.gold.goldset import GoldSet
from metajudge.gold.ledger import LEDGER, LedgerEntry
from metajudge.release.evidence import Carried, Recomputed
from metajudge.release.manifest import Change, Manifest
from metajudge.release.sentence import faulty
from metajudge.report.part import Figure
from metajudge.report.remarks import must_exceed
from metajudge.report.results import Results, TrialFigures
from metajudge.report.selection_results import Confirmation
from metajudge.runner.absent import FAILS_EACH_TIME
from metajudge.scoring.policies import Policy, check_policy
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template

MOST_READS = 3
"""Reads of the test labels that one version of a gold set is good for."""
ROUNDING = 1e-6
"""What rounding of the figures may move; less than that breaks no guardrail."""
COMPARED = ("summary_as_idk", "over_credit", "kappa", "coverage")
_AGAIN = "Select and confirm again."
_CONFIRM = (
    "Run `metajudge select EXPERIMENT --confirm`, with `--candidate NAME` for one that is not the "
    "winner."
)
_OVERRIDE = 'Choose another candidate, or release it with --override "why".'


def unconfirmed(results: Results, where: str) -> Iterator[Problem]:
    """A selection that was never held against the test split."""
    if results.selection is None or results.selection.confirmation is None:
        law = "only what was confirmed on the sealed test split is released"
        yield Problem(where, law, _CONFIRM, field="selection.confirmation")


def dirty(results: Results, experiment: str, config_sha256: str, dev: GoldSet) -> Iterator[Problem]:
    """Results of another experiment or of other labels than those on disk."""
    if results.config_sha256 != config_sha256:
        law = f"the results must be those of the experiment as it is now ({config_sha256})"
        yield Problem(experiment, law, _AGAIN, field="config_sha256", got=results.config_sha256)
    if results.gold.sha256 != dev.sha256:
        law = f"the results must rest on the gold set as it is now (dev split {dev.sha256})"
        where = str(dev.path or dev.manifest.name)
        yield Problem(where, law, _AGAIN, field="sha256", got=results.gold.sha256)


def moved(
    results: Results, declared: Mapping[str, float | None], experiment: str
) -> Iterator[Problem]:
    """Guardrails with other bounds than the experiment declares; idle ones the results leave out.

    Args:
        results: The results, with a baseline.
        declared: Bounds by name; None lifts one.
        experiment: Its file.
    """
    for name in sorted({*declared, *results.guardrails}):
        bound, told = declared.get(name), results.guardrails.get(name)
        idle = name == "flip_rate" and told is None and not _asked_repeats(results)
        if bound != told and not idle:
            law = f"the results must hold candidates to the declared bound ({bound})"
            yield Problem(experiment, law, _AGAIN, field=f"guardrails.{name}", got=repr(told))


def _asked_repeats(results: Results) -> bool:
    return results.stability is not None and bool(results.stability.flip_rates)


def peeked(entries: Iterable[LedgerEntry], gold: GoldSet) -> Iterator[Problem]:
    """Test labels that were read too often, by whomever, for the last read to prove anything."""
    version = base_version(gold.manifest.version)
    reads = sum(base_version(entry.gold_version) == version for entry in entries)
    if reads > MOST_READS:
        where = LEDGER if gold.path is None else str(gold.path / LEDGER)
        law = f"a version of a gold set is good for {MOST_READS} reads of its test labels"
        mend = (
            "Label further test claims, raise `version` in goldset.yaml and confirm on that; "
            "neither another experiment name nor --override lifts this."
        )
        yield Problem(where, law, mend, got=f"{reads} of version {version}")


def other_metric(previous: Manifest | None, proposed: Manifest) -> Iterator[Problem]:
    """A name that has stood for another metric so far."""
    if previous is not None and previous.metric != proposed.metric:
        law = f"all versions of {previous.name} serve one metric: {previous.metric}"
        mend = "Release it under a name of its own: --name."
        yield Problem("release create", law, mend, field="metric", got=repr(proposed.metric))


def unchanged(previous: Manifest | None, proposed: Manifest) -> Iterator[Problem]:
    """A release that is the one before it over again."""
    if previous is not None and _substance(previous) == _substance(proposed):
        law = f"nothing differs from {previous.version}"
        mend = f"Use {previous.name}@{previous.version}, or release what was changed."
        yield Problem("release create", law, mend)


def _substance(manifest: Manifest) -> tuple[object, ...]:
    """What a release judges by and what its evidence rests on."""
    templates = [(t.variant, t.language, t.fingerprint, t.prior) for t in manifest.templates]
    return (
        sorted(templates, key=lambda template: template[:3]),
        manifest.languages,
        manifest.context_form,
        manifest.reading,
        manifest.policy,
        manifest.judge.identity,
        manifest.gold.sha256,
    )


def model_made(gold: GoldSet) -> Iterator[Problem]:
    """Labels that a model made; they are never gold."""
    if gold.manifest.label_source == "model":
        law = "a release rests on labels that people gave, never on those of a model"
        mend = "Have people label the claims, and confirm on theirs."
        where = str(gold.path or gold.manifest.name)
        yield Problem(where, law, mend, field="label_source", got="'model'")


def drifted(policy: Policy, sources: Iterable[PromptSource]) -> list[Problem]:
    """A policy without a value for a label that a template offers."""
    labels = dict.fromkeys(str(label) for source in sources for label in source.dialect.words)
    try:
        check_policy(policy, labels, "--policy")
    except ExperimentError as error:
        return list(error.problems)
    return []


def borrowed(sources: Iterable[PromptSource]) -> Iterator[Problem]:
    """A prompt that belongs to an installed package, and changes with it."""
    for source in sources:
        if not isinstance(source, Template):
            law = "a release freezes a template, and this prompt is read from a package"
            yield Problem(source.label, law, "Release a template; consult compares it with this.")


def mapped(columns: Mapping[str, str], experiment: str) -> Iterator[Problem]:
    """A gold set that is read through a column map, which a release does not keep."""
    if columns:
        law = "a release names its gold set by folder and hash alone"
        mend = "Write the set with metajudge's own field names, without `columns`."
        yield Problem(experiment, law, mend, field="gold.columns")


def unsafe(carried: Carried, override: str | None) -> Iterator[Problem]:
    """A confirmation that does not hold, and guardrails that are broken; or nothing to override."""
    reasons = tuple(_shortcomings(carried))
    if override is None:
        yield from reasons
    elif not reasons:
        law = "nothing is overridden: the confirmation holds and every guardrail is kept"
        yield Problem("command line", law, "Leave it out.", field="--override")


def _shortcomings(carried: Carried) -> Iterator[Problem]:
    confirmation, row = carried.confirmation, carried.ranking
    name = f"{row.trial} ({row.reading})"
    for broken in row.broken:
        by = "" if broken.by is None else f", by {broken.by:.3f}"
        if must_exceed(broken.guardrail, broken.by):
            by = f": it must be above {broken.bound:g}"
        law = f"a release keeps every guardrail on dev, and {broken.guardrail} is broken{by}"
        got = None if broken.got is None else f"{broken.got:.3f}, bound {broken.bound:g}"
        yield Problem(name, law, _OVERRIDE, got=got)
    for guardrail in confirmation.broken:
        law = f"a release keeps every guardrail on test, and {guardrail} is broken there"
        yield Problem(name, law, _OVERRIDE)
    if confirmation.alone:
        law = "what is released was better than a baseline on test, and nothing was compared"
        yield Problem(name, f"{law}. {confirmation.sentence}", _OVERRIDE)
    elif not confirmation.holds and not confirmation.broken:
        law = f"the confirmation on test holds. {confirmation.sentence}"
        yield Problem(name, law, _OVERRIDE)


def held_to_bounds(figures: Mapping[str, Figure]) -> dict[str, float | None]:
    """What of a split's figures is held to a guardrail by itself, by the guardrail's name."""
    return {
        "over_credit_upper": figures["over_credit"].high,
        "coverage": figures["coverage"].value,
        "kappa_above": figures["kappa"].low,
    }


def unsaid(found: Recomputed, carried: Carried) -> Iterator[Problem]:
    """Guardrails that the figures break and the results call kept, or bounds moved since.

    Losses to the baseline are not made again: its replies are no part of a release.
    """
    confirmation = carried.confirmation
    above = confirmation.differences.get("over_credit")
    paired = {} if above is None else {"over_credit_above_baseline": above.high}
    flips = carried.flip_rate
    alone = {} if flips is None else {"flip_rate": flips.value}
    dev = held_to_bounds(found.dev.figures) | alone
    test = held_to_bounds(found.test.figures) | paired
    told = {broken.guardrail for broken in carried.ranking.broken}
    for split, got, broken in (("dev", dev, told), ("test", test, set(confirmation.broken))):
        for name, value in got.items():
            bound = carried.guardrails.get(name)
            if bound is None or name in broken or _keeps(name, value, bound):
                continue
            law = f"{name} is called broken on {split} where the figures break it"
            shown = f"{'undefined' if value is None else f'{value:.6g}'}, bound {bound:g}"
            yield Problem("guardrails", law, _AGAIN, field=name, got=shown)
    if confirmation.holds and confirmation.broken:
        law = "a confirmation that breaks a guardrail does not hold"
        yield Problem("guardrails", law, _AGAIN, field="confirmation.holds", got="True")


def _keeps(name: str, value: float | None, bound: float) -> bool:
    if value is None:
        return False
    off = bound - value if name in ("coverage", "kappa_above") else value - bound
    return off <= ROUNDING


def other_figures(
    found: Recomputed, trial: TrialFigures | None, confirmation: Confirmation
) -> Iterator[Problem]:
    """Stored replies that give other figures than the results that were confirmed."""
    if trial is not None:
        yield from _differing("dev", found.dev.figures, trial.figures)
    yield from _differing("test", found.test.figures, confirmation.winner)


def _differing(
    split: str, found: Mapping[str, Figure], told: Mapping[str, Figure]
) -> Iterator[Problem]:
    names = [name for name in COMPARED if name in told]
    for name in names:
        if found[name] != told[name]:
            law = f"stored replies give the {name} on {split} that the results have"
            got = f"{found[name].value} from replies, {told[name].value} in results.json"
            yield Problem("replies", law, f"{_AGAIN[:-1]} with this store.", field=name, got=got)


def other_number(requested: str | None, version: str, change: Change) -> Iterator[Problem]:
    """A version that was asked for and is not the one that the changes make it."""
    if requested is not None and requested != version:
        law = f"this release is {version}, a {change.kind} one. {' '.join(change.reasons)}"
        mend = f"Ask for {version}, or leave --version out."
        yield Problem("command line", law, mend, field="--version", got=repr(requested))


def missing_replies(split: str, missing: int, wanted: int, experiment: str) -> Iterator[Problem]:
    """Calls of the candidate that the store has no reply to."""
    if not missing:
        return
    law = (
        "a release is made of stored replies alone, and "
        f"{missing} of {wanted} about the {split} split are missing"
    )
    mend = "Name the store of the confirmation with --store, or list its recording in `recordings`."
    if split == "dev":
        mend += f" To ask the judge: `metajudge sweep {experiment}`. {FAILS_EACH_TIME}"
    yield Problem(experiment, law, mend)


def unworded(override: str | None, notes: Sequence[str]) -> Iterator[Problem]:
    """An override without a reason, and notes that say nothing."""
    if override is not None:
        yield from faulty(override, "--override", "an override says why")
    for note in notes:
        yield from faulty(note, "--note", "a note says something")

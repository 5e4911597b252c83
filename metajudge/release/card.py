"""`CARD.md`: what a release is for and what not, on a page that people read before they use it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from metajudge.gold.claim import SLICES
from metajudge.release.evidence import Evidence, SplitEvidence
from metajudge.release.manifest import Manifest
from metajudge.release.refusals import held_to_bounds
from metajudge.report.axis_text import axis_text
from metajudge.report.figure_text import compact, percent, with_interval
from metajudge.report.inert import markdown_code, markdown_text
from metajudge.report.part import Figure
from metajudge.report.remarks import must_exceed
from metajudge.report.words import Language, word, word_or_code
from metajudge.templates.reading_names import reading_named, threshold_text

if TYPE_CHECKING:
    from jinja2 import Environment

FIGURES = ("summary_as_idk", "over_credit", "kappa", "coverage", "accuracy", "constant_answer")
POLICY_FIGURES = {"bias": "score bias", "mae": "score error", "pass_agreement": "pass agreement"}
WORST_SLICES = 5
NOT_ON_TEST = ("flip_rate", "insensitive")
"""Guardrails that the confirmation does not try."""
OF_TWO = ("over_credit_above_baseline", "slice_loss")
"""Guardrails that compare with the baseline; of the baseline itself they say nothing."""
_NO_FIGURE = Figure(value=None, n=0, reason="none of them on this split")
_LABELLED_BY = {
    "human": ("people", "人工标注"),
    "author": ("its authors", "编写者"),
    "model": ("a model", "模型"),
}


class FigureRow(NamedTuple):
    """A figure on both splits."""

    name: str
    dev: Figure
    test: Figure
    lang: str = ""


class CoverageRow(NamedTuple):
    """Verdicts among claims of one language, on both splits."""

    lang: str
    dev: str
    dev_n: int
    test: str
    test_n: int


class GuardrailRow(NamedTuple):
    """A guardrail and what became of it."""

    name: str
    bound: str
    dev: str
    test: str


def card_text(manifest: Manifest, evidence: Evidence, sha256: str) -> str:
    """The text of `CARD.md`, with a summary in Chinese where the release stands for it.

    Args:
        manifest: The release.
        evidence: Its figures.
        sha256: Of `release.yaml`, by which the card says to cite; the card itself is among the
            files that the release's own hash is over.
    """
    carried = evidence.carried
    labelled = _LABELLED_BY.get(manifest.gold.label_source, (manifest.gold.label_source,) * 2)
    return (
        _environment()
        .get_template("card.md.j2")
        .render(
            manifest=manifest,
            metric=word(f"metric.{manifest.metric}", "en"),
            metric_zh=word(f"metric.{manifest.metric}", "zh"),
            reading=reading_named(manifest.reading),
            how=evidence.how,
            carried=carried,
            dev=evidence.recomputed.dev,
            test=evidence.recomputed.test,
            sha256=sha256,
            level=f"{100 * (1 - evidence.how.alpha):g}",
            figures=tuple(_figures(evidence)),
            languages=tuple(_languages(manifest, evidence, "en")),
            coverage=tuple(_coverage(manifest, evidence)),
            chinese=[row for row in _languages(manifest, evidence, "zh") if row.lang == "zh"],
            slices=_worst_slices(evidence),
            guardrails=tuple(_guardrails(evidence)),
            shortcomings=tuple(_shortcomings(evidence)),
            luck=tuple(_luck(evidence)),
            labelled_by=labelled[0],
            labelled_by_zh=labelled[1],
        )
    )


def _figures(evidence: Evidence) -> Iterator[FigureRow]:
    dev, test = evidence.recomputed.dev, evidence.recomputed.test
    for name in FIGURES:
        yield FigureRow(word_or_code("figure", name, "en"), dev.figures[name], test.figures[name])
    for name, shown in POLICY_FIGURES.items():
        yield FigureRow(shown, getattr(dev.policy, name), getattr(test.policy, name))


def _languages(manifest: Manifest, evidence: Evidence, told: Language) -> Iterator[FigureRow]:
    dev, test = (part.language_figures for part in _parts(evidence))
    for lang in manifest.languages:
        for name in dict.fromkeys((*dev.get(lang, {}), *test.get(lang, {}))):
            yield FigureRow(
                word_or_code("figure", name, told),
                dev.get(lang, {}).get(name, _NO_FIGURE),
                test.get(lang, {}).get(name, _NO_FIGURE),
                lang,
            )


def _coverage(manifest: Manifest, evidence: Evidence) -> Iterator[CoverageRow]:
    for lang in manifest.languages:
        shares: list[tuple[str, int]] = []
        for part in _parts(evidence):
            group = part.languages.get(lang)
            n = 0 if group is None else group.n
            lost = 0 if group is None else group.called["failure"]
            shares.append((compact((n - lost) / n if n else None), n))
        yield CoverageRow(lang, *shares[0], *shares[1])


def _worst_slices(evidence: Evidence) -> list[FigureRow]:
    """Slices with wrong verdicts, the least accurate over both splits first."""
    dev, test = (part.slices for part in _parts(evidence))
    worst: list[tuple[float, FigureRow]] = []
    for name in (slice_ for slice_ in SLICES if slice_ in dev or slice_ in test):
        pair = [groups[name].accuracy for groups in (dev, test) if name in groups]
        n = sum(figure.n for figure in pair)
        right = sum((figure.value or 0.0) * figure.n for figure in pair)
        row = FigureRow(
            word_or_code("slice", name, "en"),
            dev[name].accuracy if name in dev else _NO_FIGURE,
            test[name].accuracy if name in test else _NO_FIGURE,
        )
        if n and right / n < 1 - 1e-9:
            worst.append((right / n, row))
    worst.sort(key=lambda entry: entry[0])
    return [row for _, row in worst[:WORST_SLICES]]


def _guardrails(evidence: Evidence) -> Iterator[GuardrailRow]:
    carried = evidence.carried
    broken = {entry.guardrail: entry for entry in carried.ranking.broken}
    on_test = carried.confirmation.broken
    bounds = {name: f"{bound:g}" for name, bound in carried.guardrails.items()}
    names = [name for name in bounds if name != "slice_loss" or not _losses((*broken, *on_test))]
    names += _losses((*broken, *on_test))
    names += ["insensitive"] * ("insensitive" in broken or carried.controls is not None)
    for name in names:
        entry = broken.get(name)
        off = "" if entry is None else _off(name, entry.by)
        kept, tried = "kept", "not tried" if name in NOT_ON_TEST else "kept"
        if carried.confirmation.alone and name in OF_TWO:
            kept = tried = "nothing compared"
        yield GuardrailRow(
            word_or_code("guardrail", name, "en"),
            bounds.get("slice_loss" if name.startswith("loss_") else name, "none allowed"),
            kept if entry is None else f"**broken{off}**",
            f"**broken{_off_on_test(evidence, name)}**" if name in on_test else tried,
        )


def _off_on_test(evidence: Evidence, name: str) -> str:
    """By how much a guardrail is broken on test; "" where the confirmation does not tell."""
    paired = evidence.carried.confirmation.differences.get("over_credit")
    known = held_to_bounds(evidence.recomputed.test.figures)
    if paired is not None:
        known["over_credit_above_baseline"] = paired.high
    got = known.get(name)
    bound = evidence.carried.guardrails.get(name)
    return "" if got is None or bound is None else _off(name, abs(got - bound))


def _off(guardrail: str, by: float | None) -> str:
    """By how much a guardrail is broken, or that its bound must be exceeded; "" where undefined."""
    if must_exceed(guardrail, by):
        return ": it must be above the bound"
    return "" if by is None else f" by {compact(by, 3)}"


def _losses(names: tuple[str, ...]) -> list[str]:
    """Broken losses on guarded slices, each once."""
    return [name for name in dict.fromkeys(names) if name.startswith("loss_")]


def _shortcomings(evidence: Evidence) -> Iterator[str]:
    """What was overridden, one line each."""
    carried = evidence.carried
    for entry in carried.ranking.broken:
        name = word_or_code("guardrail", entry.guardrail, "en")
        off = _off(entry.guardrail, entry.by)
        off += f" (bound {entry.bound:g})" if off else ""
        yield f"Broken on dev: {name}{off}."
    names = [word_or_code("guardrail", name, "en") for name in carried.confirmation.broken]
    if names:
        yield f"Broken on test: {', '.join(names)}."
    if carried.confirmation.alone:
        yield "It was measured alone on the test split: nothing was compared."
    elif not carried.confirmation.holds:
        yield "The confirmation on the test split does not hold."


def _luck(evidence: Evidence) -> Iterator[str]:
    optimism = evidence.carried.optimism
    if optimism is None or optimism.apparent is None:
        return
    yield (
        f"The selection's own first choice looks {compact(optimism.optimism)} better than it is, "
        f"and {percent(optimism.no_winner_share)} of resamples choose nobody."
    )


def _parts(evidence: Evidence) -> tuple[SplitEvidence, SplitEvidence]:
    return evidence.recomputed.dev, evidence.recomputed.test


def _environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    text = files("metajudge.release").joinpath("texts", "card.md.j2").read_text(encoding="utf-8")
    environment = Environment(
        loader=DictLoader({"card.md.j2": text}),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "md": markdown_text,
        "threshold": threshold_text,
        "code": partial(markdown_code, in_table=True),
        "interval": with_interval,
        "axis": partial(axis_text, language="en"),
    }
    return environment

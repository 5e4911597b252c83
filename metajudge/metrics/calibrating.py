"""Scores that no judge gave, read by gold: what says supported, what unsupported, what is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from metajudge.errors import GoldError, InputError, Problem
from metajudge.gold.claim import Claim, MetricName
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.metrics.computed.calibrated import Calibrated, ScoreOf, calibrated_on
from metajudge.metrics.computed.ngram import NGRAM_COVERAGE, score_ngram_coverage
from metajudge.metrics.computed.nli import NLI_ENTAILMENT, score_nli
from metajudge.metrics.computed_metrics import ComputeSettings, Computing
from metajudge.metrics.scored import MetricScore

_SERVING: tuple[MetricName, ...] = ("faithfulness", "groundedness")


def _ngram(_: Computing) -> ScoreOf:
    def score(claim: Claim, passages: tuple[str, ...]) -> float | None:
        return score_ngram_coverage(claim.claim, passages, claim.lang).score

    return score


def _nli(using: Computing) -> ScoreOf:
    def score(claim: Claim, passages: tuple[str, ...]) -> float | None:
        return score_nli(claim.claim, passages, using.entailment, claim.lang).score

    return score


CALIBRATED: Mapping[str, Callable[[Computing], ScoreOf]] = {
    NGRAM_COVERAGE: _ngram,
    NLI_ENTAILMENT: _nli,
}
"""Metrics whose raw score has no threshold of its own, with how a claim of gold is scored."""


def read_calibration(names: Iterable[str], settings: ComputeSettings) -> GoldSet | None:
    """The gold set that scores are calibrated on, checked before anything is asked.

    Args:
        names: Metrics asked for.
        settings: With the set's folder; None where nothing is calibrated.

    Raises:
        GoldError: The set is faulty, is gold for another question, or has no dev claim.
        InputError: No metric that can be calibrated is asked for.
    """
    if settings.calibrate is None:
        return None
    if not set(names) & set(CALIBRATED):
        law = f"gold calibrates {' and '.join(CALIBRATED)}, and neither is asked for"
        raise InputError(Problem("evaluate", law, "Ask for one.", field="calibrate"))
    gold = load_goldset(settings.calibrate)
    where = str(settings.calibrate)
    if gold.manifest.metric not in _SERVING:
        law = f"what a context supports is calibrated on gold for {' or '.join(_SERVING)}"
        mend = "Name such a set."
        raise GoldError(Problem(where, law, mend, field="metric", got=repr(gold.manifest.metric)))
    if not gold.judged().subset("dev").claims:
        law = "cut-offs are fitted on dev claims, and there is none that counts"
        raise GoldError(Problem(where, law, "Label more claims.", field="split"))
    return gold


def calibrate(name: str, using: Computing) -> Calibrated | None:
    """What a metric's scores mean on gold; None for other metrics, and without gold."""
    if using.gold is None or name not in CALIBRATED:
        return None
    return calibrated_on(using.gold, CALIBRATED[name](using), using.settings.calibrate_bound)


def told_by(found: Calibrated, scores: Sequence[MetricScore]) -> list[MetricScore]:
    """Scores with what gold says of each: `label` and `probability` in their details.

    A label is `supported` or `unsupported`; it is None between the cut-offs, as for no score. The
    probability is the share of supported claims among gold claims of about the same score.
    """
    return [replace(score, details={**score.details, **_told(found, score)}) for score in scores]


def _told(found: Calibrated, score: MetricScore) -> dict[str, str | float | None]:
    share = found.probability(score.score)
    return {
        "label": found.label(score.score),
        "probability": None if share is None else round(share, 6) + 0.0,
    }

"""Search on stored replies, at no call: readings, thresholds, panels of judges, policy weights.

A setting is measured from label codes and label probabilities that are already there, thousands of
settings a second, so that a search over them can be as wide as one likes. What wins so many
comparisons on dev is flattered by them: `held_out` says what the search itself is worth on claims
that it did not see, and a winner is confirmed like any other candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Numbers, as_floats
from metajudge.agreement.bootstrap import weighted_sums
from metajudge.agreement.rates import ratio
from metajudge.scoring.answers import passes, score_answers
from metajudge.scoring.policies import Policy, parse_policy
from metajudge.selection.calibrate import folds_by_context
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.guardrails import Bounds
from metajudge.selection.measure import Measurer
from metajudge.selection.policies import cluster_of_draws
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.rule import DIGITS, Guardrails
from metajudge.selection.ties import figure_sums
from metajudge.selection.tuning.verdicts import Tuning, tuned_codes
from metajudge.templates.reading_names import reading_named

FIGURES = (
    "summary_as_idk",
    "over_credit",
    "kappa",
    "accuracy",
    "balanced_accuracy",
    "coverage",
)
"""Figures of verdicts, as a sweep has them."""
SCORE_FIGURES = ("score_bias", "score_mae", "pass_agreement")
"""Figures of answer scores under partial(w); nan where a setting has no weight."""
CHUNK = 128
"""Settings measured together; bounds memory."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Figures of T settings on R weightings of the claims' clusters.

    Attributes:
        values: By name, shape (R, T) each: `FIGURES`, `SCORE_FIGURES`, and `trials`, how many
            trials answer each claim; nan where undefined.
        constraints: By guardrail, shape (R, T) each: 0 where it is kept, above 0 by how much it is
            broken, inf where there is no number.
    """

    values: Mapping[str, Floats]
    constraints: Mapping[str, Floats]

    def told(self, place: int) -> tuple[dict[str, float | None], dict[str, float]]:
        """Values and constraints of one setting on the first weighting, None where undefined.

        The figures of scores are left out where the setting has no policy weight.
        """
        row = {name: float(found[0, place]) for name, found in self.values.items()}
        values = {name: None if np.isnan(value) else value for name, value in row.items()}
        if all(values[name] is None for name in SCORE_FIGURES):
            values = {name: v for name, v in values.items() if name not in SCORE_FIGURES}
        return values, {name: float(found[0, place]) for name, found in self.constraints.items()}

    def best_first(self, target: str, weighting: int = 0) -> Ints:
        """Settings in the order of `Rule`, shape (T,): those that keep every guardrail by the
        target, then the others by how far they are off in sum.

        Equal ones by kappa, then by trials, fewer first, then as they were given.

        Args:
            target: A figure of `values`.
            weighting: Row of the weightings.
        """  # noqa: D205
        row = {name: found[weighting] for name, found in self.values.items()}
        sign = 1.0 if target in LOWER_IS_BETTER | {"score_mae", "trials"} else -1.0
        loss = np.abs(row[target]) if target == "score_bias" else sign * row[target]
        off = sum(found[weighting] for found in self.constraints.values())
        off = np.broadcast_to(as_floats(off), loss.shape)
        keys = (
            row["trials"],
            _last_if_nan(-row["kappa"]),
            _last_if_nan(loss),
            np.round(off, DIGITS),
        )
        return np.lexsort(keys).astype(np.int64)


@dataclass(frozen=True)
class Tunables:
    """Stored verdicts that settings are made of.

    Attributes:
        columns: The claims, of the dev split.
        candidates: S trials under readings, with codes and label probabilities.
        cluster: `answer` or `context`, the groups that limits rest on.
        level: Coverage of limits.
        bounds: Guardrails; those that rest on other calls (`flip_rate`, `insensitive`) are not
            looked at, so leave out the rows that break them.
        baseline: Row of today's practice; None leaves its guardrails out.
        pass_threshold: Score at which an answer passes.
        gold_policy: Scores gold labels; None takes the setting's own partial(w), as the policy
            table of a sweep does. With a fixed one the weight is held to one idea of the truth.
    """

    columns: ClaimColumns
    candidates: CandidateCodes
    cluster: str = "answer"
    level: float = 0.95
    bounds: Bounds = field(default_factory=Bounds)
    baseline: int | None = None
    pass_threshold: float = 0.8
    gold_policy: Policy | None = None

    @cached_property
    def everybody(self) -> Floats:
        """The weighting of a sweep: every cluster once, shape (1, G)."""
        return np.ones((1, self.columns.clusters(self.cluster).n_clusters))

    def codes(self, settings: Sequence[Tuning]) -> Ints:
        """Verdicts of each setting, shape (T, N)."""
        parts = [
            tuned_codes(self.candidates, settings[start : start + CHUNK])
            for start in range(0, len(settings), CHUNK)
        ]
        return np.concatenate([np.zeros((0, len(self.columns.gold)), np.int64), *parts])

    def evaluate(self, settings: Sequence[Tuning], weights: Numbers | None = None) -> Evaluated:
        """Figures and guardrails of many settings.

        The limits of guardrails are those of `Rule`: two that a ranking takes from resamples are
        normal here, so a winner near a bound is ranked once more like any candidate.

        Args:
            settings: Any number of them.
            weights: Shape (R, G), how often each cluster counts; None counts each once.

        Raises:
            ValueError: No setting, a row that there is not, or a threshold or weight out of range.
        """
        if not settings:
            raise ValueError("evaluate: there is no setting")
        draws = self.everybody if weights is None else as_floats(weights)
        parts = [
            self._measured(settings[start : start + CHUNK], draws)
            for start in range(0, len(settings), CHUNK)
        ]
        return Evaluated(
            _beside([part.values for part in parts]), _beside([p.constraints for p in parts])
        )

    def held_out(
        self, settings: Sequence[Tuning], target: str, n_folds: int = 5
    ) -> tuple[Tuning, ...]:
        """The best setting for each fold of contexts, found without that fold's claims.

        Args:
            settings: What is searched.
            target: A figure of `Evaluated.values`.
            n_folds: Folds, at most as many as contexts.

        Returns:
            One a fold of `calibrate.folds_by_context`; () with fewer than two contexts.

        Source: Stone (1974), J. R. Stat. Soc. B 36 (cross-validation of a choice).
        """
        folds = folds_by_context(self.columns.contexts.codes, n_folds)
        if not folds:
            return ()
        clusters = self.columns.clusters(self.cluster)
        weights = np.zeros((len(folds), clusters.n_clusters))
        for row, (fitted, _) in enumerate(folds):
            weights[row, np.unique(clusters.codes[fitted])] = 1.0
        found = self.evaluate(settings, weights)
        firsts = (found.best_first(target, row)[0] for row in range(len(folds)))
        return tuple(settings[first] for first in firsts)

    def cross_fitted(
        self, settings: Sequence[Tuning], target: str, n_folds: int = 5
    ) -> Evaluated | None:
        """What the search is worth on claims that it did not see, as if it were one candidate.

        Each claim gets the verdict of the setting that is best on the other folds. Figures of
        scores are left out, for the weights may differ.

        Args:
            settings: What is searched.
            target: A figure of `Evaluated.values`.
            n_folds: Folds.

        Returns:
            Shape (1, 1) each; None with fewer than two contexts.
        """
        joined = self.cross_fitted_codes(settings, target, n_folds)
        if joined is None:
            return None
        values, constraints = self._of_codes(joined[None], self.everybody)
        return Evaluated(values, constraints)

    def cross_fitted_codes(
        self, settings: Sequence[Tuning], target: str, n_folds: int = 5
    ) -> Ints | None:
        """The verdicts behind `cross_fitted`, shape (N,); None with fewer than two contexts.

        Args:
            settings: What is searched.
            target: A figure of `Evaluated.values`.
            n_folds: Folds.
        """
        chosen = self.held_out(settings, target, n_folds)
        if not chosen:
            return None
        codes = self.codes(chosen)
        joined = np.empty(len(self.columns.gold), np.int64)
        folds = folds_by_context(self.columns.contexts.codes, n_folds)
        for row, (_, held) in enumerate(folds):
            joined[held] = codes[row, held]
        return joined

    def as_candidate(self, setting: Tuning) -> CandidateKey | None:
        """The candidate to declare in an experiment for a setting; None for a panel.

        The policy weight is a policy's, `partial(w)`, and not part of it.
        """
        if len(setting.rows) > 1:
            return None
        key = self.candidates.keys[setting.rows[0]]
        if setting.threshold is None:
            return key
        name = reading_named(key.reading)._replace(threshold=setting.threshold)
        return CandidateKey(key.trial, str(name))

    def _measured(self, settings: Sequence[Tuning], weights: Floats) -> Evaluated:
        codes = tuned_codes(self.candidates, settings)
        values, constraints = self._of_codes(codes, weights)
        trials = [
            len({self.candidates.keys[row].trial for row in setting.rows}) for setting in settings
        ]
        values["trials"] = np.broadcast_to(as_floats(trials), (len(weights), len(settings)))
        return Evaluated(values | self._score_figures(codes, settings, weights), constraints)

    def _of_codes(
        self, codes: Ints, weights: Floats
    ) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Figures and guardrails of verdicts (T, N), each (R, T)."""
        n = len(codes)
        keys = tuple(CandidateKey(str(place), "top") for place in range(n))
        if self.baseline is not None:
            codes = np.concatenate([codes, self.candidates.codes[[self.baseline]]])
            keys = (*keys, CandidateKey("baseline", "top"))
        none = np.full((len(codes), 0, 3), np.nan, np.float32)
        measurer = Measurer(
            self.columns,
            CandidateCodes(keys, codes, none),
            np.ones((1, 1), np.float32),
            self.cluster,
            self.level,
        )
        values = {}
        for name in FIGURES:
            figure = figure_sums(measurer, name)
            found = figure.coefficient(weighted_sums(weights, figure.sums.sums))
            values[name] = as_floats(found)[:, :n]
        guardrails = Guardrails(measurer, self.bounds, n if self.baseline is not None else None)
        broken = guardrails.broken_by(weights)
        return values, {name: found[:, :n] for name, found in broken.items()}

    def _score_figures(
        self, codes: Ints, settings: Sequence[Tuning], weights: Floats
    ) -> dict[str, Floats]:
        given = as_floats([np.nan if s.weight is None else s.weight for s in settings])
        found = {name: np.full((len(weights), len(settings)), np.nan) for name in SCORE_FIGURES}
        for weight in np.unique(given[np.isfinite(given)]):
            mine = np.flatnonzero(given == weight)
            for name, row in self._scored(codes[mine], float(weight), weights).items():
                found[name][:, mine] = row
        return found

    def _scored(self, codes: Ints, weight: float, weights: Floats) -> dict[str, Floats]:
        """Bias, mean error and pass agreement of settings with one policy weight, each (R, t)."""
        policy = parse_policy(f"partial({weight:g})")
        draws, n_draws = self.columns.answer_draws
        rows = (np.arange(len(codes)) * n_draws)[:, None] + draws
        judged = score_answers(policy, codes.ravel(), rows.ravel(), n_draws * len(codes)).values
        judged = judged.reshape(len(codes), n_draws)
        truth = self.gold_policy or policy
        certain = np.eye(3)[self.columns.gold]
        gold = score_answers(truth, self.columns.gold, draws, n_draws, certain).values
        both = np.isfinite(judged) & np.isfinite(gold)
        gap = np.where(both, judged - gold, 0.0)
        same = passes(judged, self.pass_threshold) == passes(gold, self.pass_threshold)
        parts = np.stack([gap, np.abs(gap), same & both, both], axis=-1)
        cluster = cluster_of_draws(self.columns, self.cluster)
        sums = np.zeros((weights.shape[1], len(codes), 4))
        np.add.at(sums, cluster, np.moveaxis(parts, 1, 0))
        added = weighted_sums(weights, sums)
        return {name: ratio(added[..., [place, 3]]) for place, name in enumerate(SCORE_FIGURES)}


def _beside(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}


def _last_if_nan(values: Floats) -> Floats:
    return as_floats(np.round(np.where(np.isnan(values), np.inf, values), DIGITS))

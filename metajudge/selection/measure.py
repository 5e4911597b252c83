"""Every figure of every candidate, all on the same resamples.

Shares get Wilson's interval at the effective sample size, other coefficients BCa, and paired
differences the percentile interval of the paired bootstrap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.baselines import best_constant_accuracy
from metajudge.agreement.bootstrap import (
    ClusterSums,
    cluster_shares,
    cluster_sums,
    cluster_tables,
)
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient, label_score
from metajudge.agreement.estimate import (
    Estimate,
    estimate,
    estimate_differences,
    estimate_share,
)
from metajudge.agreement.rates import ratio, share_coefficient
from metajudge.selection.columns import CandidateCodes, ClaimColumns
from metajudge.selection.shares import SHARES

TABLE_FIGURES = {
    "balanced_accuracy": "balanced_accuracy",
    "macro_f1": "macro_f1",
    "kappa": "cohen_kappa",
    "mcc": "mcc",
    "ac1": "gwet_ac1",
    "alpha": "krippendorff_alpha",
}
LABEL_WORDS = {False: ("yes", "no", "idk"), True: ("supported", "unsupported")}


@dataclass(frozen=True, slots=True)
class GroupEstimates:
    """One slice or language of one candidate.

    Attributes:
        n: Entries.
        accuracy: Share of verdicts equal to gold.
        called: Shape (4,), how often yes, no, idk and failure were said.
        gold: Shape (K,), gold labels.
        figures: Further figures of a language; {} for a slice.
    """

    n: int
    accuracy: Estimate
    called: Ints
    gold: Ints
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class CandidateFigures:
    """Everything measured about one candidate.

    Attributes:
        table: Shape (K, 4): gold label by verdict yes, no, idk, failure.
        figures: By name: `TABLE_FIGURES`, `SHARES` and `constant_answer`.
        labels: Precision, recall and F1 per gold label.
        slices: By slice, only those that occur.
        languages: By language tag.
    """

    table: Ints
    figures: Mapping[str, Estimate]
    labels: Mapping[str, Mapping[str, Estimate]]
    slices: Mapping[str, GroupEstimates]
    languages: Mapping[str, GroupEstimates]


@dataclass(frozen=True, slots=True)
class Measurer:
    """Claims, verdicts and resamples of one sweep.

    Attributes:
        columns: The claims.
        candidates: The verdicts.
        weights: Shape (B, G), resamples of `cluster`.
        cluster: `answer` or `context`.
        level: Coverage of intervals.
    """

    columns: ClaimColumns
    candidates: CandidateCodes
    weights: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    cluster: str
    level: float

    def share_sums(self, name: str, within: Masks | None = None) -> ClusterSums:
        """Per-cluster sums of a share by its name in `SHARES`."""
        counted = np.ones(len(self.columns.gold), np.bool_) if within is None else within
        part = SHARES[name].of(self.columns, self.candidates.codes, counted)
        return cluster_shares(self.columns.clusters(self.cluster).codes, part)

    def shares(self, name: str, within: Masks | None = None) -> tuple[Estimate, ...]:
        """A share of every candidate."""
        coefficient = share_coefficient(name, SHARES[name].kind)
        return estimate_share(self.share_sums(name, within), coefficient, self.level)

    def coefficients(self, sums: ClusterSums, coefficient: Coefficient) -> tuple[Estimate, ...]:
        """A coefficient of every candidate."""
        return estimate(sums, coefficient, self.weights, "bca", self.level)

    def table_sums(self, within: Masks | None = None) -> ClusterSums:
        """Per-cluster confusion tables, in the gold set's label space."""
        return cluster_tables(
            self.columns.clusters(self.cluster).codes,
            self.columns.gold,
            self.columns.as_labels(self.candidates.codes),
            self.columns.n_labels,
            within,
        )

    def differences(self, name: str, reference: int) -> tuple[Estimate, ...]:
        """A figure of every candidate minus the reference's, on the same resamples."""
        if name in SHARES:
            coefficient = share_coefficient(name, SHARES[name].kind)
            sums = self.share_sums(name)
        else:
            coefficient, sums = COEFFICIENTS[TABLE_FIGURES[name]], self.table_sums()
        return estimate_differences(
            sums, coefficient, self.weights, reference=reference, level=self.level
        )

    def slice_accuracy(self, name: str) -> Floats:
        """Accuracy on one slice, shape (S,); nan where the slice is empty."""
        return ratio(self.share_sums("accuracy", self.columns.in_slices([name])).totals)

    def measure(self) -> tuple[CandidateFigures, ...]:
        """All figures of all candidates, in the candidates' order."""
        sums = self.table_sums()
        tables = {
            name: self.coefficients(sums, COEFFICIENTS[key]) for name, key in TABLE_FIGURES.items()
        }
        tables |= {name: self.shares(name) for name in SHARES}
        constant = Coefficient("constant_answer", best_constant_accuracy, "no claim was asked")
        tables["constant_answer"] = self.coefficients(sums, constant)
        labels = self._labels(sums)
        slices = {
            name: self._group(self.columns.in_slices([name]), {})
            for name in sorted(set(self.columns.slices.tolist()) - {""})
        }
        languages = {
            lang: self._language(lang) for lang in sorted(set(self.columns.langs.tolist()))
        }
        return tuple(
            CandidateFigures(
                table=self._called(self.candidates.codes[i], None),
                figures={name: row[i] for name, row in tables.items()},
                labels={w: {k: e[i] for k, e in kinds.items()} for w, kinds in labels.items()},
                slices={name: groups[i] for name, groups in slices.items()},
                languages={lang: groups[i] for lang, groups in languages.items()},
            )
            for i in range(len(self.candidates.keys))
        )

    def _labels(self, sums: ClusterSums) -> dict[str, dict[str, tuple[Estimate, ...]]]:
        words = LABEL_WORDS[self.columns.binary]
        return {
            word: {
                "precision": self._label_share("precision", code, word),
                "recall": self._label_share("recall", code, word),
                "f1": self.coefficients(sums, label_score("f1", code, word)),
            }
            for code, word in enumerate(words)
        }

    def _label_share(self, kind: str, code: int, word: str) -> tuple[Estimate, ...]:
        """Precision or recall of a label: right verdicts among those said, or among those true."""
        said = self.columns.as_labels(self.candidates.codes) == code
        truth = np.broadcast_to(self.columns.gold == code, said.shape)
        among = said if kind == "precision" else truth
        kind_of_claim = f"called {word}" if kind == "precision" else f"a gold-{word} claim"
        coefficient = share_coefficient(f"{kind}_{word}", kind_of_claim)
        parts = np.stack([said & truth, among], axis=-1)
        sums = cluster_sums(self.columns.clusters(self.cluster).codes, parts, among)
        return estimate_share(sums, coefficient, self.level)

    def _called(self, codes: Ints, within: Masks | None) -> Ints:
        gold = self.columns.gold if within is None else self.columns.gold[within]
        said = codes if within is None else codes[within]
        cells = np.bincount(gold * 4 + said, minlength=self.columns.n_labels * 4)
        return cells.reshape(self.columns.n_labels, 4)

    def _group(
        self, within: Masks, figures: Mapping[str, tuple[Estimate, ...]]
    ) -> tuple[GroupEstimates, ...]:
        accuracy = self.shares("accuracy", within)
        tables = [self._called(codes, within) for codes in self.candidates.codes]
        return tuple(
            GroupEstimates(
                n=int(within.sum()),
                accuracy=accuracy[i],
                called=table.sum(0),
                gold=table.sum(1),
                figures={name: row[i] for name, row in figures.items()},
            )
            for i, table in enumerate(tables)
        )

    def _language(self, lang: str) -> tuple[GroupEstimates, ...]:
        within = self.columns.in_language(lang)
        kappa = self.coefficients(self.table_sums(within), COEFFICIENTS["cohen_kappa"])
        figures = {name: self.shares(name, within) for name in ("summary_as_idk", "over_credit")}
        return self._group(within, {**figures, "kappa": kappa})

"""The agreement coefficients by name: one declaration each, for reports and tests alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from metajudge.agreement.accuracy import accuracy, coverage
from metajudge.agreement.alpha import Scale, alpha_of_coincidences, alpha_of_table, coincidences
from metajudge.agreement.arrays import Floats, Numbers
from metajudge.agreement.balanced_accuracy import balanced_accuracy
from metajudge.agreement.fleiss import fleiss_of_sums, fleiss_sums
from metajudge.agreement.gwet import gwet_ac, gwet_of_sums, gwet_sums
from metajudge.agreement.indices import brennan_prediger
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.mcc import mcc
from metajudge.agreement.prf import label_scores, macro_f1
from metajudge.agreement.table import LABEL_POSITIONS


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number computed from sums over claims.

    Attributes:
        name: As written in files and reports.
        function: Maps sums with leading batch dimensions to one number each, nan where undefined.
        undefined: When it is undefined, in words for the reason of a null.
        low: Smallest possible value.
        high: Largest possible value.
    """

    name: str
    function: Callable[[Floats], Floats]
    undefined: str
    low: float = 0.0
    high: float = 1.0

    def __call__(self, sums: Numbers) -> Floats:
        """Value for each table or row of sums."""
        return self.function(sums)  # type: ignore[arg-type]


NO_CLAIMS = "no claim was asked"
ONE_LABEL = "gold and verdicts hold one and the same label only"


def label_score(kind: str, label: int, word: str) -> Coefficient:
    """Precision, recall or F1 of one label as a coefficient.

    >>> float(label_score("recall", 0, "yes")([[3, 1, 0], [0, 2, 0]]))
    0.75
    """
    reasons = {
        "precision": f"no verdict is {word}",
        "recall": f"no gold label is {word}",
        "f1": f"neither gold nor verdicts hold {word}",
    }

    def function(table: Floats) -> Floats:
        scores: Floats = getattr(label_scores(table), kind)
        return scores[..., label]

    return Coefficient(f"{kind}_{word}", function, reasons[kind])


ORDERED: tuple[Coefficient, ...] = (
    Coefficient(
        "kappa_linear",
        partial(cohen_kappa, weighting="linear", positions=LABEL_POSITIONS),
        ONE_LABEL,
        -1.0,
    ),
    Coefficient(
        "kappa_quadratic",
        partial(cohen_kappa, weighting="quadratic", positions=LABEL_POSITIONS),
        ONE_LABEL,
        -1.0,
    ),
    Coefficient(
        "gwet_ac2",
        partial(gwet_ac, weighting="quadratic", positions=LABEL_POSITIONS),
        NO_CLAIMS,
        -2.0,
    ),
)
"""Only for yes/no/idk tables, where the order no < idk < yes is meant."""

COEFFICIENTS: dict[str, Coefficient] = {
    coefficient.name: coefficient
    for coefficient in (
        Coefficient("accuracy", accuracy, NO_CLAIMS),
        Coefficient("balanced_accuracy", balanced_accuracy, NO_CLAIMS),
        Coefficient("macro_f1", macro_f1, NO_CLAIMS),
        Coefficient("mcc", mcc, "gold or verdicts hold one label only", -1.0),
        Coefficient("cohen_kappa", cohen_kappa, ONE_LABEL, -1.0),
        Coefficient("gwet_ac1", gwet_ac, NO_CLAIMS, -1.0),
        Coefficient("krippendorff_alpha", alpha_of_table, NO_CLAIMS, -1.0),
        Coefficient("brennan_prediger", brennan_prediger, NO_CLAIMS, -1.0),
        Coefficient("coverage", coverage, NO_CLAIMS),
    )
}
"""Coefficients of tables with any number of labels, by name."""


class RaterCoefficient(NamedTuple):
    """A coefficient of any number of raters, such as annotators or runs.

    Attributes:
        units: From label counts (N, K) of each unit to what it adds, (N, …).
        coefficient: From added sums to the value.
    """

    units: Callable[[Numbers], Floats]
    coefficient: Coefficient


NO_OVERLAP = "no claim has two ratings"


def _alpha(name: str, scale: Scale) -> RaterCoefficient:
    function = partial(alpha_of_coincidences, scale=scale, positions=LABEL_POSITIONS)
    return RaterCoefficient(coincidences, Coefficient(name, function, NO_OVERLAP, -1.0))


RATER_COEFFICIENTS: dict[str, RaterCoefficient] = {
    each.coefficient.name: each
    for each in (
        RaterCoefficient(
            fleiss_sums,
            Coefficient("fleiss_kappa", fleiss_of_sums, "every rating is one label", -1.0),
        ),
        RaterCoefficient(
            coincidences,
            Coefficient("krippendorff_alpha", alpha_of_coincidences, NO_OVERLAP, -1.0),
        ),
        _alpha("krippendorff_alpha_ordinal", "ordinal"),
        _alpha("krippendorff_alpha_interval", "interval"),
        RaterCoefficient(gwet_sums, Coefficient("gwet_ac1", gwet_of_sums, NO_OVERLAP, -1.0)),
        RaterCoefficient(
            partial(gwet_sums, weighting="quadratic", positions=LABEL_POSITIONS),
            Coefficient(
                "gwet_ac2",
                partial(gwet_of_sums, weighting="quadratic", positions=LABEL_POSITIONS),
                NO_OVERLAP,
                -2.0,
            ),
        ),
    )
}
"""Coefficients of raters by name; the last of alpha and of Gwet take the order no < idk < yes.

Fleiss' kappa needs the same number of ratings for every unit; the others take gaps.
"""

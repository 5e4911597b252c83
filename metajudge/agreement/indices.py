"""Prevalence and bias: what stands beside kappa so that its paradoxes are seen."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.accuracy import accuracy
from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.table import margins


def prevalence_index(table: Numbers) -> Floats:
    """How far agreement is one-sided, for each label against the rest, 0 to 1.

    |both say k - both say another| / n. Near 1, kappa is low however good the agreement is.

    Args:
        table: Shape (…, K, K + 1).

    Returns:
        Shape (…, K); both entries agree for K = 2. nan for an empty table.

    Source: Byrt, Bishop and Carlin (1993), J. Clin. Epidemiol. 46, PI.

    >>> prevalence_index([[80, 10, 0], [5, 5, 0]]).round(12).tolist()
    [0.75, 0.75]
    """
    counts, sums = as_floats(table), margins(table)
    both = np.einsum("...kk->...k", counts[..., :-1])
    neither = sums.n[..., None] - sums.gold - sums.verdict[..., :-1] + both
    return divide(np.abs(both - neither), sums.n[..., None])


def bias_index(table: Numbers) -> Floats:
    """How much more often the judge gives each label than gold, -1 to 1.

    Byrt's BI is the absolute value; the sign tells the direction. nan for an empty table.

    Args:
        table: Shape (…, K, K + 1).

    Returns:
        Shape (…, K).

    Source: Byrt, Bishop and Carlin (1993), BI.

    >>> bias_index([[80, 10, 0], [5, 5, 0]]).round(12).tolist()
    [-0.05, 0.05]
    """
    sums = margins(table)
    return divide(sums.verdict[..., :-1] - sums.gold, sums.n[..., None])


def brennan_prediger(table: Numbers) -> Floats:
    """Agreement beyond 1/K, the chance of a judge that draws labels evenly; at most 1.

    For K = 2 it is PABAK, kappa adjusted for prevalence and bias. nan for an empty table.

    Args:
        table: Shape (…, K, K + 1).

    Source: Brennan and Prediger (1981), Educ. Psychol. Meas. 41; Byrt, Bishop and Carlin
    (1993), PABAK.

    >>> round(float(brennan_prediger([[80, 10, 0], [5, 5, 0]])), 12)
    0.7
    """
    chance = 1.0 / as_floats(table).shape[-2]
    return as_floats((accuracy(table) - chance) / (1.0 - chance))


def greatest_kappa(table: Numbers) -> Floats:
    """The largest kappa that these margins allow; nan where kappa is undefined.

    Args:
        table: Shape (…, K, K + 1).

    Source: Cohen (1960), Educ. Psychol. Meas. 20 (kappa max).

    >>> round(float(greatest_kappa([[80, 10, 0], [5, 5, 0]])), 4)
    0.7727
    """
    sums = margins(table)
    given = sums.verdict[..., :-1]
    chance = divide((sums.gold * given).sum(-1), sums.n)
    return divide(np.minimum(sums.gold, given).sum(-1) - chance, sums.n - chance)

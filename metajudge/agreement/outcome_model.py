"""How probable each label of a claim is, given what S candidates say of it: tempered naive Bayes.

An outcome is what labelling a claim can bring: a label, and which part of the figures it enters.
Each candidate has a table of how often it gives which verdict to claims of each outcome, shrunk to
its table for the label, and that to the mean of all candidates. Candidates that share a judge err
on the same claims, so their verdicts are no independent evidence: the sum of their log-likelihoods
is multiplied by a temper between 0 and 1, the one that predicts left-out clusters best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Numbers, as_floats

N_VERDICTS = 4
"""yes, no, idk and failure."""
SHRINKAGE = 2.0
"""Claims that a table counts for, which a smaller table is shrunk to."""
TEMPERS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class OutcomeModel:
    """The labelled claims as tables, and how far the candidates' word is taken.

    Attributes:
        tables: Shape (G, O, S, 4), counts by cluster, outcome, candidate and verdict.
        label_of: Shape (O,), the label code of each outcome.
        temper: 0 to 1; 0 takes no notice of the verdicts.
    """

    tables: Floats
    label_of: Ints
    temper: float

    def log_likelihood(self, weights: Numbers, verdicts: Ints) -> Floats:
        """Tempered log-likelihood of verdicts under each outcome, shape (B, O, M).

        Args:
            weights: Shape (B, G), how often each cluster counts.
            verdicts: Shape (S, M), verdict codes.
        """
        draws = as_floats(weights)
        counts = (draws @ self.tables.reshape(len(self.tables), -1)).reshape(
            len(draws), *self.tables.shape[1:]
        )
        return self.temper * _log_likelihood(_confusion(counts, self.label_of), verdicts)


def fit_outcome_model(cluster: Ints, outcome: Ints, verdicts: Ints, label_of: Ints) -> OutcomeModel:
    """The model of labelled claims, its temper chosen by leaving each cluster out in turn.

    Of equally good tempers the smallest; with fewer than two clusters 1 / S, which takes the
    candidates together for one.

    Args:
        cluster: Shape (n,), codes 0 … G - 1.
        outcome: Shape (n,), codes 0 … O - 1.
        verdicts: Shape (S, n), verdict codes.
        label_of: Shape (O,), label code of each outcome; outcomes may be absent from the claims.

    Source: Dawid and Skene (1979), Appl. Stat. 28, with known classes; tables shrunk to a common
    one as in Paun et al. (2018), TACL 6. A likelihood raised to a power: Bissiri, Holmes and Walker
    (2016), JRSS B 78; the power chosen by prediction: Grünwald (2012), The safe Bayesian.
    """
    tables = _tables(cluster, outcome, verdicts, len(label_of))
    if len(tables) < 2:
        return OutcomeModel(tables, label_of, 1 / max(len(verdicts), 1))
    whole, scores = tables.sum(0), np.zeros(len(TEMPERS))
    for group, table in enumerate(tables):
        mine = np.flatnonzero(cluster == group)
        counts = whole - table
        prior = np.log(outcome_prior(counts[:, 0].sum(-1)))[:, None]
        told = _log_likelihood(_confusion(counts, label_of), verdicts[:, mine])
        for place, temper in enumerate(TEMPERS):
            shares = as_shares(prior + temper * told, 0)
            scores[place] += np.log(shares[outcome[mine], np.arange(len(mine))]).sum()
    return OutcomeModel(tables, label_of, TEMPERS[int(np.argmax(np.round(scores, 9)))])


def outcome_prior(counts: Numbers) -> Floats:
    """Shares of the outcomes, half a claim added to each, shape as the counts' (…, O).

    >>> outcome_prior([1.5, 0.5]).tolist()
    [0.6666666666666666, 0.3333333333333333]
    """
    sizes = as_floats(counts) + 0.5
    return as_floats(sizes / sizes.sum(-1, keepdims=True))


def as_shares(logs: Floats, axis: int) -> Floats:
    """Shares that sum to 1 along an axis, from logarithms known up to a constant; -inf is 0.

    >>> as_shares(np.log([1.0, 3.0]), 0).tolist()
    [0.25, 0.75]
    """
    raised = np.exp(logs - logs.max(axis, keepdims=True))
    return as_floats(raised / raised.sum(axis, keepdims=True))


def _tables(cluster: Ints, outcome: Ints, verdicts: Ints, n_outcomes: int) -> Floats:
    n_groups, n_candidates = int(cluster.max(initial=-1)) + 1, len(verdicts)
    place = (cluster * n_outcomes + outcome)[None] * n_candidates
    cells = (place + np.arange(n_candidates)[:, None]) * N_VERDICTS + verdicts
    size = n_groups * n_outcomes * n_candidates * N_VERDICTS
    counts = np.bincount(cells.ravel(), minlength=size)
    return as_floats(counts.reshape(n_groups, n_outcomes, n_candidates, N_VERDICTS))


def _confusion(counts: Floats, label_of: Ints) -> Floats:
    """Shares of verdicts by outcome and candidate, shrunk twice, shape as the counts'."""
    same = as_floats(label_of[:, None] == np.unique(label_of))
    by_label = np.einsum("...osv,ok->...ksv", counts, same)
    pooled = by_label.sum(-2, keepdims=True) + 1 / N_VERDICTS
    pooled /= pooled.sum(-1, keepdims=True)
    by_label = _shrunk(by_label, pooled)
    return _shrunk(counts, np.einsum("...ksv,ok->...osv", by_label, same))


def _shrunk(counts: Floats, to: Floats) -> Floats:
    return as_floats((counts + SHRINKAGE * to) / (counts.sum(-1, keepdims=True) + SHRINKAGE))


def _log_likelihood(confusion: Floats, verdicts: Ints) -> Floats:
    """Sum over candidates of the log share of the verdict given, shape (…, O, M)."""
    n_candidates, n = verdicts.shape
    given = np.zeros((n_candidates * N_VERDICTS, n))
    given[np.arange(n_candidates)[:, None] * N_VERDICTS + verdicts, np.arange(n)] = 1.0
    logs = np.log(confusion)
    return as_floats(logs.reshape(*logs.shape[:-2], -1) @ given)

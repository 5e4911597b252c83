"""Labels of several annotators made one by weighing who errs how: the model of Dawid and Skene.

Each claim has one true label, each annotator a table of how often they give which label to claims
of each true label, and annotators err independently given the true label. The expectation-
maximisation algorithm finds tables, label shares and, for each claim, how probable each label is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.ceiling import MISSING
from metajudge.counted import counted

SMOOTHING = 0.5
MOST_ITERATIONS = 500
TOLERANCE = 1e-9


class DawidSkene(NamedTuple):
    """What the model makes of annotators' labels, for R annotators, N claims and K labels.

    Attributes:
        posterior: Shape (N, K), probability of each true label given all labels; rows sum to 1,
            nan for a claim that nobody labelled.
        prior: Shape (K,), estimated shares of the true labels.
        confusion: Shape (R, K, K), [annotator, true label, label given]; rows sum to 1.
        objective: After each iteration: the log-likelihood of the labels plus the smoothing's
            term; never falls. `()` when there is no label at all.
        log_likelihood: Of the labels given the final estimates, in nats; 0 or less.
        converged: Whether the objective stood still before the iterations were spent.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    objective: tuple[float, ...]
    log_likelihood: float
    converged: bool


class _Given(NamedTuple):
    """Labels one by one, each of the three of shape (n,), and the sizes."""

    annotator: Ints
    claim: Ints
    label: Ints
    n_annotators: int
    n_claims: int
    n_labels: int

    @property
    def labelled(self) -> Masks:
        return np.bincount(self.claim, minlength=self.n_claims) > 0


def dawid_skene(
    ratings: Numbers,
    n_labels: int = 3,
    *,
    owner: Numbers | None = None,
    smoothing: float = SMOOTHING,
    most_iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> DawidSkene:
    """Fits the model by expectation-maximisation, from the shares of the votes.

    Starting from the votes ties each class to the label that most annotators gave it, so that
    classes cannot swap names while annotators are better than chance. The fit is the maximum that
    lies uphill from there; another start may end on another one. With two annotators the tables
    are not determined by the labels (2 K (K - 1) + K - 1 unknowns, K² - 1 cells); take no error
    rate from such a fit.

    Args:
        ratings: Shape (R, N), label codes; MISSING where there is none.
        n_labels: K.
        owner: Shape (R,), the annotator of each row, 0 … ; None is one annotator a row. Rows of
            one annotator are labels given again.
        smoothing: Labels added to each cell of every table and of the label shares, 0 or more
            (the mode under Dirichlet priors of 1 + smoothing); 0 is maximum likelihood, where a
            rate that never occurred is exactly 0 and a few claims make posteriors of 0 and 1.
        most_iterations: 1 or more.
        tolerance: Rise of the objective, per label given, under which the fit has converged.

    Raises:
        ValueError: A code is out of the label space, or an option out of its range.

    Source: Dawid and Skene (1979), Appl. Stat. 28, eq. 2.3 to 2.5, started by eq. 3.1.

    >>> fit = dawid_skene([[0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0]], 2)
    >>> fit.posterior.argmax(1).tolist()
    [0, 1, 0, 1]
    """
    if smoothing < 0 or most_iterations < 1 or tolerance < 0:
        raise ValueError(
            "smoothing and tolerance must be 0 or more and most_iterations 1 or more, "
            f"got {smoothing!r}, {tolerance!r} and {most_iterations!r}"
        )
    given = _given(ratings, owner, n_labels)
    if not len(given.label):
        return _nothing(given)
    posterior = _vote_shares(given)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < most_iterations:
        prior, confusion = _estimates(given, posterior, smoothing)
        logs, log_prior = _logs(confusion), _logs(prior)
        posterior, likelihood = _posterior(given, log_prior, logs)
        penalty = smoothing * (log_prior.sum() + logs.sum()) if smoothing else 0.0
        objective.append(float(likelihood + penalty))
        rise = objective[-1] - objective[-2] if len(objective) > 1 else np.inf
        converged = rise <= tolerance * len(given.label)
    posterior[~given.labelled] = np.nan
    return DawidSkene(posterior, prior, confusion, tuple(objective), likelihood, converged)


def _given(ratings: Numbers, owner: Numbers | None, n_labels: int) -> _Given:
    codes = np.asarray(ratings, np.int64)
    if codes.ndim != 2:
        raise ValueError(f"ratings must have shape (annotators, claims), got {codes.shape}")
    if codes.size and not MISSING <= codes.min() <= codes.max() < n_labels:
        raise ValueError(
            f"label codes must be 0 … {n_labels - 1} or {MISSING} (missing), "
            f"got {int(codes.min())} to {int(codes.max())}"
        )
    owners = np.arange(len(codes)) if owner is None else np.asarray(owner, np.int64)
    if owners.shape != codes.shape[:1] or (owners.size and owners.min() < 0):
        raise ValueError(
            f"owner must name the annotator of each of {counted(len(codes), 'rows')}, by number"
        )
    row, claim = np.nonzero(codes != MISSING)
    n_annotators = int(owners.max()) + 1 if owners.size else 0
    return _Given(owners[row], claim, codes[row, claim], n_annotators, codes.shape[1], n_labels)


def _nothing(given: _Given) -> DawidSkene:
    n_labels = given.n_labels
    even = np.full(n_labels, 1.0 / n_labels)
    tables = np.tile(even, (given.n_annotators, n_labels, 1))
    return DawidSkene(np.full((given.n_claims, n_labels), np.nan), even, tables, (), 0.0, True)


def _vote_shares(given: _Given) -> Floats:
    place = given.claim * given.n_labels + given.label
    size = given.n_claims * given.n_labels
    votes = np.bincount(place, minlength=size).reshape(-1, given.n_labels)
    return np.nan_to_num(divide(votes, votes.sum(-1, keepdims=True)))


def _estimates(given: _Given, posterior: Floats, smoothing: float) -> tuple[Floats, Floats]:
    """Label shares and tables from the claims' label probabilities (eq. 2.3 and 2.4)."""
    n_labels = given.n_labels
    place = given.annotator * n_labels + given.label
    size = given.n_annotators * n_labels
    columns = [np.bincount(place, posterior[given.claim, true], size) for true in range(n_labels)]
    tables = np.stack(columns).reshape(n_labels, -1, n_labels).swapaxes(0, 1) + smoothing
    rates = divide(tables, tables.sum(-1, keepdims=True))
    shares = posterior[given.labelled].sum(0) + smoothing
    return as_floats(shares / shares.sum()), np.where(np.isnan(rates), 1.0 / n_labels, rates)


def _logs(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return as_floats(np.log(shares))


def _posterior(given: _Given, log_prior: Floats, logs: Floats) -> tuple[Floats, float]:
    """The claims' label probabilities (eq. 2.5) and the log-likelihood of all labels."""
    columns = [
        np.bincount(given.claim, logs[given.annotator, true, given.label], given.n_claims)
        for true in range(given.n_labels)
    ]
    joint = np.stack(columns, axis=-1) + log_prior
    most = joint.max(-1, keepdims=True)
    scaled = np.exp(joint - most)
    total = scaled.sum(-1, keepdims=True)
    likelihood = (most + np.log(total))[given.labelled].sum()
    return as_floats(scaled / total), float(likelihood)

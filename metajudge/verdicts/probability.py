"""Label probabilities from the candidates of a reply's first token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metajudge.templates.dialect import Dialect
from metajudge.verdicts.verdict import Label, LabelProbabilities, TokenLogprob
from metajudge.verdicts.vocabulary import Vocabulary, fold, vocabulary_of

LABEL_MASS_FLOOR = 0.10
"""Least share of the first token that must fall on labels before a label is read from it."""

PRIOR_FLOOR = 1e-3
"""Least prior that `prior_corrected` divides by; a rarer label would blow up on noise alone."""

Floats = npt.NDArray[np.float64]


def label_probabilities(
    first_token: Sequence[TokenLogprob], dialect: Dialect
) -> tuple[LabelProbabilities, float] | None:
    """Probabilities of the labels at the verdict's position, all spellings of a label summed.

    A token counts for a label when it equals one of its spellings (white space, case and width
    aside) or is a non-empty proper prefix of spellings of this label and of no other. A prefix
    that two labels share counts for none.

    Args:
        first_token: Candidate tokens with natural-log probabilities; may be empty.
        dialect: The words offered; labels it does not offer get 0.

    Returns:
        The probabilities (sum 1) and the label mass: the share of the first token that fell on
        labels, 0 to 1. None when no candidate counts for any label.

    >>> from metajudge.templates.dialect import WORDS
    >>> split = [(" no", 0.5), ("No", 0.1), (" yes", 0.2), ("The", 0.2)]
    >>> tokens = [TokenLogprob(token, math.log(p)) for token, p in split]
    >>> probabilities, mass = label_probabilities(tokens, WORDS["en"])
    >>> round(probabilities.no, 3), round(probabilities.yes, 3), round(mass, 3)
    (0.75, 0.25, 0.8)
    """
    return first_token_probabilities(first_token, vocabulary_of(dialect))


def first_token_probabilities(
    first_token: Sequence[TokenLogprob], vocabulary: Vocabulary
) -> tuple[LabelProbabilities, float] | None:
    """`label_probabilities` for a vocabulary that is already built."""
    sums: dict[Label, float] = {"yes": 0.0, "no": 0.0, "idk": 0.0}
    for token, logprob in first_token:
        label = _token_label(token, vocabulary)
        if label is not None and not math.isnan(logprob):
            sums[label] += math.exp(min(logprob, 0.0))
    mass = sum(sums.values())
    if mass <= 0.0:
        return None
    shares = LabelProbabilities(sums["yes"] / mass, sums["no"] / mass, sums["idk"] / mass)
    return shares, min(mass, 1.0)


def top_label(probabilities: LabelProbabilities, offered: Sequence[Label]) -> Label:
    """The most probable label; of equals the one offered first.

    >>> top_label(LabelProbabilities(0.4, 0.2, 0.4), ("idk", "yes", "no"))
    'idk'
    """
    return max(offered, key=lambda label: float(getattr(probabilities, label)))


def prior_corrected(
    probabilities: npt.ArrayLike, prior: npt.ArrayLike, floor: float = PRIOR_FLOOR
) -> Floats:
    """Probabilities with a template's own label prior divided out.

    With p the label probabilities of a claim and q the mean label probabilities of the same
    template on content-free claims, the corrected ones are proportional to p / q. The largest of
    them is the label that `argmax W p` chooses with W = diag(q)^-1 and no offset.

    Args:
        probabilities: Shape (n, 3), rows yes, no, idk; nan where absent.
        prior: Shape (3,), each >= 0. A label not offered has 0 in both.
        floor: Least prior that is divided by.

    Returns:
        Shape (n, 3), rows sum to 1; nan where the row was absent.

    Raises:
        ValueError: Wrong shapes, or a prior that is negative, nan, or zero throughout.

    Source: Zhao, Wallace, Feng, Klein, Singh (2021), Calibrate Before Use, section 5
        (contextual calibration).

    >>> prior_corrected([[0.6, 0.2, 0.2]], [0.8, 0.1, 0.1]).round(3).tolist()
    [[0.158, 0.421, 0.421]]
    """
    rows = np.asarray(probabilities, dtype=np.float64)
    weights = np.asarray(prior, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3 or weights.shape != (3,):
        raise ValueError(
            "prior_corrected: probabilities have shape (n, 3) and the prior (3,), "
            f"got {rows.shape} and {weights.shape}"
        )
    if not np.all(weights >= 0.0) or weights.sum() <= 0.0:
        raise ValueError(
            f"prior_corrected: a prior is >= 0 and not zero throughout, got {weights!r}"
        )
    scaled = rows / np.maximum(weights / weights.sum(), floor)
    total = scaled.sum(axis=1, keepdims=True)
    corrected: Floats = np.divide(
        scaled, total, out=np.full_like(scaled, np.nan), where=total > 0.0
    )
    return corrected


def _token_label(token: str, vocabulary: Vocabulary) -> Label | None:
    folded = fold(token)
    word = vocabulary.words.get(folded)
    if word is not None and word != "not_offered":
        return word
    return vocabulary.prefixes.get(folded) if folded else None

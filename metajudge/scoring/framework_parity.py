"""What the installed frameworks' own scorers make of the same verdicts, without any model call.

`deepeval` and `ragas` policies equal these on verdicts without failures. On purpose they differ in:

- zero claims: DeepEval gives 1, Ragas nan; ours is null with the reason `no claims`;
- failures: DeepEval drops a verdict outside its vocabulary from the denominator and Ragas never
  sees it; ours keeps the claim in the denominator, uncredited.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from metajudge.templates.peers import peer_module


def deepeval_score(codes: npt.ArrayLike, *, penalize: bool = False) -> float:
    """The score that the installed DeepEval's faithfulness metric computes.

    Args:
        codes: Label codes, shape (n,); 0 yes, 1 no, 2 idk. A failure (3) is a verdict that
            DeepEval could not read, which it drops.
        penalize: DeepEval's `penalize_ambiguous_claims`.

    Raises:
        MissingExtraError: DeepEval is not installed.
    """
    faithfulness = peer_module("deepeval.metrics.faithfulness.faithfulness")
    word = faithfulness.Verdict
    words = (word.YES, word.NO, word.BORDERLINE)
    metric: Any = faithfulness.FaithfulnessMetric.__new__(faithfulness.FaithfulnessMetric)
    metric.penalize_ambiguous_claims = penalize
    metric.strict_mode = False
    metric.threshold = 0.5
    metric.verdicts = [
        None if code == 3 else faithfulness.FaithfulnessVerdict(verdict=words[code], reason=None)
        for code in _plain(codes)
    ]
    return float(metric._calculate_score())


def ragas_score(codes: npt.ArrayLike) -> float | None:
    """The score that the installed Ragas' faithfulness metric computes; None for its nan.

    Args:
        codes: Label codes, shape (n,); yes is its verdict 1, no and idk are its verdict 0. A
            failure (3) is a statement that its reply does not hold.

    Raises:
        MissingExtraError: Ragas is not installed.
    """
    module = peer_module("ragas.metrics.collections.faithfulness.metric")
    metric: Any = module.Faithfulness.__new__(module.Faithfulness)
    statements = [SimpleNamespace(verdict=int(code == 0)) for code in _plain(codes) if code != 3]
    score = float(metric._compute_score(SimpleNamespace(statements=statements)))
    return None if math.isnan(score) else score


def _plain(codes: npt.ArrayLike) -> list[int]:
    return [int(code) for code in np.asarray(codes, dtype=np.int64).reshape(-1)]

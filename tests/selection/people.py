"""Small gold sets with annotators, written as words of y, n, i and - (s, u for binary sets)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.gold.claim import Annotation, Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.goldset import GoldSet
from metajudge.selection import CandidateCodes, CandidateKey
from metajudge.selection.panel import Panel, panel
from metajudge.selection.stability import Resampling

LABELS = {"y": "yes", "n": "no", "i": "idk", "s": "supported", "u": "unsupported"}
CODES = {"y": 0, "n": 1, "i": 2, "f": 3, "s": 0, "u": 1, "-": -1}

GAPS = {"a": "yyn-", "b": "ynni", "c": "y-ni"}
"""Three annotators on four claims; agreement .875, alpha .71875, kappas .4, 1 and 1."""


def coded(*words: str) -> Any:
    """Label codes, one row a word."""
    return np.asarray([[CODES[letter] for letter in word] for word in words], np.int64)


def panel_of(rows: Mapping[str, str], n_labels: int = 3, clusters: Sequence[int] = ()) -> Panel:
    """A panel; each claim is a cluster of its own unless said."""
    labels = coded(*rows.values()).T
    return panel(labels, tuple(rows), clusters or range(len(labels)), n_labels)


def resampling_of(people: Panel, resamples: int = 300) -> Resampling:
    """Resamples of the panel's clusters."""
    groups = int(people.cluster.max()) + 1
    return Resampling(cluster_weights(groups, resamples, np.random.default_rng(1)), "answer")


def gold_of(
    rows: Mapping[str, str],
    label_source: str = "human",
    gold: str = "",
    answers: Sequence[str] = (),
) -> GoldSet:
    """A gold set; its labels are the first that anyone gave, unless said."""
    n = len(next(iter(rows.values())))
    binary = any(letter in "su" for word in rows.values() for letter in word)
    claims = []
    for i in range(n):
        given = {who: word[i] for who, word in rows.items() if word[i] != "-"}
        letter = gold[i] if gold else next(iter(given.values()), "s" if binary else "y")
        claims.append(
            Claim(
                claim_id=f"c{i}",
                answer_id=answers[i] if answers else f"a{i}",
                context_id=f"x{i}",
                claim=f"claim {i}",
                label=LABELS[letter],  # type: ignore[arg-type]
                annotations=tuple(
                    Annotation(annotator=who, label=LABELS[said])  # type: ignore[arg-type]
                    for who, said in given.items()
                ),
            )
        )
    manifest = GoldManifest(
        name="small",
        version="1",
        languages=("en",),
        label_space="binary" if binary else "ternary",
        labelling_policy=LabellingPolicy(version="1"),
        licence="Apache-2.0",
        provenance="made for tests",
        label_source=label_source,  # type: ignore[arg-type]
        annotators=tuple(rows),
    )
    contexts = {f"x{i}": Context(context_id=f"x{i}", passages=("p",)) for i in range(n)}
    return GoldSet(manifest, tuple(claims), contexts)


def candidates_of(
    verdicts: Mapping[str, str], probabilities: Mapping[str, Sequence[Any]] | None = None
) -> CandidateCodes:
    """Candidates by name; those without probabilities have nan."""
    codes = coded(*verdicts.values()) if verdicts else np.zeros((0, 0), np.int64)
    chances = np.full((*codes.shape, 3), np.nan, np.float32)
    for i, name in enumerate(verdicts):
        if probabilities and name in probabilities:
            chances[i] = np.asarray(probabilities[name], np.float32)
    return CandidateCodes(tuple(CandidateKey(name, "top") for name in verdicts), codes, chances)

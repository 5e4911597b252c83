"""Figures of public sets with several annotators, where they lie beside the project.

The README there has the agreement that is expected, to two decimals, with its conventions: every
label that annotators gave is one of its own, also those outside yes, no and idk.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from metajudge.agreement.annotators import group_agreement
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.dawid_skene import dawid_skene
from metajudge.agreement.rest import rest_of_panel
from metajudge.agreement.standing import standings
from metajudge.agreement.table import cluster_codes

FOLDER = Path(__file__).parents[3] / "shared" / "public_gold"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no public gold sets beside the project"
)


def read(name):
    """Ratings of shape (annotators, claims), the labels by code, and clusters of documents."""
    files = (FOLDER / name / f"{kind}.jsonl" for kind in ("normalised", "ambiguous"))
    rows = [
        json.loads(line)
        for file in files
        if file.is_file()
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    notes = [(place, each) for place, row in enumerate(rows) for each in row["annotators"]]
    people = sorted({each["id"] for _, each in notes})
    given = {each["label"] for _, each in notes}
    labels = ["yes", "no", "idk", *sorted(given - {"yes", "no", "idk"})]
    ratings = np.full((len(people), len(rows)), -1)
    for place, each in notes:
        ratings[people.index(each["id"]), place] = labels.index(each["label"])
    return ratings, labels, cluster_codes([row["group"] for row in rows])


@pytest.mark.parametrize(
    ("name", "claims", "pairs", "alpha", "binary"),
    [
        ("xsum_hallucination", 246, 0.86, 0.78, 0.82),
        ("faithbench", 438, 0.63, 0.51, 0.71),
        ("ocnli", 226, 0.69, 0.53, 0.57),
    ],
)
def test_the_published_figures_come_out(name, claims, pairs, alpha, binary):
    ratings, labels, clusters = read(name)
    weights = cluster_weights(clusters.n_clusters, 300, np.random.default_rng(1))
    found = group_agreement(ratings, clusters.codes, weights, len(labels))
    assert found.alpha.n == claims
    assert round(found.pairs.value, 2) == pairs
    assert round(found.alpha.value, 2) == alpha
    assert found.alpha.low < found.alpha.value < found.alpha.high
    two = np.where(ratings > 0, 1, ratings)
    rest = group_agreement(two, clusters.codes, weights, 2)
    assert round(rest.alpha.value, 2) == binary


def test_the_model_agrees_with_the_upstream_majority_where_there_is_one():
    ratings, labels, _ = read("ocnli")
    fit = dawid_skene(ratings, len(labels))
    votes = (ratings[..., None] == np.arange(len(labels))).sum(0)
    settled = votes.max(1) >= 3
    assert (fit.posterior.argmax(1) == votes.argmax(1))[settled].mean() > 0.9


def test_columns_that_are_no_people_do_not_stand_out():
    """The five columns of OCNLI are places in a file: no column is worse than the others."""
    ratings, _, clusters = read("ocnli")
    weights = cluster_weights(clusters.n_clusters, 500, np.random.default_rng(1))
    found = standings(rest_of_panel(ratings, clusters.codes, 5), weights)
    assert "below" not in {one.outcome for one in found[1:]}

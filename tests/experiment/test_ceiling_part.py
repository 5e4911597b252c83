from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment.ceiling_part import ceiling_results, no_ceiling_note
from metajudge.gold.goldset import GoldSet
from metajudge.report.ceiling_results import CeilingResults
from metajudge.selection import CandidateCodes, claim_columns
from tests.selection.people import GAPS, candidates_of, gold_of


def results_of(
    gold: GoldSet, candidates: CandidateCodes, repeats: int = 1, **more: Any
) -> CeilingResults | None:
    binary = gold.manifest.label_space == "binary"
    columns = claim_columns(gold.judged().claims, repeats, binary=binary)
    weights = cluster_weights(columns.answers.n_clusters, 200, np.random.default_rng(1))
    return ceiling_results(gold, columns, candidates, cluster="answer", weights=weights, **more)


def made(gold: GoldSet, candidates: CandidateCodes, **more: Any) -> CeilingResults:
    found = results_of(gold, candidates, **more)
    assert found is not None
    return found


def test_everything_stands_in_the_file() -> None:
    chances = [[0.8, 0.1, 0.1]] * 3 + [[math.nan] * 3]
    found = made(gold_of(GAPS), candidates_of({"t": "yynf", "u": "yyyy"}, {"t": chances}))
    assert (found.labels_from, found.claims, found.claims_asked) == ("people", 4, 4)
    assert found.annotators == {"a": 3, "b": 4, "c": 3}
    assert found.labels == {"yes": 4, "no": 4, "idk": 2}
    assert found.rare_labels == ("yes", "no", "idk")
    assert found.people.alpha.value == pytest.approx(0.71875)
    assert found.people.kappa.reason == "no two annotators share 10 claims"
    first, second = found.candidates
    assert (first.trial, first.reading, second.trial) == ("t", "top", "u")
    assert first.alpha.people == found.people.alpha.value
    assert first.alpha.judge.value == pytest.approx(1 - 0.3 * 90 / 65.5, abs=1e-6)
    assert first.alpha.ratio == pytest.approx((1 - 27 / 65.5) / 0.71875, abs=1e-5)
    assert (first.kappa.people, first.kappa.ratio) == (None, None)
    assert first.stand_in.reason is not None
    assert first.soft is not None
    assert first.soft.cross_entropy.n == 3
    assert second.soft is None
    text = found.model_dump_json()
    assert "NaN" not in text
    assert CeilingResults.model_validate(json.loads(text)) == found


def test_a_ratio_needs_people_above_chance_and_a_judge_not_below() -> None:
    agreeing = made(gold_of({"a": "ynyn", "b": "ynyn"}), candidates_of({"t": "nyny"}))
    assert agreeing.candidates[0].alpha.judge.value is not None
    assert agreeing.candidates[0].alpha.judge.value < 0
    assert agreeing.candidates[0].alpha.ratio is None
    apart = made(gold_of({"a": "ynyn", "b": "nyny"}), candidates_of({"t": "ynyn"}))
    assert apart.people.alpha.value is not None
    assert apart.people.alpha.value < 0
    assert apart.candidates[0].alpha.ratio is None


def test_of_several_draws_the_first_counts() -> None:
    gold = gold_of(GAPS)
    once = made(gold, candidates_of({"t": "yynf"}))
    twice = made(gold, candidates_of({"t": "yiyinyfn"}), repeats=2)
    assert twice.candidates == once.candidates
    assert twice.people == once.people


def test_binary_sets_hold_verdicts_against_supported_and_unsupported() -> None:
    rows = {"a": "ssuussuussuu", "b": "ssuusuuussuu"}
    verdicts = {"t": "yyninfinyyni"}
    chances = {"t": [[0.5, 0.2, 0.3]] * 12}
    found = made(gold_of(rows), candidates_of(verdicts, chances))
    assert found.labels == {"supported": 11, "unsupported": 13}
    (judge,) = found.candidates
    # Claim 5: people differ, the judge says idk; claim 6: a failure; claim 7 on: no difference.
    said = "ssuuufuussuu"
    agreed = sum(x == y for row in rows.values() for x, y in zip(row, said, strict=True))
    assert judge.agreement.value == pytest.approx(agreed / 24, abs=1e-6)
    assert judge.soft is not None
    assert judge.soft.cross_entropy.value == pytest.approx(math.log(2), abs=1e-6)


def test_the_alternative_annotator_test_names_its_annotators() -> None:
    rng = np.random.default_rng(7)
    letters = np.asarray(list("yni"))
    truth = rng.integers(0, 3, 60)
    rows = {
        who: "".join(letters[np.where(rng.random(60) < 0.8, truth, rng.integers(0, 3, 60))])
        for who in ("p", "q", "r")
    }
    rows["side"] = rows["p"][:5] + "-" * 55
    good, bad = "".join(letters[truth]), "f" * 60
    found = made(gold_of(rows), candidates_of({"good": good, "bad": bad}), epsilon=0.1)
    assert found.participants == ("p", "q", "r")
    assert found.epsilon == 0.1
    test, failing = (row.stand_in for row in found.candidates)
    assert test.passed is True
    assert set(test.p_values) == set(test.advantages) == {"p", "q", "r"}
    assert (failing.passed, failing.winning_rate, failing.reason) == (False, 0.0, None)


def test_b96_one_annotator_gives_no_ceiling_but_a_reason() -> None:
    gold = gold_of({"a": "ynyi"})
    assert results_of(gold, candidates_of({"t": "ynyi"})) is None
    assert no_ceiling_note(gold) == (
        "No human ceiling: the gold set holds annotations of one person only."
    )
    nobody = gold_of({"a": "----"})
    assert no_ceiling_note(nobody) == "No human ceiling: the gold set holds no annotations."
    in_turn = gold_of({"a": "yn--", "b": "--yi"})
    assert results_of(in_turn, candidates_of({})) is None
    assert no_ceiling_note(in_turn) == (
        "No human ceiling: the gold set holds annotations of 2 people, but no claim has two."
    )
    assert no_ceiling_note(gold_of(GAPS)) is None


def test_b97_rare_labels_are_named() -> None:
    found = made(gold_of({"a": "y" * 12, "b": "y" * 11 + "n"}), candidates_of({}))
    assert found.people.alpha.value == 0.0
    assert found.people.alpha.n == 12
    assert found.labels == {"yes": 23, "no": 1, "idk": 0}
    assert found.rare_labels == ("no",)
    assert found.candidates == ()


def test_authors_are_told_from_people() -> None:
    assert made(gold_of(GAPS, "author"), candidates_of({})).labels_from == "authors"
    assert made(gold_of(GAPS, "human"), candidates_of({})).labels_from == "people"


def test_other_claims_than_those_asked_are_refused() -> None:
    gold = gold_of(GAPS)
    columns = claim_columns(gold.claims[:3], binary=False)
    weights = cluster_weights(3, 10, np.random.default_rng(1))
    with pytest.raises(ValueError, match="4 judged claims are not the 3 that were asked"):
        ceiling_results(gold, columns, candidates_of({}), cluster="answer", weights=weights)


def test_intervals_follow_the_clusters() -> None:
    # Ten answers of twelve claims; authors of one answer all agree or all disagree.
    a = "yni" * 40
    b = "".join(a[i] if (i // 12) % 3 else "niy"[i % 3] for i in range(120))
    alone = made(gold_of({"a": a, "b": b}), candidates_of({}))
    grouped = made(
        gold_of({"a": a, "b": b}, answers=[f"a{i // 12}" for i in range(120)]), candidates_of({})
    )
    assert alone.people.alpha.value == grouped.people.alpha.value
    assert grouped.people.alpha.clusters == 10
    for figure in ("agreement", "alpha", "kappa"):
        narrow, wide = getattr(alone.people, figure), getattr(grouped.people, figure)
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import GoldError
from metajudge.gold.claim import Claim, Context, GoldManifest, LabellingPolicy, SplitRule
from metajudge.gold.goldset import GoldSet
from metajudge.metrics.computed.calibrated import calibrated, calibrated_on
from metajudge.metrics.computed.ngram import score_ngram_coverage


def drawn(n=400, seed=0, noise=0.15):
    random = np.random.default_rng(seed)
    supported = random.random(n) < 0.6
    scores = np.clip(np.where(supported, 0.7, 0.3) + random.normal(0, noise, n), 0, 1)
    contexts = [f"c{at // 2}" for at in range(n)]
    return scores.tolist(), supported.tolist(), contexts


def test_cut_offs_keep_their_bound_on_claims_that_they_were_not_fitted_on():
    found = calibrated(*drawn())
    for cut_off in (found.supported_from, found.unsupported_to):
        assert cut_off.score is not None
        assert cut_off.wrong.value < 0.12 and cut_off.wrong.low < 0.1
        assert cut_off.right.value > 0.5
    assert found.n == 400 and found.supported_from.wrong.n_clusters > 50


def test_the_bound_holds_over_many_draws():
    """The share of wrong calls on new claims: under the bound in nearly all draws."""
    kept = 0
    for seed in range(40):
        found = calibrated(*drawn(300, seed))
        scores, supported, _ = drawn(4000, 1000 + seed)
        said = np.array(scores) >= found.supported_from.score
        kept += float(said[~np.array(supported)].mean()) <= found.bound
    assert kept >= 37


def test_labels_between_the_cut_offs_are_left_open():
    found = calibrated(*drawn(noise=0.25))
    assert found.label(1.0) == "supported" and found.label(0.0) == "unsupported"
    middle = (found.supported_from.score + found.unsupported_to.score) / 2
    assert found.supported_from.score > found.unsupported_to.score
    assert found.label(middle) is None and found.label(None) is None
    assert found.label(found.supported_from.score) == "supported"
    assert found.label(found.unsupported_to.score) == "unsupported"


def test_a_perfect_score_that_leaves_nothing_open():
    found = calibrated(
        [0.9] * 60 + [0.1] * 60, [True] * 60 + [False] * 60, list(map(str, range(120)))
    )
    assert found.supported_from.right.value == 1.0 and found.unsupported_to.wrong.value == 0.0
    assert found.probability(0.9) == 1.0 and found.probability(0.1) == 0.0


def test_a_score_that_knows_nothing_gets_no_useful_cut_off():
    random = np.random.default_rng(1)
    scores, supported = random.random(200), random.random(200) < 0.5
    found = calibrated(scores.tolist(), supported.tolist(), list(map(str, range(200))))
    assert found.supported_from.right.value is None or found.supported_from.right.value < 0.2
    assert found.probability(0.5) == pytest.approx(0.5, abs=0.15)


def test_few_claims_keep_no_bound():
    found = calibrated([0.9, 0.1, 0.8, 0.2], [True, False, True, False], list("abcd"))
    assert found.supported_from.score is None and found.unsupported_to.score is None
    assert found.label(1.0) is None
    assert found.supported_from.wrong.value == 0.0 and found.supported_from.wrong.high > 0.5


def test_undefined_scores_are_counted_and_called_nothing():
    scores, supported, contexts = drawn()
    found = calibrated([None, *scores], [False, *supported], ["c0", *contexts])
    assert (found.n, found.n_undefined) == (401, 1)
    whole = calibrated([None] * 3, [True, False, True], list("abc"))
    assert whole.supported_from.score is None and whole.probability(0.5) is None


def test_gold_of_one_kind_has_no_cut_off_to_fit():
    found = calibrated([0.9] * 50, [True] * 50, list(map(str, range(50))))
    assert found.supported_from.score is None
    assert found.supported_from.wrong.value is None and found.supported_from.wrong.reason


@pytest.mark.parametrize(
    ("contexts", "bound"), [(["a"], 0.1), (["a", "b"], 0.0), (["a", "b"], 1.0)]
)
def test_senseless_input_is_refused(contexts, bound):
    with pytest.raises(ValueError, match="one length"):
        calibrated([0.1, 0.2], [True, False], contexts, bound)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40)
)
@settings(max_examples=50, deadline=None)
def test_turning_score_and_gold_round_swaps_the_cut_offs(rows):
    scores = [round(score, 3) for score, _, _ in rows]
    gold, contexts = [kind for _, kind, _ in rows], [str(c) for _, _, c in rows]
    one = calibrated(scores, gold, contexts, 0.5)
    turned = calibrated(
        [round(1 - s, 3) for s in scores], [not kind for kind in gold], contexts, 0.5
    )
    for cut_off, other in (
        (one.supported_from, turned.unsupported_to),
        (one.unsupported_to, turned.supported_from),
    ):
        assert cut_off.wrong == other.wrong and cut_off.right == other.right
        assert (cut_off.score is None) == (other.score is None)
        assert cut_off.score is None or cut_off.score == pytest.approx(1 - other.score, abs=1e-6)


def goldset(split=True):
    contexts, claims = {}, []
    for at in range(120):
        name, hour = f"c{at}", at % 12 + 1
        contexts[name] = Context(
            context_id=name,
            passages=(f"The office number {at} opens at {hour}. 第{at}间九点开门。",),
        )
        for label, text in (
            ("yes", f"The office number {at} opens at {hour}."),
            ("idk", "停车场向访客免费开放。"),
        ):
            claims.append(
                Claim(
                    claim_id=f"{name}-{label}",
                    answer_id=name,
                    context_id=name,
                    claim=text,
                    label=label,
                    lang="zh" if label == "idk" else "en",
                )
            )
    manifest = GoldManifest(
        name="offices",
        version="1.0.0",
        languages=("en", "zh"),
        labelling_policy=LabellingPolicy(version="1"),
        licence="CC0-1.0",
        provenance="made for a test",
        label_source="human",
        split=SplitRule(salt="s", dev_share=0.5) if split else None,
    )
    return GoldSet(manifest=manifest, claims=tuple(claims), contexts=contexts)


def test_on_gold_only_the_dev_split_is_read():
    gold = goldset()
    seen = []

    def score(claim, passages):
        seen.append(claim)
        return score_ngram_coverage(claim.claim, passages, claim.lang).score

    found = calibrated_on(gold, score)
    assert {gold.split_of(claim) for claim in seen} == {"dev"}
    assert found.n == len(seen) == len(gold.subset("dev").claims)
    assert found.supported_from.score == 1.0 and found.label(1.0) == "supported"
    assert found.supported_from.right.value == 1.0
    assert json.loads(json.dumps(found.to_json()))["supported_from"]["score"] == 1.0


def test_gold_without_a_split_is_refused():
    with pytest.raises(GoldError, match="declares no split"):
        calibrated_on(goldset(split=False), lambda claim, passages: 0.5)

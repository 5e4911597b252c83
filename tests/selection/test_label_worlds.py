from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Bounds, Measurer
from metajudge.selection.label_outcomes import NO_LABEL, Waiting
from metajudge.selection.label_worlds import LabelWorlds, label_worlds
from metajudge.selection.rule import Contest
from tests.selection.worlds import world

LIFTED = Bounds(None, None, None, None, None)
WORDS = np.array(["yes", "no", "idk"])


def halves(
    right: tuple[float, ...], n: int = 60, m: int = 120, seed: int = 1
) -> tuple[Measurer, Waiting, np.ndarray]:
    """Labelled and waiting claims of candidates who are right this often; and the hidden labels."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n + m, p=[0.5, 0.2, 0.3])
    codes = np.stack(
        [np.where(rng.random(n + m) < share, gold, rng.integers(0, 3, n + m)) for share in right]
    )
    verdicts = {name: WORDS[row[:n]].tolist() for name, row in zip("abc", codes, strict=False)}
    answers = [f"a{i // 3}" for i in range(n)]
    return (
        world(WORDS[gold[:n]].tolist(), verdicts, answers=answers),
        claims(codes[:, n:]),
        gold[n:],
    )


def claims(codes: np.ndarray) -> Waiting:
    """Claims of which nothing is known but the verdicts."""
    m = codes.shape[1]
    nothing = np.full(m, "", np.str_), np.zeros(m, np.bool_), np.full(m, NO_LABEL)
    return Waiting(codes, *nothing)


def contest(target: str = "kappa", n: int = 3, **more: object) -> Contest:
    usual: dict[str, object] = {
        "target": target, "bounds": LIFTED, "baseline": None, "off": np.zeros(n)
    }  # fmt: skip
    return Contest(**(usual | more))  # type: ignore[arg-type]


def made(right: tuple[float, ...] = (0.8, 0.78, 0.3), **options: object) -> LabelWorlds:
    measurer, waiting, _ = halves(right)
    rng = np.random.default_rng(5)
    return label_worlds(measurer, waiting, contest(n=len(right)), rng, n_worlds=400, **options)  # type: ignore[arg-type]


def test_the_label_of_a_claim_on_which_contenders_differ_tells_most() -> None:
    measurer, waiting, _ = halves((0.8, 0.78, 0.3))
    found = label_worlds(measurer, waiting, contest(), np.random.default_rng(5))
    assert found.contenders.tolist() == [0, 1]
    told = found.information[found.kinds.of]
    differ = waiting.codes[0] != waiting.codes[1]
    assert told[differ].mean() > 4 * abs(told[~differ].mean())


def test_every_world_labels_every_claim_and_keeps_the_labels_there_are() -> None:
    found = made()
    assert (found.labels.sum(2) == found.kinds.sizes).all()
    assert found.fixed == 20
    assert found.shares.sum(1) == pytest.approx(np.ones(len(found.kinds.sizes)))
    assert sum(found.standings().values()) == pytest.approx(1)


def test_all_labels_lead_to_the_decision_of_all_labels_and_none_to_that_of_now() -> None:
    found = made()
    everything = np.arange(len(found.kinds.of))
    assert found.right_after(everything, np.random.default_rng(1)) == 1
    now = found.right_after([], np.random.default_rng(1))
    assert now == pytest.approx(found.unchanged(), abs=0.06)


def test_the_best_claims_help_more_than_claims_by_lot() -> None:
    measurer, waiting, _ = halves((0.8, 0.78, 0.3), m=300)
    found = label_worlds(measurer, waiting, contest(), np.random.default_rng(5))
    best = np.argsort(-found.information[found.kinds.of], kind="stable")[:40]
    rng = np.random.default_rng(3)
    lots = float(np.mean([found.right_after(rng.permutation(300)[:40], rng) for _ in range(10)]))
    assert found.right_after(best, rng) > lots + 0.05
    assert found.right_at_random(40, rng) == pytest.approx(lots, abs=0.06)
    assert found.right_at_random(300, rng) == 1


def test_a_clear_leader_leaves_nothing_to_tell() -> None:
    found = made((0.97, 0.4, 0.35))
    assert found.standings() == {(0, True): 1.0}
    assert found.unchanged() == 1
    assert np.abs(found.information).max() < 1e-12


def test_one_candidate_has_nothing_to_win_against() -> None:
    found = made((0.8,))
    assert found.standings() == {(0, True): 1.0}
    assert np.abs(found.information).max() < 1e-12


def test_verdicts_that_all_failed_tell_nothing() -> None:
    measurer = world(["yes", "no"] * 10, {"a": ["failure"] * 20, "b": ["failure"] * 20})
    failed, rng = claims(np.full((2, 8), 3)), np.random.default_rng(1)
    found = label_worlds(measurer, failed, contest(n=2), rng, n_worlds=100)
    assert found.contenders.tolist() == [0]
    assert np.abs(found.information).max() < 1e-12


def test_the_baseline_stays_even_where_it_never_wins() -> None:
    measurer, waiting, _ = halves((0.9, 0.3, 0.3))
    bounds = Bounds(over_credit_upper=None, kappa_above=None)
    rules = contest("summary_as_idk", bounds=bounds, baseline=2)
    found = label_worlds(measurer, waiting, rules, np.random.default_rng(1), n_worlds=100)
    assert 2 in found.contenders.tolist()


def test_a_guardrail_beside_the_verdicts_keeps_its_candidate_from_winning() -> None:
    measurer, waiting, _ = halves((0.9, 0.5, 0.3))
    rules = contest(off=np.array([np.inf, 0.0, 0.0]))
    found = label_worlds(measurer, waiting, rules, np.random.default_rng(1), n_worlds=200)
    assert all(row != 0 for row, _ in found.standings())


def test_seeded() -> None:
    one, two = made(), made()
    assert one.information.tolist() == two.information.tolist()
    assert one.standings() == two.standings()


def test_a_second_label_is_worth_most_where_contenders_differ() -> None:
    measurer, _, _ = halves((0.7, 0.7, 0.3), n=150, seed=4)
    gold, codes = measurer.columns.gold, measurer.candidates.codes
    given = claims(codes)._replace(known=np.ones(150, np.bool_), given=gold)
    found = label_worlds(
        measurer, given, contest(), np.random.default_rng(2), doubtful=np.ones(150, np.bool_)
    )
    assert found.fixed == 0
    assert len(found.standings()) > 1
    told, differ = found.information[found.kinds.of], codes[0] != codes[1]
    assert told[differ].mean() > told[~differ].mean()
    same = found.outcomes.label_of == gold[found.kinds.one][:, None]
    kept = (found.shares * same).sum(1)
    assert np.average(kept, weights=found.kinds.sizes) > 0.9


def test_binary_gold() -> None:
    rng = np.random.default_rng(4)
    gold = rng.choice(["supported", "unsupported"], 60).tolist()
    verdicts = {
        name: [("yes" if g == "supported" else "idk") if rng.random() < p else "no" for g in gold]
        for name, p in (("a", 0.8), ("b", 0.75))
    }
    some = claims(rng.integers(0, 3, (2, 40)))
    found = label_worlds(world(gold, verdicts), some, contest(n=2), rng, n_worlds=200)
    assert set(found.outcomes.label_of.tolist()) == {0, 1}


def test_where_candidates_are_apart_the_worlds_are_right_as_often_as_they_say() -> None:
    said, was = [], []
    for seed in range(40):
        measurer, waiting, gold = halves((0.85, 0.7, 0.6), n=50, m=100, seed=seed)
        found = label_worlds(
            measurer, waiting, contest("accuracy"), np.random.default_rng(seed), n_worlds=300
        )
        hits = (measurer.candidates.codes == measurer.columns.gold).sum(1)
        hits += (waiting.codes == gold).sum(1)
        said.append(found.unchanged())
        was.append(int(hits.argmax()) == found.now.row[0])
    assert np.mean(said) == pytest.approx(np.mean(was), abs=0.1)

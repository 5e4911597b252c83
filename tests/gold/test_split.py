from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from metajudge.gold import Claim, Context, GoldSet
from metajudge.gold.claim import SplitRule
from metajudge.gold.split import (
    assign,
    balance_of,
    choose_salt,
    freeze_split,
    group_share,
    join_near_contexts,
)
from tests.gold.reading import Make

LABELS = ("yes", "no", "idk")
SLICES = ("summary", "literal", "hedged")


@pytest.fixture
def gold(make_gold: Make) -> GoldSet:
    rng = np.random.default_rng(3)
    claims: list[dict[str, Any]] = [
        {
            "context_id": f"x{n // 5}",
            "label": LABELS[rng.integers(3)],
            "slice": SLICES[rng.integers(3)],
            "lang": "zh" if n // 5 % 2 else "en",
        }
        for n in range(300)
    ]
    contexts = {f"x{n}": (" ".join(map(str, rng.integers(0, 10**6, 20))),) for n in range(60)}
    return make_gold(claims, contexts)


def test_rule_is_pinned_for_all_time() -> None:
    assert group_share("x1", "salt") == pytest.approx(0.7808549185, abs=1e-9)
    dealt = [assign(f"x{n}", SplitRule(salt="salt", dev_share=0.5)) for n in range(6)]
    assert dealt == "test test test dev test dev".split()


def test_shares_are_uniform() -> None:
    shares = np.array([group_share(f"x{n}", "s") for n in range(4000)])
    assert 0 <= shares.min() and shares.max() < 1
    assert np.abs(np.histogram(shares, 10, (0, 1))[0] - 400).max() < 80


def test_chosen_salt_is_more_even_than_chance_and_repeats(gold: GoldSet) -> None:
    rule, balance = choose_salt(gold, 0.6, 400)
    chance = [
        balance_of(gold, SplitRule(salt=f"other/{n}", dev_share=0.6)).imbalance or 0
        for n in range(20)
    ]
    assert balance.imbalance is not None and balance.imbalance < min(chance)
    assert balance.candidates == 400 and balance.dev + balance.test == 300
    assert balance.dev_share == pytest.approx(0.6, abs=0.03)
    assert choose_salt(gold, 0.6, 400).rule == rule
    assert replace(balance_of(gold, rule), candidates=400) == balance
    shuffled = replace(gold, claims=gold.claims[::-1])
    assert choose_salt(shuffled, 0.6, 400).rule == rule


def test_claims_of_one_context_stay_together_and_new_ones_move_none(gold: GoldSet) -> None:
    frozen = freeze_split(gold, candidates=20).goldset
    before = {claim.claim_id: frozen.split_of(claim) for claim in frozen.claims}
    for context_id in gold.contexts:
        assert len({before[c.claim_id] for c in gold.claims if c.context_id == context_id}) == 1
    old = frozen.claims[0]
    twin = Context(context_id="a-new", passages=(frozen.passages(old)[0] + " ",))
    fresh = Context(context_id="new", passages=("Quite another text about milk.",))
    added = tuple(
        old.model_copy(update={"claim_id": f"n-{name}", "context_id": name})
        for name in ("a-new", "new")
    )
    grown = replace(
        frozen,
        claims=(*added, *frozen.claims),
        contexts=frozen.contexts | {"a-new": twin, "new": fresh},
    )
    again = freeze_split(grown)
    assert again.moved in ((), ("a-new",))
    after = {claim.claim_id: again.goldset.split_of(claim) for claim in again.goldset.claims}
    assert {name: after[name] for name in before} == before
    assert after["n-a-new"] == before[old.claim_id]
    assert again.goldset.manifest.split == frozen.manifest.split
    assert again.goldset.contexts["a-new"].group == old.context_id


TEXT = "The carrier refunds the whole fare when the train is cancelled before it leaves."


def texts(make_gold: Make, *passages: str) -> GoldSet:
    contexts = {f"x{n}": (text,) for n, text in enumerate(passages)}
    return make_gold([{"context_id": name} for name in contexts], contexts)


def groups(gold: GoldSet) -> list[str | None]:
    return [context.group for context in gold.contexts.values()]


def test_near_contexts_form_one_group_through_chains(make_gold: Make) -> None:
    gold = texts(make_gold, TEXT, TEXT + " Yes, sure.", TEXT + " Yes, surely so.", "Milk is white.")
    assert groups(join_near_contexts(gold)) == [None, "x0", "x0", None]


def test_declared_groups_stay(make_gold: Make) -> None:
    gold = texts(make_gold, "Milk is white.", TEXT, TEXT.upper())
    contexts = dict(gold.contexts)
    contexts["x2"] = contexts["x2"].model_copy(update={"group": "x0"})
    declared = replace(gold, contexts=contexts)
    assert groups(join_near_contexts(declared)) == ["x1", None, "x1"]
    ruled = declared.manifest.model_copy(update={"split": SplitRule(salt="s")})
    assert groups(join_near_contexts(replace(declared, manifest=ruled))) == [None, None, "x0"]


def test_a_rule_written_by_hand_names_contexts_that_move(make_gold: Make) -> None:
    gold = texts(make_gold, TEXT, TEXT.upper())
    salt = next(
        f"{n}"
        for n in range(99)
        if len({assign(c, SplitRule(salt=f"{n}", dev_share=0.5)) for c in gold.contexts}) == 2
    )
    ruled = gold.manifest.model_copy(update={"split": SplitRule(salt=salt, dev_share=0.5)})
    assert freeze_split(replace(gold, manifest=ruled)).moved == ("x1",)


def test_empty_contexts_are_not_joined(make_gold: Make) -> None:
    gold = make_gold([{"context_id": "x"}, {"context_id": "y"}], {"x": (), "y": ()})
    assert groups(join_near_contexts(gold)) == [None, None]


def test_nothing_judged(make_gold: Make) -> None:
    gold = make_gold([{"exclude": True}])
    rule, balance = choose_salt(gold, candidates=3)
    assert (balance.dev, balance.test, balance.dev_share, balance.imbalance) == (0, 0, None, None)
    assert rule.salt == "tea/0"


def test_large_sets_try_fewer_salts(make_gold: Make) -> None:
    claims = tuple(
        Claim(claim_id=f"c{n}", answer_id="a", context_id=f"x{n}", claim="A.", label="yes")
        for n in range(5000)
    )
    gold = make_gold([{}])
    contexts = {f"x{n}": Context(context_id=f"x{n}", passages=("T",)) for n in range(5000)}
    balance = choose_salt(replace(gold, claims=claims, contexts=contexts)).balance
    assert balance.candidates == 100


def test_subset_by_split(gold: GoldSet) -> None:
    frozen = freeze_split(gold, candidates=5).goldset
    dev, test = frozen.subset("dev"), frozen.subset("test")
    assert len(dev.claims) + len(test.claims) == 300
    assert frozen.split_counts() == {"dev": len(dev.claims), "test": len(test.claims)}
    assert not set(dev.contexts) & set(test.contexts)

from dataclasses import replace

from metajudge.gold.claim import SplitRule
from metajudge.gold.split import FrozenSplit, balance_of, freeze_split, join_near_contexts
from metajudge.gold.split_doubts import ContextGroups, context_groups, split_doubts
from tests.gold.reading import Make

LETTER = "The town library lends books for four weeks, and films for one week, to every member."


def test_a_chain_of_near_contexts_is_counted_and_its_lacks_are_named(make_gold: Make) -> None:
    texts = {f"x{n}": (f"{LETTER} {n}",) for n in range(6)} | {"y": ("茶是热的。",)}
    claims = [{"context_id": f"x{n}", "label": "yes"} for n in range(6)]
    gold = make_gold([*claims, {"context_id": "y", "label": "no", "lang": "zh"}], texts)
    frozen = freeze_split(gold, 0.5, candidates=50)
    assert context_groups(gold, frozen) == ContextGroups(1, 1, "x0", 6, 6, 6 / 7)
    doubts = split_doubts(frozen)
    assert any("no claim in 'zh', which the set has" in doubt for doubt in doubts)
    assert any("no claim labelled 'yes'" in doubt for doubt in doubts)
    assert any("of the claims are in dev, 50% were asked" in doubt for doubt in doubts)


def test_groups_that_were_declared_are_not_formed(make_gold: Make) -> None:
    gold = make_gold([{"context_id": "x"}, {"context_id": "y"}], {"x": ("Tea.",), "y": ("Milk.",)})
    contexts = {n: c.model_copy(update={"group": "g"}) for n, c in gold.contexts.items()}
    gold = replace(gold, contexts=contexts)
    assert context_groups(gold, freeze_split(gold)) == ContextGroups(1, 0, "g", 2, 2, 1.0)
    alone = make_gold([{}])
    assert context_groups(alone, freeze_split(alone)) == ContextGroups(0, 0, None, 0, 0, None)


def test_an_even_split_has_no_doubts_and_an_imbalance_is_one(make_gold: Make) -> None:
    texts = {f"x{n}": (f"{n * 7919} {n * 104729}",) for n in range(40)}
    claims = [{"context_id": f"x{n}", "label": ("yes", "no")[n // 20]} for n in range(40)]
    gold = make_gold(claims, texts)
    frozen = freeze_split(gold, 0.5)
    assert split_doubts(frozen) == ()
    uneven = replace(frozen.balance, imbalance=16.0)
    (told,) = split_doubts(FrozenSplit(frozen.goldset, uneven))
    assert "imbalance 16.0" in told


def test_groups_declared_by_hand_part_near_contexts_under_a_rule_of_ones_own(
    make_gold: Make,
) -> None:
    gold = make_gold(
        [{"context_id": "x"}, {"context_id": "y"}], {"x": (LETTER,), "y": (LETTER + " 2",)}
    )
    rule = SplitRule(salt="s", dev_share=0.5)
    contexts = {n: c.model_copy(update={"group": f"of {n}"}) for n, c in gold.contexts.items()}
    manifest = gold.manifest.model_copy(update={"split": rule})
    by_hand = replace(gold, contexts=contexts, manifest=manifest)
    assert join_near_contexts(by_hand) == by_hand
    assert balance_of(by_hand, rule).dev + balance_of(by_hand, rule).test == 2

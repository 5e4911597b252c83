from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import TemplateError
from metajudge.gold import Claim, Context, GoldManifest, GoldSet, LabellingPolicy
from metajudge.gold.claim import PendingClaim, SplitRule
from metajudge.templates.pool import Pool, PoolCase, check_pool, read_pool

LABELS = ("yes", "no", "idk")
PASSAGE = (
    "The ferry to the island leaves at noon from the western pier and takes forty minutes, "
    "unless the wind is above force seven."
)
ZH_PASSAGE = "渡轮每天中午从西码头开往小岛，航程四十分钟，风力超过七级时停航。"


def row(number: int, lang: str = "en", label: str = "yes", **more: str) -> dict[str, Any]:
    word = {"en": "Case", "zh": "案例"}[lang]
    texts = {"context": f"{word} {number} has text.", "claim": f"{word} {number}."}
    return {"lang": lang, **texts, "label": label, **more}


def written(folder: Path, rows: list[dict[str, Any]] | str) -> Path:
    path = folder / "pool.jsonl"
    lines = rows if isinstance(rows, str) else "".join(f"{json.dumps(r)}\n" for r in rows)
    path.write_text(lines, encoding="utf-8")
    return path


def pool_of(*rows: dict[str, Any]) -> Pool:
    cases = tuple(PoolCase.model_validate(fields) for fields in rows)
    return Pool("pool.jsonl", cases, tuple(range(1, len(cases) + 1)))


def faults(path: Path) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        read_pool(path)
    return [str(p).removeprefix(f"{path}:") for p in caught.value.problems]


def gold_of(claim: str, *passages: str, pending: bool = False, split: bool = False) -> GoldSet:
    fields: dict[str, Any] = {
        "claim_id": "c1", "answer_id": "a1", "context_id": "x1", "claim": claim, "lang": "en",
    }  # fmt: skip
    manifest = GoldManifest(
        name="ferry",
        version="1",
        languages=("en", "zh"),
        labelling_policy=LabellingPolicy(version="1"),
        licence="none",
        provenance="tests",
        label_source="human",
        split=SplitRule(salt="s", dev_share=0.001) if split else None,
    )
    claims = () if pending else (Claim(**fields, label="yes"),)
    waiting = (PendingClaim(**fields),) if pending else ()
    contexts = {"x1": Context(context_id="x1", passages=passages)}
    return GoldSet(manifest, claims, contexts, pending=waiting)


def found(case: dict[str, Any], gold: GoldSet) -> list[tuple[int | None, str | None, str]]:
    """Line, field and law of what the pool has in common with the gold set."""
    other = row(1, label="idk")
    try:
        check_pool(pool_of(other, case), gold)
    except TemplateError as error:
        return [(p.line, p.field, p.law) for p in error.problems]
    return []


def test_a_pool_is_read_with_its_lines(tmp_path: Path) -> None:
    path = written(tmp_path, f"\n{json.dumps(row(1))}\n\n{json.dumps(row(2, 'zh', reason='因'))}\n")
    pool = read_pool(path)
    assert (pool.where, pool.lines) == (str(path), (2, 4))
    assert [case.lang for case in pool.cases] == ["en", "zh"]
    assert pool.cases[1].example.reason == "因"


def test_every_fault_of_a_pool_at_once_by_line(tmp_path: Path) -> None:
    good = row(1)
    rows = [
        good,
        {**row(2), "label": "maybe"},
        {**row(3), "lang": "de"},
        {**row(4), "claim": "", "context": "  "},
        {**row(5), "Claim": "x"},
        {"lang": "en"},
        {**good, "context": "case 1 HAS text"},
    ]
    assert faults(written(tmp_path, rows)) == [
        "2: label: must be one of yes, no, idk (got 'maybe'). Use one of: yes, no, idk.",
        "3: lang: must be one of en, zh (got 'de'). Use one of: en, zh.",
        "4: context: must not be empty (got '  '). Mend the value.",
        "4: claim: must not be empty (got ''). Mend the value.",
        "5: Claim: there is no such field (got 'x'). Did you mean 'claim'?",
        "6: context: this field is needed. Add it.",
        "6: claim: this field is needed. Add it.",
        "6: label: this field is needed. Add it.",
        "7: each case of a pool is another, and this one stands in line 1 too. "
        "Remove one of the two.",
    ]


def test_a_pool_without_cases_and_one_that_is_not_there_are_told(tmp_path: Path) -> None:
    assert "there is no case in the pool" in faults(written(tmp_path, ""))[0]
    assert "no such file" in faults(tmp_path / "none.jsonl")[0]
    assert "not JSON" in faults(written(tmp_path, "{oops}\n"))[0]


MIXED = [
    row(number, lang, label)
    for lang in ("en", "zh")
    for number, label in enumerate(("yes", "yes", "yes", "no", "idk", "idk"))
]


def test_a_smaller_draw_begins_a_larger_one() -> None:
    pool = pool_of(*MIXED)
    for draw in range(5):
        six = pool.drawn("en", 6, draw, 1, LABELS)
        assert len(six) == 6
        for count in range(7):
            assert pool.drawn("en", count, draw, 1, LABELS) == six[:count]


def test_labels_come_in_turn() -> None:
    pool = pool_of(*MIXED)
    for draw in range(8):
        labels = [example.label for example in pool.drawn("zh", 5, draw, 1, LABELS)]
        assert sorted(labels[:3]) == ["idk", "no", "yes"]
        assert sorted(labels[3:]) == ["idk", "yes"]


def test_draws_and_seeds_take_other_cases_and_the_files_order_none() -> None:
    pool, turned = pool_of(*MIXED), pool_of(*reversed(MIXED))
    draws = [pool.drawn("en", 3, draw, 1, LABELS) for draw in range(12)]
    assert draws == [turned.drawn("en", 3, draw, 1, LABELS) for draw in range(12)]
    claims = Counter(tuple(example.claim for example in drawn) for drawn in draws)
    assert len(claims) > 4
    firsts = {drawn[0].label for drawn in draws}
    assert firsts == set(LABELS)
    assert draws != [pool.drawn("en", 3, draw, 2, LABELS) for draw in range(12)]


def test_b108_no_examples_are_none() -> None:
    assert pool_of(*MIXED).drawn("en", 0, 3, 1, LABELS) == ()


def test_only_cases_of_the_language_and_of_labels_on_offer_are_drawn() -> None:
    pool = pool_of(*MIXED)
    assert pool.count("en", ("yes", "no")) == 4
    drawn = pool.drawn("zh", 9, 0, 1, ("yes", "no"))
    assert len(drawn) == 4
    assert {example.label for example in drawn} == {"yes", "no"}
    assert all(example.claim.startswith("案例") for example in drawn)


@pytest.mark.parametrize("field", ["claim", "context"])
@pytest.mark.parametrize("split", [False, True], ids=["no split", "test split"])
def test_b105_a_judged_text_as_an_example_is_found(field: str, split: bool) -> None:
    gold = gold_of("The ferry leaves at noon.", PASSAGE, split=split)
    if split:
        assert gold.split_of(gold.claims[0]) == "test"
    texts = {"claim": "THE FERRY\nleaves — at noon", "context": f"“{PASSAGE.upper()}”"}
    found_ = found({**row(2), field: texts[field]}, gold)
    name = {"claim": "claim 'c1'", "context": "context 'x1'"}[field]
    law = "a case of the pool is nothing that is judged, in any split, but it is the same as "
    assert found_ == [(2, field, law + name)]


def test_b105_a_claim_that_waits_for_its_label_is_judged_too() -> None:
    assert found(
        {**row(2), "claim": "the ferry leaves at noon"},
        gold_of("The ferry leaves at noon.", PASSAGE, pending=True),
    )


@pytest.mark.parametrize(
    "text",
    [
        "渡轮每天中午从西码头开往小岛,航程四十分钟,风力超过七级时停航",
        "渡轮每天中午 从西码头开往小岛；航程四十分钟！",
        "据通知，渡轮每天中午从西码头开往小岛。",
    ],
    ids=["half width", "beginning", "run"],
)
def test_b105_chinese_texts_are_found_whatever_their_punctuation(text: str) -> None:
    assert [(line, field) for line, field, _ in found(
        {**row(2, "zh"), "context": text}, gold_of("渡轮中午开。", ZH_PASSAGE)
    )] == [(2, "context")]  # fmt: skip


def test_b105_a_judged_claim_inside_a_context_of_the_pool_is_found() -> None:
    judged = "Dogs travel free on every ferry."
    case = {**row(2), "context": f"Good news. {judged} So do children under four years."}
    told = found(case, gold_of(judged, PASSAGE))
    assert [field for _, field, _ in told] == ["context"]
    assert "claim 'c1' has 6 words of it in a row" in told[0][2]


def test_b105_a_run_over_two_passages_is_found() -> None:
    gold = gold_of("Other.", "The ferry leaves at noon from", "the western pier and takes longer.")
    case = {**row(2), "context": "Yes, the ferry leaves at noon from the western pier and takes."}
    assert [field for _, field, _ in found(case, gold)] == ["context"]


def test_b105_a_near_copy_is_found() -> None:
    judged = "The blue ferry to the island has room for eighty people, six cars and nine bicycles."
    near = judged.replace("eighty", "ninety")
    told = found({**row(2), "claim": near}, gold_of(judged, "Other."))
    assert [field for _, field, _ in told] == ["claim"]
    assert "nearly the same as claim 'c1'" in told[0][2]


@pytest.mark.parametrize(
    "case",
    [
        {**row(2), "context": "The ferry to the mainland sails at dawn and takes an hour."},
        {**row(2), "claim": "At noon the bakery shuts."},
        {**row(2, "zh"), "context": "渡轮每天清晨从东码头开出。"},
    ],
    ids=["topic", "words", "chinese"],
)
def test_a_case_about_the_same_things_in_other_words_is_none(case: dict[str, Any]) -> None:
    assert found(case, gold_of("The ferry leaves at noon.", PASSAGE, ZH_PASSAGE)) == []


def test_every_fault_of_a_pool_against_a_gold_set_at_once() -> None:
    gold = gold_of("The ferry leaves at noon.", PASSAGE)
    both = {**row(2), "claim": "The ferry leaves at noon.", "context": PASSAGE}
    assert [(line, field) for line, field, _ in found(both, gold)] == [(2, "claim"), (2, "context")]


def test_a_pool_without_cases_has_nothing_in_common_with_a_gold_set() -> None:
    check_pool(pool_of(), gold_of("The ferry leaves at noon.", PASSAGE))

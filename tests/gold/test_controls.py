"""Negative controls: each probe is wrong by construction, and the choice of claims is stable."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import Claim, GoldSet, load_goldset
from metajudge.gold.controls import (
    CONTEXT_KINDS,
    KINDS,
    ControlKind,
    Probe,
    control_set,
    make_probes,
)
from metajudge.gold.controls.kinds import joined_id
from metajudge.gold.controls.numbers import numbers_of
from metajudge.gold.controls.texts import sentences
from metajudge.gold.controls.words import control_words
from metajudge.gold.split import SplitRule, split_group

FOLDER = Path(__file__).parents[2] / "gold" / "faithfulness"
MakeGold = Callable[..., GoldSet]
LANGS = ("en", "zh")


@pytest.fixture(scope="module")
def dev() -> GoldSet:
    return load_goldset(FOLDER).subset("dev")


@pytest.fixture(scope="module")
def every(dev: GoldSet) -> tuple[Probe, ...]:
    return make_probes(dev, per_kind=999).probes


@pytest.fixture
def one(make_gold: MakeGold) -> Callable[..., str]:
    """The changed claim of one claim and passage, or else the reason that there is none."""

    def probe(kind: ControlKind, claim: str, passage: str, lang: str = "en", **more: Any) -> str:
        gold = make_gold([{"claim": claim, "lang": lang} | more], {"x": (passage,)})
        made = make_probes(gold, [kind])
        if made.probes:
            return made.probes[0].claim
        (key,) = made.left_out
        return key.rsplit(".", 1)[-1]

    return probe


# The gold set of the project


def test_counts_of_the_projects_dev_split(dev: GoldSet) -> None:
    made = make_probes(dev)
    counts = Counter((probe.kind, probe.lang) for probe in made.probes)
    for kind in ("evidence_removed", "contexts_swapped", "plausible_addition", "world_true"):
        assert [counts[kind, lang] for lang in LANGS] == [12, 12]
    assert counts["negation_added", "en"] >= 8
    assert counts["negation_added", "zh"] >= 8
    assert counts["number_shifted", "en"] >= 4
    assert counts["number_shifted", "zh"] >= 8
    assert {kind for kind, _ in counts} == set(KINDS)


def test_only_supported_claims_once_a_kind(dev: GoldSet, every: tuple[Probe, ...]) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    assert len({(probe.claim_id, probe.kind) for probe in every}) == len(every)
    for probe in every:
        source = claims[probe.claim_id]
        assert (source.label, probe.source_label, probe.wrong) == ("yes", "yes", {"yes"})
        assert (source.lang, source.question) == (probe.lang, probe.question)
        assert (source.context_id, source.answer_id) == (probe.context_id, probe.answer_id)


def test_either_the_claim_or_the_passages_change(dev: GoldSet, every: tuple[Probe, ...]) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in every:
        same_claim = probe.claim == claims[probe.claim_id].claim
        same_passages = probe.passages == dev.contexts[probe.context_id].passages
        assert same_claim == (probe.kind in CONTEXT_KINDS)
        assert same_passages == (probe.kind not in CONTEXT_KINDS)


def test_no_span_is_left_and_the_rest_stands_as_it_was(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in (probe for probe in every if probe.kind == "evidence_removed"):
        rest = "\n".join(probe.passages)
        assert claims[probe.claim_id].spans
        assert not any(span in rest for span in claims[probe.claim_id].spans)
        known = {
            part.strip()
            for passage in dev.contexts[probe.context_id].passages
            for part in sentences(passage)
        }
        assert {part.strip() for text in probe.passages for part in sentences(text)} <= known


def test_swapped_contexts_are_of_another_group_and_the_same_language(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    by_passages = {context.passages: context for context in dev.contexts.values()}
    for probe in (probe for probe in every if probe.kind == "contexts_swapped"):
        other = by_passages[probe.passages]
        assert other.lang == probe.lang
        assert split_group(other) != split_group(dev.contexts[probe.context_id])


def test_shifted_numbers_stand_nowhere_in_the_context(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in (probe for probe in every if probe.kind == "number_shifted"):
        words, chinese = control_words(probe.lang), probe.lang == "zh"
        assert words is not None
        was, now, context = (
            [number.value for number in numbers_of(text, words, chinese)]
            for text in (claims[probe.claim_id].claim, probe.claim, "\n".join(probe.passages))
        )
        assert sum(old != new for old, new in zip(was, now, strict=True)) == 1
        (new,) = [new for old, new in zip(was, now, strict=True) if old != new]
        assert new not in context
        assert new not in was


def test_authored_texts_are_not_mentioned_by_the_context(every: tuple[Probe, ...]) -> None:
    for lang in LANGS:
        words = control_words(lang)
        assert words is not None
        assert len(words.additions) == len(words.world) == 12
        for probe in every:
            if probe.lang != lang or probe.kind not in ("plausible_addition", "world_true"):
                continue
            texts = words.additions if probe.kind == "plausible_addition" else words.world
            (used,) = [text for text in texts if text.text.rstrip(".。") in probe.claim]
            context = "\n".join(probe.passages).casefold()
            assert not any(key.casefold() in context for key in used.keys)


def test_authored_texts_take_turns(dev: GoldSet) -> None:
    for kind in ("plausible_addition", "world_true"):
        made = make_probes(dev, [kind])  # type: ignore[list-item]
        for lang in LANGS:
            claims = [probe.claim[-9:] for probe in made.probes if probe.lang == lang]
            assert len(set(claims)) >= 10


# Choice and counts


def test_the_order_of_rows_does_not_matter(dev: GoldSet) -> None:
    claims, contexts = list(dev.claims), list(dev.contexts.items())
    random.Random(7).shuffle(claims)
    random.Random(8).shuffle(contexts)
    shuffled = replace(dev, claims=tuple(claims), contexts=dict(contexts))
    assert make_probes(shuffled, per_kind=5) == make_probes(dev, per_kind=5)


def test_another_seed_takes_other_claims(dev: GoldSet) -> None:
    first, second = (make_probes(dev, ["world_true"], 6, seed).probes for seed in (0, 1))
    assert first == make_probes(dev, ["world_true"], 6, 0).probes
    assert {probe.claim_id for probe in first} != {probe.claim_id for probe in second}


def test_probes_are_spread_over_contexts(dev: GoldSet) -> None:
    made = make_probes(dev, ["world_true"], per_kind=10).probes
    for lang in LANGS:
        contexts = [probe.context_id for probe in made if probe.lang == lang]
        assert len(contexts) == len(set(contexts)) == 10


def test_left_out_claims_are_counted_by_reason(dev: GoldSet) -> None:
    made = make_probes(dev, ["evidence_removed", "number_shifted"], per_kind=999)
    supported = Counter(claim.lang for claim in dev.judged().claims if claim.label == "yes")
    for lang in LANGS:
        for kind in ("evidence_removed", "number_shifted"):
            probes = sum((probe.kind, probe.lang) == (kind, lang) for probe in made.probes)
            left = sum(n for key, n in made.left_out.items() if key.startswith(f"{kind}.{lang}."))
            assert probes + left == supported[lang]
    assert made.left_out["number_shifted.en.no_number"] > 0


def test_no_probe_from_excluded_model_labelled_or_unsupported_claims(make_gold: MakeGold) -> None:
    gold = make_gold(
        [
            {"claim": "Tea is hot.", "exclude": True},
            {"claim": "Tea is hot.", "label_source": "model"},
            {"claim": "Tea is hot.", "label": "no"},
            {"claim": "Tea is hot.", "label": "idk"},
        ]
    )
    assert make_probes(gold).probes == ()
    assert not make_probes(gold).left_out


def test_none_are_wanted(dev: GoldSet) -> None:
    assert make_probes(dev, per_kind=0) == ((), Counter())
    assert make_probes(dev, kinds=()) == ((), Counter())


# Binary sets, sets without spans, other languages


def test_a_binary_set_without_spans_gets_the_other_kinds(make_gold: MakeGold) -> None:
    gold = make_gold(
        [
            {"claim": "The shop opens 9 hours a day.", "label": "supported", "context_id": "x"},
            {"claim": "The ferry is free.", "label": "supported", "context_id": "y"},
            {"claim": "The ferry is slow.", "label": "unsupported", "context_id": "y"},
        ],
        {"x": ("The shop opens 9 hours a day.",), "y": ("The ferry is free.",)},
        label_space="binary",
    )
    made = make_probes(gold)
    kinds = {probe.kind for probe in made.probes}
    assert {"contexts_swapped", "number_shifted", "negation_added", "world_true"} <= kinds
    assert "evidence_removed" not in kinds
    assert made.left_out["evidence_removed.en.no_span"] == 2
    assert {probe.source_label for probe in made.probes} == {"supported"}
    assert {probe.wrong for probe in made.probes} == {frozenset({"yes"})}
    assert {claim.label for claim in control_set(gold, made.probes).claims} == {"unsupported"}


def test_a_language_without_words_gets_changed_contexts_only(make_gold: MakeGold) -> None:
    gold = make_gold(
        [
            {"claim": "Tee ist heiß.", "lang": "de", "context_id": "x", "spans": ("Tee ist heiß",)},
            {"claim": "Die Fähre ist frei.", "lang": "de", "context_id": "y"},
        ],
        {"x": ("Tee ist heiß. Er dampft.",), "y": ("Die Fähre ist frei.",)},
    )
    made = make_probes(gold)
    assert {probe.kind for probe in made.probes} == set(CONTEXT_KINDS)
    assert made.left_out["world_true.de.language_without_words"] == 2


# Changed contexts


def test_nothing_is_left_of_a_context_that_is_all_evidence(make_gold: MakeGold) -> None:
    gold = make_gold([{"claim": "Tea is hot.", "spans": ("Tea is hot",)}], {"x": ("Tea is hot.",)})
    (probe,) = make_probes(gold, ["evidence_removed"]).probes
    assert probe.passages == ()


@pytest.mark.parametrize(
    ("claim", "spans", "passage", "reason"),
    [
        ("Tea is hot.", ("Tea is cold",), "Tea is hot. So.", "span_not_in_context"),
        ("Tea is hot.", ("Tea is hot",), "Tea is hot. Indeed tea is hot.", "evidence_repeated"),
        ("Rain fell.", ("It poured",), "It poured. Rain was forecast.", "evidence_not_distinct"),
        (
            "Late letters after 19 June stay unread.",
            ("Late letters may stay unread",),
            "Write until 19 June. Late letters may stay unread.",
            "evidence_incomplete",
        ),
        ("The text does not mention tea.", ("Coffee",), "Coffee. Milk.", "claim_of_absence"),
    ],
)
def test_evidence_is_not_removed_where_the_claim_could_still_hold(
    make_gold: MakeGold, claim: str, spans: tuple[str, ...], passage: str, reason: str
) -> None:
    gold = make_gold([{"claim": claim, "spans": spans}], {"x": (passage,)})
    made = make_probes(gold, ["evidence_removed"])
    assert made.probes == ()
    assert list(made.left_out) == [f"evidence_removed.en.{reason}"]


def test_the_swapped_context_has_least_in_common_and_the_same_split(make_gold: MakeGold) -> None:
    texts = {
        "x": ("The kettle boils water for tea.",),
        "near": ("A kettle boils water for coffee.",),
        "far": ("Zinc ~ 419.",),
        "empty": (),
    }
    gold = make_gold(
        [
            {"claim": "The kettle boils water.", "context_id": "x"},
            {"claim": "A", "context_id": "near", "label": "no"},
            {"claim": "B", "context_id": "far", "label": "no"},
            {"claim": "C", "context_id": "empty", "label": "no"},
        ],
        texts,
    )
    (probe,) = make_probes(gold, ["contexts_swapped"]).probes
    assert probe.passages == texts["far"]
    salts = (SplitRule(salt=str(number), dev_share=0.5) for number in range(100))
    for rule in salts:
        parted = replace(gold, manifest=gold.manifest.model_copy(update={"split": rule}))
        split = {claim.context_id: parted.split_of(claim) for claim in parted.claims}
        if split["x"] == split["near"] != split["far"]:
            (probe,) = make_probes(parted, ["contexts_swapped"]).probes
            assert probe.passages == texts["near"]
            break
    else:
        pytest.fail("no salt parts the contexts as wanted")


# Changed claims


@pytest.mark.parametrize(
    ("lang", "claim", "passage", "expected"),
    [
        ("en", "Items stay for 8 days.", "Items stay for 8 days.", "Items stay for 12 days."),
        ("en", "The hall seats 20,000 people.", "It seats 20,000 people.", "40,000"),
        ("en", "It opened in 1960.", "Opened in 1960.", "It opened in 1963."),
        ("en", "The share is 90 percent.", "A share of 90 percent.", "50 percent"),
        ("en", "The gap is 1.5 metres.", "A gap of 1.5 metres.", "1.7 metres"),
        ("en", "Seven ships came.", "Seven ships came.", "Ten ships came."),
        ("en", "Take at most 60 mg.", "Take at most 60 mg.", "Take at most 30 mg."),
        ("en", "Wait at least 6 hours.", "Wait at least 6 hours.", "Wait at least 9 hours."),
        ("zh", "共有12万元。", "共有12万元。", "共有17万元。"),
        ("zh", "设两次检查。", "设两次检查。", "设四次检查。"),
        ("zh", "比例为90%。", "比例为90%。", "比例为50%。"),
        ("zh", "截止3月底。", "截止3月底。", "截止5月底。"),
        ("en", "Few came.", "Few came.", "no_number"),
        ("en", "The code is E04.", "Code E04.", "no_number"),
        ("en", "See 5.6.2 there.", "See 5.6.2 there.", "no_number"),
        ("en", "Server 8.0 will work.", "Server 5.7 and later work.", "no_sure_number"),
        ("en", "Letters after 19 June wait.", "Letters after 19 June wait.", "no_sure_number"),
        ("en", "It sold 5 in less than 9 days.", "5 in less than 9 days.", "no_sure_number"),
        ("en", "It may take 8 days.", "It may take 8 days.", "negated_or_hedged"),
        ("zh", "增幅没有超过41%。", "增长41%。", "negated_or_hedged"),
        ("zh", "超过3000元的要复核。", "超过3000元的要复核。", "no_sure_number"),
    ],
)
def test_number_shifted(
    one: Callable[..., str], lang: str, claim: str, passage: str, expected: str
) -> None:
    assert expected in one("number_shifted", claim, passage, lang)


def test_a_shifted_number_avoids_those_of_the_context(one: Callable[..., str]) -> None:
    passage = "Items stay for 8 days. Others stay 12, 13 or fourteen days."
    assert one("number_shifted", "Items stay for 8 days.", passage) == "Items stay for 15 days."


def test_an_aggregation_has_its_own_sum_shifted(one: Callable[..., str]) -> None:
    passage, claim = "Two cost 3 euros, one costs 4 euros.", "All cost 10 euros."
    assert one("number_shifted", claim, passage) == "no_sure_number"
    shifted = one("number_shifted", claim, passage, slice="aggregation")
    assert shifted == "All cost 14 euros."


@pytest.mark.parametrize(
    ("lang", "claim", "passage", "expected"),
    [
        ("en", "The SMF acts.", "The SMF acts. The SMF is new. The AMF waits.", "The AMF acts."),
        ("en", "Ann lives in Rome.", "Ann lives in Rome. Work is in Oslo; Oslo is far.", "Oslo."),
        ("en", "Ann lives in Rome.", "She is in Rome, Italy. It is in Italy.", "no_name_alike"),
        ("en", "A PDU session is set up.", "A PDU session. A UPF.", "no_name_alike"),
        ("en", "A net without the PCF works.", "The PCF. The SMF.", "no_name_alike"),
        ("en", "The Bank of Rome paid.", "The Bank of Rome. Bo of Oslo, Oslo.", "no_name_alike"),
        ("en", "Tea is hot.", "Tea is hot.", "no_name"),
        ("en", "The DNN matters.", "Names matter.", "name_not_in_context"),
        ("zh", "SMF分配地址。", "向SMF申请，SMF分配地址。向AMF申请后转给基站。", "AMF分配地址。"),
        ("zh", "应看《甲法》。", "应看《甲法》。此外另有《乙法》一部。", "应看《乙法》。"),
    ],
)  # fmt: skip
def test_entity_swapped(
    one: Callable[..., str], lang: str, claim: str, passage: str, expected: str
) -> None:
    assert expected in one("entity_swapped", claim, passage, lang)


def test_a_name_of_the_evidence_is_no_replacement(one: Callable[..., str]) -> None:
    claim = "The SMF allocates the address."
    passage = "The SMF and the AMF allocate the address. The UDM stores it."
    spans = ("The SMF and the AMF allocate the address",)
    assert one("entity_swapped", claim, passage, spans=spans) == "The UDM allocates the address."


@pytest.mark.parametrize(
    ("lang", "claim", "expected"),
    [
        ("en", "Sites can upgrade.", "Sites cannot upgrade."),
        ("en", "The fee is low.", "The fee is not low."),
        ("en", "Guests must pay.", "Guests must not pay."),
        ("en", "The job has failed.", "The job has not failed."),
        ("en", "Sites have to upgrade.", "Sites do not have to upgrade."),
        ("en", "The hut has a bath.", "The hut does not have a bath."),
        ("en", "The lock secures the gate.", "The lock does not secure the gate."),
        ("en", "It isn't low.", "negated_already"),
        ("en", "No fee is due.", "negated_already"),
        ("en", "It may be low.", "hedged"),
        ("en", "Some fees are low.", "about_some"),
        ("en", "Three fees are low.", "no_sure_verb"),
        ("en", "All fees are low.", "no_sure_verb"),
        ("en", "A fee that is low stays.", "no_sure_verb"),
        ("en", "Wait for the bell.", "no_sure_verb"),
        ("zh", "用户可以退款。", "用户不可以退款。"),
        ("zh", "三类合计相当于四成。", "三类合计并不相当于四成。"),
        ("zh", "额度是免费版的5倍。", "额度不是免费版的5倍。"),
        ("zh", "申请应提交凭证。", "申请不应提交凭证。"),
        ("zh", "委员会负责评审。", "no_sure_verb"),
        ("zh", "音乐会在晚上举行。", "no_sure_verb"),
        ("zh", "功能齐全，应急有预案。", "no_sure_verb"),
        ("zh", "属于易碎品的，照价扣款。", "no_sure_verb"),
        ("zh", "超限不计费。", "negated_already"),
        ("zh", "有些是新的。", "about_some"),
    ],
)
def test_negation_added(one: Callable[..., str], lang: str, claim: str, expected: str) -> None:
    assert one("negation_added", claim, claim, lang) == expected


@pytest.mark.parametrize(
    ("lang", "claim", "passage", "expected"),
    [
        ("en", "Tea is usually hot.", "Tea is usually hot.", "Tea is hot."),
        ("en", "Usually, tea is hot.", "Typically, tea is hot.", "Tea is hot."),
        ("en", "Late letters might wait.", "Late letters may wait.", "Late letters will wait."),
        ("en", "Tea is usually hot.", "Tea is hot.", "evidence_not_qualified"),
        ("en", "Tea may usually wait.", "Tea may usually wait.", "qualified_twice"),
        ("en", "Tea is hot.", "Tea is usually hot.", "no_qualifier"),
        ("en", "They may have left.", "They may have left.", "no_qualifier"),
        ("zh", "茶通常是热的。", "茶通常是热的。", "茶是热的。"),
        ("zh", "请求可能被拒。", "请求可能被拒。", "请求一定会被拒。"),
        ("zh", "请求可能被拒。", "请求被拒。", "evidence_not_qualified"),
    ],
)
def test_qualifier_dropped(
    one: Callable[..., str], lang: str, claim: str, passage: str, expected: str
) -> None:
    assert one("qualifier_dropped", claim, passage, lang) == expected


def test_a_question_gets_no_addition(one: Callable[..., str]) -> None:
    assert one("plausible_addition", "Is tea hot?", "Tea is hot.") == "no_statement"


# The control set


def test_control_set_asks_every_probe(dev: GoldSet) -> None:
    probes = make_probes(dev, per_kind=4).probes
    controls = control_set(dev, probes)
    assert controls.manifest.name == "faithfulness~controls"
    assert controls.manifest.label_source == "author"
    assert len(controls.claims) == len(probes)
    for claim, probe in zip(controls.claims, probes, strict=True):
        assert claim.claim_id == probe.control_id == f"{probe.claim_id}~{probe.kind}"
        assert (claim.claim, claim.lang, claim.question) == (
            probe.claim,
            probe.lang,
            probe.question,
        )
        assert controls.passages(claim) == probe.passages
        assert (claim.label, claim.label_source, claim.answer_id) == (
            "idk",
            "author",
            probe.answer_id,
        )
        expected = probe.context_id
        if probe.kind in CONTEXT_KINDS:
            expected += f"~{probe.kind}~{probe.claim_id}"
        assert claim.context_id == expected
    assert set(controls.contexts) == {claim.context_id for claim in controls.claims}


def test_probes_stay_in_the_split_of_their_source() -> None:
    gold = load_goldset(FOLDER)
    controls = control_set(gold, make_probes(gold, per_kind=8).probes)
    source = {claim.claim_id: gold.split_of(claim) for claim in gold.claims}
    for claim in controls.claims:
        assert controls.split_of(claim) == source[claim.claim_id.rsplit("~", 1)[0]]


def test_a_changed_context_leaves_the_source_set_alone(dev: GoldSet) -> None:
    before = dev.sha256
    control_set(dev, make_probes(dev).probes)
    assert replace(dev).sha256 == before


def test_long_ids_stay_within_the_format_and_apart() -> None:
    first, second = (joined_id("c" * 200, kind) for kind in ("world_true", "negation_added"))
    assert first != second
    for name in (first, second):
        Claim(claim_id=name, answer_id="a", context_id=name, claim="Tea.", label="idk")

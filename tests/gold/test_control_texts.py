"""How one claim is made wrong: numbers, names, negations and qualifiers."""

from collections.abc import Callable
from typing import Any

import pytest

from metajudge.gold.controls import (
    ControlKind,
    make_probes,
)
from tests.gold.reading import Make


@pytest.fixture
def one(make_gold: Make) -> Callable[..., str]:
    """The changed claim of one claim and passage, or else the reason that there is none."""

    def probe(kind: ControlKind, claim: str, passage: str, lang: str = "en", **more: Any) -> str:
        gold = make_gold([{"claim": claim, "lang": lang} | more], {"x": (passage,)})
        made = make_probes(gold, [kind])
        if made.probes:
            return made.probes[0].claim
        (key,) = made.left_out
        return key.rsplit(".", 1)[-1]

    return probe


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

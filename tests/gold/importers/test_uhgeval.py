from typing import Any

import pytest

from metajudge.gold.importers.uhgeval import label_of_reasons


def record(*verdicts: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": f"num_00000{number}",
        "headLine": "（经济）临海茶厂去年出口茶叶三千吨",
        "broadcastDate": "2015-03-01 10:00:00",
        "type": "num",
        "newsBeginning": "  临海3月1日电 临海茶厂公布去年业绩。\n  厂长出席。",
        "hallucinatedContinuation": "\n去年茶厂出口茶叶五千吨，",
        "generatedBy": "Model_A",
        "annotations": [f"词{at}<sep>{verdict}" for at, verdict in enumerate(verdicts)],
        "realContinuation": "去年出口三千吨。",
        "newsRemainder": "去年出口三千吨。\n \n  今年计划不变。（完）\n",
    } | more


def test_continuation_and_headline(imported: Any, saved: Any) -> None:
    rows = [record("合理", "不合理，与事实冲突，应为三千吨")]
    got = imported("uhgeval", saved(rows, "u.jsonl"))
    assert got.labels == ["no", "yes"] and got.left == []
    text, headline = got.claims
    assert text.claim == "去年茶厂出口茶叶五千吨，"
    assert text.passages == (
        "临海3月1日电 临海茶厂公布去年业绩。\n  厂长出席。",
        "去年出口三千吨。",
        "今年计划不变。（完）",
    )
    assert text.note == "词1：与事实冲突，应为三千吨"
    assert (text.claim_id, text.generator, text.slice) == ("uhgeval-num_000001", "Model_A", None)
    assert text.label_source == "human"
    assert headline.claim == "临海茶厂去年出口茶叶三千吨"
    assert (headline.claim_id, headline.slice) == ("uhgeval-head-num_000001", "summary")
    assert (headline.label_source, headline.generator) == ("author", None)
    assert headline.passages == text.passages


@pytest.mark.parametrize(
    ("reasons", "label"),
    [
        (["与事实冲突，应为三千吨"], "no"),
        (["实际是去年"], "no"),
        (["说的是三千吨而非五千吨"], "no"),
        (["与事实冲突"], "no"),
        (["与提供的事实不一致"], "no"),
        (["文中没有提到厂长的姓名"], "idk"),
        (["未提及今年"], "idk"),
        (["缺乏相关的事实"], "idk"),
        (["与事实冲突，文中没有提到厂长"], "idk"),
        (["没有提到厂长", "应为三千吨"], "no"),
        (["没有提到厂长", "用词不当"], "unsupported"),
        (["没有提到厂长，应为副厂长"], "unsupported"),
        (["用词不当"], "unsupported"),
    ],
)
def test_the_rule_on_reasons(reasons: list[str], label: str) -> None:
    assert label_of_reasons(reasons) == label


def test_no_keyword_was_rejected(imported: Any, saved: Any) -> None:
    rows = [record("合理", "合理"), record(number=2), record(number=3, annotations=None)]
    got = imported("uhgeval", saved(rows, "u.jsonl"))
    assert got.labels == [None, "yes", None, "yes", None, "yes"]
    assert [(claim.unlabelled, claim.detail) for claim in got.claims[::2]] == [
        ("unsettled", "no keyword was rejected"),
        ("unlabelled", ""),
        ("unlabelled", ""),
    ]


@pytest.mark.parametrize(
    ("headline", "claim"),
    [
        ("茶厂出口增加", "茶厂出口增加"),
        (" （国际）（经济）茶厂出口增加 ", "（经济）茶厂出口增加"),
        ("【体育】茶厂赛跑", "【体育】茶厂赛跑"),
        ("（体育", "（体育"),
    ],
)
def test_the_category_before_a_headline(
    imported: Any, saved: Any, headline: str, claim: str
) -> None:
    got = imported("uhgeval", saved([record("合理", headLine=headline)], "u.jsonl"))
    assert got.claims[1].claim == claim


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        record("不合理，应为三千吨", "可疑", number=1),
        record("合理", number=2, newsRemainder=None),
        record("合理", number=3, hallucinatedContinuation="\n"),
        record("合理", number=4, headLine="（体育）"),
        record("合理", number=5, annotations="合理"),
    ]
    got = imported("uhgeval", saved(rows, "u.jsonl"))
    assert [(left.reason, left.line) for left in got.left] == [
        ("unknown_label", 1),
        ("missing_context", 2),
        ("missing_text", 3),
        ("missing_text", 4),
        ("malformed", 5),
    ]
    assert [claim.claim_id for claim in got.claims] == [
        *("uhgeval-num_000001", "uhgeval-head-num_000001", "uhgeval-head-num_000003"),
        *("uhgeval-num_000004", "uhgeval-head-num_000005"),
    ]

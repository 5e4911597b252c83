"""Sentences that repeat an earlier one: worked by hand, and a table of authored answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from metajudge.judges.sentences import sentences
from metajudge.metrics.computed.repetition import (
    REPETITION_FROM,
    Repetition,
    repetitions_of,
    score_repetition,
)
from metajudge.metrics.computed.sentence_content import content_of
from metajudge.metrics.evaluate import evaluate

CASES = Path(__file__).with_name("repetition_cases.yaml")
WRONG = {
    # Said in other words, or turned round.
    "en": {2, 8, 11, 12, 25},
    "zh": {12, 25},
}
WRONGLY_CALLED = {
    # The same wording about another thing; two names of unequal length that change places.
    "en": {24},
    "zh": {24, 29},
}


@cache
def cases(lang: str) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = yaml.safe_load(CASES.read_text(encoding="utf-8"))[lang]
    return found


def is_right(lang: str, number: int, cut_off: float = REPETITION_FROM) -> bool:
    case = cases(lang)[number]
    found = repetitions_of(sentences(case["answer"], lang), cut_off)
    return [[one.later, one.earlier] for one in found] == case["repeats"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_gets_right_what_the_docs_say_and_no_more(lang: str) -> None:
    wrong = {number for number in cases(lang) if not is_right(lang, number)}
    assert wrong == WRONG[lang] | WRONGLY_CALLED[lang]
    for number in WRONGLY_CALLED[lang]:
        assert cases(lang)[number]["repeats"] == []
    kept = [number for number in cases(lang) if number % 2 == 0]
    assert (sum(is_right(lang, n) for n in kept), len(kept)) == {"en": (12, 16), "zh": (14, 16)}[
        lang
    ]


def test_the_cut_off_is_the_greatest_of_those_that_serve_the_half_it_was_chosen_on_best() -> None:
    chosen = [(lang, n) for lang in ("en", "zh") for n in cases(lang) if n % 2]
    right = {
        cut: sum(is_right(lang, n, cut / 100) for lang, n in chosen) for cut in range(50, 101, 5)
    }
    assert (len(chosen), max(right.values())) == (32, 28)
    assert max(cut for cut, n in right.items() if n == 28) == round(REPETITION_FROM * 100)


@pytest.mark.parametrize(
    ("later", "earlier", "share"),
    [
        # hall, seat, 90, hall seat, seat 90 of which all but `seat 90` and `90` stand there
        ("The hall seats 90.", "The hall seats many.", 3 / 5),
        # pump, deliver, 40 and both pairs
        ("So it delivers 40 litres.", "The pump delivers 40 litres a minute.", 1.0),
        # 周末 末免 免费 of 车场 周末 末免 免费
        ("周末免费", "停车场周末免费", 1.0),
        # 周末 末开 开放 of which 开放 stands there
        ("周末开放", "停车场开放", 1 / 3),
    ],
)
def test_shares_worked_by_hand(later: str, earlier: str, share: float) -> None:
    assert content_of(later).share_in(content_of(earlier)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Plan A costs 5 euros.", "Plan B costs 5 euros."),
        ("It takes five working days.", "It takes six working days."),
        ("The app supports offline mode.", "The app doesn't support offline mode."),
        ("The app doesn't support offline mode.", "The app supports offline mode."),
        ("Pets are welcome in the bar, not in the hall.", "Pets are welcome in the hall."),
        ("Members may borrow ten books a week.", "Guests may borrow ten books a week."),
        ("Rome is older than Paris.", "Paris is older than Rome."),
        ("该设备支持无线充电。", "该设备不支持无线充电。"),
        ("该设备不支持无线充电。", "该设备支持无线充电。"),
        ("甲馆周日九点开门。", "乙馆周日九点开门。"),
        ("甲馆周日九点开门。", "甲馆周日十点开门。"),
        ("甲队战胜了乙队。", "乙队战胜了甲队。"),
    ],
)
def test_what_says_another_thing_is_no_repetition(earlier: str, later: str) -> None:
    assert content_of(later).differs_from(content_of(earlier))
    assert repetitions_of([earlier, later]) == ()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("It takes five working days.", "It takes 5 working days."),
        ("It takes 1,000 working days.", "As mentioned above, it takes 1000 working days."),
        ("Pets are not welcome in the hall.", "Note that pets are not welcome in the hall."),
        ("需要七个工作日。", "也就是说，需要7个工作日。"),
        ("该设备不支持无线充电。", "总之，该设备不支持无线充电。"),
        ("停车场周末免费。", "停车场在周末是免费的。"),
    ],
)
def test_what_says_it_again_in_nearly_the_same_words_is_one(earlier: str, later: str) -> None:
    assert [(one.later, one.earlier) for one in repetitions_of([earlier, later])] == [(2, 1)]


def test_the_one_most_repeated_is_named_and_the_first_of_equals() -> None:
    parts = [
        "The hall seats 90 people.",
        "The big hall seats 90 people.",
        "The hall seats 90 people.",
    ]
    assert repetitions_of(parts)[-1] == Repetition(3, 1, 1.0)


@pytest.mark.parametrize(
    ("answer", "language", "reason"),
    [
        ("", "en", "the answer is empty"),
        ("…", "zh", "回答为空"),
        ("The hall seats 90 people.", "en", "fewer than two sentences"),
        ("Yes. The hall seats 90 people. Yes. I hope this helps.", "en", "fewer than two"),
        ("Does the hall seat 90? The hall seats 90.", "en", "fewer than two sentences"),
        ("好的。停车场周末免费。希望对您有帮助。", "zh", "不足两个"),
        ("抱歉，我无法回答。", "zh", "不足两个"),
        ("How to open the hall:\nTake the key. How to open the hall:", "en", "fewer than two"),
        ("The hall closes at five.\n(See passage 3)\nOr not.\n(See passage 3)", "en", "fewer than"),
        ("开放的场馆：\n甲馆九点开门。\n开放的场馆：", "zh", "不足两个"),
    ],
)
def test_undefined(answer: str, language: str, reason: str) -> None:
    found = score_repetition(answer, language)
    assert found.score is None
    assert found.reason is not None and reason in found.reason
    assert found.units == ()


def test_rows_name_which_sentence_repeats_which() -> None:
    answer = (
        "Yes. The hall seats 90 people. Parking is free on Sundays. So the hall seats 90 people."
    )
    found = score_repetition(answer)
    assert found.score == pytest.approx(1 / 3)
    assert found.reason == (
        "1 of 3 sentences repeat an earlier one: sentence 4 repeats sentence 2, “The hall seats 90 "
        "people.”."
    )
    assert [unit.label for unit in found.units] == ["yes", "yes", "no"]
    assert found.units[2].detail == "repeats sentence 2: “The hall seats 90 people.”"
    assert found.details == {"repetitions": [{"later": 4, "earlier": 2, "share": 1.0}]}
    nothing = score_repetition("停车场周末免费。会员可借十本书。", "zh")
    assert (nothing.score, nothing.reason) == (0.0, "2 个句子都没有重复前文。")


def test_many_repetitions_are_counted_and_the_first_three_are_written_out() -> None:
    found = score_repetition("The hall seats 90 people. " * 6)
    assert found.score == pytest.approx(5 / 6)
    assert found.reason is not None
    assert found.reason.count("repeats sentence 1") == 3 and found.reason.endswith("; ….")
    assert len(found.details["repetitions"]) == 5


@pytest.mark.parametrize("language", ["en", "zh"])
def test_evaluate_scores_it_without_a_judge(tmp_path: Path, language: Literal["en", "zh"]) -> None:
    answers = {
        "en": "The hall seats 90 people. Parking is free. In short, the hall seats 90 people.",
        "zh": "停车场周末免费。会员可借十本书。总之，停车场周末免费。",
    }
    rows = [
        {"answer_id": "a", "answer": answers[language], "lang": language},
        {"answer_id": "b", "answer": "", "lang": language},
    ]
    found = evaluate(rows, ["answer_repetition"], store=tmp_path / "replies.sqlite")
    assert found.scores("answer_repetition") == {"a": pytest.approx(1 / 3, abs=1e-6), "b": None}
    (account,) = found.summary.metrics
    assert (account.better, account.scored, account.calls) == ("lower", 1, 0)
    (row, _) = found.records
    assert row["answer_repetition_details"] == {
        "repetitions": [{"later": 3, "earlier": 1, "share": 1.0}]
    }


@given(st.lists(st.sampled_from(["甲馆九点开门。", "Hall A opens at 9.", "Tea is free.", "Yes."])))
def test_bounds_and_that_only_earlier_ones_are_repeated(parts: list[str]) -> None:
    found = score_repetition(" ".join(parts))
    assert found.score is None or 0 <= found.score < 1
    assert all(one.earlier < one.later for one in repetitions_of(parts))

from __future__ import annotations

from typing import get_args

import pytest

from metajudge.agreement.estimate import Estimate
from metajudge.experiment.decision import decide, rank_rows
from metajudge.report.part import Figure
from metajudge.report.results import BrokenGuardrail, CallCounts, RankRow
from metajudge.runner.call import Stopped
from tests.selection.test_ranking import EAGER, GOLD, LOOSE, RIGHT, SLICES, TIMID
from tests.selection.worlds import ranking, world


def row(
    trial: str, value: float | None, broken: dict[str, float | None] | None = None, **fields: object
) -> RankRow:
    return RankRow(
        trial=trial,
        reading="top",
        rank=1,
        tied_with_first=bool(fields.get("tied")),
        safe=not broken,
        broken=tuple(
            BrokenGuardrail(guardrail=name, bound=0.1, got=None, by=by, reason=fields.get("reason"))
            for name, by in (broken or {}).items()
        ),
        target=Figure(
            value=value, low=0.01, high=0.3, n=10, reason="none" if value is None else None
        ),
    )


def test_nothing_measured() -> None:
    assert decide((), "kappa").sentence == "Nothing was measured."


def test_the_first_safe_row_wins_and_its_ties_are_named() -> None:
    rows = [row("a", 0.05), row("b", 0.06, tied=True), row("c", 0.2)]
    found = decide(rows, "summary_as_idk")
    assert (found.winner, found.reading, found.ties) == ("a", "top", ("b (top)",))
    assert found.sentence == (
        "First choice: a (top), summary-as-idk 0.05 [0.01, 0.30], keeping every guardrail. "
        "It cannot be told from: b (top)."
    )
    assert "首选：a（top）" in found.sentence_zh and "b (top)" in found.sentence_zh


def test_no_safe_winner_names_the_worst_bound() -> None:
    found = decide([row("a", 0.05, {"coverage": 0.02, "over_credit_upper": 0.31})], "kappa")
    assert (found.winner, found.reading) == (None, None)
    assert found.sentence.endswith("Nearest is a (top), which breaks over_credit_upper by 0.31.")
    assert found.sentence_zh.endswith("突破 over_credit_upper，偏离界限 0.31。")


def test_a_bound_that_must_be_exceeded_is_not_broken_by_nothing() -> None:
    found = decide([row("a", 0.05, {"kappa_above": 0.0})], "kappa")
    assert found.sentence.endswith("which breaks kappa_above: it must be above 0.10.")
    assert found.sentence_zh.endswith("突破 kappa_above：须高于 0.10。")


def test_an_undefined_bound_is_the_worst() -> None:
    found = decide([row("a", 0.05, {"coverage": 0.5, "kappa_above": None})], "kappa")
    assert found.sentence.endswith("which breaks kappa_above, undefined.")


def test_an_undefined_target_never_wins() -> None:
    found = decide([row("a", None)], "kappa")
    assert (found.winner, found.sentence) == (None, "No winner: kappa is undefined (none).")


def calls(stopped: str | None, answered: int = 280) -> CallCounts:
    return CallCounts(
        planned=400,
        from_store=0,
        asked=answered,
        answered=answered,
        failed=0,
        retries=0,
        prompt_tokens=None,
        cached_tokens=None,
        completion_tokens=None,
        cost_usd=None,
        wall_s=1.0,
        stopped=stopped,
    )


def test_a_run_that_stopped_early_says_so_before_anything_else() -> None:
    found = decide([row("a", 0.05)], "kappa", calls("budget"))
    assert found.winner == "a"
    assert found.sentence.startswith(
        "Partial run, since the budget is spent: 120 of 400 calls were not made and count as "
        "failures, so what follows may change. First choice: a (top)"
    )
    assert found.sentence_zh.startswith(
        "运行不完整（预算已用完）：400 次调用中有 120 次未进行，按失败计，以下结论可能改变。首选：a"
    )
    last = decide([row("a", 0.05)], "kappa", calls("budget", answered=399)).sentence
    assert "1 of 400 calls was not made and counts as a failure, so what follows" in last
    none = decide([row("a", 0.05, {"coverage": 0.5})], "kappa", calls("interrupted"))
    assert none.winner is None
    assert "it was interrupted" in none.sentence and "No safe winner" in none.sentence


def test_every_way_to_stop_has_words_in_both_languages() -> None:
    for stopped in get_args(Stopped):
        found = decide((), "kappa", calls(stopped, answered=400))
        assert f"since {stopped}:" not in found.sentence
        assert "not every call was settled" in found.sentence
        assert stopped not in found.sentence_zh


def test_a_whole_run_says_nothing_of_it() -> None:
    rows = [row("a", 0.05)]
    assert decide(rows, "kappa", calls(None)) == decide(rows, "kappa")


def test_the_only_safe_row_is_not_said_to_be_better_than_the_others() -> None:
    rows = [row("a", 0.05), row("b", 0.01, {"coverage": 0.1})]
    found = decide(rows, "summary_as_idk")
    assert found.sentence == (
        "First choice: a (top), summary-as-idk 0.05 [0.01, 0.30], the only one that keeps every "
        "guardrail."
    )
    assert found.sentence_zh.endswith("唯一守住全部护栏的候选。")


def test_a_candidate_that_does_not_read_is_told_with_its_reason() -> None:
    blind = row("a", 0.05, {"insensitive": None}, reason="emptied contexts stay yes")
    found = decide([blind], "kappa")
    assert found.sentence.endswith(
        "Nearest is a (top), which does not read the evidence (emptied contexts stay yes)."
    )
    assert found.sentence_zh.endswith("未真正读取证据（emptied contexts stay yes）。")


def test_rank_rows_keep_reason_and_adjusted_p() -> None:
    measurer = world(GOLD, {"right": RIGHT, "timid": TIMID, "eager": EAGER}, slices=SLICES)
    rates = {"eager": Estimate(0.2, 0.1, 0.3, 40, 20, "test")}
    ranked = ranking(measurer, bounds=LOOSE, flip_rates=rates)
    rows = rank_rows(ranked, measurer.candidates)
    assert [r.trial for r in rows] == ["right", "timid", "eager"]
    assert rows[1].adjusted_p == pytest.approx(2 / 2**12, abs=1e-6)
    flips = next(b for b in rows[2].broken if b.guardrail == "flip_rate")
    assert (flips.got, flips.reason) == (0.2, "interval [0.10, 0.30]")

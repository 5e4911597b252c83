"""Consultations that went wrong: nothing to ask, runs cut short, replies that say nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metajudge.errors import JudgeAccessError, JudgeDownError, MetajudgeError
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.release.asking import keys_of, open_judges
from metajudge.release.consult import Statistics, consult
from metajudge.release.consult.asked import Heard
from metajudge.release.consult.bench import Said
from metajudge.release.consult.case import case_of
from metajudge.release.consult.reported import report_of
from metajudge.release.consult.sample import together
from metajudge.report.consult_results import ConsultCalls, ConsultReport
from metajudge.report.part import Figure
from metajudge.runner.limits import Budget
from metajudge.runner.recording import export_recording
from metajudge.runner.store import Store
from tests.experiment.folder import halls, write_gold, write_template
from tests.release.consult.test_consultation import MINDING, PLAIN, QUICK, answers, ask, script

EVERYTHING = 2 * 4 * (30 + 40)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The world of `test_consultation`: 40 gold halls, two templates, a judge."""
    write_gold(tmp_path, *halls(40))
    write_template(tmp_path, "plain")
    write_template(tmp_path, "minding", "MIND the sums:")
    script(tmp_path, "judge", "idk")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_turn(folder: Path, replies: Sequence[Any]) -> str:
    """A judge that gives these replies in turn."""
    text = json.dumps({"name": "in turn", "replies": replies})
    (folder / "turn.yaml").write_text(text, encoding="utf-8")
    return "scripted:turn.yaml"


def change(**given: object) -> ConsultReport:
    return ask(PLAIN.format("strict"), MINDING.format("strict"), **given)


def figures(part: object, where: str = "") -> dict[str, Figure]:
    """Every figure of a part of a report, by its place."""
    if isinstance(part, Figure):
        return {where: part}
    if isinstance(part, dict):
        pairs = list(part.items())
    elif hasattr(part, "model_fields_set"):
        pairs = list(part)
    elif isinstance(part, tuple):
        pairs = list(enumerate(part))
    else:
        return {}
    found: dict[str, Figure] = {}
    for name, inner in pairs:
        found |= figures(inner, f"{where}/{name}")
    return found


def test_b106_where_nothing_is_asked_no_claim_is_called_a_failure(place: Path) -> None:
    found = ask(PLAIN.format("strict"), PLAIN.format("ragas"))
    assert found.rule.decision == "nothing_changes"
    assert found.flips.claims == 0 and found.scores.answers == 0
    assert {n for row in found.flips.table.values() for n in row.values()} == {0}
    assert found.scores.current.pass_rate.value is None
    assert {(row.state, row.why) for row in found.rule.criteria} == {("unmoved", "same_verdicts")}
    calls = found.calls
    assert (calls.needed, calls.unanswered) == (0, 0)
    assert set(calls.unanswered_claims.values()) == {0}
    assert any("nothing was asked" in note for note in found.notes)


def test_figures_do_not_depend_on_the_order_of_rows(place: Path) -> None:
    usual = {"judge": "scripted:judge.yaml", "gold": "gold", "statistics": QUICK}
    sides = (PLAIN.format("lenient"), MINDING.format("strict"))
    one, other = (
        figures(consult(*sides, rows, store="replies.sqlite", **usual))  # type: ignore[arg-type]
        for rows in (answers(), answers()[::-1])
    )
    assert one == other and len(one) > 50


def test_b47_where_a_reply_lists_no_facts_the_claims_are_failures_and_stay(place: Path) -> None:
    rules = [{"match": "Hall zz3 opens at 12", "reply": "I'm sorry, but I can't help with that."}]
    told = {
        "name": "facts",
        "rules": [*rules, {"match": "MIND|given all", "reply": "yes"}],
        "replies": ["- It opens."],
    }
    (place / "facts.yaml").write_text(json.dumps(told), encoding="utf-8")
    truths = ask(
        PLAIN.format("strict") + "?form=truths",
        MINDING.format("strict") + "?form=truths",
        judge="scripted:facts.yaml",
        gold="none",
    )
    assert truths.flips.claims == 120, "no answer is left out"
    assert truths.flips.table["failure"]["failure"] == 4
    assert truths.calls.unanswered == 0 and truths.rule.decision == "hold"
    assert not any("left out" in note for note in truths.notes)


def test_b54_a_policy_that_needs_probabilities_which_no_reply_has_is_held(place: Path) -> None:
    found = ask(PLAIN.format("strict"), PLAIN.format("expected"))
    (row,) = (row for row in found.rule.criteria if row.name == "coverage")
    assert (row.state, found.rule.decision) == ("broken", "hold")
    assert row.got is not None and row.got.value == 0.0
    assert "proposed: its policy goes by label probabilities, and 120 of 120 claims have none." in (
        found.notes
    )


def test_b49_a_judge_that_is_down_or_refuses_is_named_in_the_error(place: Path) -> None:
    with pytest.raises(JudgeDownError, match="connection"):
        change(judge=in_turn(place, [{"error": "connection"}]))
    with pytest.raises(JudgeAccessError, match="refuses the key"):
        change(judge=in_turn(place, [{"error": "access"}]))


def test_b47_what_failed_as_the_judge_went_down_is_open_and_no_failure(place: Path) -> None:
    replies = ["yes"] * (EVERYTHING - 100) + [{"error": "connection"} for _ in range(4000)]
    found = change(judge=in_turn(place, replies))
    calls = found.calls
    assert calls.stopped == "judge_down"
    assert calls.unanswered == 100, "those that failed are asked again like those never asked"
    assert sum(found.flips.table["failure"].values()) == 0
    assert {c.name: c.state for c in found.rule.criteria}["coverage"] == "kept"


def test_what_a_recording_lacks_is_open_and_no_failure(place: Path) -> None:
    """A recorded judge of the current side alone cannot say that the proposed one reads nothing."""
    sides = PLAIN.format("strict"), PLAIN.format("lenient")
    ask(*sides)
    case = case_of(*sides, answers(), judge="scripted:judge.yaml", gold="gold")
    asked = together(case.sample.claims, case.gold)
    with Store("replies.sqlite") as store:
        keys = keys_of(case.sides, asked, open_judges(case.sides), {})
        assert export_recording(store, place / "replies.jsonl.gz", keys) == 280
    with pytest.raises(JudgeDownError, match=r"under both sides$"):
        change(judge="recorded:replies.jsonl.gz", store="other.sqlite")


def test_coverage_of_a_part_of_the_sample_does_not_hold_a_change(place: Path) -> None:
    """One unreadable reply among a few is much, and nothing among all of them."""
    text = (place / "judge.yaml").read_text(encoding="utf-8")
    mumble = "rules:\n- match: 'Claim: Hall zz0 opens'\n  reply: hm, well\n"
    (place / "judge.yaml").write_text(text.replace("rules:\n", mumble), encoding="utf-8")
    part = change(budget=Budget(calls=2 * 4 * 40 + 30))
    coverage = {row.name: row for row in part.rule.criteria}["coverage"]
    assert part.calls.stopped == "budget" and 0 < part.flips.claims < 20
    assert coverage.got is not None and coverage.got.value is not None
    assert coverage.got.value < 0.95
    assert (coverage.state, coverage.why) == ("open", "unanswered")
    assert part.rule.decision == "collect"
    assert "coverage" not in {wanted.criterion for wanted in part.rule.collect}
    whole = {row.name: row for row in change().rule.criteria}["coverage"]
    assert whole.state == "kept" and whole.got is not None and whole.got.value == 0.983333


def test_b51_inside_an_event_loop_a_thread_is_named_and_works(place: Path) -> None:
    async def inside() -> ConsultReport:
        with pytest.raises(MetajudgeError, match="to_thread"):
            change()
        return await asyncio.to_thread(change)

    assert asyncio.run(inside()).flips.claims == 120


def gold_as_answers(n: int = 40) -> list[Answer]:
    """The gold halls themselves, as if they were a team's answers."""
    claims, contexts = halls(n)
    passages = {row["context_id"]: tuple(row["passages"]) for row in contexts}
    return [
        Answer(
            answer_id=row["answer_id"],
            passages=passages[row["context_id"]],
            claims=tuple(
                AnswerClaim(f"mine-{one['claim_id']}", one["claim"], one["slice"])
                for one in claims[place : place + 4]
            ),
            context_id=row["context_id"],
        )
        for place, row in ((i, claims[i]) for i in range(0, 4 * n, 4))
    ]


def test_b109_a_sample_that_is_the_gold_set_is_told_and_resampled_by_itself(place: Path) -> None:
    """On one set of resamples, what correction leaves of a shift would seem known for sure."""
    case = case_of(
        PLAIN.format("strict"),
        MINDING.format("strict"),
        gold_as_answers(),
        judge="scripted:judge.yaml",
        gold="gold",
    )
    assert any("160 of 160 claims of the sample are gold claims" in note for note in case.notes)
    rng = np.random.default_rng(8)
    one, other = (rng.choice([0, 0, 1, 2], size=(160, 1)) for _ in range(2))
    truth = np.asarray([[0], [0], [1], [2]] * 40)
    right = rng.random((160, 1)) < 0.7
    said = tuple(
        Said(
            np.where(right, truth, wrong).astype(np.int64),
            np.full((160, 1, 3), np.nan),
            np.ones(160, np.bool_),
        )
        for wrong in (one, other)
    )
    calls = ConsultCalls(
        needed=1, stored=1, sent=0, unanswered=0, unanswered_claims={}, unanswered_gold={}
    )
    both = (said[0], said[1])
    corners = {(False, False): said[0], (True, True): said[1]}
    found = report_of(case, Heard(both, both, corners, (), calls), Statistics(resamples=400))
    assert found.error is not None
    shift = found.error.corrected_shift
    assert shift.value == pytest.approx(0.0, abs=1e-6)
    assert shift.low is not None and shift.high is not None and shift.high - shift.low > 0.05


def test_one_context_gives_no_interval_made_of_resamples(place: Path) -> None:
    found = consult(
        PLAIN.format("strict"),
        MINDING.format("strict"),
        answers(1),
        judge="scripted:judge.yaml",
        gold="gold",
        store="replies.sqlite",
        statistics=QUICK,
    )
    shift = found.scores.mean_shift
    assert (shift.value, shift.low, shift.high) == (0.25, None, None)
    assert shift.reason == "no interval: one context"
    assert found.parts.parts[0].mean_score is not None
    assert found.parts.parts[0].mean_score.low is None
    assert found.thresholds.pass_rate.threshold.low is None
    assert found.error is not None and found.error.corrected_shift.low is None
    assert found.error.current.corrected.low is None

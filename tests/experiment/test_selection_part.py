from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from metajudge.experiment.selection_part import (
    optimism_figures,
    power_results,
    selection_results,
    tokens_per_claim,
)
from metajudge.report.selection_results import PowerResults, SelectionResults
from metajudge.selection import Bounds, CandidateKey
from metajudge.templates.context_form import ContextForm, FormKind
from metajudge.templates.truths import truths_prompt
from metajudge.verdicts.verdict import Reply
from tests.selection.test_ranking import EAGER, FAILING, GOLD, LOOSE, RIGHT, SLICES, TIMID
from tests.selection.worlds import ranking, world

POOL = {"timid": TIMID, "right": RIGHT, "eager": EAGER, "failing": FAILING}


def part(**options: object) -> SelectionResults:
    measurer = world(GOLD, POOL, slices=SLICES)
    ranked = ranking(measurer, bounds=LOOSE, baseline="timid")
    usual: dict[str, object] = {
        "target": "summary_as_idk",
        "bounds": LOOSE,
        "baseline": 0,
        "rng": np.random.default_rng(1),
        "outer": 100,
    }
    return selection_results(
        measurer,
        measurer.measure(),
        ranked,
        **(usual | options),  # type: ignore[arg-type]
    )


def test_everything_about_the_choice_stands_in_the_file() -> None:
    tokens = {"timid": 100.0, "right": 120.0, "eager": 90.0, "failing": None}
    found = part(tokens=tokens, test_reads=2)
    assert SelectionResults.model_validate_json(found.model_dump_json()) == found
    points = {p.trial: p for p in found.front}
    assert [p.trial for p in found.front] == list(POOL)
    assert points["right"].on_front and points["right"].safe
    assert points["eager"].on_front and not points["eager"].safe
    assert not points["failing"].on_front and points["failing"].tokens_per_claim is None
    assert [c.trial for c in found.comparisons] == ["right", "eager", "failing"]
    right = found.comparisons[0]
    assert (right.better, right.worse) == (12, 0)
    assert right.differences["summary_as_idk"].value == -0.6
    assert right.mcnemar_exact_p == pytest.approx(2 / 2**12, abs=1e-6)
    assert right.holm_p is not None and right.mcnemar_p is not None
    assert right.holm_p >= right.mcnemar_p
    assert right.swap_p["over_credit"] == 1
    assert found.optimism.apparent == 0
    assert found.optimism.win_shares["right (top)"] > 0.9
    assert found.test_reads == 2
    assert found.confirmation is None


def test_nothing_silent_what_is_not_held_is_noted() -> None:
    found = part()
    assert found.notes == (
        "Nothing is held to flip_rate: repeats were not asked.",
        "Nothing is held to insensitive: negative controls were not asked.",
        "tokens_per_claim is unknown for every candidate, so the front leaves it out.",
    )
    assert part(bounds=Bounds(flip_rate=None, insensitive=False)).notes == found.notes[2:]


def test_without_a_baseline_nothing_is_compared() -> None:
    assert part(baseline=None).comparisons == ()


def test_no_winner_is_null_with_its_reason() -> None:
    measurer = world(GOLD, {"eager": EAGER}, slices=SLICES)
    ranked = ranking(measurer, bounds=Bounds())
    found = selection_results(
        measurer,
        measurer.measure(),
        ranked,
        target="kappa",
        bounds=Bounds(),
        baseline=None,
        rng=np.random.default_rng(1),
        outer=20,
    )
    luck = found.optimism
    assert (luck.apparent, luck.corrected, luck.optimism) == (None, None, None)
    assert luck.reason == "no candidate qualifies"
    assert luck.resamples == 20


def test_shares_of_the_choice_are_named_by_candidate_greatest_first() -> None:
    luck = SimpleNamespace(
        apparent=0.1,
        corrected=0.15,
        optimism=0.05,
        win_shares=np.asarray([0.25, 0.0, 0.5]),
        no_winner_share=0.25,
        reason=None,
    )
    keys = [CandidateKey("b", "top"), CandidateKey("c", "top"), CandidateKey("a", "top")]
    found = optimism_figures(luck, keys, 500)  # type: ignore[arg-type]
    assert list(found.win_shares.items()) == [("a (top)", 0.5), ("b (top)", 0.25)]
    assert (found.apparent, found.corrected, found.no_winner_share) == (0.1, 0.15, 0.25)


def test_power_stands_in_the_file() -> None:
    gold = GOLD * 3
    said = TIMID + EAGER + TIMID
    measurer = world(gold, {"a": said}, slices=SLICES * 3)
    found = power_results(measurer, 0, np.random.default_rng(1), n_worlds=40, churn=0.03)
    assert PowerResults.model_validate_json(found.model_dump_json()) == found
    assert (found.trial, found.reading, found.worlds, found.churn) == ("a", "top", 40, 0.03)
    assert [row.figure for row in found.detectable] == ["kappa", "summary_as_idk", "over_credit"]
    kappa = found.detectable[0]
    assert kappa.difference is not None and kappa.difference > 0
    assert (kappa.claims, kappa.clusters, kappa.power) == (240, 240, 0.8)
    assert all(0 <= power <= 1 and size >= 0 for size, power in kappa.curve)
    assert [row.slice for row in found.needed] == ["all", "summary", "aggregation", "all", "all"]
    lost = found.needed[2]
    assert lost.need is None and lost.reason is not None


def plan_of(*calls: SimpleNamespace, kind: FormKind = "raw", repeats: int = 1) -> SimpleNamespace:
    trials = [
        SimpleNamespace(name=name, judge="j", repeats=repeats, form=ContextForm(kind))
        for name in ("one", "two")
    ]
    claims = [SimpleNamespace(lang="en", context_id="x")] * 4
    return SimpleNamespace(trials=trials, claims=claims, calls={"j": calls})


def extraction(key: str, limit: int | None = None, context: str = "x") -> SimpleNamespace:
    place = ("j", truths_prompt("en", limit).fingerprint, context)
    return SimpleNamespace(key=place, call=SimpleNamespace(key=key))


def call(trial: int, key: str, claims: tuple[int, ...]) -> SimpleNamespace:
    return SimpleNamespace(trial=trial, claims=claims, call=SimpleNamespace(key=key))


def reply(read: int | None, written: int | None) -> Reply:
    return Reply(text="yes", prompt_tokens=read, completion_tokens=written)


def test_tokens_per_claim_share_a_call_between_its_claims() -> None:
    plan = plan_of(
        call(0, "a", (0, 1)), call(0, "b", (2, 3)), call(0, "prior", ()), call(1, "c", (0,))
    )
    replies = {"a": reply(90, 10), "b": reply(190, 10), "prior": reply(999, 1)}
    assert tokens_per_claim(plan, replies) == {"one": 75.0, "two": None}  # type: ignore[arg-type]


def test_calls_without_tokens_cost_the_mean_and_extractions_are_shared_out() -> None:
    plan = plan_of(
        call(0, "a", (0, 1)), call(0, "b", (2, 3)), call(1, "a", (0,)), kind="truths", repeats=2
    )
    # The last two are of a probe's context and of a factor's limit: these trials never see them.
    truths = [extraction("t"), extraction("u", context="x~probe"), extraction("v", limit=5)]
    replies = {"a": reply(90, 10), "b": reply(None, None), "t": reply(70, 10)}
    replies |= {"u": reply(700, 10), "v": reply(700, 10)}
    found = tokens_per_claim(plan, replies, truths)  # type: ignore[arg-type]
    assert found == {"one": (200 + 80) / 8, "two": (100 + 80) / 8}
    assert tokens_per_claim(plan, {"a": reply(90, 10)}, truths) == {  # type: ignore[arg-type]
        "one": None,
        "two": None,
    }

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import InputError, MetajudgeError, TemplateError
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.cascade.asked import CallSettings
from metajudge.metrics.cascade.cascade_file import Cascade, read_cascade, write_cascade
from metajudge.metrics.cascade.cost import CostOf, Prices
from metajudge.metrics.cascade.fit import fit_cascade
from metajudge.metrics.cascade.settings import FitSettings, changed_cuts
from metajudge.runner.limits import Budget
from tests.metrics.cascade.folder import gold, judge

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "experiments" / "recordings" / "001-templates.jsonl.gz"
PRICED = Prices(usd_per_verdict=0.001, minutes_per_claim=2, usd_per_hour=30)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = CallSettings(store=tmp_path / "s.sqlite")
    return FitSettings(judge=judge(tmp_path), miss_rate=0.1, prices=PRICED, calls=calls)


def test_the_fitted_cascade_by_hand(tmp_path, settings):
    """40 contexts, no unsupported claim is ever called yes: p = 0.9 ** 40."""
    found = fit_cascade(gold(tmp_path), settings)
    fitted = found.cascade
    assert found.contexts == 40
    assert fitted.screen.cut == 1.0
    assert fitted.screen.pin is None
    assert fitted.judge.scores == "probability"
    assert fitted.judge.cut == pytest.approx(0.4967, abs=1e-4), "unsure summaries pass too"
    assert fitted.guarantee.missed == 0
    assert fitted.guarantee.p == pytest.approx(0.9**40)
    assert fitted.guarantee.upper == pytest.approx(1 - 0.025 ** (1 / 40))
    counts = fitted.gold
    assert (counts.claims, counts.unsupported, counts.answers, counts.contexts) == (160, 80, 40, 40)
    expected = fitted.expected
    assert expected.claims.value == 4000
    assert expected.to_judge.value == 3000, "one in four is verbatim, which the screen passes"
    assert expected.to_people.value == 2000
    assert expected.judge_usd.value == pytest.approx(3.0)
    assert expected.people_usd.value == pytest.approx(2000.0)
    assert expected.usd.value == pytest.approx(2003.0)
    assert expected.share_screen.value == 0.25
    assert [note.key for note in found.notes] == ["no_split", "mix"]


def test_costs_for_another_share_of_supported_claims(tmp_path, settings):
    prices = PRICED.model_copy(update={"supported_share": 0.9})
    expected = fit_cascade(gold(tmp_path), replace(settings, prices=prices)).cascade.expected
    assert expected.to_people.value == pytest.approx(400.0)
    assert expected.to_judge.value == pytest.approx(4000 * (0.9 * 0.5 + 0.1))


def test_the_file_reads_back_equal_and_strictly(tmp_path, settings):
    fitted = fit_cascade(gold(tmp_path), settings).cascade
    path = write_cascade(fitted, tmp_path / "cascade.yaml")
    assert read_cascade(path) == fitted
    path.write_text(path.read_text().replace("miss_rate: 0.1", "miss_rate: 1.1\n  mis_rate: 0.1"))
    with pytest.raises(InputError) as refused:
        read_cascade(path)
    assert {problem.field for problem in refused.value.problems} >= {
        "guarantee.miss_rate", "guarantee.mis_rate",
    }  # fmt: skip
    nothing = fitted.model_dump() | {
        "screen": fitted.screen.model_dump() | {"cut": None},
        "judge": fitted.judge.model_dump() | {"cut": None},
    }
    with pytest.raises(ValueError, match="passes something"):
        Cascade.model_validate(nothing)


def test_too_little_gold_says_how_much_is_needed(tmp_path, settings):
    found = fit_cascade(gold(tmp_path, 20), settings)
    assert found.cascade is None
    assert found.contexts == 20
    assert found.needed == (36, 36), "ln(0.025) / ln(0.9)"
    rows = {row.miss_rate: row for row in found.trade}
    assert rows[0.1].needed == 36
    assert rows[0.2].line is not None


def test_a_weak_judge_is_no_matter_of_more_gold(tmp_path, settings):
    spec = judge(tmp_path, default={"text": "yes", "first_token": {"yes": -0.01, "no": -5.0}})
    found = fit_cascade(gold(tmp_path), replace(settings, judge=spec, screen_cuts=(None,)))
    assert found.cascade is None
    assert found.needed[1] is None


def test_a_screen_that_passes_what_is_false_is_left_out(tmp_path, settings):
    """`Hall en1 opens at 91` has most of the wording; the number keeps it from passing at 0.6."""
    found = fit_cascade(gold(tmp_path), replace(settings, screen_cuts=(0.0, None)))
    low, never = found.lines
    assert not low.holds
    assert never.holds
    assert found.cascade.screen.cut is None


def test_a_judge_without_probabilities_passes_its_yes(tmp_path, settings):
    from tests.experiment.folder import CAREFUL, write_script

    spec = write_script(tmp_path, CAREFUL, "idk")
    found = fit_cascade(gold(tmp_path), replace(settings, judge=spec, screen_cuts=(None,)))
    assert found.cascade.judge.scores == "label"
    assert found.cascade.judge.cut == 1.0
    assert "labels" in [note.key for note in found.notes]


def test_a_judge_as_screen(tmp_path, settings):
    found = fit_cascade(
        gold(tmp_path), replace(settings, screen=settings.judge, screen_cuts=(None, 0.95))
    )
    assert found.cascade.screen.pin is not None
    assert found.cascade.screen.templates
    assert found.cascade.expected.screen_usd.value == 0, "scripted replies cost nothing"


def test_a_price_that_is_not_known_is_never_nothing(tmp_path, settings):
    prices = Prices(usd_per_verdict=0.001)
    expected = fit_cascade(gold(tmp_path), replace(settings, prices=prices)).cascade.expected
    assert expected.judge_usd is not None
    assert expected.people_usd is None
    assert expected.usd is None


def test_the_sealed_half_is_never_read(tmp_path, settings):
    place = gold(tmp_path, 80, split={"salt": "s", "dev_share": 0.5})
    dev = load_goldset(place).subset("dev")
    found = fit_cascade(place, replace(settings, miss_rate=0.2))
    assert found.cascade.gold.claims == len(dev.claims) < 320
    assert found.cascade.gold.split == "dev"
    assert not (place / "ledger.jsonl").exists()


def test_a_budget_ends_the_fit_and_the_next_one_goes_on(tmp_path, settings):
    calls = replace(settings.calls, budget=Budget(calls=10))
    found = fit_cascade(gold(tmp_path), replace(settings, calls=calls))
    assert found.cascade is None
    assert found.stopped.stopped == "budget"
    assert fit_cascade(tmp_path / "gold", settings).cascade is not None


def test_every_wrong_setting_is_named_at_once():
    with pytest.raises(InputError) as refused:
        FitSettings(miss_rate=0, confidence=1, unit="word", screen_cuts=(2.0, 2.0))
    fields = [problem.field for problem in refused.value.problems]
    assert fields == ["miss_rate", "confidence", "unit", "judge", "screen_cuts", "screen_cuts"]
    with pytest.raises(InputError):
        changed_cuts(["never", "often"])


def test_a_template_of_another_metric_is_refused_before_any_call(tmp_path, settings):
    place = gold(tmp_path, metric="groundedness")
    with pytest.raises((InputError, TemplateError), match="frame"):
        fit_cascade(place, settings)
    assert not settings.calls.store.exists()


def test_inside_a_loop_it_says_so(tmp_path, settings):
    async def work():
        return fit_cascade(gold(tmp_path), settings)

    with pytest.raises(MetajudgeError, match="event loop"):
        asyncio.run(work())


def test_on_the_shipped_gold_with_the_recorded_judge(tmp_path):
    """25 dev contexts: 5 % is not possible, 30 % is; no call is made."""
    calls = CallSettings(store=tmp_path / "s.sqlite", recordings=[RECORDED])
    settings = FitSettings(
        judge="local:qwen2.5-coder-1.5b", template="summary-tolerant", calls=calls
    )
    found = fit_cascade(ROOT / "gold" / "faithfulness", settings)
    assert found.cascade is None
    assert (found.contexts, found.needed) == (25, (72, 72))
    loose = fit_cascade(ROOT / "gold" / "faithfulness", replace(settings, miss_rate=0.3))
    assert loose.cascade.guarantee.missed <= 0.1
    assert loose.cascade.guarantee.upper <= 0.3
    assert 0.5 < loose.cascade.expected.share_people.value < 1
    assert all(report.sent == 0 for report in (*found.reports, *loose.reports))


def test_a_context_of_two_answers_counts_both(tmp_path, settings):
    import numpy as np

    from metajudge.metrics.cascade.cut_offs import Claims

    codes = np.array([0, 0, 1])
    claims = Claims(
        np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.9, 0.1]), np.array([False, False, True]),
        codes, np.array([0, 0, 0]),
    )  # fmt: skip
    expected = CostOf(claims, Prices()).expected(1.0, 0.5)
    assert expected.claims.value == 1500
    assert expected.to_judge.value == 1000
    assert expected.to_people.value == 500
    assert expected.usd is None
    assert expected.claims.reason == "no interval: one context"


def test_contexts_of_one_group_are_one_draw(tmp_path, settings):
    from tests.experiment.folder import halls, write_gold

    claims, contexts = halls(80)
    for place, context in enumerate(contexts):
        context["group"] = f"g{place // 2}"
    found = fit_cascade(write_gold(tmp_path, claims, contexts), settings)
    assert found.contexts == 40
    assert found.cascade.guarantee.contexts == 40
    assert found.cascade.guarantee.p == pytest.approx(0.9**40)
    assert found.cascade.gold.contexts == 80
    assert ("groups", 40) in [tuple(note) for note in found.notes]


def test_a_screen_and_a_judge_of_one_spec_are_opened_once(tmp_path, settings, monkeypatch):
    from metajudge.metrics.cascade.asked import open_judges
    from metajudge.release.candidate import JudgePin

    closed = []
    with open_judges() as judge_of:
        first = judge_of(JudgePin(spec=settings.judge))
        assert judge_of(JudgePin(spec=settings.judge)) is first

        async def close():
            closed.append(first)

        monkeypatch.setattr(first, "close", close)
    assert closed == [first]


def test_a_stage_whose_two_specs_differ_is_refused(tmp_path, settings):
    fitted = fit_cascade(gold(tmp_path), settings).cascade
    told = fitted.model_dump()
    told["judge"]["spec"] = "openai/other"
    with pytest.raises(ValueError, match="name one judge"):
        Cascade.model_validate(told)

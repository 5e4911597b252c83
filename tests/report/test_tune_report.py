"""Reports of tunings, from parts reckoned by hand: words, widths, escapes."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from metajudge.report.part import Figure
from metajudge.report.results import BrokenGuardrail, Decision, GoldInfo, JudgeInfo
from metajudge.report.selection_results import OptimismFigures
from metajudge.report.tune_blocks import setting_word, tune_blocks
from metajudge.report.tune_file import tune_text
from metajudge.report.tune_results import (
    Kind,
    StoredTrial,
    TunedLuck,
    TunedMember,
    TunedPoint,
    TunedRow,
    TunedSetting,
    TunedSpace,
    TunedWeights,
    TuneResults,
    TuneSpeed,
    WeightFigures,
)
from metajudge.report.tune_text import render_tuning, verdict
from metajudge.report.words import Language

EVIL = "<img src=x>\x1b[2J\u202e"
FIGURE = Figure(value=0.25, low=0.1, high=0.4, n=40, clusters=40)
FIGURES = dict.fromkeys(("summary_as_idk", "over_credit", "kappa"), FIGURE)
ONE = TunedSetting(members=(TunedMember(trial="plain", reading="batch_corrected@0.34"),))
PANEL = TunedSetting(
    members=(TunedMember(trial="plain", reading="top"), TunedMember(trial="b", reading="top")),
    vote="mean_probability",
    threshold=0.4,
)


def row(setting: TunedSetting, kind: Kind, **fields: Any) -> TunedRow:
    told = {"rank": 1, "tied_with_first": False, "safe": True, "figures": FIGURES}
    return TunedRow(name=setting.name, kind=kind, setting=setting, **{**told, **fields})


def results(**fields: Any) -> TuneResults:
    broken = BrokenGuardrail(guardrail="coverage", bound=0.98, got=0.9, by=0.08)
    weights = tuple(
        WeightFigures(weight=w, bias=FIGURE, mae=FIGURE, pass_agreement=FIGURE)
        for w in (0.0, 0.35, 0.5, 0.7, 1.0)
    )
    told: dict[str, Any] = {
        "name": "t",
        "question": "Which?",
        "created": "2026-01-01T00:00:00+00:00",
        "package_version": "0",
        "config_sha256": "0" * 64,
        "seed": 1,
        "alpha": 0.05,
        "resamples": 200,
        "cluster": "answer",
        "gold": GoldInfo(
            name="g",
            version="1",
            sha256="0" * 64,
            policy_version="1",
            split="dev",
            claims=40,
            answers=10,
            contexts=10,
            labels={"yes": 40},
            languages={"en": 40},
            left_out=0,
            label_source="human",
        ),
        "judges": (JudgeInfo(spec="scripted:a", identity={}),),
        "target": "summary_as_idk",
        "guardrails": {"coverage": 0.98},
        "baseline": "plain",
        "stored": (
            StoredTrial(trial="plain", entries=40, missing=0, left_out=False),
            StoredTrial(trial="b", entries=40, missing=30, left_out=True),
        ),
        "space": TunedSpace(
            candidates=2,
            members=2,
            votes=("majority", "mean_probability"),
            threshold_step=0.01,
            settings=900,
            sampler="tpe",
            tool_version="5",
            objectives={"summary_as_idk": "minimize", "trials": "minimize"},
            tried=1200,
            different=800,
        ),
        "speed": TuneSpeed(seconds=1.0, per_minute=72000),
        "ranking": (row(ONE, "tuned"), row(PANEL, "panel", safe=False, broken=(broken,))),
        "safe_settings": 3,
        "front": (
            TunedPoint(name="a", setting=ONE, values={"summary_as_idk": 0.25, "trials": 1.0}),
            TunedPoint(name="b", setting=PANEL, values={"summary_as_idk": 0.2, "trials": 2.0}),
        ),
        "weights": TunedWeights(
            name=ONE.name, gold_policy="strict", threshold=0.8, best=0.35, rows=weights
        ),
        "luck": TunedLuck(
            optimism=OptimismFigures(
                apparent=0.25,
                corrected=0.31,
                optimism=0.06,
                win_shares={},
                no_winner_share=0.0,
                resamples=200,
            ),
            looked_at=800,
            folds=5,
            unseen=FIGURES,
            adaptive=True,
        ),
        "decision": Decision(
            winner="plain", reading="batch_corrected@0.34", sentence="Chosen.", sentence_zh="选出。"
        ),
    }
    return TuneResults(**{**told, **fields})


def shown(found: TuneResults, language: Language, width: int = 80) -> str:
    console = Console(width=width, file=StringIO())
    with console.capture() as captured:
        console.print(render_tuning(found, language, width))
    return captured.get()


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        (
            "en",
            (
                "CHOSEN ON DEV",
                "1 of 2 trials, 30 replies missing; nobody is asked",
                "1,200 settings, 800 different, by TPE; 72,000 a minute",
                "panels of up to 2 (majority, mean probability)",
                "1 plain · batch ≥ 0.34 (tuned)",
                "1✗ mean probability ≥ 0.40 of",
                "is .31 without the luck of being chosen",
                "both corrections are too small",
                "partial(0.35) (nearest)",
            ),
        ),
        (
            "zh",
            (
                "开发集上选出",
                "2 个试验中的 1 个，缺 30 条回复",
                "至多 2 个成员的评审组（多数、平均概率）",
                "plain · 批次 ≥ 0.34 (调优)",
                "两种校正都偏小",
                "partial(0.35)（最接近）",
            ),
        ),
    ],
)
def test_everything_is_told_in_words_at_80_columns(
    language: Language, wanted: tuple[str, ...]
) -> None:
    text = shown(results(), language)
    folded = " ".join(text.replace("│", " ").split())
    for said in wanted:
        assert said in folded, said
    assert "partial(0.7)" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_names_of_settings_in_words() -> None:
    assert ONE.name == "plain (batch_corrected@0.34)"
    assert PANEL.name == "mean_probability@0.40 of plain (top) + b (top)"
    assert setting_word(ONE, "zh") == "plain · 批次 ≥ 0.34"
    assert setting_word(PANEL, "zh") == "plain · 首选 + b · 首选（平均概率 ≥ 0.40）"


def test_what_there_is_nothing_of_is_left_out() -> None:
    nobody = Decision(winner=None, reading=None, sentence="None.", sentence_zh="无。")
    bare = results(luck=None, front=(), weights=None, decision=nobody)
    assert [block.name for block in tune_blocks(bare, "en")] == ["ranking"]
    assert verdict(bare) == "nothing_new"
    unsafe = bare.model_copy(update={"ranking": bare.ranking[1:]})
    assert verdict(unsafe) == "no_winner"
    unscored = results().weights
    assert unscored is not None
    told = results(weights=unscored.model_copy(update={"best": None}))
    assert "No answer has a score." in shown(told, "en")


def test_luck_that_cannot_be_told_is_said_with_its_reason() -> None:
    luck = results().luck
    assert luck is not None
    unknown = luck.optimism.model_copy(update={"corrected": None, "reason": "no resample"})
    told = results(luck=luck.model_copy(update={"optimism": unknown, "unseen": {}}))
    text = " ".join(shown(told, "en").split())
    assert "by how much cannot be told (no resample)" in text


def test_hostile_names_cannot_steer_a_terminal() -> None:
    evil = TunedSetting(members=(TunedMember(trial=EVIL, reading="top"),))
    told = results(name=EVIL, question=EVIL, ranking=(row(evil, "tuned"),), notes=(EVIL,))
    text = shown(told, "en", 200)
    assert "\x1b" not in text and "\u202e" not in text
    assert TuneResults.model_validate_json(tune_text(told)) == told

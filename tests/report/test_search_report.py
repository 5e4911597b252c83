"""Reports of searches and races, from parts reckoned by hand: words, widths, escapes."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from metajudge.report.part import Figure
from metajudge.report.results import CallCounts, Decision, GoldInfo, JudgeInfo, RankRow
from metajudge.report.search_axis import axis_word, value_word
from metajudge.report.search_html import search_page
from metajudge.report.search_results import (
    AxisChange,
    Candidate,
    Proposal,
    RaceSummary,
    SearchResults,
    StoppedEarly,
    StudyInfo,
    StudyTrial,
)
from metajudge.report.search_text import render_search, verdict
from metajudge.report.words import Language

EVIL = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e"
FIGURE = Figure(value=0.25, low=0.1, high=0.4, n=40, clusters=40)
CALLS = CallCounts(
    planned=80,
    from_store=0,
    asked=80,
    answered=80,
    failed=0,
    retries=0,
    prompt_tokens=0,
    cached_tokens=0,
    completion_tokens=0,
    cost_usd=None,
    wall_s=1.0,
)


def candidate(trial: str, **fields: Any) -> Candidate:
    figures = dict.fromkeys(("summary_as_idk", "over_credit", "kappa"), FIGURE)
    told = {"reading": "top", "claims": 40, "calls": 40, "calls_full": 160, "off": 0.0}
    return Candidate(trial=trial, figures=figures, **{**told, **fields})


def results(**fields: Any) -> SearchResults:
    study = StudyInfo(
        name="s",
        storage="sqlite:///s.sqlite",
        sampler="tpe",
        tool_version="5",
        seed=1,
        generation=2,
        wanted=4,
        settings=8,
        objectives={"summary_as_idk": "minimize", "calls": "minimize"},
        axes={"labels": ("words", "letters"), "en.rule.0": (False, True)},
    )
    stopped = StoppedEarly(why="guardrail over_credit_upper", limit=0.2, bound=0.1)
    made = candidate("search-1")
    trials = (
        StudyTrial(
            number=0,
            state="told",
            setting={"labels": "words", "en.rule.0": True},
            values={"summary_as_idk": 0.25, "calls": 1.0},
            candidate=made,
            on_front=True,
        ),
        StudyTrial(
            number=1,
            state="told",
            setting={"labels": "letters", "en.rule.0": True},
            values={"summary_as_idk": 0.1, "calls": 0.2},
            candidate=candidate("search-2", off=0.1, stopped=stopped),
        ),
        StudyTrial(number=2, state="failed", setting={"labels": "words"}, reason=EVIL),
    )
    row = RankRow(
        rank=1,
        tied_with_first=False,
        trial="search-1",
        reading="top",
        safe=True,
        broken=(),
        target=FIGURE,
    )
    told: dict[str, Any] = {
        "name": "n",
        "question": EVIL,
        "created": "2026-01-31T00:00:00+00:00",
        "package_version": "0",
        "config_sha256": "0" * 64,
        "seed": 1,
        "alpha": 0.05,
        "gold": GoldInfo(
            name="g",
            version="1",
            sha256="0" * 64,
            policy_version="1",
            split="dev",
            claims=160,
            answers=40,
            contexts=40,
            labels={},
            languages={},
            left_out=0,
            label_source="human",
        ),
        "judges": (JudgeInfo(spec="scripted:x", identity={}),),
        "target": "summary_as_idk",
        "guardrails": {},
        "baseline": None,
        "method": "bound",
        "block": 24,
        "unit": "claim",
        "error": 0.05,
        "study": study,
        "ended": "trials",
        "calls": CALLS,
        "spent": 80,
        "spent_full": 320,
        "chance_otherwise": 0.031,
        "races": (
            RaceSummary(candidates=1, first=None, calls=40, calls_full=160, chance_otherwise=0.0),
            RaceSummary(
                trials=(0, 1),
                candidates=3,
                first="search-1 (top)",
                calls=40,
                calls_full=160,
                chance_otherwise=0.031,
            ),
        ),
        "declared": (),
        "trials": trials,
        "front": (0,),
        "importance": {"summary_as_idk": {"en.rule.0": 0.9, "labels": 0.1}, "calls": {}},
        "no_importance": {"calls": "it never varies"},
        "ranking": (row,),
        "figures": {"search-1 (top)": dict(made.figures)},
        "decision": Decision(
            winner="search-1", reading="top", sentence=f"It is {EVIL}", sentence_zh="就是它"
        ),
        "proposal": Proposal(
            trial="search-1",
            reading="top",
            number=0,
            setting={"labels": "words", "en.rule.0": True},
            base="literal",
            parents=("literal@1.0.0/en",),
            changes=(AxisChange(axis="en.rule.0", value=True, text=EVIL),),
            first=True,
            experiment="proposals/search-1/experiment.yaml",
            templates=("proposals/search-1/templates/search-1.en.yaml",),
        ),
        "texts": {"en.rule.0": {"true": EVIL, "false": EVIL}},
        "plots": {"front": None, "importance": None, "history": None},
        "notes": (EVIL,),
    }
    return SearchResults(**{**told, **fields})


def shown(found: SearchResults, language: Language) -> str:
    console = Console(width=80, record=True, file=open("/dev/null", "w", encoding="utf-8"))
    with console.file:
        console.print(render_search(found, language, 80), crop=False)
        return console.export_text()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_terminal_of_80_columns_is_enough_and_nothing_steers_it(language: Language) -> None:
    text = shown(results(), language)
    assert "\x1b" not in text and "\u202e" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert ("25%" in text) and ("90%" in text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_a_page_every_text_stays_text(language: Language) -> None:
    page = search_page(results(), language)
    assert "<img src=x" not in page and "</script><img" not in page
    assert "&lt;img src=x" in page
    assert "\x1b" not in page and "\u202e" not in page
    assert "default-src &#39;none&#39;" in page and 'src="' not in page


def test_what_it_comes_to() -> None:
    assert verdict(results()) == "proposed"
    assert verdict(results(ranking=())) == "undecided"
    assert verdict(results(proposal=None)) == "nothing_new"
    unsafe = results().ranking[0].model_copy(update={"safe": False})
    assert verdict(results(ranking=(unsafe,), proposal=None)) == "no_winner"


def test_axes_and_values_in_words() -> None:
    found = results(texts={"en.definition.yes": {"0": "it follows."}})
    assert axis_word(found, "en.definition.yes", "en") == "definition of yes (en)"
    assert axis_word(found, "zh.definition.idk", "zh") == "idk 的定义（zh）"
    assert axis_word(found, "labels", "zh") == "标签用词"
    assert axis_word(found, "of.mine", "en") == "of.mine"
    assert value_word(found, "en.definition.yes", "0", "en") == "it follows."
    assert value_word(found, "en.definition.yes", "base", "zh") == "基础模板原文"
    assert value_word(found, "en.rule.0", False, "en") == "out"
    assert value_word(found, "reading", "top@0.60", "en") == "top label, P(yes) ≥ 0.60"


def test_endings_are_told_apart() -> None:
    text = " ".join(search_page(results()).split())
    assert "stopped: upper limit of over-credit" in text
    assert "it never varies" in text

"""Pages of searches, races and optimisers: what they hold, in both languages, and how they look."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from metajudge.report.results import Decision
from metajudge.report.search_html import search_page, write_search_html
from metajudge.report.search_optimised import (
    OptimisedResults,
    ProposedInstruction,
    RefusedInstruction,
)
from metajudge.report.search_optimised_text import render_optimised
from metajudge.report.search_plots import worded_plots
from metajudge.report.search_results import RaceResults, SearchResults, StoppedEarly
from metajudge.report.words import Language
from metajudge.selection.search.plots import study_figures
from metajudge.selection.search.space import Dimension, SearchSpace
from metajudge.selection.search.trials import KnownTrial, Objective, StudySpec
from tests.report.chromium import browser_path, open_page
from tests.report.test_search_report import CALLS, EVIL, candidate, results

RULE = "Credit what is said in other words, and nothing else."
LACKS = (
    "gepa-proposal: yes: an instruction has a line for each label, and there is none for 'yes'. "
    "Add a line that begins with “yes: ”."
)


def plotted(aims: tuple[str, ...] = ("summary_as_idk", "calls")) -> SearchResults:
    """A search with plots that Optuna drew."""
    values = {"summary_as_idk": (0.1, 0.2, 0.3, 0.4), "calls": (1.0, 0.5, 1.0, 0.4)}
    values["over_credit"] = (0.0, 0.0, 0.0, 0.0)
    rules = (True, False, True, False)
    space = SearchSpace((Dimension("en.rule.0", choices=(True, False)),))
    objectives = tuple(Objective(name, "minimize") for name in aims)
    spec = StudySpec("s", None, "random", 1, objectives, space, "f", 4)
    trials = [
        KnownTrial(
            number,
            {"en.rule.0": rule},
            "told",
            {name: values[name][number] for name in aims},
            {"guardrails": -1.0 if number else 1.0},
            {},
            None,
            "",
        )
        for number, rule in enumerate(rules)
    ]
    bare = results(texts={"en.rule.0": {"true": RULE, "false": RULE}}, question="q")
    told = [
        bare.trials[0].model_copy(
            update={"number": t.number, "setting": dict(t.setting), "values": dict(t.values)}
        )
        for t in trials
    ]
    axes: dict[str, Any] = {"en.rule.0": (True, False)}
    study = bare.study.model_copy(update={"axes": axes, "objectives": dict(objectives)})
    plots = study_figures(spec, trials)
    return bare.model_copy(update={"plots": plots, "study": study, "trials": tuple(told)})


def raced(**fields: Any) -> RaceResults:
    found = results()
    kept = found.model_dump(include=set(RaceResults.model_fields)) | {
        "race": found.races[1].model_dump(),
        "claims": 160,
        "calls": CALLS.model_dump(),
        "candidates": [
            candidate("plain"),
            candidate("mad", stopped=StoppedEarly(why="guardrail over_credit_upper")),
        ],
        "decision": Decision(
            winner="plain", reading="top", sentence="First.", sentence_zh="首选。"
        ),
    }
    return RaceResults.model_validate(kept | fields)


def optimised(**fields: Any) -> OptimisedResults:
    found = results()
    shared = set(OptimisedResults.model_fields) - {"decision", "notes"}
    proposed = [
        ProposedInstruction(
            number=number,
            template=name,
            instruction=f"Judge it. {EVIL}\n\nyes: it follows.",
            examples=0,
            row_mean=0.5,
            left_out=left_out,
        )
        for number, name, left_out in (
            (1, "gepa-1", "not among the 1 with the best rows"),
            (3, "search-1", None),
        )
    ]
    kept = found.model_dump(include=shared) | {
        "language": "en",
        "tool": "dspy.GEPA",
        "tool_version": "3.4",
        "judge": "scripted:x",
        "proposer": "scripted:y",
        "rounds": 4,
        "start": "plain@1.0.0/en",
        "instruction": "Judge.\n\nyes: all of it follows.",
        "learned_from": 20,
        "chosen_on": 20,
        "calls": {"judge": CALLS.model_dump(), "proposer": CALLS.model_dump()},
        "proposed": proposed,
        "refused": [RefusedInstruction(number=2, instruction="Be fair.", problems=(LACKS,))],
        "decision": Decision(
            winner="search-1", reading="top", sentence="Proposed.", sentence_zh="提案。"
        ),
        "told_apart": True,
        "experiment": "proposals/search-1/experiment.yaml",
        "templates": ("proposals/search-1/templates/search-1.en.yaml",),
        "feedback_used": {"without words of people": 5},
        "feedback_left_out": {"no annotation kept": 5},
        "notes": ("dspy.GEPA proposed nothing.",),
    }
    return OptimisedResults.model_validate(kept | fields)


def chinese(page: str) -> str:
    """What a reader of Chinese sees: English twins taken out."""
    return " ".join(re.sub(r'<span class="en" lang="en">.*?</span>', "", page, flags=re.S).split())


def test_a_race_has_a_page_with_its_candidates_in_both_languages() -> None:
    page = " ".join(search_page(raced()).split())
    for said in (
        "First.",
        "首选。",
        "plain · top",
        "stopped: upper limit of over-credit",
        "停止：",
    ):
        assert said in page, said
    assert "Plotly" not in page.split("<script")[0] and 'id="plotly"' not in page


def test_an_optimiser_has_a_page_with_instructions_and_what_was_left_out() -> None:
    page = search_page(optimised())
    text = " ".join(page.split())
    for said in (
        "yes: all of it follows.",
        "Proposals that were not measured",
        "not among the 1 with the best rows",
        "Refused proposals",
        "Instruction proposed",
        "metajudge select proposals/search-1/experiment.yaml --confirm",
    ):
        assert said in text, said
    assert "<img src=x" not in page


def test_reasons_are_told_in_chinese() -> None:
    page = chinese(search_page(optimised()))
    for said in (
        "未进入逐行得分最好的 1 个",
        "指令须为每个标签各写一行，缺少 &#39;yes&#39; 的一行。",
        "没有保留标注 5",
        "dspy.GEPA 没有给出任何提案。",
        "裁判：询问 80 次",
    ):
        assert said in page, said
    reasons = {
        "calls": "it is the same in every trial",
        "kappa": "3 trials were told, fewer than 4",
    }
    notes = ("Every setting of the space was tried.",)
    page = chinese(search_page(results(no_importance=reasons, notes=notes)))
    for said in (
        "它在所有设置中都相同",
        "只有 3 个设置有结果，少于 4 个",
        "空间中的所有设置都已尝试。",
    ):
        assert said in page, said
    for english in ("same in every", "were told", "was tried"):
        assert english not in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_optimiser_fits_a_terminal_of_80_columns(language: Language) -> None:
    console = Console(width=80, record=True, file=open("/dev/null", "w", encoding="utf-8"))
    with console.file:
        console.print(render_optimised(optimised(), language, 80), crop=False)
        text = console.export_text()
    assert "\x1b" not in text and "\u202e" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert ("not measured" if language == "en" else "未参评") in text


def test_the_command_stands_as_it_is_run_where_the_search_was_run(tmp_path: Path) -> None:
    page = write_search_html(results(), tmp_path / "my runs" / "search.html").read_text("utf-8")
    folder = (tmp_path / "my runs").as_posix()
    assert f"metajudge select &#39;{folder}/proposals/search-1/experiment.yaml&#39;" in page
    page = search_page(results(), folder=Path("runs/x"), store=Path("other.sqlite"))
    command = "metajudge select runs/x/proposals/search-1/experiment.yaml --confirm --store other"
    assert command in page
    assert "In the folder that the run was made in" in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_plots_name_parts_and_figures_as_the_tables_do(language: Language) -> None:
    found = plotted()
    plots = worded_plots(found, language)
    assert set(plots) == {"front", "importance", "history"}
    text = json.dumps(plots, ensure_ascii=False)
    for raw in ("en.rule.0", "summary_as_idk", "Hyperparameter", "Infeasible", "Best Value"):
        said = {name: plot["data"] for name, plot in plots.items()}, plots["front"]["layout"]
        assert raw not in json.dumps(said, ensure_ascii=False), raw
    rule = "rule (en)" if language == "en" else "规则（en）"
    figure = "summary-as-idk" if language == "en" else "概括判 idk"
    assert any(rule in name for name in plots["importance"]["data"][0]["y"])
    assert plots["front"]["layout"]["xaxis"]["title"]["text"] == figure
    assert ("breaks a guardrail" if language == "en" else "突破护栏") in text
    assert all("meta" in trace for plot in plots.values() for trace in plot["data"])
    # The file's own plots stay as Optuna made them.
    assert "en.rule.0" in json.dumps(found.plots)


def test_an_objective_that_never_varies_is_no_axis_of_the_front() -> None:
    layout = plotted(("summary_as_idk", "calls", "over_credit")).plots["front"]["layout"]  # type: ignore[index]
    assert "scene" not in layout
    assert layout["yaxis"]["title"]["text"] == "calls"


def test_rules_that_begin_alike_keep_bars_of_their_own() -> None:
    found = plotted()
    axes = {"en.rule.0": (True, False), "en.rule.1": (True, False)}
    study = found.study.model_copy(update={"axes": axes})
    texts = {axis: {"true": RULE, "false": RULE} for axis in axes}
    bars = {"data": [{"type": "bar", "name": "calls", "x": [0.5, 0.5], "y": list(axes)}]}
    plots = {"importance": bars | {"layout": {}}}
    alike = found.model_copy(update={"study": study, "texts": texts, "plots": plots})
    names = worded_plots(alike, "en")["importance"]["data"][0]["y"]
    assert len(set(names)) == 2


@pytest.mark.slow
@pytest.mark.skipif(browser_path() is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("found", [plotted(), raced(), optimised()], ids=["search", "race", "dspy"])
async def test_desk_and_phone_show_all_of_it(
    tmp_path: Path, found: SearchResults | RaceResults | OptimisedResults
) -> None:
    path = write_search_html(found, tmp_path / "page.html")
    async with open_page(path) as page:
        for width in (1280, 390):
            await page.screen(width)
            for language in ("en", "zh"):
                await page.value(f"document.querySelector('[data-language={language}]').click()")
                for _ in range(150):  # the charts follow a new width in their own time
                    if await page.value("document.documentElement.scrollWidth") <= width:
                        break
                    await asyncio.sleep(0.1)
                assert await page.value("document.documentElement.scrollWidth") <= width
                charts = await page.value("document.querySelectorAll('.chart').length")
                drawn = await page.value("document.querySelectorAll('.js-plotly-plot').length")
                assert charts == drawn
                shown = await page.value("document.body.innerText")
                assert ("概括判 idk" in shown) == (language == "zh")
        assert page.log == []
        assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []

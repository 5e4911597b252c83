"""Optimisers end to end, with a judge and a proposer that play a script."""

from __future__ import annotations

import io
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, JudgeAccessError, TemplateError
from metajudge.judges.judge import Request, call_key
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.store import Store
from metajudge.selection.guardrails import Bounds
from metajudge.selection.optimise.choice import plan_templates
from metajudge.selection.optimise.optimiser import Aim, Optimised, Optimiser, optimise
from metajudge.templates.catalogue import changed
from metajudge.templates.pool import Pool, read_pool
from metajudge.verdicts.verdict import Reply
from tests.selection import optimising as world
from tests.selection.optimising import GOOD, LABELLESS, LAX, Listening

AIM = Aim(bounds=Bounds(over_credit_upper=0.45), resamples=200)


def run(
    folder: Path,
    optimiser: Optimiser,
    proposer: Listening | None = None,
    judge: Listening | None = None,
    **options: Any,
) -> Optimised:
    given = {"gold": world.gold(), "aim": AIM, **options}
    gold = given.pop("gold")
    template = given.pop("template", world.start())
    with Store(folder / "replies.db") as store:
        return optimise(
            template,
            gold,
            judge or world.judge(folder),  # type: ignore[arg-type]
            optimiser=optimiser,
            store=store,
            proposer=proposer,  # type: ignore[arg-type]
            **given,
        )


class Wavering(Listening):
    """A judge that samples: its second draw is lenient with summaries."""

    def __init__(self, judge: Listening) -> None:
        super().__init__(judge)  # type: ignore[arg-type]
        self.identity = {**judge.identity, "temperature": 0.7}

    async def ask(self, request: Request) -> Reply:
        reply = await super().ask(request)
        summary = "overall" in request.messages[-1].content
        return Reply("yes") if summary and request.repeat == 1 else reply


def texts(made: Optimised) -> list[str]:
    return [candidate.instruction for candidate in made.candidates]


def gepa(folder: Path) -> Optimised:
    proposer = world.gepa_proposer(folder, [LABELLESS, LAX, GOOD])
    return run(folder, Optimiser("gepa", rounds=4, minibatch=6), proposer)


def miprov2(folder: Path) -> Optimised:
    proposer = world.mipro_proposer(folder, [LABELLESS, LAX, GOOD])
    return run(folder, Optimiser("miprov2", rounds=3, data_summary=False), proposer)


def simba(folder: Path) -> Optimised:
    proposer = world.simba_proposer(folder, "- A fair summary counts.")
    optimiser = Optimiser("simba", rounds=2, minibatch=8, candidates=2)
    return run(folder, optimiser, proposer, Wavering(world.judge(folder)))


def bootstrap(folder: Path) -> Optimised:
    return run(folder, Optimiser("bootstrap", rounds=2, examples=2))


METHODS: dict[str, Callable[[Path], Optimised]] = {
    "gepa": gepa,
    "miprov2": miprov2,
    "simba": simba,
    "bootstrap": bootstrap,
}


@pytest.mark.parametrize("name", ["gepa", "miprov2", "simba"])
def test_what_writes_instructions_finds_the_better_one(tmp_path: Path, name: str) -> None:
    made = METHODS[name](tmp_path)
    assert made.chosen is not None
    assert "fair summary counts" in texts(made)[made.chosen]
    assert made.measured.ranked[0].safe
    assert made.stopped is None
    assert made.notes == ()
    assert made.calls == sum(r.sent for reports in made.reports.values() for r in reports) > 0


def test_bootstrap_proposes_examples_of_other_contexts_than_those_that_choose(
    tmp_path: Path,
) -> None:
    made = bootstrap(tmp_path)
    assert len(made.candidates) == 2
    gold = world.gold()
    chose = {c.context_id for c in gold.claims if c.claim_id in made.validation}
    assert made.shown_contexts
    assert not chose & set(made.shown_contexts)
    for candidate in made.candidates:
        assert len(candidate.template.examples) == 2
        assert not any(
            c.claim in candidate.template.question_block
            for c in gold.claims
            if c.context_id in chose
        )
    # These examples change no verdict, so nothing is better than the start.
    assert made.chosen is None


@pytest.mark.parametrize("name", METHODS)
def test_a_run_repeats(tmp_path: Path, name: str) -> None:
    first, second = (METHODS[name](tmp_path / part) for part in made_folders(tmp_path))
    assert [c.template for c in first.candidates] == [c.template for c in second.candidates]
    assert first.refused == second.refused
    assert first.measured.keys == second.measured.keys
    assert first.measured.ranked == second.measured.ranked
    assert first.chosen == second.chosen


def made_folders(folder: Path) -> tuple[str, str]:
    for part in ("a", "b"):
        (folder / part).mkdir()
    return "a", "b"


@pytest.mark.parametrize("name", METHODS)
def test_a_second_run_on_the_same_store_costs_no_call(tmp_path: Path, name: str) -> None:
    assert METHODS[name](tmp_path).calls > 0
    assert METHODS[name](tmp_path).calls == 0


@pytest.mark.parametrize("name", METHODS)
def test_nothing_of_dspy_is_changed_for_the_caller(tmp_path: Path, name: str) -> None:
    import dspy
    import optuna
    from dspy.clients.base_lm import GLOBAL_HISTORY

    def state() -> tuple[Any, ...]:
        return (
            dict(dspy.settings.config),
            list(GLOBAL_HISTORY),
            len(dspy.cache.memory_cache),
            optuna.logging.get_verbosity(),
            random.getstate(),
            list(dspy_log().handlers),
        )

    before, out = state(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        METHODS[name](tmp_path)
    assert state() == before
    assert out.getvalue() == ""


def dspy_log() -> Any:
    import logging

    return logging.getLogger("dspy")


def test_candidates_are_measured_with_the_calls_of_an_ordinary_sweep(tmp_path: Path) -> None:
    judge = world.judge(tmp_path)
    proposer = world.gepa_proposer(tmp_path, [LAX, GOOD])
    made = run(tmp_path, Optimiser("gepa", rounds=2, minibatch=6), proposer, judge)
    everything = [made.start, *(candidate.template for candidate in made.candidates)]
    plan = plan_templates(everything, world.gold(), judge, ("top",))
    planned = {call.key for call in plan.distinct(judge.spec)}
    asked = [call_key(judge.identity, request) for request in judge.requests]
    assert set(asked) <= planned
    assert len(asked) == len(set(asked))


def test_b106_a_candidate_whose_calls_fail_is_no_bad_candidate(tmp_path: Path) -> None:
    down = [{"match": "fair summary", "reply": {"error": "bad_request"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(
        tmp_path,
        Optimiser("gepa", rounds=1, minibatch=6, threads=1),
        proposer,
        world.judge(tmp_path, down),
        limits=Limits(stop_after=10_000),
    )
    assert made.neutral == 6
    (candidate,) = made.candidates
    assert candidate.row_mean is not None and candidate.row_mean > 0
    place = made.ranked(candidate)
    assert place is not None and "coverage" in {b.guardrail for b in place.broken}


def test_b106_a_judge_that_goes_down_ends_the_run_and_scores_nothing(tmp_path: Path) -> None:
    down = [{"match": "fair summary", "reply": {"error": "server"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(
        tmp_path,
        Optimiser("gepa", rounds=1, minibatch=6),
        proposer,
        world.judge(tmp_path, down),
        limits=Limits(stop_after=2, max_attempts={"server": 1}),
    )
    assert made.stopped is not None
    assert made.chosen is None
    (candidate,) = made.candidates
    assert made.measured.incomplete[candidate.template.name] > 0
    assert made.ranked(candidate) is None


def test_b107_gepa_without_a_proposing_model_stops_and_says_so(tmp_path: Path) -> None:
    judge = world.judge(tmp_path)
    with pytest.raises(ExperimentError, match=r"dspy\.GEPA needs a model that proposes"):
        run(tmp_path, Optimiser("gepa"), None, judge)
    assert not judge.requests


@pytest.mark.parametrize("name", METHODS)
def test_b107_the_outcome_names_what_ran(tmp_path: Path, name: str) -> None:
    import dspy

    made = METHODS[name](tmp_path)
    assert made.optimiser.method == name
    assert dspy.__version__ in made.tool_version
    if made.candidates:
        template = made.template(
            made.candidates[0], run="r", experiment="e", experiment_sha256="0" * 64
        )
        assert template.parentage is not None
        assert template.parentage.tool == made.optimiser.tool
        assert template.parentage.parents[0].fingerprint == made.start.fingerprint
        assert template.fingerprint == made.candidates[0].template.fingerprint


def test_b107_an_optimiser_that_ends_in_an_error_says_so(tmp_path: Path) -> None:
    proposer = world.scripted(tmp_path, "proposer", replies=["no form at all"])
    made = run(tmp_path, Optimiser("miprov2", rounds=2, data_summary=False), proposer)
    assert made.candidates == ()
    assert made.chosen is None
    assert any("dspy.MIPROv2 ended in" in note for note in made.notes)


def test_b107_an_optimiser_that_ends_in_an_error_with_nothing_proposed_has_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dspy

    def other(self: Any, *, metric: Any) -> None: ...

    monkeypatch.setattr(dspy.GEPA, "__init__", other)
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("gepa", rounds=1), proposer)
    assert made.stopped is not None and "dspy.GEPA ended in TypeError" in made.stopped
    assert made.chosen is None


@pytest.mark.parametrize("proposed", [None, ["a text"], {0: []}, {"verdict": ["a text"]}])
def test_a_dspy_that_proposes_in_another_way_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proposed: Any
) -> None:
    import dspy

    if proposed is None:
        monkeypatch.delattr(dspy.MIPROv2, "_propose_instructions")
    else:
        monkeypatch.setattr(dspy.MIPROv2, "_propose_instructions", lambda *_, **__: proposed)
    proposer = world.mipro_proposer(tmp_path, [GOOD])
    with pytest.raises(ExperimentError, match="this version does not"):
        run(tmp_path, Optimiser("miprov2", rounds=1, data_summary=False), proposer)


def test_a_dspy_that_lacks_what_is_imported_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "metajudge.selection.optimise.methods", None)
    with pytest.raises(ExperimentError, match="needs DSPy and GEPA"):
        run(tmp_path, Optimiser("gepa"), world.gepa_proposer(tmp_path, [GOOD]))


def test_a_trial_of_miprov2_that_fails_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import dspy

    def failing(*_: Any, **__: Any) -> None:
        raise ValueError("no such demo")

    monkeypatch.setattr(dspy.MIPROv2, "_select_and_insert_instructions_and_demos", failing)
    proposer = world.mipro_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("miprov2", rounds=1, data_summary=False), proposer)
    assert any("ended in ValueError: no such demo" in note for note in made.notes)
    assert made.chosen is not None
    assert capfd.readouterr() == ("", "")


def test_what_the_lint_calls_an_error_is_not_measured_and_a_warning_is_told(
    tmp_path: Path,
) -> None:
    torn = GOOD + "\n- Never answer yes to a summary."
    short = GOOD.replace(
        "\n- Use no knowledge of your own.",
        "\n- Say yes if at least 80% of the claim is supported.",
    )
    proposer = world.mipro_proposer(tmp_path, [torn, short])
    made = run(tmp_path, Optimiser("miprov2", rounds=2, data_summary=False), proposer)
    (bad,) = (c for c in made.candidates if "Never" in c.instruction)
    (good,) = (c for c in made.candidates if "80%" in c.instruction)
    assert bad.left_out is not None and "rule-contradicts-definition" in bad.left_out
    assert made.ranked(bad) is None
    assert made.chosen is not None and made.candidates[made.chosen] == good
    assert made.notes[-1] == f"templates lint on {good.template.name}: threshold-in-words."


def test_a_proposal_with_placeholders_that_nothing_fills_is_not_chosen(tmp_path: Path) -> None:
    left = GOOD.replace("fair summary counts", "fair summary of {{ context }} counts")
    proposer = world.gepa_proposer(tmp_path, [left])
    made = run(tmp_path, Optimiser("gepa", rounds=1, minibatch=6), proposer)
    (candidate,) = made.candidates
    assert candidate.left_out is not None and "{{ context }} looks like" in candidate.left_out
    assert made.notes[-1].startswith(f"{candidate.template.name} is left out by templates lint: ")
    assert made.chosen is None


def test_half_of_the_calls_may_fail(tmp_path: Path) -> None:
    lost = r"(?m)^Claim: [^\n]*(day|season|night|week) [02468]"
    down = [{"match": lost, "reply": {"error": "bad_request"}}, *world.RULES]
    proposer = world.gepa_proposer(tmp_path, [LAX, GOOD])
    judge = world.judge(tmp_path, down)
    made = run(tmp_path, Optimiser("gepa", rounds=3, minibatch=6), proposer, judge)
    assert made.stopped is None
    assert made.neutral > 0
    assert not made.measured.incomplete
    assert all(figures.table[:, 3].sum() > 0 for figures in made.measured.figures)


def test_b107_rounds_without_a_readable_proposal_are_told(tmp_path: Path) -> None:
    proposer = world.scripted(tmp_path, "proposer", replies=["no form at all"])
    made = run(tmp_path, Optimiser("gepa", rounds=2, minibatch=6), proposer)
    assert made.candidates == ()
    assert any("a proposal could not be had" in note for note in made.notes)
    assert made.stopped is not None and "a proposal could not be had" in made.stopped


@pytest.mark.parametrize("name", ["gepa", "miprov2", "simba"])
def test_b108_without_examples_no_claim_stands_in_any_prompt_but_its_own(
    tmp_path: Path, name: str
) -> None:
    judge = Wavering(world.judge(tmp_path))
    quoting = GOOD + "\n- Such as: they say that the orchard bears fruit in week 3 of the year."
    proposer = {
        "gepa": lambda: world.gepa_proposer(tmp_path, [quoting, LAX]),
        "miprov2": lambda: world.mipro_proposer(tmp_path, [quoting, LAX]),
        "simba": lambda: world.simba_proposer(tmp_path, quoting.splitlines()[-1]),
    }[name]()
    optimiser = Optimiser(
        name,  # type: ignore[arg-type]
        rounds=2,
        minibatch=8,
        candidates=2,
        data_summary=False,
    )
    made = run(tmp_path, optimiser, proposer, judge)
    assert any("quotes nothing" in r.problems[0].law for r in made.refused)
    for prompt in judge.prompts:
        assert sum(claim.claim in prompt for claim in world.gold().claims) == 1


def test_b109_the_parts_share_no_context_and_the_test_split_is_refused(tmp_path: Path) -> None:
    made = gepa(tmp_path)
    of = {claim.claim_id: claim.context_id for claim in world.gold().claims}
    assert not {of[i] for i in made.train} & {of[i] for i in made.validation}
    assert len(made.train) + len(made.validation) == 40

    from metajudge.gold.claim import SplitRule

    sealed = world.gold(split=SplitRule(salt="s", dev_share=0.5))
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    with pytest.raises(ExperimentError, match="dev split only"):
        run(tmp_path, Optimiser("gepa"), proposer, gold=sealed)
    assert run(
        tmp_path, Optimiser("gepa", rounds=1), proposer, gold=sealed.subset("dev")
    ).validation


def test_b110_a_judge_that_flips_ends_nothing(tmp_path: Path) -> None:
    made = simba(tmp_path)
    assert made.mismatches > 0
    assert made.stopped is None


def test_b111_the_figure_chooses_and_not_the_mean_of_rows(tmp_path: Path) -> None:
    """Most claims are yes: who says yes to all has the better mean row and no kappa."""
    gold = world.gold()
    kept = [c for i, c in enumerate(gold.claims) if c.slice == "literal" or i % 16 in (2, 3)]
    mostly_yes = type(gold)(gold.manifest, tuple(kept), gold.contexts)
    all_yes = GOOD.replace("a fair summary counts", "all is well")
    careful = GOOD.replace("a fair summary counts", "be careful")
    rules = [
        {"match": "all is well", "reply": "yes"},
        {"match": r"(?sm)^Claim: [^\n]*day [1357].*be careful", "reply": "idk"},
        *world.RULES,
    ]
    proposer = world.mipro_proposer(tmp_path, [all_yes, careful])
    made = run(
        tmp_path,
        Optimiser("miprov2", rounds=2, data_summary=False),
        proposer,
        world.judge(tmp_path, rules),
        gold=mostly_yes,
        aim=Aim(bounds=Bounds(None, None, None, None, None), resamples=200),
        template=changed(world.start(), "s", name="lost", ask="no label comes of this"),
    )
    order = [made.measured.keys[row.index].trial for row in made.measured.ranked]
    names = {c.instruction: c.template.name for c in made.candidates}
    assert order.index(names[careful]) < order.index(names[all_yes])


def test_b115_feedback_is_counted_by_reason_and_a_near_name_is_suggested(tmp_path: Path) -> None:
    made = gepa(tmp_path)
    assert made.feedback_used["note"] == made.feedback_used["evidence"] > 0
    assert made.feedback_left_out["a label without note and evidence"] > 0
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    with pytest.raises(ExperimentError, match="Did you mean 'Anna'"):
        run(tmp_path, Optimiser("gepa", feedback_from=("anna",)), proposer)


def test_gepa_is_told_what_people_said(tmp_path: Path) -> None:
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    run(tmp_path, Optimiser("gepa", rounds=1, minibatch=12), proposer)
    told = proposer.prompts[0]
    assert "a summing up of what stands there" in told
    assert "Evidence that people marked" in told
    assert "one line for each of the labels" in told


def test_the_budget_holds_for_judge_and_proposer_together(tmp_path: Path) -> None:
    judge, proposer = world.judge(tmp_path), world.gepa_proposer(tmp_path, [LAX, GOOD])
    limits = Limits(budget=Budget(calls=50))
    optimiser = Optimiser("gepa", rounds=3, minibatch=6)
    made = run(tmp_path, optimiser, proposer, judge, limits=limits)
    assert made.stopped is not None and "50 calls" in made.stopped
    assert made.calls == len(judge.requests) + len(proposer.requests) == 50
    # With more to spend it goes on where it was, and ends as if it had never stopped.
    later = run(tmp_path, optimiser, world.gepa_proposer(tmp_path, [LAX, GOOD]))
    (tmp_path / "whole").mkdir()
    whole = run(tmp_path / "whole", optimiser, world.gepa_proposer(tmp_path / "whole", [LAX, GOOD]))
    assert [c.template for c in later.candidates] == [c.template for c in whole.candidates]
    assert later.chosen == whole.chosen is not None


def test_a_key_that_is_refused_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    rules = [{"match": ".", "reply": {"error": "access"}}]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    made = run(tmp_path, Optimiser("gepa", rounds=1), proposer, world.judge(tmp_path, rules))
    assert made.stopped is not None
    assert made.chosen is None


class Broken(Listening):
    async def ask(self, request: Request) -> Reply:
        raise JudgeAccessError("the key is missing")


def test_what_the_user_has_to_mend_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(JudgeAccessError, match="the key is missing"):
        run(
            tmp_path,
            Optimiser("bootstrap", examples=1),
            None,
            Broken(world.judge(tmp_path)),  # type: ignore[arg-type]
        )


def pool(folder: Path) -> Pool:
    path = folder / "pool.jsonl"
    path.write_text(
        '{"lang":"en","context":"A mill by a brook.","claim":"There is a lantern at the mill",'
        '"label":"no","reason":"the brook has a mill, and no light"}\n'
        '{"lang":"en","context":"A road over a hill.","claim":"The orchard is up the road",'
        '"label":"idk"}\n'
        '{"lang":"zh","context":"一条路。","claim":"有一条路","label":"yes"}\n',
        "utf-8",
    )
    return read_pool(path)


def test_with_a_pool_all_claims_choose_and_examples_come_from_the_pool(tmp_path: Path) -> None:
    made = run(tmp_path, Optimiser("bootstrap", rounds=1, examples=2), pool=pool(tmp_path))
    assert made.train == ("pool:0", "pool:1")
    assert len(made.validation) == 40
    (candidate,) = made.candidates
    assert {e.context for e in candidate.template.examples} == {
        "A mill by a brook.",
        "A road over a hill.",
    }
    assert made.shown_contexts == ()


def test_finalists_bound_the_last_round(tmp_path: Path) -> None:
    proposer = world.mipro_proposer(tmp_path, [LAX, GOOD])
    made = run(tmp_path, Optimiser("miprov2", rounds=2, data_summary=False, finalists=1), proposer)
    left = [candidate for candidate in made.candidates if candidate.left_out]
    assert len(made.candidates) == 2 and len(left) == 1
    assert made.ranked(left[0]) is None


def test_no_safe_one_means_none_is_chosen(tmp_path: Path) -> None:
    proposer = world.gepa_proposer(tmp_path, [LAX])
    made = run(tmp_path, Optimiser("gepa", rounds=1, minibatch=6), proposer)
    assert made.chosen is None
    best = made.measured.best("literal")
    assert best is not None and not best.safe


def test_every_instruction_that_was_written_is_kept_also_untried_ones(tmp_path: Path) -> None:
    made = miprov2(tmp_path)
    kept = {*texts(made), *(refused.instruction for refused in made.refused)}
    assert kept == {LABELLESS, LAX, GOOD}
    untried = [candidate for candidate in made.candidates if candidate.row_mean is None]
    assert all(made.ranked(candidate) is not None for candidate in untried)


def test_miprov2_sums_up_the_claims_where_it_may(tmp_path: Path) -> None:
    summary = "[[ ## observations ## ]]\nTown matters.\n\n[[ ## summary ## ]]\nA town.\n\n"
    told = f"{summary}[[ ## proposed_instruction ## ]]\n{GOOD}\n\n[[ ## completed ## ]]"
    proposer = world.scripted(tmp_path, "proposer", replies=[told])
    made = run(tmp_path, Optimiser("miprov2", rounds=1), proposer)
    assert made.chosen is not None
    assert any("observations" in prompt for prompt in proposer.prompts)


def test_a_chinese_template_is_told_in_chinese(tmp_path: Path) -> None:
    from metajudge.templates.catalogue import catalogue

    gold = world.gold()
    claims = [claim.model_copy(update={"lang": "zh-CN"}) for claim in gold.claims]
    zh = type(gold)(gold.manifest, tuple(claims), gold.contexts)
    proposed = "请核对。\n\n是：有依据，合理概括也算。\n否：有冲突。\n不知道：没说。"
    proposer = world.gepa_proposer(tmp_path, [proposed])
    rules = [
        {"match": "lantern[^\n]*\n", "reply": "否"},
        {"match": "orchard[^\n]*\n", "reply": "不知道"},
        {"match": "(?s)overall(?=.*合理概括也算)", "reply": "是"},
        {"match": "overall", "reply": "不知道"},
        {"match": "harbour", "reply": "是"},
    ]
    made = run(
        tmp_path,
        Optimiser("gepa", rounds=1, minibatch=12),
        proposer,
        world.judge(tmp_path, rules),
        gold=zh,
        template=catalogue()["literal"].source_for("zh"),
    )
    assert made.chosen == 0
    assert "标注者写道" in proposer.prompts[0]
    assert "每个标签各写一行" in proposer.prompts[0]
    assert "\\u" not in proposer.prompts[0]


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"method": "copro"}, "method is one of"),
        ({"method": "gepa", "rounds": 0, "threads": 0}, "threads is 1 or more"),
        ({"method": "bootstrap"}, "examples and nothing else"),
    ],
)
def test_faulty_settings_are_refused(changes: dict[str, Any], law: str) -> None:
    with pytest.raises(ExperimentError, match=law):
        Optimiser(**changes)


def test_several_claims_a_call_are_refused(tmp_path: Path) -> None:
    batch = changed(world.start(), "b", claims_per_call=2, answer={"json": True})
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    with pytest.raises(TemplateError, match="one claim a call"):
        run(tmp_path, Optimiser("gepa"), proposer, template=batch)


def test_claims_of_another_language_are_refused(tmp_path: Path) -> None:
    gold = world.gold()
    zh = [claim.model_copy(update={"lang": "zh"}) for claim in gold.claims]
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    with pytest.raises(ExperimentError, match="template's language"):
        run(
            tmp_path,
            Optimiser("gepa"),
            proposer,
            gold=type(gold)(gold.manifest, tuple(zh), gold.contexts),
        )


def test_simba_without_anything_to_learn_from_says_so(tmp_path: Path) -> None:
    made = run(
        tmp_path,
        Optimiser("simba", rounds=1, minibatch=8, candidates=2),
        world.simba_proposer(tmp_path, "- A fair summary counts."),
        world.judge(tmp_path),
    )
    assert made.candidates == () and made.chosen is None
    assert any("this judge does not sample" in note for note in made.notes)


def test_attempts_are_told_as_they_come(tmp_path: Path) -> None:
    heard: list[tuple[str, int]] = []
    proposer = world.gepa_proposer(tmp_path, [GOOD])
    optimiser = Optimiser("gepa", rounds=1, minibatch=6)
    made = run(tmp_path, optimiser, proposer, told=lambda role, sent: heard.append((role, sent)))
    assert heard[-1][0] == "judge"
    assert dict(heard) == {"judge": made.calls - 1, "proposer": 1}


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """SIGINT is ignored by what a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_interrupts")
def test_an_interrupt_ends_the_run_and_the_next_goes_on(tmp_path: Path) -> None:
    def interrupt(role: str, sent: int) -> None:
        if role == "proposer":
            signal.raise_signal(signal.SIGINT)

    proposer = world.gepa_proposer(tmp_path, [GOOD])
    optimiser = Optimiser("gepa", rounds=1, minibatch=6)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, optimiser, proposer, told=interrupt)
    later = run(tmp_path, optimiser, world.gepa_proposer(tmp_path, [GOOD]))
    (tmp_path / "whole").mkdir()
    whole = gepa_once(tmp_path / "whole")
    assert later.chosen == whole.chosen == 0
    assert later.measured.ranked == whole.measured.ranked
    assert 0 < later.calls < whole.calls


def gepa_once(folder: Path) -> Optimised:
    optimiser = Optimiser("gepa", rounds=1, minibatch=6)
    return run(folder, optimiser, world.gepa_proposer(folder, [GOOD]))

"""Optimisers end to end, with a judge and a proposer that play a script."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, TemplateError
from metajudge.judges.judge import call_key
from metajudge.selection.guardrails import Bounds
from metajudge.selection.optimise.choice import plan_templates
from metajudge.selection.optimise.optimiser import Aim, Optimiser
from metajudge.templates.catalogue import changed
from metajudge.templates.pool import Pool, read_pool
from tests.selection import optimising as world
from tests.selection.optimised import METHODS, Wavering, bootstrap, gepa, miprov2, run, simba, texts
from tests.selection.optimising import GOOD, LABELLESS, LAX


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

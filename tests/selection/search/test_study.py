"""Studies: what is handed out, what is kept of what was told, and how they go on."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from metajudge.errors import ExperimentError
from metajudge.selection.search.space import Dimension, SearchSpace, setting_key
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import AskedTrial, Objective
from tests.selection.searched import SMALL, SPACE, figures, spec, work

SAMPLERS = ("tpe", "nsga2", "random")
ONE = (Objective("kappa", "maximize"),)


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'search.db'}"


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_settings_are_of_the_space_and_never_repeat(sampler: str) -> None:
    study = TemplateStudy.open(spec(sampler=sampler))  # type: ignore[arg-type]
    work(study, 60)
    trials = study.trials()
    assert [trial.number for trial in trials] == list(range(60))
    assert len({setting_key(trial.setting) for trial in trials}) == 60
    assert all(tuple(trial.setting) == SPACE.active(trial.setting) for trial in trials)
    thresholds = {trial.setting["threshold"] for trial in trials}
    assert thresholds <= {0.5, 0.6, 0.7, 0.8, 0.9}


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_b112_a_small_space_is_exhausted_and_says_so(sampler: str) -> None:
    """B112: repeats of the same settings used up the budget."""
    study = TemplateStudy.open(
        spec(sampler=sampler, space=SMALL, objectives=ONE, generation=4)  # type: ignore[arg-type]
    )
    handed_out = []
    for _ in range(20):
        for asked in study.ask(4):
            handed_out.append(setting_key(asked.setting))
            study.tell(asked, {"kappa": 0.1 * len(handed_out)}, {}, {})
    assert len(handed_out) == len(set(handed_out)) == 6
    assert study.exhausted
    assert study.ask(1) == ()


def test_the_end_of_a_generation_waits_for_what_is_held() -> None:
    study = TemplateStudy.open(spec(generation=4))
    first = study.ask(10)
    assert [asked.number for asked in first] == [0, 1, 2, 3]
    assert study.ask(3) == ()
    assert not study.exhausted
    for asked in first[:3]:
        study.tell(asked, *figures(asked.setting), {})
    assert study.ask(3) == ()
    study.abandon(first[3])
    assert study.ask(3) == (first[3],)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_proposals_do_not_hang_on_how_many_are_asked_for_at_once(sampler: str) -> None:
    def settings(count: int) -> list[str]:
        study = TemplateStudy.open(spec(sampler=sampler))  # type: ignore[arg-type]
        while len(study.trials()) < 42:
            for asked in study.ask(count):
                study.tell(asked, *figures(asked.setting), {})
        return [setting_key(trial.setting) for trial in study.trials()][:42]

    assert settings(1) == settings(4) == settings(6)


def test_another_seed_proposes_other_settings() -> None:
    keys = []
    for seed in (1, 2):
        study = TemplateStudy.open(spec(seed=seed))
        work(study, 12)
        keys.append([setting_key(trial.setting) for trial in study.trials()])
    assert keys[0] != keys[1]


def test_b113_trials_without_values_are_kept_with_their_reason() -> None:
    """B113: nan marked trials failed or left them running; an empty study raised."""
    study = TemplateStudy.open(spec())
    assert study.front() == ()
    first, second, third, fourth = study.ask(4)
    study.tell(first, {"summary_as_idk": None, "kappa": float("nan")}, {}, {"claims": 3})
    study.tell(second, {"summary_as_idk": 0.2}, {"over_credit": 0.1}, {"at": float("nan")})
    study.fail(third, "the judge was down")
    assert study.front() == ()
    states = [(trial.state, trial.reason) for trial in study.trials()]
    assert states == [
        ("undefined", "undefined: summary_as_idk, kappa"),
        ("undefined", "undefined: kappa"),
        ("failed", "the judge was down"),
        ("running", None),
    ]
    known = study.trials()[1]
    assert known.values == {"summary_as_idk": 0.2, "kappa": None}
    assert known.constraints == {"over_credit": 0.1}
    assert known.facts == {"at": None}
    assert set(study.importances().shares) == {"summary_as_idk", "kappa"}
    assert not any(study.importances().shares.values())
    assert set(study.figures().values()) == {None}
    study.tell(fourth, {"summary_as_idk": 0.2, "kappa": 0.4}, {}, {})
    assert study.front() == (3,)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_b113_a_study_in_which_nothing_has_a_value_goes_on(sampler: str) -> None:
    """B113: all trials null."""
    study = TemplateStudy.open(spec(sampler=sampler))  # type: ignore[arg-type]
    for _ in range(6):
        for asked in study.ask(6):
            study.tell(asked, {}, {"over_credit": None}, {})
    assert len(study.trials()) == 36
    assert {trial.state for trial in study.trials()} == {"undefined"}


def test_b106_a_failure_is_no_value_and_does_not_lead_the_search() -> None:
    """B106: a broken metric scored 0 and looked like a bad, or with loss a good, setting."""
    study = TemplateStudy.open(spec(objectives=(Objective("loss", "minimize"),)))
    for _ in range(8):
        for asked in study.ask(6):
            if asked.setting["rule.1"]:
                study.fail(asked, "metric raised: 除数为零")
            else:
                study.tell(asked, {"loss": 0.5 - 0.1 * bool(asked.setting["rule.0"])}, {}, {})
    failed = [trial for trial in study.trials() if trial.state == "failed"]
    assert failed
    assert all(trial.values == {} for trial in failed)
    assert {trial.reason for trial in failed} == {"metric raised: 除数为零"}
    assert all(study.trials()[number].setting["rule.0"] for number in study.front())


def test_the_front_holds_feasible_trials_that_none_beats() -> None:
    study = TemplateStudy.open(spec(generation=8))
    told = [
        ((0.1, 0.9), 0.2),
        ((0.3, 0.6), 0.0),
        ((0.2, 0.5), -0.1),
        ((0.3, 0.6), -0.1),
        ((0.4, 0.6), -0.1),
        ((0.5, 0.7), None),
    ]
    for asked, ((idk, kappa), over) in zip(study.ask(6), told, strict=True):
        study.tell(asked, {"summary_as_idk": idk, "kappa": kappa}, {"over_credit": over}, {})
    assert study.front() == (1, 2, 3)


def test_b114_a_study_goes_on_with_new_settings(tmp_path: Path) -> None:
    """B114: the same seed proposed the same settings again."""
    for trials in (5, 10):
        study = TemplateStudy.open(spec(url_of(tmp_path), generation=5))
        work(study, trials)
        study.close()
    keys = {setting_key(trial.setting) for trial in study.trials()}
    assert len(study.trials()) == len(keys) == 10


def test_b114_a_changed_space_is_refused_and_the_trials_stay(tmp_path: Path) -> None:
    """B114: a changed list of choices made the study unusable."""
    study = TemplateStudy.open(spec(url_of(tmp_path), space=SMALL))
    study.fail(study.ask(1)[0], "no")
    more = Dimension("template", choices=("a", "b", "c"))
    with pytest.raises(ExperimentError) as caught:
        TemplateStudy.open(
            spec(
                url_of(tmp_path),
                space=SearchSpace((more, SMALL.dimensions[1])),
                seed=8,
                fingerprint="beef",
            )
        )
    assert [problem.field for problem in caught.value.problems] == [
        "fingerprint",
        "seed",
        "space.template.values",
    ]
    assert "['a', 'b', 'c']" in str(caught.value)
    assert "another name" in str(caught.value)
    assert len(TemplateStudy.open(spec(url_of(tmp_path), space=SMALL)).trials()) == 1
    renamed = spec(url_of(tmp_path), space=SearchSpace((more,)), name="again")
    assert TemplateStudy.open(renamed).trials() == ()


def test_flags_and_numbers_are_not_taken_for_each_other(tmp_path: Path) -> None:
    def space(*choices: bool | int) -> SearchSpace:
        return SearchSpace((Dimension("rule", choices=choices),))

    study = TemplateStudy.open(spec(url_of(tmp_path), space=space(False, True)))
    assert {type(asked.setting["rule"]) for asked in study.ask(2)} == {bool}
    with pytest.raises(ExperimentError, match=r"space\.rule\.values"):
        TemplateStudy.open(spec(url_of(tmp_path), space=space(0, 1)))


def test_another_tools_study_is_not_taken(tmp_path: Path) -> None:
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    other = optuna.create_study(storage=url_of(tmp_path), study_name="study")
    optuna.logging.set_verbosity(level)
    other.add_trial(optuna.trial.create_trial(value=1.0))
    with pytest.raises(ExperimentError, match="was not made by metajudge"):
        TemplateStudy.open(spec(url_of(tmp_path)))


def test_trials_of_a_closed_study_are_handed_out_again(tmp_path: Path) -> None:
    left = TemplateStudy.open(spec(url_of(tmp_path)))
    asked = left.ask(3)
    study = TemplateStudy.open(spec(url_of(tmp_path)))
    assert [one.number for one in study.ask(2)] == [3, 4]
    assert [trial.number for trial in study.elsewhere()] == [0, 1, 2]
    left.close()
    assert study.ask(2) == asked[:2]
    with pytest.raises(ValueError, match="not held"):
        left.tell(asked[0], *figures(asked[0].setting), {})


def test_of_two_that_take_a_trial_over_one_has_it(tmp_path: Path) -> None:
    left = TemplateStudy.open(spec(url_of(tmp_path)))
    asked = left.ask(1)[0]
    one, other = (TemplateStudy.open(spec(url_of(tmp_path))) for _ in range(2))
    assert one.take_over(asked.number) == asked
    assert one.take_over(asked.number) is None
    assert other.ask(1)[0].number == 1
    assert one.tell(asked, *figures(asked.setting), {})
    assert not left.tell(asked, {}, {}, {})
    assert one.trials()[0].state == "told"
    assert other.take_over(asked.number) is None


def test_b112_a_setting_that_another_process_was_first_with_is_marked(tmp_path: Path) -> None:
    """B112: two processes that know the same propose the same."""
    one, other = (TemplateStudy.open(spec(url_of(tmp_path))) for _ in range(2))
    stale = other.trials()
    first = one.ask(1)[0]
    made = other._new(stale)
    assert made is not None
    assert made.setting == first.setting
    assert not other._first_with_its_setting(made, other.trials())
    marked = one.trials()[made.number]
    assert (marked.state, marked.reason) == ("duplicate", "same setting as trial 0")
    assert other.ask(1)[0].setting != first.setting


def test_what_two_processes_write_beyond_the_end_waits(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    first, second = TemplateStudy.open(spec(url)), TemplateStudy.open(spec(url))
    assert len(first.ask(2, 3)) == 2
    stale = second._storage.trials()
    assert [asked.number for asked in first.ask(5, 3)] == [2]
    fresh, second._storage.trials = second._storage.trials, lambda: stale  # type: ignore[method-assign]
    add = second._storage.add

    def added(*given: object) -> int:
        second._storage.trials = fresh  # type: ignore[method-assign]
        return add(*given)  # type: ignore[arg-type]

    second._storage.add = added  # type: ignore[assignment]
    assert second.ask(5, 3) == ()
    assert [trial.state for trial in fresh()] == ["running"] * 4
    assert first.ask(5, 3) == ()
    assert [asked.number for asked in first.ask(1, 4)] == [3]


def test_a_duplicate_that_nobody_lived_to_mark_is_not_handed_out(tmp_path: Path) -> None:
    one, other = (TemplateStudy.open(spec(url_of(tmp_path))) for _ in range(2))
    stale = other.trials()
    first = one.ask(1)[0]
    assert other._new(stale) == AskedTrial(1, first.setting)
    other.close()
    assert [asked.number for asked in one.ask(2)] == [2, 3]
    assert [trial.state for trial in one.trials()][:2] == ["running", "duplicate"]


def test_a_trial_that_another_tool_ended_is_a_failure(tmp_path: Path) -> None:
    import optuna

    study = TemplateStudy.open(spec(url_of(tmp_path)))
    asked = study.ask(1)[0]
    other = optuna.load_study(storage=url_of(tmp_path), study_name="study")
    other.tell(asked.number, state=optuna.trial.TrialState.FAIL)
    assert not study.tell(asked, *figures(asked.setting), {})
    assert study.trials()[0].state == "failed"
    assert study.trials()[0].reason == "ended by another tool"


def test_a_trial_is_told_once_and_only_by_who_holds_it() -> None:
    study = TemplateStudy.open(spec())
    asked = study.ask(1)[0]
    with pytest.raises(ValueError, match="no objective"):
        study.tell(asked, {"kapa": 1.0}, {}, {})
    study.tell(asked, *figures(asked.setting), {})
    for stranger in (asked, AskedTrial(9, {})):
        with pytest.raises(ValueError, match="not held"):
            study.tell(stranger, {}, {}, {})


def test_importances_name_what_decides_also_where_it_is_conditional() -> None:
    study = TemplateStudy.open(spec(sampler="random", generation=40))
    for asked in study.ask(40):
        draw = float(asked.setting.get("examples.draw", 0))
        study.tell(asked, {"summary_as_idk": 0.1 * draw, "kappa": 0.5}, {}, {})
    found = study.importances()
    shares = found.shares["summary_as_idk"]
    assert max(shares, key=lambda name: shares[name]) == "examples.draw"
    assert sum(shares.values()) == pytest.approx(1)
    assert found.shares["kappa"] == {}
    assert "same in every trial" in found.reasons["kappa"]
    assert (found.trials, found.seed) == (40, 7)
    assert study.importances() == found


def test_figures_are_plain_plotly_and_hold_no_markup() -> None:
    import plotly.graph_objects as go

    hostile = SearchSpace(
        (
            Dimension("<b>ask</b>", choices=("<img src=x onerror=y>", "一" * 200, "二" * 200)),
            Dimension("w", "float", low=0, high=1),
        )
    )
    study = TemplateStudy.open(spec(space=hostile, sampler="random"))
    for asked in study.ask(6):
        value = float(asked.setting["w"])
        study.tell(asked, {"summary_as_idk": value, "kappa": value}, {"over_credit": -1}, {})
    shown = study.figures()
    assert list(shown) == ["front", "importance", "history"]
    for figure in shown.values():
        assert figure is not None
        go.Figure(figure)
        assert "template" not in figure["layout"]
        assert "<img" not in str(figure)
        assert "<b>ask" not in str(figure)


def test_optuna_is_quiet_and_the_callers_settings_stay(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import optuna

    before = optuna.logging.get_verbosity()
    filters = list(warnings.filters)
    work(TemplateStudy.open(spec(url_of(tmp_path))), 18)
    assert optuna.logging.get_verbosity() == before == logging.getLogger("optuna").level
    assert warnings.filters == filters
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


def test_importing_the_search_does_not_load_optuna() -> None:
    code = "import sys, metajudge.selection.search.study; print('optuna' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_all_faults_of_a_declaration_are_told() -> None:
    with pytest.raises(ExperimentError) as caught:
        spec(objectives=(), seed=-1, generation=0)
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["objectives", "seed", "generation"]

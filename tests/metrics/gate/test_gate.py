"""Gates from end to end with a scripted judge: passes, fails, cannot decide, and never guesses."""

from __future__ import annotations

import json

import pytest

from metajudge.errors import InputError
from metajudge.metrics.gate.baseline import read_baseline
from metajudge.metrics.gate.once_failed import append_kept, read_kept
from metajudge.metrics.gate.suite import read_suite
from metajudge.metrics.gate.text import gate_lines
from tests.loopback import chat, serve
from tests.metrics.gate.folder import case, gate_of, many, run, set_baseline, write_suite
from tests.release.applied import write_rows


@pytest.fixture
def suite(tmp_path):
    """60 cases, all of them right, and their baseline."""
    path = write_suite(tmp_path, many(60), answers="answers.jsonl")
    write_rows(tmp_path / "answers.jsonl", many(60))
    set_baseline(path)
    return path


def answers(path, **more):
    write_rows(path.parent / "answers.jsonl", many(60, **more))


def test_unchanged_answers_pass_and_ask_nothing(suite):
    report = run(suite)
    (gate,) = report.metrics
    assert report.verdict == gate.verdict == "pass"
    assert gate.change.why == "same_answers"
    assert report.baseline.unchanged == 60
    assert report.calls.sent == 0


def test_other_answers_as_good_pass_by_the_test(suite):
    answers(suite, wrong=range(60), claim="It is rightly said.")
    (gate,) = run(suite).metrics
    assert (gate.verdict, gate.change.why, gate.change.method) == ("pass", "held", "no spread")


def test_a_loss_fails(suite):
    answers(suite, wrong=range(20))
    report = run(suite)
    (gate,) = report.metrics
    assert report.verdict == "fail"
    assert gate.baseline_mean == 1.0
    assert gate.change.value == pytest.approx(-1 / 6, abs=1e-6)
    assert gate.change.high < -0.05
    assert gate.change.p_worse_holm <= 0.05


def test_between_the_two_it_says_how_many_cases_are_needed(suite):
    answers(suite, wrong=range(4))
    report = run(suite)
    (gate,) = report.metrics
    assert report.verdict == "undecided"
    assert gate.change.why == "between"
    assert gate.change.more_if_good == 0
    assert gate.change.more_as_seen > 100
    assert 0 < gate.change.power_pass < 1


def test_a_single_changed_case_is_told_how_many_more_would_decide(suite):
    """One case of 60 is lost: too few changed for the bootstrap, so that bets decide."""
    answers(suite, wrong=[0])
    (gate,) = run(suite).metrics
    assert (gate.verdict, gate.change.method) == ("undecided", "exact bet")
    assert gate.change.more_if_good is None
    assert gate.change.more_as_seen > 20
    assert (gate.change.power_fail, gate.change.power_pass) == (None, None)


def test_b123_failed_calls_are_no_fail_and_under_the_floor_nothing_is_decided(suite):
    answers(suite, wrong=range(20), claim="It is unreachable.")
    (gate,) = run(suite).metrics
    assert (gate.verdict, gate.change.why) == ("undecided", "coverage")
    assert (gate.lost, gate.scored) == (20, 40)
    assert gate.coverage == pytest.approx(2 / 3, abs=1e-6)


def test_a_few_failed_calls_are_left_out_and_counted(suite):
    answers(suite, wrong=range(3), claim="It is unreachable.")
    (gate,) = run(suite).metrics
    assert gate.lost == 3
    assert gate.change.cases == 57


def test_replies_that_cannot_be_read_count_as_asked_as_they_did_in_the_baseline(suite):
    answers(suite, wrong=range(20), claim="It mumbles.")
    (gate,) = run(suite).metrics
    assert gate.lost == 0
    assert gate.verdict == "fail"


def test_answers_that_say_nothing_any_more_are_told_and_are_no_gain(suite):
    rows = many(60)
    for row in rows[:20]:
        row["claims"] = []
    write_rows(suite.parent / "answers.jsonl", rows)
    (gate,) = run(suite).metrics
    assert (gate.undefined, gate.newly_undefined) == (20, 20)
    assert (gate.verdict, gate.change.why) == ("undecided", "coverage")


def test_bars_of_the_mean_respect_what_is_not_known(tmp_path):
    rows = many(40, wrong=range(12))
    verdicts = {}
    for bar in (0.5, 0.85, 0.98):
        told = [{"name": "faithfulness", "mean": bar}]
        path = write_suite(tmp_path, rows, baseline=None, metrics=told)
        (gate,) = run(path).metrics
        verdicts[bar] = gate.bar.verdict
        assert gate.bar.value == pytest.approx(0.85)
    assert verdicts == {0.5: "pass", 0.85: "undecided", 0.98: "fail"}


def test_holm_shares_the_rate_over_metrics_and_bars(suite):
    told = dict(metrics=[{"name": "faithfulness", "mean": 0.2}, {"name": "ngram_coverage"}])
    rows = [{**row, "answer": "It is open."} for row in many(60)]
    path = write_suite(suite.parent, rows, answers="answers.jsonl", **told)
    set_baseline(path)
    answers(path, wrong=range(20))
    report = run(path)
    assert report.rates.tests == 3
    change = report.metrics[0].change
    assert change.p_worse_holm == pytest.approx(3 * change.p_worse, abs=1e-5)


def test_a_metric_where_lower_is_better_is_turned_round(tmp_path):
    def rows(sentence):
        return [
            {"id": f"c{n}", "question": f"Why {n}?", "context": [f"{n}."], "answer": sentence}
            for n in range(60)
        ]

    metrics = [{"name": "answer_redundancy", "mean": 0.5}]
    path = write_suite(tmp_path, rows("It is so."), metrics=metrics, answers="answers.jsonl")
    write_rows(tmp_path / "answers.jsonl", rows("It is so."))
    set_baseline(path)
    report = run(path)
    (gate,) = report.metrics
    assert (gate.better, gate.verdict, gate.bar.limit, gate.bar.value) == ("lower", "pass", 0.5, 0)
    write_rows(tmp_path / "answers.jsonl", rows("It is wrong."))
    (gate,) = run(path).metrics
    assert (gate.verdict, gate.change.value, gate.change.limit) == ("fail", 1.0, 0.05)


def test_cases_that_once_failed_have_to_pass_whatever_the_mean_says(tmp_path):
    rows = [*many(60), case("old", "It is wrong."), case("sliced", "It is wrong.", slice="fees")]
    metrics = [{"name": "faithfulness", "case": 0.8}]
    once = {"cases": ["old"], "slices": ["fees"]}
    path = write_suite(tmp_path, rows, metrics=metrics, once_failed=once)
    set_baseline(path)
    report = run(path)
    assert report.metrics[0].verdict == "pass"
    assert report.verdict == "fail"
    assert [(row.case, row.verdict) for row in report.once_failed] == [
        ("old", "fail"),
        ("sliced", "fail"),
    ]
    assert "It is wrong." in report.once_failed[0].reason


@pytest.mark.parametrize(
    ("claim", "why"),
    [("It is unreachable.", "not_scored"), ("It mumbles.", "unread")],
)
def test_a_case_that_once_failed_is_not_failed_by_a_call(tmp_path, claim, why):
    metrics = [{"name": "faithfulness", "case": 0.8}]
    rows = [*many(60), case("old", "It is so.", claim)]
    once = {"cases": ["old"]}
    path = write_suite(tmp_path, rows, metrics=metrics, baseline=None, once_failed=once)
    report = run(path)
    (row,) = report.once_failed
    assert (row.verdict, row.why) == ("undecided", why)
    assert report.verdict == "undecided"


def test_failures_are_kept_once_and_then_have_to_pass(tmp_path):
    metrics = [{"name": "faithfulness", "case": 0.8, "mean": 0.5}]
    path = write_suite(tmp_path, many(60, wrong=[7]), metrics=metrics, baseline=None)
    gate = gate_of(path)
    report = gate.report(gate.score())
    assert report.verdict == "pass"
    for added in (1, 0):
        assert append_kept(gate.kept_place, gate.failures(report)) == added
    again = gate_of(path)
    report = again.report(again.score())
    assert report.verdict == "fail"
    assert again.failures(report) == []
    (line,) = read_kept(gate.kept_place)
    assert (line.case, line.metric, line.score, line.bar) == ("c007", "faithfulness", 0.5, 0.8)
    with gate.kept_place.open("a") as file:
        retired = line.model_copy(update={"retired": "the question was withdrawn"})
        file.write(retired.model_dump_json() + "\n")
    assert run(path).verdict == "pass"


def test_a_kept_case_cannot_be_dropped_silently(tmp_path):
    metrics = [{"name": "faithfulness", "case": 0.8, "mean": 0.5}]
    path = write_suite(tmp_path, many(60, wrong=[7]), metrics=metrics, baseline=None)
    gate = gate_of(path)
    append_kept(gate.kept_place, gate.failures(gate.report(gate.score())))
    write_rows(tmp_path / "cases.jsonl", many(5))
    with pytest.raises(InputError, match=r"regressions.jsonl: case: .*'c007'.*retired"):
        gate_of(path)


def test_a_baseline_of_another_question_measure_or_hand_is_refused(suite):
    rows = many(60)
    rows[3]["question"] = "Another one?"
    write_rows(suite.parent / "cases.jsonl", rows)
    with pytest.raises(InputError, match=r"cases.c003: the case asks something else than"):
        gate_of(suite)
    write_rows(suite.parent / "cases.jsonl", many(60))
    policies = {"faithfulness": "lenient"}
    other = write_suite(suite.parent, many(60), policies=policies)
    with pytest.raises(InputError, match=r"measures.faithfulness.policy: .*'strict'.*'lenient'"):
        gate_of(other)
    place = suite.parent / "baseline.json"
    told = json.loads(place.read_text())
    del told["cases"]["c000"]
    place.write_text(json.dumps(told))
    with pytest.raises(InputError, match="it was edited"):
        gate_of(write_suite(suite.parent, many(60)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"faithfulness": 1.0', '"faithfulness": 0.2'),
        ('"faithfulness": 1.0', '"faithfulness": null'),
        ('"policy": "strict"', '"policy": "lenient"'),
        ('"created": "20', '"created": "19'),
    ],
)
def test_a_baseline_that_was_edited_is_refused_whatever_was_changed(suite, old, new):
    place = suite.parent / "baseline.json"
    text = place.read_text(encoding="utf-8")
    assert old in text
    place.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError, match=r"sha256: its cases or scores are not .* it was edited"):
        gate_of(suite)


def test_a_baseline_holds_no_place_of_this_machine(suite):
    found = read_baseline(suite.parent / "baseline.json")
    assert str(suite.parent) not in (suite.parent / "baseline.json").read_text()
    assert found.measures["faithfulness"].judge == "scripted:judge.yaml"
    assert found.measures["faithfulness"].identity["backend"] == "scripted"


def test_new_cases_are_not_compared_and_gone_ones_are_told(suite):
    write_rows(suite.parent / "cases.jsonl", [*many(60)[1:], case("new", "It is wrong.")])
    write_rows(suite.parent / "answers.jsonl", [*many(60)[1:], case("new", "It is wrong.")])
    report = run(suite)
    assert (report.baseline.added, report.baseline.removed) == (1, 1)
    assert report.metrics[0].change.cases == 59


def test_offline_asks_nothing_and_cannot_decide_what_is_missing(suite):
    assert run(suite, offline=True).verdict == "pass"
    answers(suite, wrong=range(20))
    report = run(suite, offline=True)
    assert report.calls.sent == 0
    assert report.calls.open == 20
    assert report.verdict == "undecided"


def test_faults_of_a_suite_come_together_with_line_field_and_mend(tmp_path):
    path = write_suite(tmp_path, many(3), metrics=["faithfulnes", "turns"], repeats=3)
    with pytest.raises(InputError) as told:
        read_suite(path)
    shown = str(told.value)
    assert "metrics[0].name" in shown
    assert "Did you mean 'faithfulness'?" in shown
    assert "this one counts" in shown
    path.write_text("name: halls\ncases: cases.jsonl\nmetrcs: [faithfulness]\nalpha: 2\n")
    with pytest.raises(InputError, match=r"(?s):3: metrcs.*Did you mean 'metrics'.*:4: alpha"):
        read_suite(path)
    path.write_text("name: halls\ncases: c.jsonl\nmetrics: [{name: faithfulness, margn: 1}]\n")
    with pytest.raises(InputError) as told:
        read_suite(path)
    assert [problem.field for problem in told.value.problems] == ["metrics[0].margn"]
    path.write_text("name: halls\ncases: c.jsonl\nmetrics: []\n")
    with pytest.raises(InputError, match="at least one metric"):
        read_suite(path)


def test_cases_need_ids_and_answers(tmp_path):
    rows = many(3)
    del rows[1]["id"]
    path = write_suite(
        tmp_path, rows, baseline=None, metrics=[{"name": "faithfulness", "mean": 0.5}]
    )
    with pytest.raises(InputError, match=r"cases.jsonl:2: id: a case has an id of its own"):
        gate_of(path)
    write_rows(tmp_path / "cases.jsonl", many(3))
    write_rows(tmp_path / "answers.jsonl", many(2))
    with pytest.raises(InputError, match=r"the case has no answer.*'c002'"):
        gate_of(path, answers=tmp_path / "answers.jsonl")


def test_a_group_is_a_field_that_every_case_has(tmp_path):
    rows = [{**row, "customer": f"k{n % 5}"} for n, row in enumerate(many(20))]
    told = dict(baseline=None, metrics=[{"name": "faithfulness", "mean": 0.5}])
    report = run(write_suite(tmp_path, rows, group="customer", **told))
    assert (report.cases, report.groups) == (20, 5)
    with pytest.raises(InputError, match=r"cases.jsonl:1: team: every case names its group"):
        gate_of(write_suite(tmp_path, rows, group="team", **told))


def test_chinese_cases(tmp_path):
    rows = [
        {"id": f"z{n}", "question": f"{n}号馆？", "context": [f"{n}号馆开放。"],
         "claims": ["这里不符。" if n < 30 else f"{n}号馆开放。"]}
        for n in range(60)
    ]  # fmt: skip
    path = write_suite(
        tmp_path, rows, metrics=[{"name": "faithfulness", "mean": 0.9}], baseline=None
    )
    report = run(path)
    assert report.verdict == "fail"
    assert report.metrics[0].mean == 0.5


async def test_run_gate_is_the_door_for_programs_and_notebooks(suite):
    from metajudge import run_gate

    store = suite.parent / "replies.sqlite"
    assert run_gate(suite, store=store, offline=True).verdict == "pass"
    rows = many(60, wrong=range(20))
    assert run_gate(str(suite), store=store, answers=rows).verdict == "fail"
    with pytest.raises(InputError, match=r"answers: .*the case has no answer"):
        run_gate(suite, store=store, answers=rows[:5])


def test_slices_say_where_a_change_comes_from(suite):
    rows = [{**row, "slice": "fees" if n < 20 else "rooms"} for n, row in enumerate(many(59))]
    rows.append({**many(60)[-1], "slice": None})
    write_rows(suite.parent / "cases.jsonl", rows)
    answers(suite, wrong=range(10))
    (gate,) = run(suite).metrics
    assert [(one.slice, one.cases, one.mean, one.pairs, one.change) for one in gate.slices] == [
        ("fees", 20, 0.75, 20, -0.25),
        ("rooms", 39, 1.0, 39, 0.0),
    ]
    shown = {lang: "\n".join(gate_lines(run(suite), lang)) for lang in ("en", "zh")}
    assert "- slice fees: mean 0.750, change -0.250, 20 cases" in shown["en"]
    assert "- 切片 fees：均值 0.750，变化 -0.250，20 个用例" in shown["zh"]


def test_slices_without_a_baseline_have_a_mean_and_no_change(tmp_path):
    rows = [{**row, "slice": "fees"} for row in many(10, wrong=[0])]
    path = write_suite(
        tmp_path, rows, baseline=None, metrics=[{"name": "faithfulness", "mean": 0.5}]
    )
    (only,) = run(path).metrics[0].slices
    assert (only.mean, only.pairs, only.change) == (0.95, 0, None)


@pytest.mark.parametrize(("share", "verdict"), [(0.5, "pass"), (0.2, "fail")])
def test_a_sampled_judge_fails_a_case_by_the_share_of_its_draws(
    tmp_path, monkeypatch, share, verdict
):
    """Five draws, a seed each; two of them say no."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with serve(lambda call: chat("no" if call.body["seed"] % 5 < 2 else "yes")) as server:
        path = write_suite(
            tmp_path,
            [case("old", "Hall A is open.")],
            baseline=None,
            judge={"spec": "openai/m", "api_base": server.url, "temperature": 0.7},
            metrics=[{"name": "faithfulness", "case": 0.8}],
            once_failed={"cases": ["old"]},
            repeats=5,
            failing_share=share,
        )
        report = run(path)
        assert run(path).calls.sent == 0
    (row,) = report.once_failed
    assert server.calls == 5
    assert (row.draws, row.passing, row.score) == (5, 3, 0.6)
    assert row.verdict == report.verdict == verdict


def test_repeats_at_temperature_0_are_refused(tmp_path):
    judge = {"spec": "openai/m", "temperature": 0}
    path = write_suite(tmp_path, many(3), judge=judge, repeats=5)
    with pytest.raises(InputError, match="at temperature 0 every draw is the same"):
        read_suite(path)


@pytest.mark.parametrize("score", ["NaN", "7.0", "-1"])
def test_a_baseline_with_impossible_scores_is_refused(suite, score):
    place = suite.parent / "baseline.json"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace('"faithfulness": 1.0', f'"faithfulness": {score}', 1), "utf-8")
    assert place.read_text(encoding="utf-8") != text
    with pytest.raises(InputError, match="faithfulness"):
        gate_of(suite)

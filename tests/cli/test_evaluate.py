"""`metajudge evaluate`: metrics over a file, on the terminal, as JSON and as rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from metajudge.metrics.account_text import notes
from metajudge.metrics.catalogue import known_metrics
from metajudge.metrics.evaluate import evaluate
from metajudge.shipped import shipped_gold
from tests.metrics.judging import script

ROW = {
    "id": "a",
    "user_input": "How big is the free plan?",
    "response": "It has five members.",
    "retrieved_contexts": ["Free: 5 members.", "Pro: 20 members."],
    "claims": ["The free plan has five members."],
}
METRICS = ("--metrics", "faithfulness,context_relevance,turns")


@pytest.fixture
def judge() -> str:
    return script(Path(), {}, passages={"Pro: 20 members.": "no"}, otherwise="yes")


@pytest.fixture
def answers() -> Path:
    rows = [ROW, {**ROW, "id": "b", "response": "五个人。", "claims": [], "lang": "zh"}]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path("answers.jsonl").write_text(text, encoding="utf-8")
    return Path("answers.jsonl")


def test_each_metric_has_its_line_and_what_is_missing_is_told(run, answers, judge):
    ended = run("evaluate", answers, *METRICS, "--judge", judge, "-q")
    assert ended.exit_code == 0
    line = next(each for each in ended.stdout.splitlines() if each.startswith("faithfulness "))
    assert line.split()[:2] == ["faithfulness", "1.00"]
    assert "1/2" in line
    assert "summary-tolerant" in line
    assert "faithfulness without a score: the answer states nothing (1)" in ended.stdout
    assert "turns without a score: the row has no turns (2)" in ended.stdout
    ended = run("evaluate", answers, *METRICS, "--judge", judge, "-q", "--lang", "zh")
    assert "faithfulness 没有分数：回答没有作出任何陈述（1）" in ended.stdout
    assert "turns 没有分数：这一行没有对话轮次（2）" in ended.stdout


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "faithfulness, context_relevance: asked without a release"),
        ("zh", "faithfulness、context_relevance：未指定发布版本"),
    ],
)
def test_what_no_release_measured_is_told(run, answers, judge, lang, told):
    shown = run("evaluate", answers, *METRICS, "--judge", judge, "--lang", lang).stdout
    assert told in " ".join(shown.split())
    computed = run("evaluate", answers, "--metrics", "turns", "--lang", lang).stdout
    assert "--release" not in computed


def test_a_release_is_not_called_unmeasured(answers, judge):
    evaluation = evaluate(answers, METRICS[1].split(","), judge=judge)
    (first, *others) = evaluation.summary.metrics
    served = first.model_copy(update={"release": "faithfulness-verdict@1.0.0"})
    summary = evaluation.summary.model_copy(update={"metrics": (served, *others)})
    (told,) = (n for n in notes(replace(evaluation, summary=summary), "en") if "--release" in n)
    assert told.startswith("note: context_relevance: asked without a release")


def test_the_terminal_holds_80_columns(run, answers, judge):
    names = [n for n in known_metrics() if n not in ("answer_similarity", "nli_entailment")]
    shown = run("evaluate", answers, "--metrics", ",".join(names), "--judge", judge)
    assert max(map(len, shown.stdout.splitlines())) <= 80
    begun = [line.split()[0] for line in shown.stdout.splitlines() if line.strip()]
    assert {*names} <= {*begun}, "no name is broken into lines"


def test_json_has_summary_and_rows(run_json, answers, judge):
    told = run_json("evaluate", answers, *METRICS, "--judge", judge, "--json", "-q")
    # The judge answers in English alone, which the Chinese template does not read as a label.
    assert told["summary"]["metrics"][1]["failures"] == {"label_not_offered": 2}
    assert [m["metric"] for m in told["summary"]["metrics"]] == METRICS[1].split(",")
    assert [row["context_relevance"] for row in told["answers"]] == [0.5, None]


def test_rows_are_written_and_the_answers_are_never_overwritten(run, answers, judge):
    ended = run("evaluate", answers, *METRICS, "--judge", judge, "--out", "out.csv", "-q")
    assert "2 answers written to out.csv" in ended.stdout
    assert Path("out.csv").read_text(encoding="utf-8-sig").startswith("answer_id,faithfulness,")
    ended = run("evaluate", answers, *METRICS, "--judge", judge, "--out", answers)
    assert ended.exit_code == 2
    assert "would be overwritten" in ended.stderr


def test_a_policy_by_metric(run_json, answers, judge):
    given = ("--policy", "faithfulness=lenient", "--template", "faithfulness=literal")
    told = run_json("evaluate", answers, *METRICS, *given, "--judge", judge, "--json", "-q")
    assert told["summary"]["metrics"][0]["policy"] == "lenient"
    assert "literal@1.0.0/en" in told["summary"]["metrics"][0]["templates"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--metrics", "faithfuless"), "Did you mean 'faithfulness'"),
        ((), "--list"),
        (("--metrics", "faithfulness"), "faithfulness asks a judge, and none is named"),
        (("--metrics", "faithfulness"), "Name one with judge (--judge)"),
        (METRICS, "faithfulness, context_relevance ask a judge"),
        ((*METRICS, "--policy", "lenient"), "Write for instance faithfulness=lenient"),
        ((*METRICS, "--policy", "turns=strict"), "takes one: faithfulness"),
    ],
)
def test_mistakes_end_with_2_and_the_mend(run, answers, given, told):
    ended = run("evaluate", answers, *given)
    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())


@pytest.mark.parametrize(
    ("lang", "told"),
    [("en", "extraction failed: transport (2)"), ("zh", "提取失败：传输错误（2）")],
)
def test_a_judge_that_is_down_is_told_in_words_of_one_language(run, lang, told):
    bare = {name: value for name, value in ROW.items() if name != "claims"}
    rows = [bare, {**bare, "id": "b", "response": "五个人。", "lang": "zh"}]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path("bare.jsonl").write_text(text, encoding="utf-8")
    down = script(Path(), {}, otherwise={"error": "bad_request"})
    given = ("--metrics", "faithfulness", "--judge", down, "--lang", lang)
    ended = run("evaluate", "bare.jsonl", *given)
    assert ended.exit_code == 4
    assert told in ended.stdout
    assert "stopped: the judge is down (" in ended.stderr
    assert "judge_down" not in ended.stderr


def test_a_spent_budget_ends_with_3(run, answers, judge):
    ended = run("evaluate", answers, *METRICS, "--judge", judge, "--budget-calls", 1, "-q")
    assert ended.exit_code == 3


def test_no_reply_that_can_be_read_ends_with_4(run, answers):
    mute = script(Path(), {}, otherwise="Hmm.")
    ended = run("evaluate", answers, "--metrics", "faithfulness", "--judge", mute, "-q")
    assert ended.exit_code == 4


@pytest.mark.parametrize(
    ("lang", "word", "bracket"), [("en", "does not say: ", " ("), ("zh", "不说明：", "（")]
)
def test_every_metric_is_listed_with_what_it_does_not_say(run, lang, word, bracket):
    shown = run("evaluate", "--list", "--lang", lang).stdout
    assert shown.count(word) >= len(known_metrics())
    for name in known_metrics():
        assert f"\n{name}{bracket}" in f"\n{shown}"


@pytest.fixture
def runs() -> Path:
    """40 conversations of one turn, in which a tool is called with a price a little off."""
    call = {"name": "book", "arguments": {"price": 9.5, "trace_id": "a"}}
    made = {"name": "book", "arguments": {"price": 9.5004, "trace_id": "b"}}
    turns = [{"role": "user", "content": "订票。"}, {"role": "assistant", "content": "好的。"}]
    row = {"messages": turns, "expected_tools": [call], "tools_called": [made]}
    rows = [{**row, "id": f"r{n}"} for n in range(40)]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
    Path("runs.jsonl").write_text(text, encoding="utf-8")
    return Path("runs.jsonl")


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", ("turns: most 1, fewest 1; 100% of 40 conversations", "hard questions may be")),
        ("zh", ("turns：最多 1 轮，最少 1 轮；40 个对话中 100% 只有一轮", "难题可能被")),
    ],
)
def test_turns_are_shown_with_their_share_of_single_turns_and_a_warning(run, runs, lang, told):
    ended = run("evaluate", runs, "--metrics", "turns", "--lang", lang)
    shown = "".join(line.removeprefix("  ") for line in ended.stdout.splitlines())
    for text in told:
        assert text in shown or text in " ".join(ended.stdout.split())
    assert max(map(cell_len, ended.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("given", "recall"),
    [
        ((), 0.0),
        (("--tools-tolerance", 0.001), 0.0),
        (("--tools-tolerance", 0.001, "--tools-ignore", "trace_id"), 1.0),
        (("--tools-by-name",), 1.0),
    ],
)
def test_when_two_calls_are_the_same_is_said_by_options(run_json, runs, given, recall):
    told = run_json("evaluate", runs, "--metrics", "tool_call_recall", *given, "--json", "-q")
    assert told["summary"]["metrics"][0]["mean"]["value"] == recall


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        (
            "en",
            ("answer_id made from content (1)", "blank passages left out (1)", "in fr: another"),
        ),
        ("zh", ("answer_id 由内容生成（1）", "省去的空白段落（1）", "没有 fr 的模板")),
    ],
)
def test_notes_are_in_the_language_of_the_account(run, judge, lang, told):
    row = {"response": "Neuf.", "contexts": ["Neuf.", " "], "claims": ["Neuf."], "lang": "fr"}
    Path("fr.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    ended = run(
        "evaluate", "fr.jsonl", "--metrics", "faithfulness", "--judge", judge, "--lang", lang
    )
    shown = " ".join(ended.stdout.split())
    for text in told:
        assert text in shown or text.replace(" ", "") in shown.replace(" ", "")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_cut_offs_are_shown_and_each_row_is_labelled(run, answers, lang):
    given = ("--metrics", "ngram_coverage", "--calibrate", shipped_gold(), "--lang", lang)
    ended = run("evaluate", answers, *given, "--out", "out.csv", "-q")
    assert ended.exit_code == 0, ended.stderr
    word = {"en": "supportedfrom0.", "zh": "及以上为有依据"}[lang]
    assert word in "".join(ended.stdout.split())
    assert max(map(cell_len, ended.stdout.splitlines())) <= 80
    columns = Path("out.csv").read_text(encoding="utf-8-sig").splitlines()[0].split(",")
    assert {"ngram_coverage_label", "ngram_coverage_probability"} <= {*columns}


@pytest.mark.parametrize(("lang", "word"), [("en", "no threshold that"), ("zh", "没有任何有意义")])
def test_without_gold_a_raw_number_is_told_to_have_no_threshold(run, answers, lang, word):
    shown = run("evaluate", answers, "--metrics", "ngram_coverage", "--lang", lang).stdout
    assert word in " ".join(shown.split())


def test_rows_that_lack_every_column_end_with_4_and_the_mend(run, answers, judge):
    ended = run("evaluate", answers, "--metrics", "context_recall", "--judge", judge, "-q")
    assert ended.exit_code == 4
    assert "no row has reference or statements: add the column" in " ".join(ended.stdout.split())


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_what_is_written_can_be_diagnosed(run, run_json, answers, judge, form):
    metrics = ("--metrics", "faithfulness,context_relevance,turns", "--judge", judge)
    assert run("evaluate", answers, *metrics, "--out", f"out.{form}", "-q").exit_code == 0
    told = run_json("diagnose", f"out.{form}", "--json")
    assert [answer["answer_id"] for answer in told["answers"]] == ["a", "b"]
    assert "faithfulness" in told["thresholds"]


def test_vectors_come_from_the_server_that_is_named(run, run_json, monkeypatch):
    from tests.loopback import raw, serve

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    Path("pair.jsonl").write_text('{"id": "a", "answer": "Five.", "reference": "5."}\n')
    body = {"object": "list", "model": "m", "data": [{"index": 0, "embedding": [3, 4]}]}
    body["usage"] = {"prompt_tokens": 2, "total_tokens": 2}
    with serve(raw(json.dumps(body).encode())) as server:
        asked = ("evaluate", "pair.jsonl", "--metrics", "answer_similarity", "--json", "-q")
        told = run_json(*asked, "--embedding", "openai/m", "--embedding-api-base", server.url)
        assert server.calls == 2
    assert told["answers"][0]["answer_similarity"] == pytest.approx(1.0)

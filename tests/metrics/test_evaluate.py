"""Metrics over rows: one run, no call twice, resumed, within the budget, the same async."""

from __future__ import annotations

import asyncio
import csv
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import InputError, MetajudgeError
from metajudge.metrics.account_text import beside
from metajudge.metrics.catalogue import METRICS, known_metrics
from metajudge.metrics.computed_metrics import ComputeSettings
from metajudge.metrics.evaluate import evaluate, evaluate_async
from metajudge.metrics.evaluation import Evaluation
from metajudge.runner.limits import Budget
from tests.loopback import Answer, ServerCall, chat, raw, serve
from tests.metrics.judging import evaluated, script

ROWS: list[dict[str, Any]] = [
    {
        "answer_id": "en",
        "question": "How big is the free plan?",
        "answer": "It has five members.",
        "context": ["Free: 5 members.", "Pro: 20 members."],
        "reference": "Five members.",
        "team": "north",
    },
    {
        "answer_id": "zh",
        "question": "免费版多大？",
        "answer": "免费版有五个人。",
        "context": ["免费版：5人。"],
        "reference": "五人。",
        "team": "south",
    },
    {"answer_id": "none", "question": "Why?", "answer": "No idea.", "context": []},
]
LISTS = {
    "It has five members.": ["The free plan has five members."],
    "Five members.": ["The free plan has five members."],
    "免费版有五个人。": ["免费版有五个人。"],
    "五人。": ["免费版有五个人。"],
    "How big is the free plan?": ["the size of the free plan"],
    "免费版多大？": ["免费版的人数"],
    "Why?": ["the reason"],
}
JUDGED_ONES = [name for name, metric in METRICS.items() if metric.kind == "judged"]


def judge(folder: Path) -> str:
    """A judge that says yes to English and 否 to Chinese, and lists what it is given."""
    verdicts = {"免费版有五个人。": "否", "免费版的人数": "否"}
    return script(folder, verdicts, LISTS, {"免费版：5人。": "否"}, otherwise="yes")


def test_no_call_is_made_twice_and_a_second_run_makes_none(tmp_path: Path) -> None:
    first = evaluated(tmp_path, ROWS, JUDGED_ONES, judge(tmp_path))
    asked = first.summary.calls
    assert asked.needed == asked.sent > 0
    apart = 0
    for name in JUDGED_ONES:
        again = evaluated(tmp_path, ROWS, [name], judge(tmp_path))
        assert again.summary.calls.sent == 0, name
        assert [row.scores[name] for row in again.rows] == [row.scores[name] for row in first.rows]
        apart += again.summary.calls.needed
    assert apart > asked.needed, "metrics share their calls"


def test_rows_keep_their_order_and_what_they_held(tmp_path: Path) -> None:
    found = evaluated(tmp_path, ROWS, ["faithfulness"], judge(tmp_path))
    assert [row.answer_id for row in found.rows] == ["en", "zh", "none"]
    assert [row.fields.get("team") for row in found.rows] == ["north", "south", None]
    assert list(found.scores("faithfulness").values()) == [1.0, 0.0, None]


def test_the_summary_counts_and_has_an_interval(tmp_path: Path) -> None:
    rows = [{**ROWS[n % 2], "answer_id": f"r{n}", "context": [f"Text {n}."]} for n in range(12)]
    found = evaluated(tmp_path, rows, ["faithfulness", "ngram_coverage"], judge(tmp_path))
    account = found.summary.metrics[0]
    assert (account.rows, account.scored, account.units) == (12, 12, 12)
    assert account.mean.value == 0.5
    assert account.mean.low is not None
    assert account.mean.high is not None
    assert account.mean.low < 0.5 < account.mean.high
    assert account.mean.clusters == 12
    assert account.policy == "strict"
    assert "summary-tolerant@1.0.0/zh" in account.templates
    assert set(account.extraction) == {"extract@1.0.0/en", "extract@1.0.0/zh"}
    assert found.summary.metrics[1].judge is None


def test_a_spent_budget_leaves_nulls_and_the_next_run_goes_on(tmp_path: Path) -> None:
    metrics = ["faithfulness", "context_relevance"]
    short = evaluated(tmp_path, ROWS, metrics, judge(tmp_path), budget=Budget(calls=3))
    assert short.summary.calls.stopped == "budget"
    reasons = {s.reason for row in short.rows for s in row.scores.values() if s.score is None}
    assert reasons & {"not judged yet: the run stopped early", "尚未评判：运行提前结束"}
    rest = evaluated(tmp_path, ROWS, metrics, judge(tmp_path))
    assert rest.summary.calls.stored == 3
    assert rest.scores("faithfulness") == {"en": 1.0, "zh": 0.0, "none": None}


def test_async_gives_the_same(tmp_path: Path) -> None:
    spec = judge(tmp_path)
    sync = evaluated(tmp_path, ROWS, JUDGED_ONES, spec)
    other = asyncio.run(
        evaluate_async(ROWS, JUDGED_ONES, judge=spec, store=tmp_path / "other.sqlite")
    )
    assert other.records == sync.records


def test_b80_two_evaluations_at_once_are_two_complete_ones(tmp_path: Path) -> None:
    spec = judge(tmp_path)
    rows = [{**ROWS[n % 2], "answer_id": f"r{n}", "context": [f"Text {n}."]} for n in range(20)]

    def run(name: str) -> Evaluation:
        return evaluate(rows, ["faithfulness"], judge=spec, store=tmp_path / f"{name}.sqlite")

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(run, ("one", "other"))
    assert one.records == other.records
    assert [account.scored for account in (*one.summary.metrics, *other.summary.metrics)] == [
        20,
        20,
    ]


def test_inside_an_event_loop_the_way_out_is_named(tmp_path: Path) -> None:
    async def inside() -> None:
        evaluate(ROWS, ["turns"], store=tmp_path / "s.sqlite")

    with pytest.raises(MetajudgeError, match="evaluate_async"):
        asyncio.run(inside())


def test_computed_metrics_need_no_judge(tmp_path: Path) -> None:
    tools = {"expected_tools": [{"name": "f"}], "actual_tools": [{"name": "f"}, {"name": "g"}]}
    turns = {"turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]}
    row = {**ROWS[0], **tools, **turns}
    names = ["tool_call_precision", "tool_call_recall", "turns", "ngram_coverage"]
    found = evaluate([row], names, store=tmp_path / "s.sqlite")
    assert [found.of("en", name).score for name in names[:3]] == [0.5, 1.0, 1.0]
    assert found.summary.calls.needed == 0


@pytest.mark.parametrize(
    ("metrics", "more", "told"),
    [
        (["faithfuless"], {}, "Did you mean 'faithfulness'"),
        ([], {}, "no metric is named"),
        (None, {}, "no metric is named"),
        ([5], {}, "got '5'"),
        (["faithfulness"], {"policies": "lenient"}, "it is given by metric"),
        (["faithfulness"], {"templates": "literal"}, "it is given by metric"),
        (["faithfulness"], {"budget": 5}, r"Budget\(calls=100\)"),
        (["faithfulness"], {"judge": None}, "none is named"),
        (["faithfulness"], {"policies": {"faithfulness": "lenientt"}}, "lenient"),
        (["context_relevance"], {"policies": {"context_relevance": "lenient"}}, "takes one"),
        (["faithfulness"], {"policies": {"faithfulness": "expected"}}, "scored by labels"),
        (["groundedness"], {"templates": {"groundedness": "literal"}}, "has the frame 'sentence'"),
        (["groundedness"], {"templates": {"groundednes": "literal"}}, "Did you mean"),
        (["faithfulness"], {"judge": "baseline:ngram"}, "cannot list claims"),
        (["faithfulness"], {"stor": "x"}, "Did you mean 'store'"),
        (["answer_similarity"], {}, "Name an embedding model"),
        (["nli_entailment"], {}, "Name a model for inference"),
        (
            ["answer_correctness"],
            {"computed": ComputeSettings(similarity_weight=0.25)},
            "Name an embedding model",
        ),
    ],
)
def test_mistakes_are_told_before_any_call(
    tmp_path: Path, metrics: Any, more: dict[str, Any], told: str
) -> None:
    given = {"judge": judge(tmp_path), "store": tmp_path / "s.sqlite", **more}
    with pytest.raises(InputError, match=told):
        evaluate(ROWS, metrics, **given)
    assert not (tmp_path / "s.sqlite").exists() or told == "cannot list claims"


def test_another_wording_by_name_and_by_file(tmp_path: Path) -> None:
    from importlib import resources

    shipped = resources.files("metajudge.templates") / "catalogue" / "context_relevance"
    path = tmp_path / "mine.en.yaml"
    text = (shipped / "direct-passage.en.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace("name: direct-passage", "name: mine"), encoding="utf-8")
    for asked, name in (("direct-passage", "direct-passage"), (str(path), "mine")):
        templates = {"context_relevance": asked}
        spec = judge(tmp_path)
        found = evaluated(tmp_path, ROWS, ["context_relevance"], spec, templates=templates)
        assert f"{name}@1.0.0/en" in found.summary.metrics[0].templates
        assert found.scores("context_relevance")["en"] == 1.0


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet"])
def test_rows_are_written_flat_in_every_form(tmp_path: Path, form: str) -> None:
    names = [n for n in known_metrics() if n not in ("answer_similarity", "nli_entailment")]
    found = evaluated(tmp_path, ROWS, names, judge(tmp_path))
    path = found.save(tmp_path / f"out.{form}")
    if form == "parquet":
        import pandas as pd

        rows = pd.read_parquet(path).to_dict("records")
    elif form == "csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        text = path.read_text(encoding="utf-8")
        rows = json.loads(text) if form == "json" else [*map(json.loads, text.splitlines())]
    assert [row["answer_id"] for row in rows] == ["en", "zh", "none"]
    assert float(rows[0]["faithfulness"]) == 1.0
    assert {"faithfulness_reason", "faithfulness_verdicts", "team"} <= rows[0].keys()


def test_b34_a_first_row_without_a_score_breaks_no_file(tmp_path: Path) -> None:
    found = evaluated(tmp_path, ROWS[::-1], ["faithfulness"], judge(tmp_path))
    assert "faithfulness 0.500 (2 of 3)" in repr(found)
    for form in ("jsonl", "csv", "parquet"):
        found.save(tmp_path / f"out.{form}")
    assert "NaN" not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_answers_that_hold_as_a_whole_are_counted_where_that_is_known(tmp_path: Path) -> None:
    rows = [
        {"answer_id": "a", "answer": "One. Two.", "context": ["1"], "goal": "G.", "steps": ["S."]},
        {"answer_id": "b", "answer": "One. Bad.", "context": ["2"], "goal": "H.", "steps": ["S."]},
        {"answer_id": "c", "answer": "No idea.", "context": ["3"], "goal": "I.", "steps": ["S."]},
    ]
    spec = script(tmp_path, {"Bad.": "idk", "H.": "no", "I.": "Hmm."}, otherwise="yes")
    found = evaluated(tmp_path, rows, ["groundedness", "goal_achievement", "faithfulness"], spec)
    grounded, achieved, faithful = (account.whole for account in found.summary.metrics)
    assert grounded is not None and achieved is not None and faithful is None
    assert (grounded.value, grounded.n, achieved.value, achieved.n) == (0.5, 2, 0.5, 2)
    told = [
        line for lang in ("en", "zh") for a in found.summary.metrics[:2] for line in beside(a, lang)
    ]  # type: ignore[arg-type]
    for text in (
        "can be traced in 50% (",
        "is achieved in 50% (",
        "找到出处的占 50%（",
        "达成的占 50%（",
    ):
        assert any(text in line for line in told), text


def test_support_by_an_empty_context_is_told_as_the_judges_mistake(tmp_path: Path) -> None:
    rows = [
        {"answer_id": "none", "context": [], "claims": ["One.", "Two."]},
        {"answer_id": "some", "context": ["One."], "claims": ["One."]},
    ]
    spec = script(tmp_path, {"Two.": "idk"}, otherwise="yes")
    found = evaluated(tmp_path, rows, ["faithfulness"], spec)
    (warning,) = found.summary.metrics[0].warnings
    assert "1 of 2 units in rows without a passage" in warning.en
    assert "共有 2 个单元，其中 1 个" in warning.zh
    honest = script(tmp_path, {"One.": "idk", "Two.": "no"}, otherwise="idk")
    other = evaluate(rows, ["faithfulness"], judge=honest, store=tmp_path / "other.sqlite")
    assert other.summary.metrics[0].warnings == ()


def test_two_rows_of_one_text_are_asked_once(tmp_path: Path) -> None:
    twice = [ROWS[0], {**ROWS[0], "answer_id": "copy"}]
    found = evaluated(tmp_path, twice, ["faithfulness"], judge(tmp_path))
    assert found.summary.calls.needed == 2
    assert found.scores("faithfulness") == {"en": 1.0, "copy": 1.0}


def test_output_can_be_evaluated_again(tmp_path: Path) -> None:
    spec = judge(tmp_path)
    first = evaluated(tmp_path, ROWS, ["faithfulness"], spec)
    again = evaluated(tmp_path, first.records, ["faithfulness"], spec)
    assert again.scores("faithfulness") == first.scores("faithfulness")
    assert again.summary.calls.sent == 0


def test_texts_like_formulas_come_back_from_csv_as_they_were(tmp_path: Path) -> None:
    row = {
        **ROWS[0],
        "question": "=1+1 is what?",
        "answer": "- It has five members.",
        "team": "'=x",
    }
    spec = judge(tmp_path)
    first = evaluated(tmp_path, [row, ROWS[1]], ["groundedness"], spec)
    path = first.save(tmp_path / "out.csv")
    assert "\n=" not in path.read_text(encoding="utf-8-sig").replace(",", "\n")
    again = evaluate(str(path), ["groundedness"], judge=spec, store=tmp_path / "replies.sqlite")
    assert again.summary.calls.sent == 0
    names = ("question", "answer", "team")
    assert [again.rows[0].fields[name] for name in names] == [row[name] for name in names]


def test_a_server_without_probabilities_changes_no_key_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge learns from its first reply that there are none; later plans keep the first keys."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    row = {"answer_id": "a", "context": ["x"], "claims": ["One.", "Two."]}
    with serve(chat("yes")) as server:
        found = evaluate(
            [row], ["faithfulness"], judge="openai/m", api_base=server.url, store=tmp_path / "s"
        )
    assert found.scores("faithfulness") == {"a": 1.0}


VECTORS = {"Five.": [1.0, 0.0], "5 members.": [0.6, 0.8]}


def embedded(call: ServerCall) -> Answer:
    """The vector of the one text that is asked about."""
    text = call.body["input"]
    vector = VECTORS[text if isinstance(text, str) else text[0]]
    body = {"object": "list", "model": "m", "data": [{"index": 0, "embedding": vector}]}
    return raw(json.dumps(body | {"usage": {"prompt_tokens": 2, "total_tokens": 2}}).encode())


def test_vectors_are_in_the_account_and_keep_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    row = {"answer_id": "a", "answer": "Five.", "reference": "5 members."}
    given: dict[str, Any] = {"embedding": "openai/m", "store": tmp_path / "s.sqlite"}
    with serve(embedded) as server:
        given["embedding_api_base"] = server.url
        short = evaluate([row], ["answer_similarity"], budget=Budget(calls=1), **given)
        rest = evaluate([row], ["answer_similarity"], **given)
    assert (short.summary.calls.sent, short.summary.calls.stopped) == (1, "budget")
    told = short.of("a", "answer_similarity")
    assert (told.score, told.reason) == (None, "no vector yet: the run stopped early")
    assert (rest.summary.calls.stored, rest.summary.calls.sent) == (1, 1)
    assert rest.scores("answer_similarity") == {"a": pytest.approx(0.6)}


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_correctness_takes_a_share_of_similarity_as_ragas_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_a_loop: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    row = {"answer_id": "a", "answer": "Five.", "reference": "5 members.", "question": "How many?"}
    row |= {"claims": ["Five."], "statements": ["5 members.", "It is free."]}  # type: ignore[dict-item]
    spec = script(tmp_path, {"Five.": "yes", "5 members.": "yes", "It is free.": "idk"})
    with serve(embedded) as server:
        computed = ComputeSettings(
            embedding="openai/m", embedding_api_base=server.url, similarity_weight=0.25
        )
        given: dict[str, Any] = {"judge": spec, "store": tmp_path / "s", "computed": computed}
        metrics = ["answer_correctness", "answer_similarity"]
        found = (
            asyncio.run(evaluate_async([row], metrics, **given))
            if in_a_loop
            else evaluate([row], metrics, **given)
        )
    told = found.of("a", "answer_correctness")
    # F1 is 1 / (1 + 1/2); the cosine of the two vectors is 0.6.
    assert told.score == pytest.approx(0.75 * 2 / 3 + 0.25 * 0.6, abs=1e-6)
    assert told.policy == "0.75 F1 + 0.25 similarity"
    assert found.scores("answer_similarity") == {"a": pytest.approx(0.6)}

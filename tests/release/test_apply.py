"""A release applied to answers: scores, what they rest on, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest

import metajudge
from metajudge.errors import InputError, MetajudgeError
from metajudge.release.bundle import Release
from metajudge.release.evidence import read_evidence
from metajudge.runner.limits import Budget
from metajudge.runner.recording import export_recording
from metajudge.runner.store import Store
from metajudge.templates.extract import extract_prompt
from tests.release.applied import answer, changed, made, told, write_judge, write_rows
from tests.release.confirmed import confirmed

OPENS, LENDS, CLOSES, NICE = (
    "Hall A opens at 9.",
    "Hall A lends 20 books.",
    "Hall A closes at 5.",
    "Hall A is nice.",
)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return made(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


def by_id(judged):
    return {row["answer_id"]: row for row in judged.rows}


def test_scores_are_those_of_the_policy_and_the_release_stands_beside_each(release, store):
    rows = [answer("a", OPENS, LENDS, CLOSES, NICE), answer("b", OPENS, team="red")]
    judged = release.judge(rows, store=store)
    assert judged.scores == {"a": 0.5, "b": 1.0}
    for row in judged.rows:
        assert row["release"] == "faithfulness-verdict@1.0.0"
        assert row["release_sha256"] == release.sha256
        assert (row["policy"], row["threshold"]) == ("strict", 0.5)
    first, second = judged.rows
    assert [first[name] for name in ("n_claims", "yes", "no", "idk", "failures")] == [4, 2, 1, 1, 0]
    assert [claim["verdict"] for claim in first["verdicts"]] == ["yes", "yes", "no", "idk"]
    assert second["team"] == "red"
    assert first["team"] is None
    assert judged.summary.pass_rate.value == 1.0
    assert judged.summary.mean_score.value == 0.75
    assert repr(judged) == "Judged(faithfulness-verdict@1.0.0, 2 of 2 answers, mean 0.75)"
    assert repr(release).startswith("Release(faithfulness-verdict@1.0.0, strict, ")


def test_recorded_replies_are_not_asked_for_again(release, store, tmp_path):
    rows = [answer("a", OPENS, LENDS), answer("b", NICE)]
    first = release.judge(rows, store=store)
    recording = tmp_path / "replies.jsonl.gz"
    with sqlite3.connect(store) as table:
        keys = [key for (key,) in table.execute("select key from replies")]
    with Store(store) as replies:
        assert export_recording(replies, recording, keys) == len(keys) > 0
    again = release.judge(
        rows, store=tmp_path / "other.sqlite", recordings=[recording], budget=Budget(calls=1)
    )
    assert again.rows == first.rows
    assert again.summary.calls.sent == 0


@pytest.mark.parametrize(
    ("policy", "score"), [("lenient", 0.75), ("strict", 0.5), ("partial(0.5)", 0.625)]
)
def test_b28_the_policy_decides_what_idk_is_worth_without_another_call(
    tmp_path, store, policy, score
):
    made(tmp_path)
    spec = f"scripted:{tmp_path / 'script.yaml'}"
    rows = [answer("a", OPENS, LENDS, CLOSES, NICE)]
    changed(tmp_path, spec).judge(rows, store=store)
    judged = changed(tmp_path, spec, policy=policy).judge(rows, store=store)
    assert judged.scores == {"a": score}
    assert judged.rows[0]["policy"] == judged.summary.policy == policy
    assert judged.summary.calls.sent == 0


def test_b29_the_points_that_claims_cost_add_up_to_the_score(release, store):
    (row,) = release.judge([answer("a", OPENS, CLOSES, NICE)], store=store).rows
    lost = [claim["lost_points"] for claim in row["verdicts"]]
    assert row["score"] == pytest.approx(1 - sum(lost) / len(lost), abs=1e-6)
    assert lost == [0.0, 1.0, 1.0]


def test_b07_b21_a_failure_is_counted_never_credited_and_never_dropped(release, store):
    rows = [answer("a", OPENS, "Hall A mumbles."), answer("b", "Hall A mumbles.")]
    judged = release.judge(rows, store=store)
    first, second = judged.rows
    assert (first["score"], first["failures"]) == (0.5, 1)
    assert first["verdicts"][1]["verdict"] is None
    assert first["verdicts"][1]["failure"] == "unparsable"
    assert first["verdicts"][1]["failure_detail"]
    assert (second["score"], second["reason"], second["passed"]) == (None, "no verdicts", None)
    summary = judged.summary
    assert summary.claims == 3
    assert summary.failures == {"unparsable": 2}
    assert summary.verdicts == {"yes": 1, "no": 0, "idk": 0, "failure": 2}
    assert summary.support.raw.value == pytest.approx(1 / 3, abs=1e-6)
    assert summary.coverage.value == pytest.approx(1 / 3, abs=1e-6)
    assert summary.unscored == {"no verdicts": 1}


def test_b30_b31_no_claims_is_null_with_its_reason_and_asks_nothing(release, store):
    rows = [answer("a"), told("", "b"), told("I don't know.", "c"), told("抱歉，我无法回答。", "d")]
    judged = release.judge(rows, store=store)
    assert set(judged.scores.values()) == {None}
    assert {row["reason"] for row in judged.rows} == {"no claims"}
    assert judged.summary.calls.needed == 0
    assert judged.summary.mean_score.value is None
    assert judged.summary.support.raw.reason == "no claim was asked"
    assert "nan" not in judged.summary.model_dump_json().casefold().replace("finance", "")


def test_claims_are_extracted_where_there_are_none_with_template_and_fingerprint(release, store):
    judged = release.judge([told("The whole story."), told("甲馆九点开放。", "z")], store=store)
    first, second = judged.rows
    assert [claim["claim"] for claim in first["verdicts"]] == [OPENS, CLOSES, "It is nice."]
    assert [claim["claim_id"] for claim in first["verdicts"]] == ["a#1", "a#2", "a#3"]
    assert first["score"] == pytest.approx(1 / 3, abs=1e-6)
    assert first["extraction_template"] == "extract@1.0.0/en"
    assert first["extraction_sha256"] == extract_prompt("en").fingerprint
    assert second["extraction_template"] == "extract@1.0.0/zh"
    assert second["score"] == 0.5
    assert judged.summary.extraction is not None
    assert set(judged.summary.extraction.templates) == {"extract@1.0.0/en", "extract@1.0.0/zh"}


@pytest.mark.parametrize(
    ("text", "failure"), [("endless", "truncated"), ("void", "empty"), ("a sorry state", "refused")]
)
def test_b23_an_answer_whose_claims_are_unknown_has_no_score_and_is_counted(
    release, store, text, failure
):
    judged = release.judge([told(text), answer("b", OPENS)], store=store)
    row = judged.rows[0]
    assert (row["score"], row["passed"], row["n_claims"]) == (None, None, None)
    assert row["reason"] == f"extraction failed: {failure}"
    assert row["extraction_detail"]
    assert judged.summary.answers == 2
    assert judged.summary.extraction is not None
    assert judged.summary.extraction.failures == {failure: 1}
    assert judged.summary.unscored == {f"extraction failed: {failure}": 1}


def test_an_extraction_that_finds_nothing_is_no_failure(release, store):
    (row,) = release.judge([told("nothing here to see")], store=store).rows
    assert (row["score"], row["reason"], row["n_claims"]) == (None, "no claims", 0)


def test_draws_of_extraction_show_what_it_does_to_the_score(tmp_path, store):
    lists = ["- Hall A opens at 9.\n- Hall A closes at 5.", "- Hall A opens at 9."]
    path = tmp_path / "two.yaml"
    rules = "\n".join(
        f"  - {{match: '{match}', reply: '{reply}'}}"
        for match, reply in (("Claim: .*opens", "yes"), ("Claim: ", "no"))
    )
    replies = json.dumps(lists)
    path.write_text(f"name: two\nrules:\n{rules}\nreplies: {replies}\n", encoding="utf-8")
    made(tmp_path)
    release = changed(tmp_path, f"scripted:{path}", max_in_flight=1)
    rows = [told(f"It opens, number {i}.", f"a{i}", context_id=f"x{i}") for i in range(6)]
    judged = release.judge(rows, store=store, extraction_repeats=2)
    assert judged.summary.extraction is not None
    spread = judged.summary.extraction.spread
    assert spread is not None
    assert spread.score_range.value == 0.5
    assert spread.largest_range == 0.5
    assert spread.recurrence.value == pytest.approx(2 / 3, abs=1e-6)
    row = judged.rows[0]
    assert (row["extraction_draws"], row["extraction_failed_draws"]) == (2, 0)
    assert (row["extraction_score_low"], row["extraction_score_high"]) == (0.5, 1.0)
    assert row["score"] == 0.5, "the first draw gives the score"


def test_fixed_claims_take_extraction_out(release, store):
    with pytest.raises(InputError, match="claims are fixed"):
        release.judge([told("The whole story.")], store=store, claims="fixed")
    judged = release.judge([answer("a", OPENS)], store=store, claims="fixed")
    assert judged.summary.extraction is None
    assert judged.rows[0]["claims_from"] == "given"


def test_claims_can_be_extracted_anew_where_they_are_given(release, store):
    judged = release.judge(
        [answer("a", NICE, answer="The whole story.")], store=store, claims="extract"
    )
    assert judged.rows[0]["n_claims"] == 3
    assert judged.rows[0]["claims_from"] == "extracted"


def test_repeats_are_draws_and_the_score_is_their_mean(tmp_path, store):
    path = tmp_path / "turns.yaml"
    path.write_text('name: turns\nreplies: ["yes", "no"]\n', encoding="utf-8")
    made(tmp_path)
    release = changed(tmp_path, f"scripted:{path}", max_in_flight=1)
    (row,) = release.judge([answer("a", OPENS)], store=store, repeats=2).rows
    assert (row["score"], row["yes"], row["no"], row["draws"]) == (0.5, 1, 1, 2)
    assert row["verdicts"][0]["verdict_draws"] == ["yes", "no"]
    assert row["verdicts"][0]["lost_points"] == 0.5
    assert row["repeat_sd"] == pytest.approx(0.707107)


def test_input_order_is_kept_and_own_fields_come_back(release, store):
    rows = [answer(f"a{i}", OPENS if i % 2 else CLOSES, n=i, score="mine") for i in range(20)]
    judged = release.judge(rows[::-1], store=store)
    assert [row["n"] for row in judged.rows] == list(range(20))[::-1]
    assert [row["score"] for row in judged.rows] == [float(i % 2) for i in range(20)][::-1]
    assert {row["input_score"] for row in judged.rows} == {"mine"}


def test_b52_b71_the_same_again_asks_nothing_and_gives_the_same(release, store):
    rows = [answer("a", OPENS, NICE), told("The whole story.", "b")]
    first = release.judge(rows, store=store)
    again = release.judge(rows, store=store)
    assert again.rows == first.rows
    assert first.summary.calls.sent == first.summary.calls.needed > 0
    assert (again.summary.calls.sent, again.summary.calls.stored) == (0, first.summary.calls.needed)


def test_b72_a_spent_budget_leaves_answers_open_and_the_next_run_goes_on(release, store):
    rows = [answer(f"a{i}", f"Hall A opens at {i}.") for i in range(6)]
    stopped = release.judge(rows, store=store, budget=Budget(calls=2))
    assert stopped.summary.calls.stopped == "budget"
    assert stopped.summary.scored == 2
    assert stopped.summary.unscored == {"not judged yet: the run stopped early": 4}
    assert stopped.summary.claims == 2, "figures are about what was judged to the end"
    assert stopped.summary.mean_score.value == 1.0
    whole = release.judge(rows, store=store)
    assert whole.summary.calls.sent == 4
    assert set(whole.scores.values()) == {1.0}


def test_a_budget_spent_on_extraction_leaves_the_rest_open(release, store):
    rows = [told("The whole story.", f"a{i}", question=f"Number {i}?") for i in range(3)]
    stopped = release.judge([*rows, answer("b", OPENS)], store=store, budget=Budget(calls=2))
    assert stopped.summary.calls.message == "the budget (2 calls) is spent. Run again to go on."
    assert stopped.summary.calls.stopped == "budget"
    assert set(stopped.scores.values()) == {None}
    assert stopped.summary.unscored == {"not judged yet: the run stopped early": 4}
    assert release.judge(rows, store=store).summary.scored == 3


def test_what_extraction_left_of_a_budget_is_not_named_as_the_budget(release, store):
    rows = [told("The whole story."), answer("b", OPENS)]
    stopped = release.judge(rows, store=store, budget=Budget(calls=1))
    assert stopped.summary.calls.message == "the budget (1 calls) is spent. Run again to go on."


def test_another_judge_is_said_loudly_and_nothing_is_corrected(release, store, tmp_path):
    other = write_judge(tmp_path, name="other")
    judged = release.judge([answer("a", OPENS)], store=store, judge=other)
    assert not judged.summary.judge.is_pinned
    assert judged.summary.judge.spec == other
    assert any("model: pinned 'scripted:script'" in d for d in judged.summary.judge.differences)
    assert judged.rows[0]["judge_is_pinned"] is False
    assert judged.rows[0]["judge"] == other
    assert "not the one" in (judged.summary.support.corrected.reason or "")


def test_a_judge_that_changed_under_its_name_is_found(release, store, tmp_path):
    write_judge(tmp_path, [("Claim: new", "no")])
    judged = release.judge([answer("a", OPENS)], store=store)
    assert not judged.summary.judge.is_pinned
    assert [d.split(":")[0] for d in judged.summary.judge.differences] == ["backend_version"]


def test_naming_the_pinned_judge_changes_nothing(release, store, tmp_path):
    spec = f"scripted:{tmp_path / 'script.yaml'}"
    assert release.judge([answer("a", OPENS)], store=store, judge=spec).summary.judge.is_pinned


def test_a_threshold_of_one_s_own_is_used_and_told(release, store):
    judged = release.judge([answer("a", OPENS, NICE)], store=store, threshold=0.6)
    assert judged.rows[0]["passed"] is False
    assert judged.rows[0]["threshold"] == 0.6
    assert "the threshold is 0.6, the release's 0.5" in judged.summary.notes


def test_answers_in_a_language_without_a_template_are_told(release, store):
    judged = release.judge([answer("a", "甲馆九点开放。")], store=store)
    assert judged.scores == {"a": 1.0}
    assert any("no template in zh" in note for note in judged.summary.notes)


def test_settings_that_mean_nothing_are_refused_together(release):
    with pytest.raises(InputError) as caught:
        release.judge([], threshold=2, repeats=0, claims="some", api_base="http://x/v1")
    assert {problem.field for problem in caught.value.problems} == {
        "threshold",
        "repeats",
        "claims",
        "api_base",
    }


async def test_b51_inside_a_loop_the_async_twin_is_named_and_gives_the_same(release, store):
    rows = [answer("a", OPENS, NICE), told("The whole story.", "b")]
    with pytest.raises(MetajudgeError, match="judge_async"):
        release.judge(rows, store=store)
    judged = await release.judge_async(rows, store=store)
    assert judged.scores == {"a": 0.5, "b": 0.333333}


async def test_many_at_once_in_one_loop_keep_to_themselves(release, tmp_path):
    """B80: two runs in one process do not mix."""
    import asyncio

    first, second = await asyncio.gather(
        release.judge_async([answer("a", OPENS)], store=tmp_path / "1.sqlite"),
        release.judge_async([answer("a", CLOSES)], store=tmp_path / "2.sqlite"),
    )
    assert (first.scores, second.scores) == ({"a": 1.0}, {"a": 0.0})


def test_load_release_finds_it_in_a_registry(release, store, tmp_path):
    found = metajudge.load_release("faithfulness-verdict@1", tmp_path / "registry")
    assert found.judge([answer("a", OPENS)], store=store).scores == {"a": 1.0}
    assert metajudge.load_release(release.folder).ref == release.ref


def test_as_tables(release, store):
    rows = [answer("a", OPENS, tags=["x", 1], n=1), answer("b", n="two")]
    judged = release.judge(rows, store=store)
    frame = judged.to_pandas()
    assert list(frame["answer_id"]) == ["a", "b"]
    table = judged.to_dataset()
    assert table["n"][:] == ["1", '"two"'], "a field of mixed types is JSON"
    assert table[0]["verdicts"][0]["verdict"] == "yes"
    assert table[0]["tags"] == '["x", 1]'


def test_every_form_of_file_holds_every_answer(release, store, tmp_path):
    from datasets import Dataset, load_from_disk

    rows = [answer("=a", OPENS, NICE, note="+1"), answer("b"), answer("c", "Hall A mumbles.")]
    judged = release.judge(rows, store=store)
    for name in ("o.jsonl", "o.json", "o.csv", "o.parquet", "o"):
        judged.save(tmp_path / name)
        judged.save(tmp_path / name)
    lines = (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == list(judged.rows)
    assert json.loads((tmp_path / "o.json").read_text(encoding="utf-8")) == list(judged.rows)
    sheet = (tmp_path / "o.csv").read_bytes().decode("utf-8-sig")
    cells = list(csv.DictReader(io.StringIO(sheet)))
    assert [row["answer_id"] for row in cells] == ["'=a", "b", "c"]
    assert cells[0]["note"] == "'+1"
    assert [row["score"] for row in cells] == ["0.5", "", ""]
    assert [c["verdict"] for c in json.loads(cells[0]["verdicts"])] == ["yes", "idk"]
    parquet = Dataset.from_parquet(str(tmp_path / "o.parquet"), cache_dir=str(tmp_path / "cache"))
    for table in (parquet, load_from_disk(str(tmp_path / "o"))):
        assert table["score"][:] == [0.5, None, None]
        assert table[2]["verdicts"][0]["failure"] == "unparsable"


def test_a_place_that_cannot_be_written_is_named(release, store, tmp_path):
    judged = release.judge([answer("a", OPENS)], store=store)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    for name, law in (("o.xlsx", "are written as"), ("full", "new, empty, or")):
        with pytest.raises(InputError, match=law):
            judged.save(tmp_path / name)
    assert (tmp_path / "full" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_b117_b118_chinese_stays_chinese_in_every_text_file(release, store, tmp_path):
    judged = release.judge([answer("甲", "甲馆九点开放。")], store=store)
    for name in ("o.jsonl", "o.csv"):
        judged.save(tmp_path / name)
        assert "甲馆九点开放。" in (tmp_path / name).read_text(encoding="utf-8-sig")


def test_paths_are_taken_as_files_are(release, store, tmp_path):
    path = write_rows(tmp_path / "answers.jsonl", [answer("a", OPENS)])
    assert release.judge(path, store=store).scores == {"a": 1.0}
    assert release.judge(str(path), store=store).scores == {"a": 1.0}


def test_an_empty_context_is_judged_and_not_refused(release, store):
    row = {"answer_id": "a", "context": [], "claims": [NICE]}
    assert release.judge([row], store=store).scores == {"a": 0.0}


def test_the_support_rate_is_corrected_by_the_errors_of_the_release_s_gold(tmp_path, store):
    release = confirmed(tmp_path).release().release
    rows = [
        {
            "answer_id": f"a{i}",
            "context": [f"Hall en{i} opens at 9."],
            "claims": [f"Hall en{i} opens at 9.", f"Hall en{i} opens at 93.", "Tea is sold."],
        }
        for i in range(40)
    ]
    support = release.judge(rows, store=store).summary.support
    assert support.raw.value == pytest.approx(1 / 3, abs=1e-6)
    assert support.corrected.value is not None
    assert support.corrected.low <= support.corrected.value <= support.corrected.high
    evidence = read_evidence(release.folder).recomputed
    assert support.labelled == evidence.dev.claims + evidence.test.claims
    assert support.labelled_clusters == evidence.dev.contexts + evidence.test.contexts

"""A release applied to answers: scores, what they rest on, and what goes wrong."""

from __future__ import annotations

import pytest

import metajudge
from metajudge.errors import InputError, MetajudgeError
from metajudge.release.evidence import read_evidence
from tests.release.applied import CLOSES, LENDS, NICE, OPENS, answer, changed, made, told
from tests.release.confirmed import confirmed


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

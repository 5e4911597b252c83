"""Results and test cases in the form of promptfoo, written for these tests."""

from typing import Any

CONTEXT = "Trams stop at midnight."
LABELS = {"pass": "supported", "fail": "unsupported"}


def human(passed: bool | None, comment: str | None = None) -> dict[str, Any]:
    return {
        "pass": passed,
        "score": 1 if passed else 0,
        "reason": "Manual result (overrides all other grading results)",
        "comment": comment,
        "assertion": {"type": "human"},
    }


def machine(kind: str, passed: bool = True) -> dict[str, Any]:
    return {"pass": passed, "score": 1, "reason": "ok", "assertion": {"type": kind}}


def output(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "r1",
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"vars": {}, "assert": [{"type": "context-faithfulness"}]},
        "vars": {"query": "Until when?", "context": [CONTEXT]},
        "provider": {"id": "tiny:2", "label": ""},
        "response": {"output": "末班车到半夜。", "tokenUsage": {}},
        "gradingResult": {
            "pass": True,
            "score": 1,
            "componentResults": list(parts),
            "comment": "同意",
        },
        "success": True,
    } | more


def export(*rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "results": list(rows), "prompts": []},
        "config": {"env": {"API_KEY": "secret"}, "tests": []},
        "shareableUrl": None,
    }


def test_the_rating_of_a_person_means_what_the_label_map_says(imported, saved):
    path = saved(export(output(human(True)), output(human(False), id="r2")))
    read = imported("promptfoo", path)
    assert [(out.reason, out.what) for out in read.left] == [
        ("unknown_label", "pass"),
        ("unknown_label", "fail"),
    ]
    read = imported("promptfoo", path, None, LABELS)
    assert read.labels == ["supported", "unsupported"]
    claim = read.claims[0]
    assert (claim.claim_id, claim.claim, claim.passages) == ("r1", "末班车到半夜。", (CONTEXT,))
    assert (claim.question, claim.generator) == ("Until when?", "tiny:2")
    assert (read.votes(), claim.annotations[0].note) == ({"unnamed": "supported"}, "同意")
    assert claim.where.endswith("result 1")
    assert "secret" not in repr(read.rows)


def test_the_last_rating_counts_and_its_own_comment(imported, saved):
    path = saved([output(human(True), human(False, "改判"))], "out.jsonl")
    read = imported("promptfoo", path, None, LABELS)
    assert (read.labels, read.reasons) == (["unsupported"], ["superseded"])
    assert read.claims[0].annotations[0].note == "改判"
    assert read.claims[0].line == 1


def test_a_rating_that_is_the_whole_grading(imported, saved):
    grading = human(True)
    read = imported("promptfoo", saved([output(gradingResult=grading)], "o.jsonl"), None, LABELS)
    assert read.labels == ["supported"]


def test_b92_graded_by_models_and_programs_is_never_gold(imported, saved):
    path = saved(export(output(machine("context-faithfulness"), machine("equals"))))
    read = imported("promptfoo", path, None, LABELS)
    assert [(out.reason, out.detail) for out in read.left] == [
        ("model_made", "graded by context-faithfulness, equals")
    ]
    assert (read.labels, read.claims[0].unlabelled) == ([None], "model_made")


def test_test_cases_with_a_claim_state_its_label(imported, saved):
    tests = [
        {"vars": {"claim": "有轨电车半夜停。", "context": CONTEXT, "label": "yes"}, "assert": []},
        {"vars": {"claim": "B.", "context": CONTEXT}, "metadata": {"label": "no"}},
        {"vars": {"claim": "C.", "context": CONTEXT, "gold": "支持"}},
    ]
    assert imported("promptfoo", saved(tests)).labels == ["yes", "no", None]
    read = imported("promptfoo", saved({"tests": tests}), {"label": "vars.gold"}, {"支持": "yes"})
    assert read.labels == [None, None, "yes"]


def test_outputs_about_a_claim_are_judgements_and_no_claims(imported, saved):
    held = {"claim": "电车半夜停。", "context": CONTEXT, "label": "yes"}
    rows = [output(human(False), vars=held), output(human(True), vars=held, id="r2")]
    read = imported("promptfoo", saved(export(*rows)), None, LABELS)
    assert (read.labels, read.reasons) == (["yes"], ["no_claim", "duplicate"])
    read = imported("promptfoo", saved(export(*rows)), {"claim": "response.output"}, LABELS)
    assert read.labels == ["unsupported", "supported"]


def test_results_without_an_output_or_a_context(imported, saved):
    rows = [output(response=None), output(vars={"query": "?"})]
    read = imported("promptfoo", saved(export(*rows)))
    assert read.reasons == ["missing_text", "missing_context"]


def test_a_table_alone_is_a_fault(imported, saved):
    read = imported("promptfoo", saved({"results": {"table": {"body": []}}}))
    assert (read.rows, len(read.problems)) == ([], 1)
    assert "results.results" in str(read.problems[0])


def test_b88_odd_texts_stay_as_they_are(imported, saved):
    odd = 'Trams, "late",\nor\tnever，半夜。'
    path = saved([output(human(True), response={"output": odd})], "o.jsonl")
    assert imported("promptfoo", path).claims[0].claim == odd


def test_people_named_in_the_metadata(imported, saved):
    path = saved([output(human(True), metadata={"reviewer": "陈"})], "o.jsonl")
    read = imported("promptfoo", path, {"annotator": "metadata.reviewer"}, LABELS)
    assert read.votes() == {"陈": "supported"}

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from metajudge.experiment import Experiment
from metajudge.runner.trial import CONTENT_FREE, Plan, reads_probabilities
from metajudge.templates import AnswerForm, catalogue, changed
from tests.experiment.folder import declare, halls, write_gold, write_script

LIKELY = {"text": "yes", "first_token": {"yes": -0.1, "no": -3.0}}


def two_languages(folder: Path, **fields: object) -> Experiment:
    english, contexts = halls(3)
    chinese, more = halls(2, "zh")
    mixed = [claim for pair in zip(english, chinese + english, strict=False) for claim in pair]
    write_gold(folder, list({c["claim_id"]: c for c in mixed}.values()), contexts + more)
    return declare(folder, **fields)


def plan_of(declared: Experiment) -> Plan:
    return declared.plan(declared.prepare())


def test_all_calls_about_one_context_are_contiguous(tmp_path: Path) -> None:
    declared = two_languages(
        tmp_path,
        templates=[
            "literal",
            "summary-tolerant",
            "evidence-first",
            {"name": "literal", "labels": "letters", "rotations": "all"},
            {"name": "literal", "layout": "claim_last"},
        ],
        repeats=2,
    )
    plan = plan_of(declared)
    (calls,) = plan.calls.values()
    contexts = [plan.claims[call.claims[0]].context_id for call in calls]
    assert Counter(contexts).keys() == set(contexts)
    assert [name for name, _ in groupby(contexts)] == list(dict.fromkeys(contexts))
    # 7 prompts of 4 claims twice, of which none is cut off from its context.
    assert set(Counter(contexts).values()) == {7 * 4 * 2}
    languages = [name for name, _ in groupby(plan.claims[c.claims[0]].lang for c in calls)]
    assert len(languages) == 2


def test_order_of_declaration_changes_no_call(tmp_path: Path) -> None:
    names = ["literal", "summary-tolerant", "evidence-first"]
    one = plan_of(two_languages(tmp_path, templates=names))
    two = plan_of(two_languages(tmp_path, templates=names[::-1]))
    keys = [[call.key for call in plan.distinct("baseline:ngram")] for plan in (one, two)]
    assert keys[0] == keys[1]


def test_prior_calls_are_planned_once_a_template(tmp_path: Path) -> None:
    spec = write_script(tmp_path, [], LIKELY)
    declared = two_languages(
        tmp_path,
        judges=[spec],
        templates=["literal", "evidence-first", {"name": "literal", "labels": "letters"}],
        readings=["top", "prior_corrected"],
        repeats=3,
    )
    priors = [p for p in plan_of(declared).calls[spec] if not p.claims]
    # literal and literal · letters in two languages; evidence-first has no label at its first token
    assert len(priors) == 2 * 2 * len(CONTENT_FREE)
    assert len({p.call.key for p in priors}) == len(priors)
    assert {p.repeat for p in priors} == {0}


def test_no_prior_calls_where_none_are_read(tmp_path: Path) -> None:
    spec = write_script(tmp_path, [], LIKELY)
    top = two_languages(tmp_path, judges=[spec], readings=["top", "batch_corrected"])
    assert all(p.claims for p in plan_of(top).calls[spec])
    text_only = two_languages(tmp_path, readings=["prior_corrected"])
    assert all(p.claims for p in plan_of(text_only).calls["baseline:ngram"])


def test_templates_that_ask_alike_share_their_calls(tmp_path: Path) -> None:
    own = tmp_path / "same.yaml"
    literal = catalogue()["literal"].by_language["en"]
    shipped = files("metajudge.templates") / "catalogue" / "literal.en.yaml"
    own.write_text(shipped.read_text(encoding="utf-8").replace("name: literal", "name: same"))
    plan = plan_of(declare(tmp_path, templates=["literal", "same.yaml"]))
    assert len(plan.calls["baseline:ngram"]) == 2 * len(plan.distinct("baseline:ngram"))
    assert {p.source.fingerprint for p in plan.calls["baseline:ngram"]} == {literal.fingerprint}


def test_repeats_are_calls_of_their_own(tmp_path: Path) -> None:
    plan = plan_of(declare(tmp_path, repeats=3))
    calls = plan.calls["baseline:ngram"]
    assert len(plan.distinct("baseline:ngram")) == len(calls) == 3 * len(plan.claims)
    assert Counter(p.repeat for p in calls) == dict.fromkeys(range(3), len(plan.claims))


def test_a_batch_holds_claims_of_one_context_language_and_question(tmp_path: Path) -> None:
    claims, contexts = halls(2)
    claims[1]["question"] = "And lending?"
    write_gold(tmp_path, claims, contexts)
    batch = {"name": "literal", "answer": {"form": "label_only", "json": True}}
    plan = plan_of(declare(tmp_path, templates=[{**batch, "claims_per_call": 3}]))
    chunks = sorted(p.claims for p in plan.calls["baseline:ngram"])
    assert chunks == [(0, 2, 3), (1,), (4, 5, 6), (7,)]
    for planned in plan.calls["baseline:ngram"]:
        shown = planned.call.request.messages[1].content
        for number, index in enumerate(planned.claims, 1):
            assert f"{number}. {plan.claims[index].claim}" in shown


def test_label_tokens_and_logprobs_are_asked_for_where_they_are_read(tmp_path: Path) -> None:
    spec = write_script(tmp_path, [], LIKELY)
    declared = declare(tmp_path, judges=[spec], templates=["literal", "evidence-first"])
    wants = {
        p.source.family: (p.call.request.top_logprobs, p.call.request.max_tokens)
        for p in plan_of(declared).calls[spec]
    }
    by_name = {n: w.by_language["en"].max_tokens for n, w in catalogue().items()}
    assert wants == {
        "literal": (20, by_name["literal"]),
        "evidence-first": (0, by_name["evidence-first"]),
    }


def test_probabilities_are_read_at_the_first_token_of_a_lone_label_only() -> None:
    literal = catalogue()["literal"].by_language["en"]
    axes = {
        ("label_only", False): True,
        ("label_only", True): False,
        ("label_first", False): False,
        ("reason_first", False): False,
    }
    for (form, as_json), expected in axes.items():
        answer = AnswerForm.model_validate({"form": form, "json": as_json})
        template = changed(literal, "t", answer=answer)  # type: ignore[arg-type]
        assert reads_probabilities(template) is expected

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.experiment import Experiment, SweepOutcome
from metajudge.report.results_file import read_results, write_results
from metajudge.runner.progress import Silent
from tests.experiment.folder import (
    CAREFUL,
    bare,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)
from tests.loopback import ServerCall, chat, serve


def sweep(declared: Experiment, **options: Any) -> SweepOutcome:
    return declared.sweep(store=declared.path.parent / "store.sqlite", **options)


def asked(outcome: SweepOutcome) -> int:
    """Calls that went to the judge in this run."""
    return outcome.results.calls.answered


def test_a_newcomer_adds_one_yaml_file_and_sees_it_in_the_ranking(tmp_path: Path) -> None:
    spec = write_script(tmp_path, CAREFUL)
    declared = declare(tmp_path, judges=[spec], templates=["literal", "templates/*.yaml"])
    before = sweep(declared)
    assert [row.trial for row in before.ranking] == ["literal"]
    assert before.results.trials[0].figures["summary_as_idk"].value == 1

    write_template(tmp_path, "mine", rule="MIND the gist:")
    after = sweep(declared)
    assert [(row.trial, row.rank, row.safe) for row in after.ranking] == [
        ("mine", 1, True),
        ("literal", 2, True),
    ]
    assert (after.results.decision.winner, after.results.decision.ties) == ("mine", ())
    assert "First choice: mine (top), summary-as-idk 0.00" in after.results.decision.sentence
    assert asked(after) == 24
    mine, literal = after.results.trials[1], after.results.trials[0]
    assert mine.figures["accuracy"].value == 1
    assert literal.policies[1].policy == "strict"
    assert literal.policies[1].bias.value == pytest.approx(-0.25)
    assert mine.policies[1].bias.value == 0


def test_the_ngram_baseline_needs_no_model(tmp_path: Path) -> None:
    write_template(tmp_path, "mine", labels="letters")
    outcome = sweep(declare(tmp_path, templates=["literal", "templates/*.yaml"], repeats=2))
    assert {row.trial for row in outcome.ranking} == {"literal", "mine · letters"}
    (one, two) = outcome.results.trials
    assert one.table == two.table
    assert (one.repeats, one.figures["accuracy"].n) == (2, 48)
    assert one.figures["accuracy"].clusters == 6
    assert one.figures["accuracy"].method == "Wilson, effective n"
    assert one.figures["kappa"].method == "cluster bootstrap, bca"
    assert outcome.results.ranking[0].target.method == "Wilson, effective n"


def test_running_again_asks_nothing_and_finds_the_same(tmp_path: Path) -> None:
    declared = declare(tmp_path, templates=["literal", "summary-tolerant"])
    first, again = sweep(declared), sweep(declared)
    assert (asked(first), asked(again)) == (48, 0)
    assert again.results.calls.from_store == again.results.calls.planned == 48
    assert bare(first.results) == bare(again.results)


def test_b71_limit_and_repeats_up_later_only_add_calls(tmp_path: Path) -> None:
    declared = declare(tmp_path)
    assert asked(sweep(declared, limit=5)) == 5
    assert asked(sweep(declared, limit=5)) == 0
    assert asked(sweep(declared)) == 19
    assert asked(sweep(declared.changed(repeats=3))) == 48
    assert asked(sweep(declared.changed(repeats=3))) == 0
    assert asked(sweep(declared.changed(repeats=5))) == 48
    shorter = sweep(declared.changed(repeats=2), limit=7)
    assert asked(shorter) == 0
    assert shorter.results.trials[0].figures["coverage"].n == 14


def test_b66_a_changed_word_asks_anew_and_a_changed_policy_does_not(tmp_path: Path) -> None:
    path = write_template(tmp_path, "mine", rule="in short,")
    declared = declare(tmp_path, templates=["templates/*.yaml"])
    first = sweep(declared)
    assert asked(first) == 24
    other = declared.changed(policies=["partial(0.3)"], readings=["top"], threshold=0.5)
    assert asked(sweep(other)) == 0
    assert [p.policy for p in sweep(other).results.trials[0].policies] == ["partial(0.3)"]
    path.write_text(path.read_text().replace("in short,", "in brief,"))
    second = sweep(declared)
    assert asked(second) == 24
    prints = [o.results.trials[0].templates[0].fingerprint for o in (first, second)]
    assert prints[0] != prints[1]
    path.write_text(path.read_text().replace("version: 1.0.0", "version: 2.0.0\npurpose: Told."))
    assert asked(sweep(declared)) == 0


def test_b69_replies_belong_to_what_was_asked_not_to_a_place(tmp_path: Path) -> None:
    claims, contexts = halls()
    write_gold(tmp_path, claims, contexts)
    declared = declare(tmp_path)
    first = sweep(declared)
    write_gold(tmp_path, claims[::-1], contexts[::-1])
    turned = sweep(declared)
    assert asked(turned) == 0
    assert by_claim(turned) == by_claim(first)
    assert turned.results.trials[0].table == first.results.trials[0].table
    claims[3]["claim"] += " Or coffee."
    write_gold(tmp_path, claims, contexts)
    assert asked(sweep(declared)) == 1
    contexts[2]["passages"].append("Hall en2 is closed in May.")
    write_gold(tmp_path, claims, contexts)
    assert asked(sweep(declared)) == 4


def by_claim(outcome: SweepOutcome) -> dict[str, str]:
    (row,) = outcome.results.verdicts
    ids = [claim.claim_id for claim in outcome.results.claims]
    return dict(zip(ids, row.verdicts, strict=True))


def test_b101_the_same_replies_under_another_label_rule(tmp_path: Path) -> None:
    claims, contexts = halls()
    spec = write_script(tmp_path, CAREFUL)
    write_template(tmp_path, "mine", rule="MIND the gist:")
    fields = {"judges": [spec], "templates": ["literal", "templates/*.yaml"], "target": "kappa"}
    write_gold(tmp_path, claims, contexts)
    permissive = sweep(declare(tmp_path, **fields))
    for claim in claims:
        if claim["slice"] == "summary":
            claim["label"] = "idk"
    write_gold(tmp_path, claims, contexts, labelling_policy={"version": "strict"})
    strict = sweep(declare(tmp_path, **fields))
    assert asked(strict) == 0
    assert permissive.results.decision.winner == "mine"
    assert strict.results.decision.winner == "literal"
    assert permissive.results.gold.policy_version != strict.results.gold.policy_version


SCRIPTS = {
    "en": "The bridge opens in May.",
    "zh": "这座桥五月开放。",
    "ru": "Мост откроется в мае.",
    "ar": "يفتح الجسر في مايو.",
    "hi": "पुल मई में खुलता है।",
}


def test_b119_equal_strings_are_judged_equal_in_five_scripts(tmp_path: Path) -> None:
    claims = [
        {"claim_id": f"c-{lang}", "answer_id": f"a-{lang}", "context_id": f"x-{lang}",
         "claim": text, "label": "yes", "slice": "literal", "lang": lang}
        for lang, text in SCRIPTS.items()
    ]  # fmt: skip
    contexts = [{"context_id": f"x-{lang}", "passages": [t]} for lang, t in SCRIPTS.items()]
    write_gold(tmp_path, claims, contexts)
    declared = declare(tmp_path)
    prepared = declared.prepare()
    for planned in declared.plan(prepared).calls["baseline:ngram"]:
        text = prepared.gold.claims[planned.claims[0]].claim
        assert planned.call.request.messages[1].content.count(text) == 2
    results = sweep(declared).results
    assert {k: g.accuracy.value for k, g in results.trials[0].languages.items()} == dict.fromkeys(
        SCRIPTS, 1
    )
    assert "literal has no hi template: hi claims are judged in en." in results.notes


def answer_by_claim(call: ServerCall) -> Any:
    """A label that depends on the prompt alone."""
    return chat(["yes", "no", "idk"][sum(call.prompt.encode()) % 3])


def test_b42_the_plan_holds_what_the_server_receives(tmp_path: Path) -> None:
    with serve(answer_by_claim) as server:
        judge = {"spec": "openai/m", "api_base": server.url}
        declared = declare(tmp_path, judges=[judge], templates=["literal", "summary-tolerant"])
        outcome = sweep(declared)
        received = sorted(str(call.messages) for call in server.received)
    plan = declared.plan(declared.prepare())
    planned = sorted(
        str([{"role": m.role, "content": m.content} for m in call.request.messages])
        for call in plan.distinct("openai/m")
    )
    assert received == planned
    assert outcome.results.calls.answered == len(planned) == 48


async def test_sweep_async_finds_the_same(tmp_path: Path) -> None:
    declared = declare(tmp_path, templates=["literal", "contradiction-only"])
    awaited = await declared.sweep_async(store=tmp_path / "other.sqlite", observer=Silent())
    assert awaited.results.calls.answered == 48
    again = await declared.sweep_async(store=tmp_path / "other.sqlite")
    assert again.results.calls.answered == 0
    plan = declared.plan(declared.prepare())
    assert plan.claims == awaited.prepared.gold.claims
    assert bare(awaited.results) == bare(again.results)


def test_results_survive_the_file(tmp_path: Path) -> None:
    outcome = sweep(declare(tmp_path, baseline="literal", templates=["literal", "evidence-first"]))
    path = write_results(outcome.results, tmp_path / "results.json")
    assert read_results(path) == outcome.results


def test_to_pandas_has_a_row_a_candidate(tmp_path: Path) -> None:
    outcome = sweep(declare(tmp_path, templates=["literal", "summary-tolerant"]))
    frame = outcome.to_pandas()
    assert list(frame["rank"]) == [row.rank for row in outcome.ranking]
    assert {"kappa", "kappa_low", "kappa_high", "over_credit", "safe"} <= set(frame.columns)
    first = outcome.results.trials[0].figures["kappa"]
    found = frame[frame["trial"] == outcome.results.trials[0].trial].iloc[0]
    assert found["kappa"] == first.value


def test_a_spent_budget_ends_the_sweep_and_keeps_what_is_there(tmp_path: Path) -> None:
    declared = declare(tmp_path, budget={"calls": 10}, judges=["baseline:ngram"])
    stopped = sweep(declared).results
    assert (stopped.calls.stopped, stopped.calls.answered) == ("budget", 10)
    assert stopped.trials[0].failures == {"missing": 14}
    assert stopped.decision.winner is None
    assert asked(sweep(declared.changed(budget={}))) == 14


def test_a_budget_is_shared_by_all_judges(tmp_path: Path) -> None:
    spec = write_script(tmp_path, CAREFUL)
    declared = declare(tmp_path, budget={"calls": 30}, judges=["baseline:ngram", spec])
    results = sweep(declared).results
    assert (results.calls.stopped, results.calls.answered) == ("budget", 30)
    assert results.trials[0].failures == {}
    assert results.trials[1].failures == {"missing": 18}


def test_a_spent_budget_leaves_no_stored_reply_of_a_later_judge_out(tmp_path: Path) -> None:
    spec = write_script(tmp_path, CAREFUL)
    second = {"spec": spec, "name": "b"}
    sweep(declare(tmp_path, judges=[second]))
    (tmp_path / "other.yaml").write_text("name: other\nreplies: [idk]\n", encoding="utf-8")
    judges = ["scripted:other.yaml", second]
    results = sweep(declare(tmp_path, judges=judges, budget={"calls": 5})).results
    assert results.calls.stopped == "budget"
    assert results.calls.from_store == 24
    covered = {row.trial: row.figures["coverage"].value for row in results.trials}
    assert covered["b | literal"] == 1
    assert "19 of 48 calls were not made" in results.decision.sentence


def test_the_message_names_the_budget_as_declared_at_any_judge(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("name: other\nreplies: [idk]\n", encoding="utf-8")
    judges = [write_script(tmp_path, CAREFUL), "scripted:other.yaml"]
    results = sweep(declare(tmp_path, judges=judges, budget={"calls": 24})).results
    assert results.calls.message == "the budget of 24 calls is spent. Run again to go on."


def test_guardrails_that_need_a_baseline_stand_only_beside_one(tmp_path: Path) -> None:
    without, with_one = (
        sweep(declare(tmp_path, baseline=name)).results for name in (None, "literal")
    )
    assert set(without.guardrails) == {"over_credit_upper", "coverage", "kappa_above"}
    assert any("No baseline is named" in note for note in without.notes)
    assert set(with_one.guardrails) >= {"over_credit_above_baseline", "slice_loss"}
    assert not any("No baseline is named" in note for note in with_one.notes)


def test_an_undefined_target_gives_no_winner(tmp_path: Path) -> None:
    claims, contexts = halls()
    kept = [claim for claim in claims if claim["slice"] != "summary"]
    write_gold(tmp_path, kept, contexts)
    spec = write_script(tmp_path, CAREFUL)
    decision = sweep(declare(tmp_path, judges=[spec])).results.decision
    assert decision.winner is None
    assert decision.sentence.startswith("No winner: summary-as-idk is undefined (no claim is")

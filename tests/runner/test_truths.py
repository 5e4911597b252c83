"""The first stage of the context form `truths`, by this project's prompt and by DeepEval's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.judges import open_judge
from metajudge.judges.judge import Request, call_key
from metajudge.runner.store import Store
from metajudge.runner.truths import plan_truths, truths_key
from metajudge.templates import ContextForm, peer_template, truths_prompt
from metajudge.templates.peer_truths import deepeval_truths
from tests.experiment.folder import declare, halls, write_gold, write_script

FACTS = ["The hall opens at 9.", "The hall lends books."]
VERDICTS = {"verdicts": [{"verdict": word} for word in ("yes", "borderline", "no", "yes")]}


@pytest.mark.parametrize("limit", [None, 5])
def test_calls_of_the_forms_without_a_peer_have_the_keys_they_always_had(
    tmp_path: Path, limit: int | None
) -> None:
    claims, contexts = halls(2, "zh")
    english, more = halls(2)
    write_gold(tmp_path, claims + english, contexts + more)
    spec = write_script(tmp_path, [])
    gold = declare(tmp_path, judges=[spec]).prepare().gold
    judge = open_judge(f"scripted:{tmp_path / 'judge.yaml'}")
    form = ContextForm("truths", limit=limit)
    planned = plan_truths([("j", form)], gold, {"j": judge})["j"]
    wanted = {}
    for claim in gold.claims:
        prompt = truths_prompt(claim.lang, limit)
        request = Request(prompt.render(gold.passages(claim)), prompt.max_tokens)
        place = ("j", prompt.fingerprint, claim.context_id)
        assert truths_key("j", form, claim) == place
        wanted[place] = call_key(judge.identity, request)
    assert {entry.key: entry.call.key for entry in planned} == wanted


def test_deepeval_is_measured_as_it_runs_on_facts_of_its_own_prompt(tmp_path: Path) -> None:
    pytest.importorskip("deepeval", reason="needs deepeval")
    claims, contexts = halls(2)
    write_gold(tmp_path, claims, contexts)
    rules = [
        (r"Text:\s+Hall", json.dumps({"truths": FACTS})),
        (r"The hall opens at 9\.\s+The hall lends books\.", json.dumps(VERDICTS)),
    ]
    declared = declare(
        tmp_path,
        judges=[write_script(tmp_path, rules, "what?")],
        templates=["deepeval:faithfulness"],
        context_forms=["truths(deepeval)"],
        policies=["deepeval"],
    )
    outcome = declared.sweep(store=tmp_path / "store.sqlite")
    (trial,) = outcome.results.trials
    assert trial.trial == "deepeval:faithfulness · truths(deepeval)"
    (row,) = outcome.results.verdicts
    assert row.verdicts == ("yes", "idk", "no", "yes") * 2
    assert outcome.results.calls.planned == 4

    prepared = outcome.prepared
    with Store(tmp_path / "store.sqlite") as store:
        study = declared.plan(prepared, store.get_many(outcome.keys))
    (name,) = study.truths
    gold = prepared.gold
    halls_shown = [gold.passages(claim) for claim in gold.claims[::4]]
    extracted = [call.request.messages for call in study.extractions(name)]
    assert extracted == [deepeval_truths().render(passages) for passages in halls_shown]
    texts = [claim.claim for claim in gold.claims]
    verdict = peer_template("deepeval:faithfulness")
    judged = [call.request.messages for call in study.distinct(name)]
    assert judged == [verdict.render(FACTS, texts[:4]), verdict.render(FACTS, texts[4:])]

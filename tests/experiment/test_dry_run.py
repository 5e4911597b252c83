from __future__ import annotations

import json

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment
from metajudge.experiment.dry_run import dry_run
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

CLAIMS = 30


@pytest.fixture
def experiment(tmp_path):
    rows = [
        {
            "claim_id": f"c{i}",
            "answer_id": f"a{i}",
            "claim": f"Door {i} opens at nine.",
            "label": "yes",
            "passages": [f"Door {i} opens at nine."],
            "lang": "en",
        }
        for i in range(CLAIMS)
    ]
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def declare(more="", judges="hosted_vllm/m"):
        judge = f'{{spec: {judges}, api_base: "http://127.0.0.1:9/v1", max_in_flight: 4}}'
        (tmp_path / "e.yaml").write_text(
            f"name: e\ngold: {{path: g.jsonl}}\njudges: [{judge}]\ntemplates: [literal]\n{more}"
        )
        return Experiment.from_file(tmp_path / "e.yaml")

    return declare


def fill(experiment, store, claims, **reply):
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    with Store(store) as replies:
        for spec, judge in prepared.judges.items():
            for planned in plan.calls[spec]:
                if planned.claims and planned.claims[0] in claims:
                    call = planned.call
                    replies.put(call.key, call.request, judge.identity, Reply("yes", **reply))


def test_stored_replies_give_tokens_and_time(experiment, tmp_path):
    store = tmp_path / "s.sqlite"
    before = dry_run(experiment(), store=store).judges[0]
    assert not store.exists()
    assert before.time_basis == "assumed for this kind of judge, 4 calls at a time"
    fill(
        experiment(),
        store,
        range(25),
        prompt_tokens=120,
        completion_tokens=1,
        latency_ms=2000.0,
        created="2026",
    )
    after = dry_run(experiment(), store=store).judges[0]
    assert (after.calls, after.from_store, after.to_ask) == (CLAIMS, 25, 5)
    assert after.prompt_tokens.low < 5 * 120 < after.prompt_tokens.high
    assert after.completion_tokens == (5, 5 * 1.25)
    middle = 2.0 * 5 / 4 / 60
    assert after.minutes.low < middle < after.minutes.high
    assert after.time_basis == "25 stored replies of this judge, 4 calls at a time"
    assert after.cost_usd is None


def test_recordings_count_as_answered_and_stay_out_of_the_store(experiment, tmp_path):
    fill(experiment(), tmp_path / "made.sqlite", range(CLAIMS))
    plan = experiment().plan(experiment().prepare())
    with Store(tmp_path / "made.sqlite") as store:
        store.export(
            tmp_path / "r.jsonl.gz", [c.call.key for calls in plan.calls.values() for c in calls]
        )
    recorded = experiment("recordings: [r.jsonl.gz]\n")
    found = dry_run(recorded, store=tmp_path / "new.sqlite")
    assert found.to_ask == 0
    assert found.cost_usd == (0, 0)
    assert not (tmp_path / "new.sqlite").exists()
    without = dry_run(recorded, store=tmp_path / "new.sqlite", use_recordings=False)
    assert without.to_ask == CLAIMS
    (tmp_path / "r.jsonl.gz").write_bytes(b"torn")
    with pytest.raises(ExperimentError, match="a recording must be readable"):
        dry_run(recorded)


def test_budgets_that_will_not_reach_are_named(experiment, tmp_path):
    tight = experiment("budget: {usd: 0.000001, calls: 3, minutes: 0.0001}\n", "openai/gpt-4o")
    notes = dry_run(tight, store=tmp_path / "none.sqlite").notes
    assert notes[-3].startswith("30 calls are to ask, the budget has 3.")
    assert notes[-2].startswith("the cost may reach ")
    assert notes[-1].startswith("it may take ")
    unpriced = experiment("budget: {usd: 1}\n")
    notes = dry_run(unpriced, store=tmp_path / "none.sqlite").notes
    assert "without a known price" in notes[-1]

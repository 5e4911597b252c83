from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)
from tests.experiment.test_waiting_claims import experiment, half_labelled

HERE = Path()
NEXT = ("gold", "next")
OF = (*NEXT, "--experiment", ".")


@pytest.fixture
def swept(run) -> None:
    """A folder where labelled and waiting claims were judged."""
    half_labelled(HERE)
    experiment(HERE)
    assert run("sweep", "--quiet").exit_code == 0
    assert run(*OF, "--live", "--quiet").exit_code == 0


def flat(ended) -> str:  # type: ignore[no-untyped-def]
    return " ".join(ended.stdout.split())


def test_it_says_which_claims_and_what_is_expected_of_them(run, swept) -> None:
    ended = run(*OF, "--n", 6)
    assert ended.exit_code == 0
    told = flat(ended)
    assert "halls 1: 28 claims wait for a label, 20 have one" in told
    assert "2 candidates of test judged 28 of these 28 claims." in told
    assert "Decision now: A " in told
    assert "P(the decision is that of all labels)" in told or "No label changes" in told
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_json_has_the_claims_and_no_verdict(run_json, swept) -> None:
    found = run_json(*OF, "--n", 6)
    assert len(found["claims"]) == 6
    assert {claim["reason"] for claim in found["claims"]} <= {"information", "cover"}
    assert found["judged"] == 28
    assert found["missing_calls"] == 0
    assert sum(row["share"] for row in found["outlook"]["standings"]) == pytest.approx(1)
    assert not set(found["claims"][0]) & {"verdicts", "codes", "label"}
    assert run_json(*OF, "--n", 6) == found
    assert run_json(*OF, "--n", 6, "--seed", 2)["claims"] != found["claims"]


def test_the_order_is_written_for_the_labelling_page(run, swept) -> None:
    ended = run(*OF, "--n", 4, "--to", "queue.jsonl")
    rows = [json.loads(line) for line in Path("queue.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 4
    assert all(set(row) == {"claim_id", "reason"} for row in rows)
    assert "metajudge label gold --as NAME --order queue.jsonl" in ended.stdout
    from metajudge.labelling.sitting import read_order

    known = {f"en{i}-{kind}": None for i in range(12) for kind in KINDS}
    assert read_order(Path("queue.jsonl"), known) == tuple(row["claim_id"] for row in rows)


KINDS = ("literal", "summary", "contradiction", "off_context")


def test_without_an_experiment_it_orders_for_cover_and_says_so(run, run_json) -> None:
    half_labelled(HERE)
    ended = run(*NEXT, "gold", "--n", 5)
    assert ended.exit_code == 0
    assert "no verdicts were at hand" in flat(ended)
    assert "5 for cover" in flat(ended)
    found = run_json(*NEXT, "gold", "--n", 5)
    assert found["outlook"] is None
    assert {claim["reason"] for claim in found["claims"]} == {"cover"}


def test_missing_replies_are_counted_and_live_asks_them(run, run_json) -> None:
    half_labelled(HERE)
    experiment(HERE)
    run("sweep", "--quiet")
    ended = run(*OF)
    assert ended.exit_code == 0
    assert "For cover alone, since no candidate has been asked" in flat(ended)
    assert "56 of 56 calls about waiting claims have no reply; --live asks them." in flat(ended)
    assert run_json(*OF, "--live", "--quiet")["missing_calls"] == 0


def test_a_spent_budget_ends_with_3_and_orders_what_was_answered(run) -> None:
    half_labelled(HERE)
    experiment(HERE)
    run("sweep", "--quiet")
    ended = run(*OF, "--live", "--quiet", "--budget-calls", 20, "--n", 3)
    assert ended.exit_code == 3
    assert "was not asked about every claim" in " ".join(ended.stderr.split())
    assert "have no reply; --live asks them" in flat(ended)


def test_before_any_sweep(run) -> None:
    half_labelled(HERE)
    experiment(HERE)
    ended = run(*OF)
    assert ended.exit_code == 0
    assert "sweep first" in flat(ended)


def test_nothing_waits_so_second_labels_are_chosen(run, run_json) -> None:
    claims, contexts = halls(6)
    claims[0]["annotations"] = [
        {"annotator": name, "label": claims[0]["label"]} for name in ("ann", "bo")
    ]
    write_gold(HERE, claims, contexts)
    experiment(HERE)
    run("sweep", "--quiet")
    ended = run(*OF, "--n", 3, "--to", "q.jsonl")
    assert ended.exit_code == 0
    assert "23 of 24 labelled claims have no second annotator" in flat(ended)
    assert "--order q.jsonl --double 1" in ended.stdout
    found = run_json(*OF, "--second")
    assert found["second"]
    assert "en0-literal" not in {claim["claim_id"] for claim in found["claims"]}


def test_nothing_at_all_to_label(run, run_json) -> None:
    claims, contexts = halls(2)
    for claim in claims:
        claim["annotations"] = [
            {"annotator": name, "label": claim["label"]} for name in ("ann", "bo")
        ]
    write_gold(HERE, claims, contexts)
    ended = run(*NEXT, "gold", "--to", "q.jsonl")
    assert ended.exit_code == 0
    assert "Nothing to label." in ended.stdout
    assert run_json(*NEXT, "gold")["claims"] == []


def test_no_label_yet(run) -> None:
    half_labelled(HERE, labelled=0)
    experiment(HERE)
    ended = run(*OF, "--n", 4)
    assert ended.exit_code == 0
    assert "no claim has a gold label yet" in flat(ended)
    assert "4 for cover" in flat(ended)


def test_one_candidate(run) -> None:
    half_labelled(HERE)
    experiment(HERE, templates=["literal"])
    run("sweep", "--quiet")
    ended = run(*OF, "--live", "--quiet")
    assert ended.exit_code == 0
    assert "1 candidate of test judged" in flat(ended)
    assert "No label changes the decision" in flat(ended)


def test_claims_of_the_sealed_split_are_left_alone(run, run_json) -> None:
    claims, contexts = halls(12)
    for claim in claims[24:]:
        del claim["label"], claim["slice"]
    write_gold(HERE, claims, contexts, split={"salt": "s/1", "dev_share": 0.5})
    experiment(HERE, gold={"path": "gold", "split": "dev"})
    run("sweep", "--quiet")
    found = run_json(*OF, "--live", "--quiet")
    assert found["elsewhere"] > 0
    assert found["elsewhere"] + found["waiting"] == 24
    assert "another split or language" in flat(run(*OF))
    assert not Path("gold/ledger.jsonl").exists()


def test_chinese_claims_and_ids(run, run_json) -> None:
    claims, contexts = halls(8, "zh")
    for claim in claims:
        claim["claim_id"] = "条" + claim["claim_id"]
        claim["claim"] = claim["claim"].replace("Hall", "大厅")
    for claim in claims[12:]:
        del claim["label"], claim["slice"]
    write_gold(HERE, claims, contexts)
    ended = run(*NEXT, "gold", "--n", 3, "--to", "顺序.jsonl")
    assert ended.exit_code == 0
    assert "条zh" in ended.stdout
    assert "条zh" in Path("顺序.jsonl").read_text(encoding="utf-8")
    assert run_json(*NEXT, "gold", "--n", 2)["claims"][0]["lang"] == "zh"


def test_the_experiment_on_another_gold_set(run, run_json, swept) -> None:
    half_labelled(HERE, n=6)
    Path("gold").rename("others")
    write_gold(HERE)
    found = run_json(*OF[:2], "others", "--experiment", ".", "--live", "--quiet")
    assert found["waiting"] == 4
    assert found["judged"] == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--live",), "--live asks the judges of an experiment"),
        (("--n", "0"), "--n"),
        (("--experiment", "nowhere"), "nowhere"),
        (("--experiment", ".", "--budget-calls", "-1"), "budget"),
    ],
)
def test_what_is_wrong_ends_with_2(run, arguments, told) -> None:
    half_labelled(HERE)
    ended = run(*NEXT, *arguments)
    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())


def test_a_file_that_cannot_be_written(run) -> None:
    half_labelled(HERE)
    ended = run(*NEXT, "gold", "--to", "gold")
    assert ended.exit_code == 2
    assert "gold" in ended.stderr


def test_a_judge_that_is_not_there_is_said(run) -> None:
    half_labelled(HERE)
    write_template(HERE, "mine", rule="MIND the gist:")
    declare(HERE, judges=[write_script(HERE, CAREFUL)], templates=["literal", "templates/*.yaml"])
    run("sweep", "--quiet")
    declare(HERE, judges=["local:qwen2.5-coder-1.5b"], templates=["literal"])
    ended = run(*OF, "--live")
    assert ended.exit_code == 2
    assert "models pull" in ended.stderr or "make model" in ended.stderr

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from metajudge.cli.label_verdicts import with_verdicts
from metajudge.errors import InputError
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.sitting import Sitting
from metajudge.report.results import ClaimKey
from metajudge.report.results_file import read_results, write_results
from tests.labelling.desks import gold_folder

SHIPPED = Path(__file__).parents[2] / "experiments" / "001-templates" / "results.json"
SPLIT = "split: {salt: kiosk, dev_share: 0.5}\n"


@pytest.fixture(scope="module")
def shipped():
    return read_results(SHIPPED)


@pytest.fixture
def run(shipped, tmp_path):
    """Writes a run in which the first trial says yes of every claim, the others no."""

    def write(claim_ids, golds, failing=(), contexts=()):
        claims = tuple(
            ClaimKey(claim_id=name, answer_id="a", context_id=at, gold=gold, slice=None, lang="en")
            for name, gold, at in zip(
                claim_ids, golds, contexts or ["x1"] * len(claim_ids), strict=True
            )
        )
        first = shipped.ranking[0].trial
        verdicts = tuple(
            row.model_copy(
                update={
                    "verdicts": tuple(
                        "failure" if name in failing else "yes" if row.trial == first else "no"
                        for name in claim_ids
                    ),
                    "probabilities": (),
                    "reasons": {"c1": "It says so."},
                    "failures": {},
                }
            )
            for row in shipped.verdicts
        )
        gold = shipped.gold.model_copy(update={"name": "kiosk"})
        results = shipped.model_copy(update={"claims": claims, "verdicts": verdicts, "gold": gold})
        (tmp_path / "run").mkdir(exist_ok=True)
        return write_results(results, tmp_path / "run" / "results.json").parent

    return write


@pytest.fixture
def gold(tmp_path):
    return GoldFolder(gold_folder(tmp_path / "kiosk", [{"label": "yes"}, {"label": "no"}, {}]))


def test_the_first_trial_is_looked_at_where_there_is_no_winner(shipped, run, gold):
    folder = run(["c1", "c2", "c3", "never"], ["yes", "no", "no", "no"], failing=["c3"])
    sitting = with_verdicts(Sitting("bo"), gold, folder, None, None)
    assert sitting.work == "review"
    assert set(sitting.verdicts) == {"c1", "c2"}
    (verdict,) = sitting.verdicts["c1"]
    assert (verdict.trial, verdict.label) == (shipped.ranking[0].trial, "yes")
    assert verdict.reason == "It says so."
    assert sitting.verdicts["c2"][0].reason is None
    digest = hashlib.sha256((folder / "results.json").read_bytes()).hexdigest()
    assert sitting.source == f"{shipped.name} {digest}"


def test_verdicts_to_be_shown_later_change_no_work(run, gold):
    folder = run(["c1"], ["yes"])
    sitting = with_verdicts(
        Sitting("bo", work="double"), gold, None, folder / "results.json", ["2"]
    )
    assert sitting.work == "double"
    assert sitting.verdicts["c1"][0].label == "no"


def test_trials_are_named_or_counted_and_unknown_ones_told(shipped, run, gold):
    folder = run(["c1"], ["yes"])
    name = shipped.ranking[1].trial
    sitting = with_verdicts(Sitting("bo"), gold, folder, None, ["1", name])
    assert {verdict.label for verdict in sitting.verdicts["c1"]} == {"yes", "no"}
    with pytest.raises(InputError, match="'nobody'") as told:
        with_verdicts(Sitting("bo"), gold, folder, None, ["nobody", "999", "1"])
    assert len(told.value.problems) == 2


def test_verdicts_of_sealed_claims_are_left_out_and_counted(run, tmp_path):
    claims = [{"label": "no", "context_id": f"x{n}"} for n in range(1, 21)]
    folder = gold_folder(tmp_path / "kiosk", claims, more=SPLIT)
    contexts = "".join(
        f'{{"context_id": "x{n}", "passages": ["Passage number {n} of it."]}}\n'
        for n in range(1, 21)
    )
    (folder / "contexts.jsonl").write_text(contexts)
    gold = GoldFolder(folder)
    sealed = {name for name, claim in gold.claims.items() if gold.base.split_of(claim) == "test"}
    assert 0 < len(sealed) < 20
    names = [f"c{n}" for n in range(1, 21)]
    made = run(names, ["no"] * 20, contexts=[f"x{n}" for n in range(1, 21)])
    sitting = with_verdicts(Sitting("bo"), gold, made, None, None)
    assert set(sitting.verdicts) == set(names) - sealed
    assert sitting.left_out == len(sealed)


def test_a_sweep_on_another_set_is_refused(run, gold):
    with pytest.raises(InputError, match="a run on this gold set"):
        with_verdicts(Sitting("bo"), gold, run(["other"], ["yes"]), None, None)


def test_without_a_run_nothing_changes(gold):
    sitting = Sitting("bo")
    assert with_verdicts(sitting, gold, None, None, None) is sitting

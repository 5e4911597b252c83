from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import InputError, ReleaseError
from metajudge.experiment import Experiment
from metajudge.experiment.released import Wanted, create_release, results_of
from metajudge.gold.ledger import read_ledger
from metajudge.release.evidence import read_evidence
from metajudge.release.registry import entries
from metajudge.release.verify import open_case, verify
from metajudge.report.results_file import write_results
from metajudge.runner.store import Store
from tests.experiment.folder import LOOSE, declare, halls, write_gold, write_script
from tests.experiment.sealed import SPLIT, labels_turned, sweep, two_wordings
from tests.release.confirmed import Confirmed, confirm, confirmed
from tests.release.factory import later


def refused(found: Confirmed, **wanted: Any) -> str:
    with pytest.raises(ReleaseError) as error:
        found.release(**wanted)
    assert not list((found.folder / "releases").glob("*/*"))
    return "\n".join(map(str, error.value.problems))


def test_a_confirmed_winner_is_released_with_figures_on_both_splits(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    before = read_ledger(tmp_path / "gold")
    made = found.release()
    assert read_ledger(tmp_path / "gold") == before
    manifest = made.release.manifest
    assert manifest.experiment.trial == "mine"
    assert manifest.experiment.config_sha256 == found.results.config_sha256
    assert manifest.override is None
    evidence = read_evidence(made.release.folder)
    assert evidence.recomputed.dev.claims + evidence.recomputed.test.claims == 96
    assert evidence.recomputed.test.figures["summary_as_idk"].value == 0
    trial = next(t for t in found.results.trials if t.trial == "mine")
    assert evidence.recomputed.dev.figures == trial.figures


def test_a_selection_that_was_not_confirmed_is_refused(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    results = sweep(declared).results
    write_results(results, tmp_path / "results.json")
    told = refused(Confirmed(declared, results, tmp_path))
    assert "only what was confirmed on the sealed test split is released" in told


def test_every_reason_is_told_at_once(tmp_path: Path) -> None:
    """Four looks at the test labels, a confirmation that fails, a wrong number."""
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    labels_turned(tmp_path, "test")
    for _ in range(3):
        declared.confirm(outcome, store=tmp_path / "store.sqlite")
    told = refused(confirm(declared), version="3.0.0")
    assert "good for 3 reads of its test labels" in told
    assert "(got 4 of version 1)" in told
    assert "is broken there" in told
    assert "this release is 1.0.0" in told


def test_no_override_lifts_a_fourth_look(tmp_path: Path) -> None:
    found = confirmed(tmp_path, candidate="mine", guardrails={"over_credit_upper": 0.0})
    for _ in range(3):
        found = confirm(found.experiment, "mine")
    told = refused(found, override="We looked too often.")
    assert "nor --override lifts this" in told
    assert "guardrail" not in told


def test_a_broken_guardrail_is_refused_and_an_override_is_written_down(tmp_path: Path) -> None:
    found = confirmed(tmp_path, candidate="mine", guardrails={"over_credit_upper": 0.0})
    told = refused(found)
    assert "keeps every guardrail on dev, and over_credit_upper is broken" in told
    assert "keeps every guardrail on test, and over_credit_upper is broken there" in told
    assert "override says why" in refused(found, override=" ")
    why = "No candidate keeps the bound of 0 with so few claims."
    release = found.release(override=why).release
    assert release.manifest.override == why
    (line,) = entries(tmp_path / "releases")
    assert line.reason == why
    card = (release.folder / "CARD.md").read_text(encoding="utf-8")
    assert card.splitlines()[2].startswith("> **Released by override")
    assert why in card.splitlines()[2]


def test_a_baseline_measured_alone_is_released_as_a_reference_only(tmp_path: Path) -> None:
    found = confirmed(tmp_path, candidate="literal", guardrails={**LOOSE, "slice_loss": 0.02})
    told = refused(found)
    assert "better than a baseline on test, and nothing was compared" in told
    assert "Measured alone on the test split, nothing compared" in told
    release = found.release(override="What dashboards show today.").release
    card = (release.folder / "CARD.md").read_text(encoding="utf-8")
    assert "It was measured alone on the test split: nothing was compared." in card
    assert "| loss on guarded slices | 0.02 | nothing compared | nothing compared |" in card
    checked = verify(open_case(str(release.folder)))
    assert checked.state == "ok", [check for check in checked.checks if check.faults]


def test_an_override_of_nothing_is_refused(tmp_path: Path) -> None:
    assert "nothing is overridden" in refused(confirmed(tmp_path), override="to be sure")


def test_an_experiment_that_was_edited_since_is_refused(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    edited = two_wordings(tmp_path, threshold=0.5)
    told = refused(found._replace(experiment=edited))
    assert "the results must be those of the experiment as it is now" in told
    assert "only where the ledger has the confirmation by experiment" in told


@pytest.mark.parametrize("split", ["dev", "test"])
def test_labels_that_were_edited_since_are_refused(tmp_path: Path, split: str) -> None:
    found = confirmed(tmp_path)
    labels_turned(tmp_path, split)
    told = refused(found)
    assert "only where the ledger has the confirmation" in told
    assert ("rest on the gold set as it is now" in told) == (split == "dev")


def test_results_with_other_figures_than_the_replies_are_refused(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    path = tmp_path / "results.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    for trial in raw["trials"]:
        trial["figures"]["over_credit"]["value"] = 0.01
    raw["selection"]["confirmation"]["winner"]["kappa"]["value"] = 0.99
    path.write_text(json.dumps(raw), encoding="utf-8")
    told = refused(found)
    assert "stored replies give the over_credit on dev that the results have" in told
    assert "stored replies give the kappa on test that the results have" in told


def test_missing_replies_are_counted_and_nothing_is_asked(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    (tmp_path / "store.sqlite").rename(tmp_path / "elsewhere.sqlite")
    told = refused(found)
    assert "44 of 44 about the dev split are missing" in told
    assert "52 of 52 about the test split are missing" in told
    assert f"metajudge sweep {found.experiment.path}" in told


def test_replies_come_from_recordings_where_the_experiment_lists_them(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl.gz"
    first = sweep(two_wordings(tmp_path))
    with Store(tmp_path / "store.sqlite") as store:
        store.export(kept, first.keys)
    found = confirmed(tmp_path, recordings=[kept.name])
    one = found.release(registry=tmp_path / "one").release
    kept.write_bytes((one.folder / "replies.jsonl.gz").read_bytes())
    (tmp_path / "store.sqlite").unlink()
    two = found.release(registry=tmp_path / "two").release
    for name in ("evidence.json", "replies.jsonl.gz"):
        assert (one.folder / name).read_bytes() == (two.folder / name).read_bytes()


def test_labels_of_a_model_are_refused(tmp_path: Path) -> None:
    """B92: labels that a model made are never gold."""
    found = confirmed(tmp_path)
    claims, contexts = halls(24)
    write_gold(tmp_path, claims, contexts, split=SPLIT, label_source="model")
    assert "never on those of a model" in refused(found)


def test_a_policy_that_has_no_value_for_an_offered_label_is_refused(tmp_path: Path) -> None:
    """B25: template and policy drift apart."""
    found = confirmed(tmp_path)
    assert "has none for 'idk'" in refused(found, policy="map(yes=1,no=0)")


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"name": "Bad Name"}, "the name of a release is small letters"),
        ({"name": "../up"}, "the name of a release is small letters"),
        ({"policy": "strikt"}, "Did you mean 'strict'?"),
        ({"threshold": 1.5}, "a threshold is a score from 0 to 1"),
        ({"threshold": float("nan")}, "a threshold is a score from 0 to 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, wanted: dict[str, Any], told: str) -> None:
    declared = two_wordings(tmp_path)
    results = sweep(declared).results
    write_results(results, tmp_path / "results.json")
    assert told in refused(Confirmed(declared, results, tmp_path), **wanted)


def test_a_gold_version_is_good_for_three_rounds_of_change_confirm_release(tmp_path: Path) -> None:
    """A changed template is confirmed and released twice more; then a new gold version is due."""
    confirmed(tmp_path).release()
    for n, version in enumerate(("1.0.1", "1.0.2"), 1):
        assert later(tmp_path, f"MIND it {n}:", name="test").release().release.ref == (
            f"faithfulness-verdict@{version}"
        )
    for name in ("test", "renamed"):
        found = later(tmp_path, "MIND it more:", name=name)
        with pytest.raises(ReleaseError, match="good for 3 reads of its test labels"):
            found.release()
    claims, contexts = halls(24)
    claims[0]["claim"] += " So they say."
    write_gold(tmp_path, claims, contexts, split=SPLIT, version="2")
    found = confirm(found.experiment)
    assert found.confirmation.reads == 6
    assert found.release().release.ref == "faithfulness-verdict@1.0.3"


def test_nothing_that_differs_is_no_release(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    found.release()
    with pytest.raises(ReleaseError, match="nothing differs from 1"):
        found.release(notes=("Once more.",))
    assert found.release(threshold=0.3).release.ref.endswith("@2.0.0")


def test_results_are_looked_for_in_runs_and_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    declared = two_wordings(tmp_path)
    with pytest.raises(ReleaseError, match="made from the results of a confirmation"):
        results_of(declared)
    results = sweep(declared).results
    write_results(results, tmp_path / "results.json")
    assert results_of(declared) == tmp_path / "results.json"
    write_results(results, tmp_path / "runs" / "test" / "results.json")
    assert results_of(declared) == Path("runs/test/results.json")
    confirm(declared)
    assert results_of(declared) == tmp_path / "results.json"


def test_a_release_is_never_made_in_what_comes_with_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a registry one is made in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("METAJUDGE_REGISTRY", raising=False)
    found = confirmed(tmp_path)
    release = found.release(registry=None).release
    assert release.folder == Path("experiments/releases/faithfulness-verdict/1.0.0")
    monkeypatch.setenv("METAJUDGE_REGISTRY", "elsewhere")
    assert found.release(registry=None).release.folder.parts[0] == "elsewhere"


def test_a_column_map_is_refused(tmp_path: Path) -> None:
    claims, contexts = halls(24)
    for claim in claims:
        claim["statement"] = claim.pop("claim")
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    gold = {"path": "gold", "split": "dev", "columns": {"claim": "statement"}}
    with pytest.raises(InputError):
        confirmed(tmp_path, gold=gold).release()


def test_rotated_letters_are_released_in_every_order(tmp_path: Path) -> None:
    claims, contexts = halls(24)
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    axes = {"name": "literal", "labels": "letters", "rotations": "all"}
    rules = [
        (r"(?s)opens at 1?\d\..*A\W+yes|opens at 1?\d\.", "A"),
        ("Claim: Access", "A"),
    ]
    spec = write_script(tmp_path, rules, "B")
    declared = declare(
        tmp_path,
        judges=[spec],
        templates=["literal", axes],
        gold={"path": "gold", "split": "dev"},
        baseline="literal",
        guardrails={
            "over_credit_upper": None,
            "over_credit_above_baseline": None,
            "slice_loss": None,
            "coverage": None,
            "kappa_above": None,
        },
    )
    found = confirm(declared, "literal · letters*")
    release = found.release(override="A script that says one letter.").release
    assert [(pin.variant, pin.file) for pin in release.manifest.templates] == [
        (0, "template/en.yaml"),
        (1, "template/en.1.yaml"),
        (2, "template/en.2.yaml"),
    ]
    assert len(release.candidate.variants) == 3
    trial = next(t for t in found.results.trials if t.trial == "literal · letters*")
    dev = read_evidence(release.folder).recomputed.dev
    assert (dev.figures, dev.failures) == (trial.figures, trial.failures)
    assert dev.failures == {"orders_disagree": dev.claims}


def test_relative_places_give_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirmed(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = create_release(
        Experiment.from_file("experiment.yaml"),
        Wanted("relative", "strict", registry=Path("releases")),
        results=Path("results.json"),
        store="store.sqlite",
    )
    assert made.release.manifest.gold.path == "../../../gold"
    assert made.release.manifest.judge.spec == "scripted:../../../judge.yaml"
    absolute = found.release(name="absolute").release.manifest
    assert absolute.gold.path == made.release.manifest.gold.path

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metajudge.errors import GoldError, ReleaseError
from metajudge.experiment import Experiment
from metajudge.experiment.build import Prepared
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.release.asking import Asking
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.evidence import (
    How,
    evidence_text,
    read_evidence,
    recompute,
    recomputed,
    split_golds,
)
from metajudge.release.manifest import EVIDENCE, REPLIES
from metajudge.report.results import TrialFigures
from metajudge.report.results_file import read_results
from metajudge.runner.store import Store
from metajudge.scoring.policies import parse_policy
from metajudge.selection.readings import measured_priors
from metajudge.shipped import shipped_experiment
from metajudge.verdicts.verdict import Reply
from tests.experiment.folder import declare, halls, rows, write_gold, write_script
from tests.experiment.sealed import labels_turned
from tests.release.confirmed import confirmed, confirmed_reading

HOW = How(seed=1, resamples=200, cluster="context", alpha=0.05)


def pinned(prepared: Prepared, trial: str, reading: str = "top") -> Candidate:
    """A trial of an experiment as a candidate that nothing is frozen of."""
    found = next(t for t in prepared.trials if t.name == trial)
    judge = prepared.judges[found.judge]
    return Candidate(
        trial,
        found.variants,
        parse_policy("strict"),
        0.8,
        JudgePin(
            spec=judge.spec,
            identity=dict(judge.identity),
            gives_logprobs=judge.gives_logprobs,
            label_in_one_token=judge.label_in_one_token,
        ),
        found.form,
        reading,  # type: ignore[arg-type]
    )


def answered(candidate: Candidate, gold: GoldSet, store: Store) -> tuple[Candidate, Asking]:
    """The candidate with its priors frozen on these claims, and the replies about them."""
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    asking = Asking([candidate], gold, store, judges).stored()
    (said,) = asking.verdicts()
    sources = candidate.sources(asking.claims)
    priors = measured_priors(said.row, candidate.reading, sources)
    return replace(candidate, priors=priors), asking


def replies_of(release: Release, folder: Path) -> dict[str, Reply]:
    with Store(folder / "again.sqlite") as store:
        store.load(release.folder / REPLIES)
        candidate = release.candidate
        judges = {candidate.judge.name: candidate.judge.stand_in()}
        found: dict[str, Reply] = {}
        for gold in split_golds(release, release.folder / release.manifest.gold.path).values():
            found |= Asking([candidate], gold, store, judges).stored().replies
    return found


def same(found: TrialFigures, prepared: Prepared, store: Store, how: How) -> bool:
    candidate = pinned(prepared, found.trial, found.reading)
    frozen, asking = answered(candidate, prepared.gold, store)
    mine = recomputed(frozen, prepared.gold, "dev", asking.replies, how)
    policy = next(p for p in found.policies if p.policy == "strict")
    parts = ("figures", "table", "labels", "slices", "languages", "language_figures", "failures")
    return mine.policy == policy and all(
        getattr(mine, part) == getattr(found, part) for part in parts
    )


def test_figures_of_frozen_candidates_are_those_of_the_experiment(tmp_path: Path) -> None:
    """Every trial and reading of experiment 001, both languages, rotated dialects among them."""
    experiment = Experiment.from_file(shipped_experiment())
    results = read_results(experiment.path.parent / "results.json")
    wanted = [t for t in results.trials if t.trial.endswith(("letters*", "contradiction-only"))]
    assert {t.reading for t in wanted} == {"top", "prior_corrected", "batch_corrected"}
    how = How(
        seed=results.seed, resamples=results.resamples, cluster=results.cluster, alpha=results.alpha
    )
    prepared = experiment.prepare()
    with Store(tmp_path / "store.sqlite") as store:
        experiment.load_recordings(store)
        for trial in wanted:
            assert same(trial, prepared, store, how), f"{trial.trial} ({trial.reading})"


def test_test_figures_with_dev_priors_are_those_of_the_confirmation(tmp_path: Path) -> None:
    found = confirmed_reading(tmp_path)
    assert (found.confirmation.trial, found.confirmation.reading) == ("literal", "batch_corrected")
    evidence = read_evidence(found.release().release.folder)
    told = found.confirmation.winner
    assert {name: evidence.recomputed.test.figures[name] for name in told} == told


def test_a_release_gives_its_figures_again_to_the_last_digit(tmp_path: Path) -> None:
    release = confirmed_reading(tmp_path).release().release
    gold = release.folder / release.manifest.gold.path
    written = (release.folder / EVIDENCE).read_text(encoding="utf-8")
    found = recompute(release, gold, replies_of(release, tmp_path))
    evidence = read_evidence(release.folder)
    again = evidence.recomputed.model_copy(update=found)
    assert evidence_text(evidence.model_copy(update={"recomputed": again})) == written


def test_another_backend_that_is_installed_here_changes_no_key(tmp_path: Path) -> None:
    """The judge is the pinned one, whatever its spec would open now."""
    found = confirmed(tmp_path)
    release = found.release().release
    write_script(tmp_path, [("anything", "no")])
    assert found.experiment.prepare().judges["scripted:judge.yaml"].identity != dict(
        release.manifest.judge.identity
    )
    gold = release.folder / release.manifest.gold.path
    evidence = read_evidence(release.folder)
    replies = replies_of(release, tmp_path)
    assert recompute(release, gold, replies)["test"] == evidence.recomputed.test


def test_a_lost_reply_is_a_failure_and_stays_in_the_denominator(tmp_path: Path) -> None:
    """B47: a row without a reply neither vanishes nor counts as a label."""
    release = confirmed(tmp_path).release().release
    gold = split_golds(release, release.folder / release.manifest.gold.path)["dev"]
    replies = replies_of(release, tmp_path)
    judges = {release.candidate.judge.name: release.candidate.judge.stand_in()}
    with Store(tmp_path / "empty.sqlite") as store:
        keys = Asking([release.candidate], gold, store, judges).keys()
    whole = recomputed(release.candidate, gold, "dev", replies, HOW)
    less = {key: reply for key, reply in replies.items() if key not in keys[:3]}
    found = recomputed(release.candidate, gold, "dev", less, HOW)
    assert (whole.failures, found.failures) == ({}, {"missing": 3})
    assert found.claims == whole.claims
    assert found.figures["coverage"].value == round(1 - 3 / whole.claims, 6)
    assert found.figures["accuracy"].n == whole.claims


def test_tables_by_context_add_up_whatever_the_order_of_claims(tmp_path: Path) -> None:
    release = confirmed(tmp_path).release().release
    gold = split_golds(release, release.folder / release.manifest.gold.path)["dev"]
    replies = replies_of(release, tmp_path)
    found = recomputed(release.candidate, gold, "dev", replies, HOW)
    tables = np.array(found.cluster_tables)
    assert tables.shape == (found.contexts, 3, 4)
    assert tables.sum(0).tolist() == [list(row.values()) for row in found.table.values()]
    assert (tables.sum((1, 2)) == 4).all()
    turned = replace(gold, claims=gold.claims[::-1])
    again = recomputed(release.candidate, turned, "dev", replies, HOW)
    assert again.cluster_tables == found.cluster_tables
    assert again.answer_scores == found.answer_scores


def test_answer_scores_are_those_of_the_policy(tmp_path: Path) -> None:
    """Each hall has two true claims of four; the judge loses the literal one of later halls."""
    release = confirmed(tmp_path).release().release
    found = read_evidence(release.folder).recomputed.dev
    assert set(found.answer_scores.values()) == {0.5, 0.25}
    scores = [score for score in found.answer_scores.values() if score is not None]
    assert found.policy.mean_score.value == pytest.approx(np.mean(scores), abs=1e-6)
    assert found.policy.gold_mean_score == 0.5


def test_binary_gold_has_two_rows_of_four_verdicts(tmp_path: Path) -> None:
    claims, contexts = halls(6)
    for claim in claims:
        claim["label"] = "supported" if claim["label"] == "yes" else "unsupported"
    write_gold(tmp_path, claims, contexts, label_space="binary")
    experiment = declare(tmp_path, judges=[write_script(tmp_path, [("Hall", "no")])])
    experiment.sweep(store=tmp_path / "store.sqlite")
    with Store(tmp_path / "store.sqlite") as store:
        prepared = experiment.prepare()
        gold = prepared.gold
        candidate, asking = answered(pinned(prepared, "literal"), gold, store)
    found = recomputed(candidate, gold, "dev", asking.replies, HOW)
    assert np.array(found.cluster_tables).shape == (6, 2, 4)
    assert np.array(found.cluster_tables).sum(0).tolist() == [[0, 12, 0, 0], [0, 12, 0, 0]]
    assert found.figures["accuracy"].value == 0.5


def test_every_draw_counts_and_scores_are_of_the_first(tmp_path: Path) -> None:
    found = confirmed(tmp_path, repeats=2)
    release = found.release().release
    evidence = read_evidence(release.folder)
    dev = evidence.recomputed.dev
    assert evidence.how.repeats == 2
    assert np.array(dev.cluster_tables).sum() == 2 * dev.claims
    trial = next(t for t in found.results.trials if t.trial == "mine")
    assert dev.figures == trial.figures
    assert len(dev.answer_scores) == dev.answers


def test_figures_are_not_recomputed_on_another_gold_set(tmp_path: Path) -> None:
    release = confirmed(tmp_path).release().release
    labels_turned(tmp_path, "test")
    with pytest.raises(GoldError, match=release.manifest.gold.sha256):
        recompute(release, tmp_path / "gold", {})


def test_what_the_experiment_alone_can_say_is_carried(tmp_path: Path) -> None:
    found = confirmed(
        tmp_path,
        candidate="mine",
        perturbations=["paraphrase", {"axis": "repeats"}],
        controls={"per_kind": 3},
    )
    release = found.release(override="The judge is a script.").release
    carried = read_evidence(release.folder).carried
    assert carried.confirmation == found.confirmation
    assert {axis.trial for axis in carried.stability} == {"mine"}
    assert {axis.axis for axis in carried.stability} >= {"repeats"}
    assert carried.flip_rate is not None
    assert carried.controls is not None
    assert {row.trial for row in carried.controls.rows} == {"mine (top)"}
    assert carried.controls.insensitive is not None
    assert [entry.guardrail for entry in carried.ranking.broken] == ["insensitive"]
    assert carried.test_reads == 1
    assert carried.candidates == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: raw | {"extra": 1}, "extra"),
        (lambda raw: {k: v for k, v in raw.items() if k != "how"}, "how"),
    ],
)
def test_faulty_evidence_is_told_by_field(tmp_path: Path, change: object, told: str) -> None:
    folder = confirmed(tmp_path).release().release.folder
    raw = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    (folder / EVIDENCE).write_text(json.dumps(change(raw)), encoding="utf-8")  # type: ignore[operator]
    with pytest.raises(ReleaseError, match=told):
        read_evidence(folder)
    (folder / EVIDENCE).unlink()
    with pytest.raises(ReleaseError, match="the evidence of the release cannot be read"):
        read_evidence(folder)


def test_test_labels_of_a_release_are_read_again_without_a_new_entry(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    release = found.release().release
    before = (tmp_path / "gold" / "ledger.jsonl").read_bytes()
    golds = split_golds(release, tmp_path / "gold")
    assert (tmp_path / "gold" / "ledger.jsonl").read_bytes() == before
    whole = load_goldset(tmp_path / "gold")
    assert {split: len(gold.claims) for split, gold in golds.items()} == whole.split_counts()
    rows(tmp_path / "gold" / "ledger.jsonl", [])
    with pytest.raises(GoldError, match="only where the ledger has the confirmation"):
        split_golds(release, tmp_path / "gold")

"""No test label without a line in the ledger, and none at all for selection."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from metajudge.errors import GoldError
from metajudge.gold import (
    GoldSet,
    LedgerEntry,
    already_confirmed,
    load_goldset,
    read_ledger,
    record_read,
    sealed,
    unseal,
    write_goldset,
)
from metajudge.gold.ledger import LEDGER, unlabelled
from metajudge.gold.split import SplitRule, assign

RULE = SplitRule(salt="tea/1", dev_share=0.5)
READER: dict[str, Any] = {
    "purpose": "confirm",
    "experiment": "002",
    "experiment_sha256": "a" * 64,
    "candidates": ["literal", "summary-tolerant"],
    "package_version": "0.1.0",
}


@pytest.fixture
def parted(make_gold: Callable[..., GoldSet]) -> GoldSet:
    """Twelve contexts with a claim each, dealt to dev and test."""
    claims = [
        {"context_id": f"x{number}", "label": "yes" if number % 2 else "no"} for number in range(12)
    ]
    gold = make_gold(claims, split=RULE)
    assert {gold.split_of(claim) for claim in gold.claims} == {"dev", "test"}
    return gold


@pytest.fixture
def folder(parted: GoldSet, tmp_path: Path) -> Path:
    write_goldset(parted, tmp_path / "tea")
    return tmp_path / "tea"


def entry(**fields: Any) -> LedgerEntry:
    given = {
        "time": "2025-03-01T09:30:00+00:00",
        "gold_version": "1",
        "gold_sha256": "b" * 64,
        "claims": 6,
    }
    return LedgerEntry(**(READER | given | fields))


def test_a_read_gives_the_test_split_and_writes_one_line(folder: Path) -> None:
    gold = load_goldset(folder)
    test = unseal(folder, **READER)
    assert test.claims == gold.subset("test").claims
    (line,) = read_ledger(folder)
    assert line.purpose == "confirm"
    assert line.candidates == ("literal", "summary-tolerant")
    assert (line.gold_version, line.gold_sha256) == ("1", gold.sha256)
    assert line.claims == len(test.claims)
    assert line.time.endswith("+00:00")


def test_what_is_asked_before_the_read_holds_nothing_of_the_labels(folder: Path) -> None:
    blind, test = unlabelled(folder), load_goldset(folder).subset("test")
    assert read_ledger(folder) == ()
    assert {claim.label for claim in blind.claims} == {"yes"}
    assert {claim.label for claim in test.claims} == {"yes", "no"}
    shown = [(c.claim_id, c.claim, c.question, test.passages(c)) for c in test.claims]
    assert [(c.claim_id, c.claim, c.question, blind.passages(c)) for c in blind.claims] == shown
    for claim in blind.claims:
        assert (claim.slice, claim.annotations, claim.spans, claim.note) == (None, (), (), None)


def test_every_read_counts_also_the_same_one_again(folder: Path) -> None:
    for reads in (1, 2, 3):
        unseal(folder, **READER)
        assert len(read_ledger(folder)) == reads
    first = read_ledger(folder)[0]
    assert already_confirmed(read_ledger(folder), "a" * 64) == first
    assert already_confirmed(read_ledger(folder), "c" * 64) is None


def test_a_sweep_is_a_read_but_confirms_nothing(folder: Path) -> None:
    unseal(folder, **(READER | {"purpose": "sweep"}))
    assert len(read_ledger(folder)) == 1
    assert already_confirmed(read_ledger(folder), "a" * 64) is None


def test_the_ledger_leaves_the_set_and_its_hash_alone(folder: Path) -> None:
    before = load_goldset(folder)
    unseal(folder, **READER)
    assert load_goldset(folder) == before
    assert load_goldset(folder).sha256 == before.sha256


# No line, no labels


def test_no_labels_where_the_ledger_cannot_be_written(folder: Path) -> None:
    (folder / LEDGER).mkdir()
    with pytest.raises(GoldError) as caught:
        unseal(folder, **READER)
    assert "ledger.jsonl" in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_no_labels_from_a_read_only_folder(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        with pytest.raises(GoldError, match="cannot be recorded"):
            unseal(folder, **READER)
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("fault", [PermissionError(13, "Permission denied"), OSError("disk full")])
def test_no_labels_where_the_write_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError
) -> None:
    def refuse(*_: object) -> None:
        raise fault

    monkeypatch.setattr(os, "write", refuse)
    given: list[GoldSet] = []
    with pytest.raises(GoldError, match="cannot be recorded") as caught:
        given.append(unseal(folder, **READER))
    assert given == []
    assert "without a record no label is given" in caught.value.problems[0].mend


def test_no_labels_where_the_line_is_not_written_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda *_: 3)
    with pytest.raises(GoldError, match="cannot be recorded"):
        unseal(folder, **READER)


def test_the_line_is_on_disk_before_the_labels_are_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), fsync(file)))
    unseal(folder, **READER)
    assert synced


def test_no_labels_while_the_ledger_has_a_faulty_line(folder: Path) -> None:
    unseal(folder, **READER)
    path = folder / LEDGER
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    with pytest.raises(GoldError) as caught:
        unseal(folder, **READER)
    assert caught.value.problems[0].line == 2
    assert path.read_bytes() == whole + whole[:40]


def test_no_labels_without_a_split(parted: GoldSet, tmp_path: Path) -> None:
    manifest = parted.manifest.model_copy(update={"split": None})
    write_goldset(replace(parted, manifest=manifest), tmp_path / "whole")
    with pytest.raises(GoldError, match="declares no split"):
        unseal(tmp_path / "whole", **READER)
    assert not (tmp_path / "whole" / LEDGER).exists()


def test_no_labels_from_an_empty_test_split(parted: GoldSet, tmp_path: Path) -> None:
    write_goldset(parted.subset("dev"), tmp_path / "dev")
    with pytest.raises(GoldError, match="no judged claim"):
        unseal(tmp_path / "dev", **READER)
    assert not (tmp_path / "dev" / LEDGER).exists()


def test_no_labels_from_a_table_or_nowhere(folder: Path, tmp_path: Path) -> None:
    for path in (folder / "claims.jsonl", tmp_path / "nowhere"):
        with pytest.raises(GoldError, match="where the read is recorded"):
            unseal(path, **READER)


def test_no_labels_for_a_reader_without_a_hash(folder: Path) -> None:
    with pytest.raises(GoldError) as caught:
        unseal(folder, **(READER | {"experiment_sha256": "abc"}))
    assert caught.value.problems[0].field == "experiment_sha256"
    assert not (folder / LEDGER).exists()


# The file


def test_no_ledger_is_no_read(tmp_path: Path) -> None:
    assert read_ledger(tmp_path) == ()


def test_every_faulty_line_is_named(tmp_path: Path) -> None:
    good = entry().model_dump_json()
    bad = json.dumps(json.loads(good) | {"purpose": "peek"})
    unknown = json.dumps(json.loads(good) | {"why": "because"})
    (tmp_path / LEDGER).write_text("\n".join([good, bad, good, "{", unknown]) + "\n")
    with pytest.raises(GoldError) as caught:
        read_ledger(tmp_path)
    assert [problem.line for problem in caught.value.problems] == [2, 4, 5]
    assert caught.value.problems[0].where.endswith(LEDGER)
    assert caught.value.problems[0].field == "purpose"


def test_a_last_line_without_an_end_is_not_joined_to_the_next(tmp_path: Path) -> None:
    (tmp_path / LEDGER).write_text(entry().model_dump_json())
    assert record_read(tmp_path, entry(experiment="003")) == 2
    assert [line.experiment for line in read_ledger(tmp_path)] == ["002", "003"]


def test_reads_at_the_same_time_tear_no_line(tmp_path: Path) -> None:
    names = [f"experiment-{number}" * 20 for number in range(9)]
    many = [entry(experiment=name[:200], candidates=("x" * 4000,)) for name in names]
    with ThreadPoolExecutor(9) as pool:
        counts = list(pool.map(lambda one: record_read(tmp_path, one), many))
    assert len(read_ledger(tmp_path)) == max(counts) == 9
    assert {line.experiment for line in read_ledger(tmp_path)} == {one.experiment for one in many}


@pytest.mark.parametrize("time", ["yesterday", "2025-03-01T09:30:00", "2025-03-01T09:30:00+02:00"])
def test_times_are_utc(time: str) -> None:
    with pytest.raises(ValidationError):
        entry(time=time)
    assert entry(time="2025-03-01T09:30:00Z").time == "2025-03-01T09:30:00Z"


# What selection is given


def test_selection_gets_dev_claims_and_contexts_only(parted: GoldSet) -> None:
    given = sealed(parted)
    assert given.claims == parted.subset("dev").claims
    test = {claim.context_id for claim in parted.subset("test").claims}
    assert not test & {claim.context_id for claim in given.claims}
    assert not test & set(given.contexts)
    assert all(assign(name, RULE) == "dev" for name in given.contexts)
    assert sealed(given).claims == given.claims


def test_poisoned_test_labels_change_nothing_that_selection_gets(parted: GoldSet) -> None:
    flip = {"yes": "no", "no": "idk", "idk": "yes"}
    poisoned = replace(
        parted,
        claims=tuple(
            claim.model_copy(update={"label": flip[claim.label], "note": "poison"})
            if parted.split_of(claim) == "test"
            else claim
            for claim in parted.claims
        ),
    )
    assert poisoned.sha256 != parted.sha256
    assert as_bytes(sealed(poisoned)) == as_bytes(sealed(parted))
    assert sealed(poisoned).sha256 == sealed(parted).sha256
    assert b"poison" not in as_bytes(sealed(poisoned))


def test_a_test_claim_under_another_id_is_a_leak(make_gold: Callable[..., GoldSet]) -> None:
    names = [f"x{number}" for number in range(12)]
    dev = next(name for name in names if assign(name, RULE) == "dev")
    test = next(name for name in names if assign(name, RULE) == "test")
    gold = make_gold(
        [{"claim": "Tea is hot.", "context_id": name} for name in (dev, test)],
        {name: ("Tea is hot.",) for name in (dev, test)},
        split=RULE,
    )
    with pytest.raises(GoldError, match="'c0' is in the sealed test split too, as 'c1'"):
        sealed(gold)


def test_nothing_is_sealed_without_a_split(make_gold: Callable[..., GoldSet]) -> None:
    with pytest.raises(GoldError, match="declares no split"):
        sealed(make_gold([{}]))


def test_the_projects_own_set_can_be_sealed() -> None:
    gold = load_goldset(Path(__file__).parents[2] / "gold" / "faithfulness")
    assert 0 < len(sealed(gold).claims) < len(gold.claims)


def as_bytes(gold: GoldSet) -> bytes:
    rows = [claim.model_dump_json() for claim in gold.claims]
    rows += [context.model_dump_json() for context in gold.contexts.values()]
    return "\n".join([gold.manifest.model_dump_json(), *rows]).encode()

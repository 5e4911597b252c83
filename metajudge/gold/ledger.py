"""Who read the labels of the sealed test split: `ledger.jsonl` in the folder of a gold set.

A line is written before the labels are handed out, so that a read which fails later still counts.
The file is part of the gold set: commit it with the set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import UtcTime, alone_in, append_line, utc_now
from metajudge.gold.claim import SPACE_LABELS, GoldLabel, Identifier
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.rows import read_jsonl
from metajudge.gold.validation import validation_problems

LEDGER = "ledger.jsonl"
Purpose = Literal["confirm", "sweep"]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class LedgerEntry(BaseModel):
    """One read of test labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    time: UtcTime
    purpose: Purpose
    """`confirm`: one candidate against the baseline, or the baseline alone; `sweep`: every one."""
    experiment: Identifier
    experiment_sha256: _Sha256
    candidates: tuple[str, ...]
    """Names of the candidates that the labels were compared with."""
    gold_version: str
    gold_sha256: _Sha256
    """Of the whole set, dev and test."""
    claims: Annotated[int, Field(ge=0)]
    """Judged test claims whose labels were handed out."""
    package_version: str


def read_ledger(folder: str | Path) -> tuple[LedgerEntry, ...]:
    """The reads so far, oldest first; () where there is no ledger.

    Raises:
        GoldError: With every line that is no ledger entry.
    """
    path = Path(folder) / LEDGER
    if not path.exists():
        return ()
    read = read_jsonl(path)
    problems, entries = list(read.problems), []
    for row in read.rows:
        try:
            entries.append(LedgerEntry.model_validate_json(json.dumps(row.fields)))
        except ValidationError as error:
            found = validation_problems(error, LedgerEntry, row.where, lambda _: None)
            problems += [replace(problem, line=row.line) for problem in found]
    if problems:
        raise GoldError(sorted(problems, key=lambda problem: problem.line or 0))
    return tuple(entries)


def record_read(folder: str | Path, entry: LedgerEntry) -> int:
    """Adds a read to the ledger, on disk before it returns; gives the number of reads so far.

    The line is appended in one write, and one process at a time looks and writes.

    Raises:
        GoldError: The ledger cannot be read or written, or holds a faulty line.
    """
    path = Path(folder) / LEDGER
    try:
        with alone_in(path.parent):
            read_ledger(folder)
            append_line(path, entry.model_dump_json())
            return len(read_ledger(folder))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        law = f"the read of test labels cannot be recorded: {reason}"
        mend = "Make the folder of the gold set writable; without a record no label is given."
        raise GoldError(Problem(str(path), law, mend)) from error


def unseal(
    path: str | Path,
    *,
    purpose: Purpose,
    experiment: str,
    experiment_sha256: str,
    candidates: Iterable[str],
    package_version: str,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
) -> GoldSet:
    """The test split of a gold set, after the read was written to its ledger.

    Asking again is another read, also with the same experiment and candidates.

    Args:
        path: Folder of the gold set.
        purpose: `confirm` or `sweep`.
        experiment: Name of the experiment that reads.
        experiment_sha256: Hash of its declaration, 64 hexadecimal digits.
        candidates: Names of the candidates that will be compared with the labels.
        package_version: Version of metajudge that reads.
        columns: As in `load_goldset`.
        labels: As in `load_goldset`.

    Raises:
        GoldError: The path is no folder of a gold set, the set has no split or no judged test
            claim, or the read cannot be recorded. Then no label is given.
    """
    gold, test = _whole_and_test(path, columns, labels)
    entry = _entry(
        time=utc_now(),
        purpose=purpose,
        experiment=experiment,
        experiment_sha256=experiment_sha256,
        candidates=tuple(candidates),
        gold_version=gold.manifest.version,
        gold_sha256=gold.sha256,
        claims=len(test.judged().claims),
        package_version=package_version,
    )
    record_read(path, entry)
    return test


def reread_test(path: str | Path, *, experiment_sha256: str, gold_sha256: str) -> GoldSet:
    """The test split again, for figures that were published of it; adds nothing to the ledger.

    Only for a candidate that is frozen: whoever may still choose between candidates has to unseal
    the labels, as that is another look.

    Args:
        path: Folder of the gold set.
        experiment_sha256: Of the experiment whose confirmation is on record.
        gold_sha256: Of the whole set, as it was then.

    Raises:
        GoldError: The set is not the one that was read then, or the ledger has no `confirm` read of
            this experiment on these labels. Then no label is given.
    """
    gold, test = _whole_and_test(path, None, None)
    if gold.sha256 != gold_sha256:
        law = f"published figures rest on the gold set of hash {gold_sha256}"
        mend = "Get the gold set in the version that they were made with."
        raise GoldError(Problem(str(path), law, mend, field="sha256", got=gold.sha256))
    on_record = any(
        entry.purpose == "confirm"
        and entry.experiment_sha256 == experiment_sha256
        and entry.gold_sha256 == gold_sha256
        for entry in read_ledger(path)
    )
    if not on_record:
        law = (
            "test labels are read again only where the ledger has the confirmation by experiment "
            f"{experiment_sha256} on these labels"
        )
        mend = "Confirm first, with `metajudge select --confirm`; keep the ledger with the set."
        raise GoldError(Problem(str(Path(path) / LEDGER), law, mend))
    return test


def unlabelled(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
) -> GoldSet:
    """The test split as a judge is shown it: one label for all claims, no slice, span or note.

    What is asked before `unseal`, so that a judge which is down costs no read.

    Args:
        path: Folder of the gold set.
        columns: As in `load_goldset`.
        labels: As in `load_goldset`.

    Raises:
        GoldError: As `unseal`, but for what the ledger says.
    """
    test = _whole_and_test(path, columns, labels)[1]
    bare = {
        "label": SPACE_LABELS[test.manifest.label_space][0],
        "slice": None,
        "annotations": (),
        "spans": (),
        "note": None,
    }
    return replace(test, claims=tuple(claim.model_copy(update=bare) for claim in test.claims))


def _whole_and_test(
    path: str | Path,
    columns: Mapping[str, str] | None,
    labels: Mapping[str, GoldLabel] | None,
) -> tuple[GoldSet, GoldSet]:
    folder = Path(path)
    if not (folder / MANIFEST).is_file():
        law = f"test labels are read from a folder with {MANIFEST}, where the read is recorded"
        mend = "Write the set to a folder with `write_goldset`, then freeze its split."
        raise GoldError(Problem(str(folder), law, mend))
    gold = load_goldset(folder, columns=columns, labels=labels)
    test = gold.subset("test")
    if not test.judged().claims:
        law = "the test split has no judged claim"
        mend = "Label more contexts, or compare on the dev split."
        raise GoldError(Problem(str(folder), law, mend, field="split"))
    return gold, test


def record_sweep(
    gold: GoldSet,
    *,
    experiment: str,
    experiment_sha256: str,
    candidates: Iterable[str],
    package_version: str,
) -> None:
    """Puts on record that every candidate of an experiment is about to be held against test labels.

    The same experiment on the same labels is recorded once, however often it is replayed.

    Args:
        gold: The claims that are judged; nothing is written where none of them is a test claim.
        experiment: Name of the experiment.
        experiment_sha256: Hash of its declaration.
        candidates: Names of the candidates.
        package_version: Version of this package.

    Raises:
        GoldError: The read cannot be recorded.
    """
    claims = sum(gold.split_of(claim) == "test" for claim in gold.judged().claims)
    if not claims or gold.path is None:
        return
    entry = _entry(
        time=utc_now(),
        purpose="sweep",
        experiment=experiment,
        experiment_sha256=experiment_sha256,
        candidates=tuple(candidates),
        gold_version=gold.manifest.version,
        gold_sha256=gold.sha256,
        claims=claims,
        package_version=package_version,
    )
    moving = {"time", "package_version"}
    known = [seen.model_dump(exclude=moving) for seen in read_ledger(gold.path)]
    if entry.model_dump(exclude=moving) not in known:
        record_read(gold.path, entry)


def already_confirmed(entries: Iterable[LedgerEntry], experiment_sha256: str) -> LedgerEntry | None:
    """The first read that confirmed this very experiment; None where there was none.

    A second look at the same test labels confirms nothing new, and reports say so.
    """
    return next(
        (
            entry
            for entry in entries
            if entry.purpose == "confirm" and entry.experiment_sha256 == experiment_sha256
        ),
        None,
    )


def sealed(gold: GoldSet) -> GoldSet:
    """The dev split: all that selection is given. No claim, label or context of test is in it.

    Args:
        gold: A gold set with a declared split.

    Raises:
        GoldError: No split is declared, or a test claim stands in dev too, with the same text and
            passages under another id.
    """
    dev = gold.subset("dev")
    hidden = {
        (claim.claim, gold.passages(claim)): claim.claim_id
        for claim in gold.claims
        if gold.split_of(claim) != "dev"
    }
    where = str(gold.path or gold.manifest.name)
    mend = "Give both contexts one group, or leave one of the two claims out."
    twins = [(claim, hidden.get((claim.claim, dev.passages(claim)))) for claim in dev.claims]
    problems = [
        Problem(
            where,
            f"the dev claim {claim.claim_id!r} is in the sealed test split too, as {twin!r}",
            mend,
        )
        for claim, twin in twins
        if twin is not None
    ]
    if problems:
        raise GoldError(problems)
    return dev


def _entry(**fields: object) -> LedgerEntry:
    try:
        return LedgerEntry.model_validate(fields)
    except ValidationError as error:
        where = "entry of the test-label ledger"
        raise GoldError(validation_problems(error, LedgerEntry, where, lambda _: None)) from error

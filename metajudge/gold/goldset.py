"""A gold set: its manifest, claims and contexts, read with every fault named at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import (
    Claim,
    Context,
    GoldLabel,
    GoldManifest,
    LabellingPolicy,
    LabelSource,
    LabelSpace,
    PendingClaim,
    Split,
)
from metajudge.gold.claim_rows import ClaimReader, ReadingRules
from metajudge.gold.columns import known_columns, map_problems
from metajudge.gold.csv_rows import read_csv
from metajudge.gold.events import read_events
from metajudge.gold.fingerprint import gold_sha256
from metajudge.gold.folded import Correction, fold
from metajudge.gold.metric_checks import context_problems
from metajudge.gold.rows import RowsRead, read_json, read_jsonl
from metajudge.gold.split import assign, split_group
from metajudge.gold.strict_yaml import read_yaml

MANIFEST = "goldset.yaml"
_BINARY = frozenset({"supported", "unsupported"})


@dataclass(frozen=True)
class GoldSet:
    """What people said about claims, with what they were told.

    Attributes:
        manifest: Name, languages, labelling policy, split.
        claims: Those with a gold label, in file order.
        contexts: By `context_id`.
        path: Where it was read from; None when made in memory.
        notes: What reading decided for the user (ids made, columns not read), with counts.
        pending: Claims that wait for their gold label; they take part in nothing but labelling.
        corrections: Gold labels that stood in the claims file and were changed since.
    """

    manifest: GoldManifest
    claims: tuple[Claim, ...]
    contexts: dict[str, Context]
    path: Path | None = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    pending: tuple[PendingClaim, ...] = ()
    corrections: tuple[Correction, ...] = field(default=(), compare=False)

    @cached_property
    def sha256(self) -> str:
        """Hash of claims, contexts and labelling policy, whatever the order and form of files."""
        return gold_sha256(self.manifest, self.claims, self.contexts.values())

    @property
    def every_claim(self) -> tuple[Claim | PendingClaim, ...]:
        """Labelled claims, then pending ones."""
        return (*self.claims, *self.pending)

    def passages(self, claim: Claim | PendingClaim) -> tuple[str, ...]:
        """The passages that the claim is judged against; () for an empty context."""
        return self.contexts[claim.context_id].passages

    def split_of(self, claim: Claim | PendingClaim) -> Split | None:
        """The split of the claim's context group; None while no split is declared."""
        rule = self.manifest.split
        return None if rule is None else assign(split_group(self.contexts[claim.context_id]), rule)

    def judged(self, include_model: bool = False) -> GoldSet:
        """The claims that count: neither marked `exclude` nor labelled by a model.

        Args:
            include_model: Count model-labelled claims too. Such labels are never gold.
        """
        return self._with_claims(
            claim
            for claim in self.claims
            if not claim.exclude and (include_model or claim.label_source != "model")
        )

    def subset(
        self,
        split: Split | None = None,
        langs: Collection[str] | None = None,
        limit: int | None = None,
    ) -> GoldSet:
        """The claims of a split and of some languages, at most the first `limit` in file order.

        Raises:
            GoldError: A split is asked for but none is declared.
        """
        if split is not None and self.manifest.split is None:
            where = str(self.path or self.manifest.name)
            law = f"the gold set declares no split, so it has no {split!r} claims"
            mend = "Run `metajudge gold split` once; it writes the rule to goldset.yaml."
            raise GoldError(Problem(where, law, mend, field="split"))
        chosen = [
            claim
            for claim in self.claims
            if (split is None or self.split_of(claim) == split)
            and (langs is None or claim.lang in langs)
        ]
        return self._with_claims(chosen if limit is None else chosen[: max(limit, 0)])

    def of_contexts(self, context_ids: Collection[str]) -> GoldSet:
        """The claims of some contexts, in file order."""
        return self._with_claims(c for c in self.claims if c.context_id in context_ids)

    def split_counts(self) -> dict[Split | None, int]:
        """Claims per split; all under None while no split is declared."""
        return dict(Counter(self.split_of(claim) for claim in self.claims))

    def _with_claims(self, claims: Iterable[Claim]) -> GoldSet:
        kept = tuple(claims)
        used = {claim.context_id for claim in kept}
        contexts = {name: context for name, context in self.contexts.items() if name in used}
        return replace(self, claims=kept, contexts=contexts, pending=())


def load_goldset(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
    allow_empty_context: bool = False,
    with_acts: bool = True,
) -> GoldSet:
    """The gold set of a folder or table.

    In a folder, a claim without a label whose annotations do not decide is pending.

    Args:
        path: A folder with `goldset.yaml`, `claims.jsonl` (or `.csv`) and, unless contexts stand in
            the rows, `contexts.jsonl` (or `.csv`); or a table as `read_table` takes it.
        columns: Our field -> their column. None refuses unknown columns, a map leaves them unread.
        labels: Their label -> ours.
        allow_empty_context: Take contexts without a passage, as the manifest can say too.
        with_acts: Fold in what annotators did since (`annotations/`); without it, the set as
            its claims file states it.

    Raises:
        GoldError: With every fault of every file.
    """
    folder = Path(path)
    if not (folder / MANIFEST).is_file():
        return read_table(
            path, columns=columns, labels=labels, allow_empty_context=allow_empty_context
        )
    manifest, problems = _read_manifest(folder / MANIFEST)
    if manifest is not None and allow_empty_context:
        manifest = manifest.model_copy(update={"allow_empty_context": True})
    rules = _rules(manifest, columns, labels, allow_empty_context)
    reader = ClaimReader(replace(rules, pending=True))
    claims_path = _only_file(folder, "claims", problems, needed=True)
    contexts_path = _only_file(folder, "contexts", problems, needed=False)
    if contexts_path is not None:
        contexts = _read_rows(contexts_path, None)
        reader.problems += contexts.problems
        for row in contexts.rows:
            reader.read_context(row)
    if claims_path is not None:
        _read_claims(reader, _read_rows(claims_path, columns), str(claims_path))
    problems += reader.problems
    if manifest is not None:
        place = str(contexts_path or claims_path or folder)
        problems += context_problems(manifest.metric, reader.contexts.values(), place)
    if problems or manifest is None:
        raise GoldError(problems)
    goldset = _goldset(reader, manifest, folder)
    return fold(goldset, read_events(folder)) if with_acts else goldset


def read_table(
    source: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
    manifest: GoldManifest | None = None,
    label_source: LabelSource = "human",
    allow_empty_context: bool = False,
) -> GoldSet:
    """The gold set of one table with a claim and its context in each row.

    Args:
        source: A .jsonl, .json, .csv, .tsv or .parquet file, a folder saved by `datasets`, or
            `hf:owner/name`, `hf:owner/name#split` for a set on the Hugging Face hub. Nothing but
            `hf:` touches the network.
        columns: Our field -> their column. None refuses unknown columns, a map ({} too) leaves
            them unread. Names of common frameworks need no map (`columns.FRAMEWORK_NAMES`).
        labels: Their label -> ours.
        manifest: What is known about the set; made from the rows when None.
        label_source: Who labelled the rows that do not say.
        allow_empty_context: Take rows whose context has no passage.

    Raises:
        GoldError: With every fault.
    """
    if manifest is None:
        rules = ReadingRules(
            columns,
            labels or {},
            label_source=label_source,
            allow_empty_context=allow_empty_context,
        )
    else:
        rules = _rules(manifest, columns, labels, allow_empty_context)
    reader = ClaimReader(rules)
    _read_claims(reader, _read_rows(source, columns), str(source))
    if not reader.problems and manifest is None:
        manifest = _manifest_of(reader, source, label_source)
    if reader.problems or manifest is None:
        raise GoldError(reader.problems)
    path = None if str(source).startswith("hf:") else Path(source)
    return _goldset(reader, manifest, path)


def _goldset(reader: ClaimReader, manifest: GoldManifest, path: Path | None) -> GoldSet:
    notes = tuple(
        f"{message} ({counted(count, 'rows')})" for message, count in reader.notes.items() if count
    )
    contexts, pending = dict(reader.contexts), tuple(reader.pending)
    return GoldSet(manifest, tuple(reader.claims), contexts, path, notes, pending)


def _read_manifest(path: Path) -> tuple[GoldManifest | None, list[Problem]]:
    try:
        return read_yaml(path, GoldManifest, GoldError), []
    except GoldError as error:
        return None, list(error.problems)


def _rules(
    manifest: GoldManifest | None,
    columns: Mapping[str, str] | None,
    labels: Mapping[str, GoldLabel] | None,
    allow_empty_context: bool,
) -> ReadingRules:
    if manifest is None:
        return ReadingRules(columns, labels or {}, allow_empty_context=allow_empty_context)
    return ReadingRules(
        columns,
        labels or {},
        manifest.label_space,
        manifest.languages,
        manifest.label_source,
        manifest.adjudication,
        allow_empty_context or manifest.allow_empty_context,
        metric=manifest.metric,
    )


def _only_file(folder: Path, stem: str, problems: list[Problem], needed: bool) -> Path | None:
    found = [path for end in ("jsonl", "csv") if (path := folder / f"{stem}.{end}").is_file()]
    if len(found) > 1:
        law = f"the folder has both {stem}.jsonl and {stem}.csv"
        problems.append(Problem(str(folder), law, "Keep one of the two."))
    if not found and needed:
        law = f"the folder has neither {stem}.jsonl nor {stem}.csv"
        problems.append(Problem(str(folder), law, "Add one of the two."))
    return found[0] if found else None


def _read_claims(reader: ClaimReader, read: RowsRead, where: str) -> None:
    reader.problems += [*read.problems, *map_problems(reader.rules.columns, read.rows, where)]
    for row in read.rows:
        reader.read_claim(row)
    if not read.rows and not read.problems:
        law, mend = "there is no claim in it", "Add at least one row."
        reader.problems.append(Problem(where, law, mend))


def _read_rows(source: str | Path, columns: Mapping[str, str] | None) -> RowsRead:
    lists = [
        theirs
        for ours, theirs in (columns or {}).items()
        if ours in ("passages", "annotations", "spans")
    ]
    return read_rows(source, known_columns(columns), lists)


def read_rows(
    source: str | Path, known: Collection[str], list_columns: Collection[str] = ()
) -> RowsRead:
    """Rows of a table in any form that `read_table` takes; nothing is interpreted.

    Args:
        source: As `read_table` takes it.
        known: Column names that tell the separator of a CSV file.
        list_columns: Columns of a CSV file that may hold JSON lists, beside the usual ones.
    """
    path = Path(source)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        return read_csv(path, known, list_columns)
    if ending in (".jsonl", ".ndjson"):
        return read_jsonl(path)
    if ending == ".json":
        return read_json(path)
    from metajudge.gold.tabular import read_with_datasets

    return read_with_datasets(source)


def _manifest_of(
    reader: ClaimReader, source: str | Path, label_source: LabelSource
) -> GoldManifest | None:
    """What the rows themselves say about a table without a manifest."""
    labels = {claim.label for claim in reader.claims}
    if labels & _BINARY and labels - _BINARY:
        law = f"one label space is expected, these are labels of both: {', '.join(sorted(labels))}"
        mend = "Use yes, no, idk or supported, unsupported throughout; a label map can do it."
        reader.problems.append(Problem(str(source), law, mend, field="label"))
        return None
    space: LabelSpace = "binary" if labels & _BINARY else "ternary"
    return GoldManifest(
        name=Path(str(source).removeprefix("hf:")).stem or "table",
        version="0",
        languages=tuple(dict.fromkeys(claim.lang for claim in reader.claims)),
        label_space=space,
        labelling_policy=LabellingPolicy(version="unknown"),
        licence="unknown",
        provenance=f"read from {Path(source).name}",
        label_source=label_source,
        allow_empty_context=reader.rules.allow_empty_context,
    )

"""`evidence.json`: every figure that a release rests on, and which of them can be made again.

`recomputed` follows from the gold set, the stored replies and the templates; `carried` is copied
from the results of the experiment.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.errors import Problem, ReleaseError
from metajudge.gold.claim import Split
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import reread_test, sealed
from metajudge.gold.validation import validation_problems
from metajudge.judges.judge import Judge
from metajudge.release.asking import Verdicts, replayed
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate
from metajudge.release.manifest import EVIDENCE, MANIFEST, NEVER_EDITED
from metajudge.report.figure import number
from metajudge.report.measured_parts import (
    figure_parts,
    group_parts,
    label_parts,
    language_parts,
    policy_part,
    table_part,
)
from metajudge.report.part import Figure, Part, VerdictCode
from metajudge.report.results import (
    GroupFigures,
    LabelFigures,
    PolicyFigures,
    RankRow,
    Results,
)
from metajudge.report.selection_results import CalibrationFigures, Confirmation, OptimismFigures
from metajudge.report.stability_results import AxisFigures, ControlFigures
from metajudge.scoring.answers import score_answers
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns, claim_columns
from metajudge.selection.measure import Measurer
from metajudge.selection.policies import policy_figures
from metajudge.selection.readings import CLASSES
from metajudge.verdicts.verdict import Reply

SPLITS: tuple[Split, ...] = ("dev", "test")


class How(Part):
    """How intervals were made; the experiment's own settings."""

    seed: Annotated[int, Field(ge=0)]
    resamples: Annotated[int, Field(ge=1, le=100_000)]
    cluster: Literal["answer", "context"]
    alpha: Annotated[float, Field(gt=0, lt=1)]
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    """Draws per claim."""


class SplitEvidence(Part):
    """One candidate on one split of the gold set."""

    split: Split
    claims: int
    contexts: int
    answers: int
    claim_ids: tuple[str, ...] = Field(
        default=(),
        description=(
            "Judged claims in the order that the intervals, and the batches of templates that ask "
            "several claims a call, were made in."
        ),
    )
    table: dict[str, dict[VerdictCode, int]] = Field(description="gold label -> verdict -> n")
    figures: dict[str, Figure] = Field(description="as `figures` of a trial in results.json")
    labels: dict[str, LabelFigures]
    slices: dict[str, GroupFigures]
    languages: dict[str, GroupFigures]
    language_figures: dict[str, dict[str, Figure]] = Field(
        description="language -> summary_as_idk, over_credit, kappa"
    )
    policy: PolicyFigures = Field(description="Answer scores under the policy of the release.")
    failures: dict[str, int] = Field(description="class -> claims and draws without a label")
    cluster_tables: tuple[tuple[tuple[int, int, int, int], ...], ...] = Field(
        description=(
            "Per context, in the order of context ids: gold label (yes, no, idk; supported, "
            "unsupported in a binary set) by verdict yes, no, idk, failure; all draws counted."
        )
    )
    answer_scores: dict[str, float | None] = Field(
        description="answer_id -> score of the first draw; null where the policy gives none"
    )


class CarriedControls(Part):
    """Negative controls of the candidate."""

    insensitive: str | None = Field(
        description="Why it is taken not to read the evidence; null where it reads."
    )
    pooled_drop: Figure | None
    rows: tuple[ControlFigures, ...]


class Carried(Part):
    """Copied from the `results.json` whose SHA-256 stands in the manifest; not recomputed."""

    confirmation: Confirmation
    ranking: RankRow = Field(description="Its row on the dev split, with broken guardrails.")
    candidates: int = Field(description="Candidates that it was ranked among.")
    guardrails: dict[str, float]
    flip_rate: Figure | None = Field(
        description="Over repeats at the judge's own temperature; null where not asked."
    )
    stability: tuple[AxisFigures, ...] = Field(
        description="Of its trial, always under the reading `top`."
    )
    controls: CarriedControls | None = Field(description="null where none were asked")
    calibration: CalibrationFigures | None
    optimism: OptimismFigures | None = Field(description="Of the choice that the selection made.")
    test_reads: int = Field(description="Ledger entries of the test labels at the confirmation.")
    notes: tuple[str, ...]


class Recomputed(Part):
    """Follows from the gold set, `replies.jsonl.gz` and the templates, to the last digit.

    `metajudge release verify` computes all of it again and compares.
    """

    dev: SplitEvidence
    test: SplitEvidence


class Evidence(Part):
    """`evidence.json`."""

    how: How
    recomputed: Recomputed
    carried: Carried

    def split(self, split: Split) -> SplitEvidence:
        """What was recomputed on a split."""
        return self.recomputed.dev if split == "dev" else self.recomputed.test


def recomputed(
    candidate: Candidate,
    gold: GoldSet,
    split: Split,
    replies: Mapping[str, Reply],
    how: How,
    *,
    judge: Judge | None = None,
) -> SplitEvidence:
    """A candidate's figures from stored replies; a pure function of its arguments.

    Args:
        candidate: With its priors frozen.
        gold: The labelled claims of the split, and no others; model-made labels are left out.
        split: What the claims are called.
        replies: By key; a call without one is a failure of class `missing`.
        how: How intervals are made. They depend on the order of the claims, which is told.
        judge: Whose keys the replies are under; None takes the judge as it was pinned.
    """
    judges = None if judge is None else {candidate.judge.name: judge}
    (said,) = replayed([candidate], gold, replies, judges=judges, repeats=how.repeats)
    binary = gold.manifest.label_space == "binary"
    claims = gold.judged().claims
    columns = claim_columns(claims, how.repeats, binary=binary)
    measurer = _measurer(candidate, said, columns, how)
    (measured,) = measurer.measure()
    policy = policy_figures(measurer, [candidate.policy], candidate.threshold)[0][0]
    return SplitEvidence(
        split=split,
        claims=len(claims),
        contexts=columns.contexts.n_clusters,
        answers=columns.answers.n_clusters,
        claim_ids=tuple(claim.claim_id for claim in claims),
        table=table_part(measured.table, binary),
        figures=figure_parts(measured.figures),
        labels=label_parts(measured.labels),
        slices=group_parts(measured.slices, binary),
        languages=group_parts(measured.languages, binary),
        language_figures=language_parts(measured),
        policy=policy_part(policy),
        failures=_failures(said),
        cluster_tables=_cluster_tables(measurer, [claim.context_id for claim in claims]),
        answer_scores=_answer_scores(candidate, said, gold),
    )


def recompute(
    release: Release, gold_folder: str | Path, replies: Mapping[str, Reply]
) -> dict[Split, SplitEvidence]:
    """A release's figures on dev and test from stored replies, with its frozen priors.

    Args:
        release: The release.
        gold_folder: The gold set, with its ledger.
        replies: By key, as in `replies.jsonl.gz`.

    Raises:
        InputError: A file of the release or the gold set is faulty, or the gold set is not the one
            that the release was confirmed on.
    """
    how = read_evidence(release.folder).how
    golds = split_golds(release, gold_folder)
    return {
        split: recomputed(release.candidate, gold, split, replies, how)
        for split, gold in golds.items()
    }


def split_golds(release: Release, gold_folder: str | Path) -> dict[Split, GoldSet]:
    """The claims that a release's figures rest on, by split, in the order that its evidence has.

    A gold set keeps its hash when its lines change places; intervals and batches do not.

    Raises:
        GoldError: The set is faulty, or not the one that the release was confirmed on.
        ReleaseError: The release has no evidence, or it is faulty.
    """
    told = read_evidence(release.folder)
    manifest = release.manifest
    test = reread_test(
        gold_folder,
        experiment_sha256=manifest.experiment.config_sha256,
        gold_sha256=manifest.gold.sha256,
    )
    dev = sealed(load_goldset(gold_folder))
    languages = manifest.gold.languages
    golds: dict[Split, GoldSet] = {
        "dev": dev.subset(langs=languages),
        "test": test.subset(langs=languages),
    }
    empty = [split for split, gold in golds.items() if not gold.judged().claims]
    if empty:
        law = f"no gold claim of the {empty[0]} split is in the release's languages"
        where = str(release.folder / MANIFEST)
        got = repr(languages)
        raise ReleaseError(Problem(where, law, NEVER_EDITED, field="gold.languages", got=got))
    return {split: _in_order(gold, told.split(split).claim_ids) for split, gold in golds.items()}


def carried(results: Results, confirmation: Confirmation) -> Carried:
    """What of an experiment's results belongs to its confirmed candidate.

    Raises:
        ReleaseError: The candidate was not ranked.
    """
    trial, reading = confirmation.trial, confirmation.reading
    mine = [r for r in results.ranking if (r.trial, r.reading) == (trial, reading)]
    if not mine:
        law = f"the confirmed candidate {trial} ({reading}) is not in the ranking"
        raise ReleaseError(Problem("results.json", law, "Select and confirm again."))
    found, selection = results.stability, results.selection
    fitted = (c for c in results.calibration if (c.trial, c.reading) == (trial, reading))
    return Carried(
        confirmation=confirmation,
        ranking=mine[0],
        candidates=len(results.ranking),
        guardrails=results.guardrails,
        flip_rate=None if found is None else found.flip_rates.get(trial),
        stability=() if found is None else tuple(a for a in found.axes if a.trial == trial),
        controls=_controls(results, f"{trial} ({reading})"),
        calibration=next(fitted, None),
        optimism=None if selection is None else selection.optimism,
        test_reads=confirmation.reads,
        notes=results.notes,
    )


def _in_order(gold: GoldSet, claim_ids: Sequence[str]) -> GoldSet:
    """The claims in an order of ids; those that it lacks come last, as they stand in their file."""
    place = {claim_id: index for index, claim_id in enumerate(claim_ids)}
    claims = sorted(gold.claims, key=lambda claim: place.get(claim.claim_id, len(place)))
    return replace(gold, claims=tuple(claims))


def evidence_text(evidence: Evidence) -> str:
    """The text of `evidence.json`: a line a figure group, so that changes can be read."""
    return _lines(evidence.model_dump(mode="json"), depth=3) + "\n"


def read_evidence(folder: str | Path) -> Evidence:
    """The evidence in a release's folder.

    Raises:
        ReleaseError: It is missing or faulty.
    """
    path = Path(folder) / EVIDENCE
    try:
        found = Evidence.model_validate_json(path.read_bytes())
        json.dumps(found.model_dump(), allow_nan=False)
    except OSError as error:
        law = (
            f"the evidence of the release cannot be read: {error.strerror or type(error).__name__}"
        )
        raise ReleaseError(Problem(str(path), law, NEVER_EDITED)) from error
    except ValidationError as error:
        problems = validation_problems(error, Evidence, str(path), lambda _: None)
        raise ReleaseError(problems) from error
    except ValueError as error:
        raise ReleaseError(Problem(str(path), "a number must be finite", NEVER_EDITED)) from error
    return found


def _measurer(candidate: Candidate, said: Verdicts, columns: ClaimColumns, how: How) -> Measurer:
    codes = CandidateCodes(
        (CandidateKey(candidate.name, candidate.reading),),
        np.asarray(said.read.codes, np.int64).reshape(1, -1),
        np.asarray(said.read.probabilities, np.float32).reshape(1, -1, 3),
    )
    weights = cluster_weights(
        columns.clusters(how.cluster).n_clusters, how.resamples, np.random.default_rng(how.seed)
    )
    return Measurer(columns, codes, weights, how.cluster, 1 - how.alpha)


def _failures(said: Verdicts) -> dict[str, int]:
    lost = Counter(said.read.classes[said.read.classes >= 0].tolist())
    return {name: lost[code] for code, name in enumerate(CLASSES) if lost[code]}


def _cluster_tables(
    measurer: Measurer, contexts: list[str]
) -> tuple[tuple[tuple[int, int, int, int], ...], ...]:
    columns = measurer.columns
    names = list(dict.fromkeys(contexts))
    tables = np.zeros((len(names), columns.n_labels, 4), np.int64)
    np.add.at(tables, (columns.contexts.codes, columns.gold, measurer.candidates.codes[0]), 1)
    order = sorted(range(len(names)), key=names.__getitem__)
    return tuple(tuple(tuple(row) for row in tables[index].tolist()) for index in order)


def _answer_scores(candidate: Candidate, said: Verdicts, gold: GoldSet) -> dict[str, float | None]:
    claims = gold.judged().claims
    columns = claim_columns(claims, binary=gold.manifest.label_space == "binary")
    names = list(dict.fromkeys(claim.answer_id for claim in claims))
    scores = score_answers(
        candidate.policy,
        said.read.codes[:, 0],
        columns.answers.codes,
        len(names),
        said.read.probabilities[:, 0],
    )
    found = {name: number(scores.score(index).value) for index, name in enumerate(names)}
    return dict(sorted(found.items()))


def _controls(results: Results, name: str) -> CarriedControls | None:
    found = results.controls
    if found is None or name not in found.insensitive:
        return None
    return CarriedControls(
        insensitive=found.insensitive[name],
        pooled_drop=found.pooled_drop.get(name),
        rows=tuple(row for row in found.rows if row.trial == name),
    )


def _lines(value: Any, depth: int, indent: str = "") -> str:
    """JSON with mappings written out to a depth, and everything below on one line."""
    if depth == 0 or not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = f"{indent} "
    rows = (f"{inner}{json.dumps(k)}: {_lines(v, depth - 1, inner)}" for k, v in value.items())
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"

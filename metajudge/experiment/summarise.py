"""From measured figures to `Results`: the one place where a sweep becomes a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig
from metajudge.gold.claim import Claim
from metajudge.report.figure import rounded
from metajudge.report.measured_parts import (
    VERDICT_CODES,
    figure_parts,
    group_parts,
    label_parts,
    language_parts,
    policy_part,
    table_part,
)
from metajudge.report.results import (
    ClaimKey,
    GoldInfo,
    JudgeInfo,
    RotationFigures,
    TemplateInfo,
    TrialFigures,
    TrialVerdicts,
)
from metajudge.selection.columns import SUMMARY_SLICES, ClaimColumns
from metajudge.selection.measure import CandidateFigures
from metajudge.selection.policies import PolicyEstimates
from metajudge.selection.readings import Candidates, variant_codes
from metajudge.selection.replay import TrialReplay
from metajudge.templates.peers import PeerTemplate
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template


def gold_info(prepared: Prepared, config: ExperimentConfig) -> GoldInfo:
    """What of the gold set took part."""
    gold = prepared.gold
    judged = gold.judged()
    manifest = gold.manifest
    return GoldInfo(
        name=manifest.name,
        version=manifest.version,
        sha256=gold.sha256,
        policy_version=manifest.labelling_policy.version,
        split=config.gold.split,
        claims=len(judged.claims),
        answers=len({c.answer_id for c in judged.claims}),
        contexts=len({c.context_id for c in judged.claims}),
        labels=dict(sorted(Counter(c.label for c in judged.claims).items())),
        languages=dict(sorted(Counter(c.lang for c in judged.claims).items())),
        left_out=len(gold.claims) - len(judged.claims),
        label_source=manifest.label_source,
    )


def judge_infos(prepared: Prepared) -> tuple[JudgeInfo, ...]:
    """The judges by name."""
    return tuple(
        JudgeInfo(spec=spec, identity=dict(judge.identity))
        for spec, judge in prepared.judges.items()
    )


def claim_keys(prepared: Prepared) -> tuple[ClaimKey, ...]:
    """The claims in the order of all verdicts."""
    return tuple(
        ClaimKey(
            claim_id=c.claim_id,
            answer_id=c.answer_id,
            context_id=c.context_id,
            gold=c.label,
            slice=c.slice,
            lang=c.lang,
        )
        for c in prepared.gold.judged().claims
    )


def trial_figures(
    candidates: Candidates,
    figures: Sequence[CandidateFigures],
    policies: Sequence[Sequence[PolicyEstimates]],
    replays: Mapping[str, TrialReplay],
    columns: ClaimColumns,
) -> tuple[TrialFigures, ...]:
    """One entry a candidate, in the candidates' order."""
    rows = []
    for index, key in enumerate(candidates.codes.keys):
        row, measured = replays[key.trial], figures[index]
        priors = {name: p for v in row.variants for name, p in v.by_template.items()}
        rows.append(
            TrialFigures(
                trial=key.trial,
                reading=key.reading,
                judge=row.trial.judge,
                templates=_templates(row),
                repeats=row.trial.repeats,
                table=table_part(measured.table, columns.binary),
                figures=figure_parts(measured.figures),
                labels=label_parts(measured.labels),
                slices=group_parts(measured.slices, columns.binary),
                languages=group_parts(measured.languages, columns.binary),
                language_figures=language_parts(measured),
                policies=tuple(map(policy_part, policies[index])),
                failures=dict(candidates.failures[index]),
                prior={
                    name: dict(zip(("yes", "no", "idk"), map(rounded, p), strict=True))
                    for name, p in priors.items()
                }
                or None,
                rotations=_rotations(row, key.reading, columns),
            )
        )
    return tuple(rows)


def trial_verdicts(
    candidates: Candidates, replays: Mapping[str, TrialReplay], claims: Sequence[Claim]
) -> tuple[TrialVerdicts, ...]:
    """First draw's verdicts of every candidate, for the disagreement browser."""
    rows = []
    for index, key in enumerate(candidates.codes.keys):
        row = replays[key.trial]
        repeats = row.trial.repeats
        codes = candidates.codes.codes[index].reshape(-1, repeats)[:, 0]
        chances = candidates.codes.probabilities[index].reshape(-1, repeats, 3)[:, 0]
        rows.append(
            TrialVerdicts(
                trial=key.trial,
                reading=key.reading,
                verdicts=tuple(VERDICT_CODES[code] for code in codes),
                probabilities=tuple(map(_chances, chances)) if np.isfinite(chances).any() else (),
                reasons={claims[i].claim_id: text for i, text in row.reasons.items()},
                failures={
                    claims[i].claim_id: text for i, text in candidates.details[index].items()
                },
            )
        )
    return tuple(rows)


def _templates(row: TrialReplay) -> tuple[TemplateInfo, ...]:
    sources = {s.fingerprint: s for w in row.trial.variants for s in w.by_language.values()}
    return tuple(map(_template, sources.values()))


def _template(source: PromptSource) -> TemplateInfo:
    package = None
    if isinstance(source, PeerTemplate):
        package = f"{source.package} {source.package_version}"
    return TemplateInfo(
        label=source.label,
        family=source.family,
        language=source.language,
        dialect=source.dialect.name,
        form=source.answer.form + (" json" if source.answer.json_ else ""),
        layout=source.layout if isinstance(source, Template) else "peer",
        fingerprint=source.fingerprint,
        package=package,
    )


def _rotations(
    row: TrialReplay, reading: str, columns: ClaimColumns
) -> tuple[RotationFigures, ...]:
    if len(row.variants) == 1:
        return ()
    figures = []
    summaries = columns.in_slices(SUMMARY_SLICES) & (columns.gold == 0)
    for wording, codes in zip(row.trial.variants, variant_codes(row, reading), strict=True):
        said = codes.reshape(-1).astype(np.int64)
        source = next(iter(wording.by_language.values()))
        figures.append(
            RotationFigures(
                order=tuple(source.dialect.words),
                summary_as_idk=_share(said == 2, summaries),
                over_credit=_share(said == 0, columns.gold != 0),
                accuracy=_share(columns.as_labels(said) == columns.gold, columns.gold >= 0),
            )
        )
    return tuple(figures)


def _share(
    hits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    kind: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
) -> float | None:
    return rounded(float(hits[kind].mean())) if kind.any() else None


def _chances(
    row: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> tuple[float, float, float] | None:
    if not np.isfinite(row).all():
        return None
    return round(float(row[0]), 4), round(float(row[1]), 4), round(float(row[2]), 4)

"""What serves each metric: the release, template and policy that its score comes from."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metajudge.errors import ExperimentError, InputError, Problem, TemplateError
from metajudge.gold.claim import MetricName
from metajudge.metrics.judged import JudgedMetric
from metajudge.metrics.settings import EvaluateSettings
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.scoring.policies import Policy, check_policy, parse_policy
from metajudge.templates.catalogue import Wording, catalogue, catalogue_wording, read_wordings
from metajudge.templates.serving import serving_problems

STRICT = parse_policy("strict")
_WHERE = "evaluate"


@dataclass(frozen=True)
class Serving:
    """What is asked for some judged metrics.

    Attributes:
        metrics: The judged metrics, in the order asked for.
        candidates: Who is asked by part.
        policies: Policy by metric.
        releases: Release by part, where one serves it.
    """

    metrics: tuple[JudgedMetric, ...]
    candidates: Mapping[MetricName, Candidate]
    policies: Mapping[str, Policy]
    releases: Mapping[str, Release]


def served(metrics: Sequence[JudgedMetric], settings: EvaluateSettings) -> Serving:
    """Wordings, policies and judges of the metrics asked for, every fault in one list.

    Raises:
        InputError: No judge is named, a name is unknown, or a template serves another metric.
    """
    problems: list[Problem] = []
    parts = tuple(dict.fromkeys(part for metric in metrics for part in metric.parts))
    problems += _unknown(settings, metrics, parts)
    pin = _pin(settings, parts, problems)
    candidates: dict[MetricName, Candidate] = {}
    for part in parts if pin is not None else ():
        try:
            candidates[part] = _candidate(part, settings, pin)  # type: ignore[arg-type]
        except TemplateError as error:
            problems += error.problems
    policies: dict[str, Policy] = {}
    for metric in metrics:
        try:
            policies[metric.name] = _policy(metric, settings, candidates)
        except ExperimentError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return Serving(tuple(metrics), candidates, policies, settings.releases)


def _unknown(
    settings: EvaluateSettings, metrics: Sequence[JudgedMetric], parts: Sequence[str]
) -> list[Problem]:
    """Names in the settings that belong to none of the metrics asked for."""
    problems = []
    taking = [metric.name for metric in metrics if metric.takes_policy]
    tables: tuple[tuple[str, Sequence[str], Sequence[str]], ...] = (
        ("release", list(settings.releases), parts),
        ("template", list(settings.templates), parts),
        ("policy", list(settings.policies), taking),
    )
    for field, names, known in tables:
        for name in names:
            if name in known:
                continue
            near = difflib.get_close_matches(name, known, n=1)
            one_of = ", ".join(known) or "none of those asked for"
            law = f"a {field} belongs to a metric that is asked for and takes one: {one_of}"
            mend = f"Did you mean {near[0]!r}?" if near else "Ask for that metric too."
            problems.append(Problem(_WHERE, law, mend, field=field, got=repr(name)))
    return problems


def _pin(
    settings: EvaluateSettings, parts: Sequence[str], problems: list[Problem]
) -> JudgePin | None:
    """The judge of all that no release serves with its own."""
    if settings.judge is not None:
        return JudgePin(
            spec=settings.judge,
            api_base=settings.api_base,
            temperature=settings.temperature,
            seed=settings.seed,
            timeout_s=settings.timeout_s,
        )
    own = [settings.releases[part].candidate.judge for part in parts if part in settings.releases]
    if own:
        return own[0]
    if parts:
        verb = "asks" if len(parts) == 1 else "ask"
        law = f"{', '.join(parts)} {verb} a judge, and none is named"
        mend = "Name one with judge (--judge), or a release that pins one."
        problems.append(Problem(_WHERE, law, mend, field="judge"))
    return None


def _candidate(part: MetricName, settings: EvaluateSettings, pin: JudgePin) -> Candidate:
    if part in settings.releases:
        own = settings.releases[part].candidate
        sources = [s for wording in own.variants for s in wording.by_language.values()]
        _check(sources, part, settings.releases[part].ref)
        return own if settings.judge is None else replace(own, judge=pin)
    wording = _wording(part, settings.templates.get(part))
    _check(list(wording.by_language.values()), part, wording.name)
    return Candidate(wording.name, (wording,), STRICT, 0.5, pin)


def _check(sources: Sequence[object], part: MetricName, where: str) -> None:
    problems = list(serving_problems(sources, part, where))  # type: ignore[arg-type]
    if problems:
        raise TemplateError(problems)


def _wording(part: MetricName, asked: str | Path | None) -> Wording:
    """The default wording of a metric, a shipped one by name, or that of a file or of a pattern."""
    if asked is None:
        return default_wording(part)
    if str(asked).endswith((".yaml", ".yml")):
        path = Path(asked)
        found = list(read_wordings(sorted(path.parent.glob(path.name)) or [path]).values())
        if len(found) != 1:
            law = f"{asked} holds the templates of {len(found)} wordings, and one is asked with"
            raise TemplateError(Problem(_WHERE, law, "Name one.", field="template"))
        return found[0]
    return catalogue_wording(str(asked), _WHERE)


def default_wording(part: MetricName) -> Wording:
    """The wording that a metric asks with where none is named.

    >>> default_wording("context_relevance").name, default_wording("faithfulness").name
    ('helpful-passage', 'summary-tolerant')
    """
    wordings = catalogue(part)
    return wordings["summary-tolerant" if part == "faithfulness" else next(iter(wordings))]


def _policy(
    metric: JudgedMetric, settings: EvaluateSettings, candidates: Mapping[MetricName, Candidate]
) -> Policy:
    part = metric.parts[0]
    asked = settings.policies.get(metric.name)
    if asked is not None:
        policy = parse_policy(asked, _WHERE)
    elif metric.takes_policy and part in settings.releases:
        policy = settings.releases[part].candidate.policy
    else:
        policy = STRICT
    if policy.from_probabilities:
        law = f"{policy.name} needs label probabilities, and metrics are scored by labels"
        mend = "Choose strict, lenient, partial(w) or drop_idk; `metajudge judge` takes expected."
        raise ExperimentError(Problem(_WHERE, law, mend, field="policy", got=repr(policy.name)))
    if part in candidates:
        for wording in candidates[part].variants:
            for source in wording.by_language.values():
                check_policy(policy, source.dialect.words, _WHERE)
    return policy

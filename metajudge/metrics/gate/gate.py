"""A gate from its suite: cases are scored, held against the baseline, and decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from metajudge.errors import InputError, Problem
from metajudge.gold.appended import utc_now
from metajudge.gold.setting_names import check_names
from metajudge.judges.spec import spec_beside
from metajudge.metrics.evaluate import releases_by_metric
from metajudge.metrics.evaluation import EvaluationSummary
from metajudge.metrics.gate.baseline import (
    Baseline,
    check_comparable,
    make_baseline,
    read_baseline,
)
from metajudge.metrics.gate.beside import beside_a_loop
from metajudge.metrics.gate.case_bars import bars_of, case_gates, kept_lines
from metajudge.metrics.gate.cases import Cases, answer_sha256, read_cases
from metajudge.metrics.gate.decide import MetricGates, worst
from metajudge.metrics.gate.measured import measured
from metajudge.metrics.gate.measures import measures_of, release_bars
from metajudge.metrics.gate.once_failed import Kept, check_kept, read_kept
from metajudge.metrics.gate.report import BaselineSeen, GateReport, Rates
from metajudge.metrics.gate.scores import Scores, score_cases
from metajudge.metrics.gate.suite import Suite, read_suite
from metajudge.metrics.settings import EvaluateSettings
from metajudge.release.answers_file import AnswersSource
from metajudge.release.application import DEFAULT_STORE
from metajudge.release.judged import CallAccount
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.version import __version__

REGRESSIONS = "regressions.jsonl"
"""Where failures are kept where the suite names no file."""


@dataclass(frozen=True)
class GateSettings:
    """How a gate is run.

    Attributes:
        answers: Today's answers, a file or rows, in place of the suite's file.
        store: File of the reply store.
        recordings: Recordings that are loaded first, beside those of the suite.
        registry: Where releases are looked up; None takes the default one.
        budget: Hard limits over all calls together.
        offline: Ask nothing: only stored replies count.
        observer: Is told how the runs go.
    """

    answers: AnswersSource | None = None
    store: str | Path = DEFAULT_STORE
    recordings: Sequence[str | Path] = ()
    registry: Path | None = None
    budget: Budget = field(default_factory=Budget)
    offline: bool = False
    observer: Observer | None = None


class Gate:
    """A suite with its cases, read and checked before anything is asked.

    Args:
        suite: What has to hold.
        path: Its file: paths in it are relative to its folder.
        settings: How it is run.
        compare: Whether the suite's baseline is read and compared with.

    Raises:
        InputError: Cases, baseline, kept failures or release are faulty, or the baseline was made
            by another measure or of other questions.

    Attributes:
        cases: The cases with today's answers.
        measures: What each metric is measured with.
        bars: What each case has to reach.
        baseline: What is compared with; None where nothing is.
    """

    def __init__(
        self, suite: Suite, path: Path, settings: GateSettings, *, compare: bool = True
    ) -> None:
        self.suite, self.path, self.settings = suite, path, settings
        self.cases: Cases = read_cases(self._place(suite.cases), self._answers(), suite.group)
        self.evaluate = self._evaluate_settings()
        self.metrics = [bars.name for bars in suite.metrics]
        self.measures = measures_of(self.metrics, self.cases, self.evaluate, path.parent)
        self.baseline: Baseline | None = None
        if compare and suite.baseline is not None:
            self.baseline = read_baseline(self.baseline_place)
            check_comparable(self.baseline, self.cases, self.measures, self.baseline_place)
        self.kept: tuple[Kept, ...] = read_kept(self.kept_place)
        check_kept(self.kept, self.cases.ids, self.metrics, self.kept_place)
        bars = release_bars(self.metrics, self.evaluate)
        self.bars = bars_of(suite, self.cases, self.kept, bars, str(path))

    @property
    def baseline_place(self) -> Path:
        """File of the baseline.

        Raises:
            InputError: The suite names none.
        """
        if self.suite.baseline is None:
            law, mend = "the suite names no baseline", "Write baseline: baseline.json."
            raise InputError(Problem(str(self.path), law, mend, None, "baseline"))
        return self._place(self.suite.baseline)

    @property
    def places(self) -> tuple[Path, ...]:
        """Files that the gate reads, none of which a report may be written over."""
        answers, baseline = self._answers(), self.suite.baseline
        return (
            self.path,
            self._place(self.suite.cases),
            self.kept_place,
            *([Path(answers)] if isinstance(answers, str | Path) else []),
            *([] if baseline is None else [self._place(baseline)]),
        )

    @property
    def kept_place(self) -> Path:
        """File of the cases that once failed."""
        return self._place(self.suite.once_failed.file or REGRESSIONS)

    def score(self) -> Scores:
        """Scores of all cases; asks what the store lacks.

        Raises:
            InputError: A case, metric or setting is faulty.
            StoreError: The store cannot be used.
        """
        suite = self.suite
        return score_cases(self.cases, self.metrics, self.evaluate, suite.repeats, suite.seed)

    def report(self, scores: Scores) -> GateReport:
        """What follows from the scores; a pure function of them."""
        suite, cases, baseline = self.suite, self.cases, self.baseline
        metrics = measured(suite, cases, scores, baseline)
        gates = MetricGates(suite, cases.groups, cases.slices)
        for metric in metrics:
            gates.take(metric, compare=baseline is not None)
        accounts = {account.metric: account for account in scores.summaries[0].metrics}
        decided = gates.decided(accounts)
        rows = case_gates(cases, metrics, self.bars, suite.failing_share)
        once = [row.verdict for row in rows if row.once_failed and row.verdict is not None]
        return GateReport(
            suite=suite.name,
            package_version=__version__,
            verdict=worst([*(gate.verdict for gate in decided), *once]),
            cases=len(cases.rows),
            groups=len(set(cases.groups)),
            rates=Rates(
                alpha=suite.alpha,
                miss=suite.miss,
                power=suite.power,
                floor=suite.floor,
                tests=gates.tests,
            ),
            baseline=None if baseline is None else self._seen(baseline),
            metrics=decided,
            rows=rows,
            calls=_together([one.calls for one in scores.summaries]),
            notes=_notes(cases, scores.summaries),
        )

    def under_floor(self, scores: Scores) -> list[Problem]:
        """Metrics with too few scores for a baseline: one with holes would compare little."""
        floor = self.suite.floor
        problems = []
        for metric in measured(self.suite, self.cases, scores, None):
            coverage = metric.coverage or 0.0
            if coverage < floor:
                law = (
                    f"{metric.metric} needs a score for {floor:.0%} of the cases, and has one for "
                )
                law += f"{coverage:.0%}"
                mend = "Run again when the judge answers, or lower floor."
                problems.append(Problem(str(self.path), law, mend, None, "floor"))
        return problems

    def new_baseline(self, scores: Scores) -> Baseline:
        """The baseline that these scores make."""
        return make_baseline(self.suite.name, self.cases, scores, self.measures, utc_now())

    def failures(self, report: GateReport) -> list[Kept]:
        """Cases under their bar that are not kept yet, to be kept."""
        known = {(line.case, line.metric) for line in self.kept}
        return kept_lines(report.rows, known, utc_now())

    def _seen(self, baseline: Baseline) -> BaselineSeen:
        ids, then = self.cases.ids, baseline.cases
        return BaselineSeen(
            created=baseline.created,
            cases_sha256=baseline.cases_sha256,
            added=sum(name not in then for name in ids),
            removed=len(then.keys() - set(ids)),
            unchanged=sum(
                row.answer_id in then and then[row.answer_id].answer_sha256 == answer_sha256(row)
                for row in self.cases.rows
            ),
        )

    def _place(self, name: str) -> Path:
        return self.path.parent / name

    def _answers(self) -> AnswersSource | None:
        if self.settings.answers is not None:
            return self.settings.answers
        return None if self.suite.answers is None else self._place(self.suite.answers)

    def _evaluate_settings(self) -> EvaluateSettings:
        suite, settings, judge = self.suite, self.settings, self.suite.judge
        found = EvaluateSettings(
            judge=None if judge is None else spec_beside(judge.spec, self.path.parent),
            releases=releases_by_metric(self._release(), settings.registry),
            templates={metric: self._wording(name) for metric, name in suite.templates.items()},
            policies=suite.policies,
            store=settings.store,
            recordings=[*map(self._place, suite.recordings), *settings.recordings],
            budget=Budget(calls=0) if settings.offline else settings.budget,
            observer=settings.observer,
        )
        if judge is None:
            return found
        return replace(
            found,
            api_base=judge.api_base,
            temperature=judge.temperature,
            timeout_s=judge.timeout_s,
        )

    def _release(self) -> str | Mapping[str, str] | None:
        """The references of the suite; a folder beside it by its path."""

        def placed(ref: str) -> str:
            return str(self._place(ref)) if self._place(ref).is_dir() else ref

        named = self.suite.release
        if named is None or isinstance(named, str):
            return None if named is None else placed(named)
        return {metric: placed(ref) for metric, ref in named.items()}

    def _wording(self, name: str) -> str:
        return str(self._place(name)) if name.endswith((".yaml", ".yml")) else name


def run_gate(suite: str | Path, **settings: Any) -> GateReport:
    """Runs the gate of a suite; inside a running event loop too, which stands still meanwhile.

    >>> run_gate("suite.yaml", answers=rows, offline=True).verdict  # doctest: +SKIP
    'pass'

    Args:
        suite: Its file.
        **settings: See `GateSettings`.

    Raises:
        InputError: Something that a user wrote is faulty, with every fault.
        StoreError: The store cannot be used.
    """
    check_names("gate", settings, GateSettings)
    gate = Gate(read_suite(suite), Path(suite), GateSettings(**settings))
    return beside_a_loop(lambda: gate.report(gate.score()))


def _together(accounts: Sequence[CallAccount]) -> CallAccount:
    costs = [one.cost_usd for one in accounts if one.cost_usd is not None]
    stop = next((one for one in accounts if one.stopped), accounts[0])
    return CallAccount(
        needed=sum(one.needed for one in accounts),
        stored=sum(one.stored for one in accounts),
        sent=sum(one.sent for one in accounts),
        failed=sum(one.failed for one in accounts),
        open=sum(one.open for one in accounts),
        cost_usd=round(sum(costs), 6) if costs else None,
        stopped=stop.stopped,
        message=stop.message,
    )


def _notes(cases: Cases, summaries: Sequence[EvaluationSummary]) -> tuple[str, ...]:
    told = dict.fromkeys([*cases.notes, *summaries[0].notes])
    return tuple(note for note in told if not note.startswith("lang guessed"))

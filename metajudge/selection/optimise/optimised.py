"""What an optimiser came to: proposals, figures, and which of them was chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from metajudge.errors import Problem
from metajudge.runner.call import RunReport
from metajudge.selection.optimise.choice import Measured
from metajudge.selection.optimise.rows import RowScores
from metajudge.selection.optimise.spec import Optimiser
from metajudge.selection.ranking import Ranked
from metajudge.selection.rule import DIGITS
from metajudge.templates.parentage import Parentage, parent_of
from metajudge.templates.prompt_lint import PromptFinding, lint_template
from metajudge.templates.proposals import Proposal
from metajudge.templates.template import Template

_LINT = "templates lint"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal that makes a template.

    Attributes:
        number: In the order in which they were proposed, from 1.
        template: The template; its parentage is set by `Optimised.template`.
        instruction: The text as it was proposed.
        row_mean: Mean score of the rows that the optimiser asked about; None where it asked none.
        left_out: Why it was not measured on the claims that choose; None where it was.
    """

    number: int
    template: Template
    instruction: str
    row_mean: float | None
    left_out: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal that makes no template, and why."""

    number: int
    instruction: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Optimised:
    """What an optimiser came to.

    Attributes:
        optimiser: What was asked for; that and nothing else ran.
        tool_version: Versions of what ran.
        proposer: The proposing judge's spec; None where nothing was written.
        start: The template that was rewritten.
        train: Ids of the claims that were learned from; those of a pool begin with `pool:`.
        validation: Ids of the claims that chose.
        candidates: Every proposal that makes a template.
        refused: Every proposal that makes none.
        measured: Figures and ranking of start and candidates on the claims that chose.
        chosen: Place in `candidates` of the one that comes first, keeps every guardrail and stands
            before the start; None where there is none.
        told_apart: Whether the chosen one's target is told from the start's, or the start breaks a
            guardrail.
        reports: Accounts of the runs, by `judge` and `proposer`.
        feedback_used: What people said that was told, by kind.
        feedback_left_out: What was not, by reason.
        neutral: Rows whose call failed, which moved no candidate.
        mismatches: Rows that were scored otherwise when they were scored again, by the same
            reply or by another draw.
        shown_contexts: Contexts of this gold set that stand in examples of a candidate. A sweep on
            claims of these contexts would judge what the prompt shows.
        stopped: Why it ended early; None otherwise.
        notes: What else there is to know, a sentence each.
    """

    optimiser: Optimiser
    tool_version: str
    proposer: str | None
    start: Template
    train: tuple[str, ...]
    validation: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    refused: tuple[Refused, ...]
    measured: Measured
    chosen: int | None
    told_apart: bool
    reports: Mapping[str, tuple[RunReport, ...]]
    feedback_used: Mapping[str, int]
    feedback_left_out: Mapping[str, int]
    neutral: int
    mismatches: int
    shown_contexts: tuple[str, ...]
    stopped: str | None
    notes: tuple[str, ...]

    @property
    def calls(self) -> int:
        """Attempts sent to judge and proposer together; stored replies cost none."""
        return sum(report.sent for reports in self.reports.values() for report in reports)

    def ranked(self, candidate: Candidate) -> Ranked | None:
        """The best place of a candidate over its readings; None where it was not ranked."""
        keys = self.measured.keys
        name = candidate.template.name
        return next((row for row in self.measured.ranked if keys[row.index].trial == name), None)

    def template(
        self, candidate: Candidate, *, run: str, experiment: str, experiment_sha256: str
    ) -> Template:
        """A candidate's template with its parentage.

        Args:
            candidate: One of `candidates`.
            run: Name of the run.
            experiment: Name of the experiment.
            experiment_sha256: SHA-256 in hex of what it declares.
        """
        parentage = Parentage(
            method="optimise",
            tool=self.optimiser.tool,
            tool_version=self.tool_version,
            run=run,
            trial=candidate.number,
            source=self.proposer,
            parents=(parent_of(self.start),),
            experiment=experiment,
            experiment_sha256=experiment_sha256,
            created=date.today().isoformat(),  # noqa: DTZ011 - the user's day
        )
        return candidate.template.model_copy(update={"parentage": parentage})


def candidates_of(
    every: Sequence[Proposal], scores: RowScores, finalists: int | None
) -> list[Candidate]:
    """Proposals that make a template, marked where they are left out of the last round."""
    found = [
        Candidate(p.number, p.template, p.text, scores.mean(p.number))
        for p in every
        if p.template is not None
    ]
    if finalists is None or len(found) <= finalists:
        return found
    order = sorted(found, key=lambda c: (-1.0 if c.row_mean is None else -c.row_mean, c.number))
    kept = {candidate.number for candidate in order[:finalists]}
    why = f"not among the {finalists} with the best rows"
    return [c if c.number in kept else replace(c, left_out=why) for c in found]


def sound_ones(candidates: Sequence[Candidate], start: Template) -> list[Candidate]:
    """The candidates, those marked as left out that `templates lint` finds faulty.

    Faulty is what has errors, such as texts that contradict each other, or placeholders that
    nothing fills: other frameworks would take them for their own. What the start has too is left
    to its author.
    """
    known = {finding.code for finding in _faults(start)}
    return [
        c if c.left_out is not None else replace(c, left_out=_fault(c.template, known))
        for c in candidates
    ]


def _faults(template: Template) -> list[PromptFinding]:
    found = lint_template(template)
    return [each for each in found if each.severity == "error" or each.code == "placeholder-left"]


def _fault(template: Template, known: Collection[str]) -> str | None:
    """The first fault that the lint finds beside the known kinds, as a clause."""
    new = (finding for finding in _faults(template) if finding.code not in known)
    return next((f"{_LINT}: {finding.code}: {finding.why}" for finding in new), None)


def lint_notes(
    candidates: Sequence[Candidate], chosen: int | None, start: Template
) -> Iterator[str]:
    """What `templates lint` left out, and what it warns of in the chosen one and not the start."""
    for candidate in candidates:
        if candidate.left_out is not None and candidate.left_out.startswith(_LINT):
            yield f"{candidate.template.name} is left out by {candidate.left_out}."
    if chosen is not None:
        template = candidates[chosen].template
        warned, known = (
            dict.fromkeys(each.code for each in lint_template(one) if each.severity != "note")
            for one in (template, start)
        )
        new = [code for code in warned if code not in known]
        if new:
            yield f"{_LINT} on {template.name}: {', '.join(new)}."


def winner_of(
    candidates: Sequence[Candidate], measured: Measured, start: str, target: str
) -> tuple[int | None, bool]:
    """The safe one that comes first and is better than the start; whether it is told apart.

    Equal figures are no reason to change anything: names settle nothing here.
    """
    rows = measured.ranked
    of_start = [row for row in rows if measured.keys[row.index].trial == start]
    if not of_start or not rows[0].safe or rows[0] is of_start[0]:
        return None, False
    first, today = rows[0], of_start[0]
    if today.safe and _figures(first, measured, target) == _figures(today, measured, target):
        return None, False
    name = measured.keys[first.index].trial
    places = {candidate.template.name: place for place, candidate in enumerate(candidates)}
    return places[name], not today.safe or not any(row.tied_with_first for row in of_start)


def _figures(row: Ranked, measured: Measured, target: str) -> tuple[float | None, ...]:
    """Target and kappa of a row, to as many digits as `rank` looks at."""
    figures = measured.figures[row.index].figures
    values = (figures[name].value for name in (target, "kappa"))
    return tuple(None if value is None else round(value, DIGITS) for value in values)

"""An optimiser of DSPy rewrites a template, and our figures choose among what it proposed.

The claims are divided by context: the optimiser learns from one part, and the other part chooses.
Every call goes through the store and one budget, so that a run that was ended goes on where it
was, from stored replies. A proposal is an ordinary template; it still has to win in a sweep and a
confirmation like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from metajudge.errors import ExperimentError, MetajudgeError, Problem
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.runner.limits import Limits
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan
from metajudge.selection.optimise.asking import JUDGE, PROPOSER, AskedClaims, proposer_engine
from metajudge.selection.optimise.calls import Halted, SharedCalls
from metajudge.selection.optimise.choice import measure_templates, plan_templates
from metajudge.selection.optimise.ground import Start, start_from
from metajudge.selection.optimise.optimised import (
    Candidate,
    Optimised,
    Refused,
    candidates_of,
    lint_notes,
    sound_ones,
    winner_of,
)
from metajudge.selection.optimise.rows import RowScores
from metajudge.selection.optimise.spec import Aim, Optimiser
from metajudge.templates.pool import Pool
from metajudge.templates.template import Template

__all__ = ["Aim", "Candidate", "Optimised", "Optimiser", "Refused", "optimise"]


def optimise(
    template: Template,
    gold: GoldSet,
    judge: Judge,
    *,
    optimiser: Optimiser,
    store: Store,
    aim: Aim | None = None,
    proposer: Judge | None = None,
    pool: Pool | None = None,
    limits: Limits | None = None,
    told: Callable[[str, int], None] | None = None,
) -> Optimised:
    """Have an optimiser rewrite a template, and choose among all that it proposed.

    The judges are closed at the end. The store is used by another thread meanwhile.

    Args:
        template: Where it starts; one claim a call.
        gold: Claims of the development half; those of the template's language count.
        judge: Who judges.
        optimiser: Which optimiser, and how far it goes.
        store: Where all replies are kept.
        aim: What decides; None for kappa under the usual guardrails.
        proposer: Who writes instructions; may be the judge itself.
        pool: Worked cases to learn from and to take examples from instead of a part of the gold
            set, which then chooses as a whole.
        limits: Bounds of all calls together.
        told: Is told `judge` or `proposer` and its attempts so far now and then, from another
            thread. What is printed while an optimiser runs is lost, unless it goes to a stream
            that was taken before.

    Raises:
        ExperimentError: No proposing model, claims of the sealed split, too few contexts.
        TemplateError: The template asks about several claims a call, or cannot be told apart.
        MetajudgeError: A judge or the store needs something that the user has to mend.
    """
    aim = aim or Aim()
    start = start_from(template, gold, optimiser, pool, proposer)
    judges = {JUDGE: judge} | ({PROPOSER: proposer} if proposer and optimiser.writes else {})
    with SharedCalls(judges, store, limits or Limits(), told) as calls:
        try:
            run = _propose(optimiser, start, judge, calls, aim)
            return _chosen(optimiser, start, judge, calls, aim, run=run)
        except Halted as halt:
            if isinstance(halt.error, MetajudgeError):
                raise halt.error from None
            raise MetajudgeError(halt.message) from halt


class _Run(NamedTuple):
    """What there is to know of the optimiser's own run, and why it ended early."""

    scores: RowScores
    notes: tuple[str, ...]
    stopped: str | None


def _propose(
    optimiser: Optimiser, start: Start, judge: Judge, calls: SharedCalls, aim: Aim
) -> _Run:
    """Let the optimiser run; what it proposes is in `start.proposals` afterwards."""
    try:
        from metajudge.selection.optimise.methods import NOT_HAD, Ground, run_optimiser
    except ImportError as error:
        law, mend = "an optimiser needs DSPy and GEPA", "Install the versions metajudge declares."
        raise ExperimentError(Problem("optimiser", law, mend, got=str(error))) from error

    scores = RowScores(aim.costs, start.feedback)
    samples = judge.identity.get("temperature", 0) != 0  # None: whatever the server takes
    draws = optimiser.candidates if samples and optimiser.method == "simba" else 1
    ground = Ground(
        proposals=start.proposals,
        ask=AskedClaims(judge, calls, (start.train, start.validation), draws),
        scores=scores,
        train=start.train,
        validation=start.validation,
        proposer=proposer_engine(start.proposals.start, calls) if start.proposer else None,
        draws=draws > 1,
    )
    stopped = ended = None
    try:
        ended = run_optimiser(optimiser, ground)
    except Halted as halt:
        if halt.error is not None:
            raise
        stopped = halt.message
    if len(start.proposals.all()) == 1 and stopped is None:
        stopped = ended or next((note for note in ground.notes if note.startswith(NOT_HAD)), None)
    if len(start.proposals.all()) == 1 and stopped is None:
        ground.notes[_nothing_proposed(optimiser, samples)] += 1
    notes = (text if n == 1 else f"{text} ({n} times)" for text, n in ground.notes.items())
    return _Run(scores, tuple(notes), stopped or calls.stopped)


def _nothing_proposed(optimiser: Optimiser, samples: bool) -> str:
    told = f"{optimiser.tool} proposed nothing"
    if optimiser.method == "simba" and not samples:
        return (
            f"{told}: it learns from draws that differ, and this judge does not sample. Allow "
            "examples, or set a temperature."
        )
    return f"{told}."


def _chosen(
    optimiser: Optimiser, start: Start, judge: Judge, calls: SharedCalls, aim: Aim, *, run: _Run
) -> Optimised:
    """Measure what was proposed on the claims that choose."""
    from metajudge.selection.optimise.methods import tool_version

    template = start.proposals.start
    every = start.proposals.all()[1:]

    def planned(candidates: Sequence[Candidate]) -> Plan:
        finalists = [c.template for c in candidates if c.left_out is None]
        return plan_templates([template, *finalists], start.validation, judge, aim.readings)

    candidates = candidates_of(every, run.scores, optimiser.finalists)
    # Also what the lint leaves out is asked about: which calls there are hangs on no word list.
    replies = calls.replies(JUDGE, planned(candidates).distinct(judge.spec))
    candidates = sound_ones(candidates, template)
    measured = measure_templates(
        planned(candidates),
        replies,
        start.validation,
        aim,
        start=template.name,
        seed=optimiser.seed,
    )
    chosen, told_apart = winner_of(candidates, measured, template.name, aim.target)
    return Optimised(
        optimiser=optimiser,
        tool_version=tool_version(),
        proposer=start.proposer,
        start=template,
        train=tuple(claim.claim_id for claim in start.train.claims),
        validation=tuple(claim.claim_id for claim in start.validation.claims),
        candidates=tuple(candidates),
        refused=tuple(Refused(p.number, p.text, p.refused) for p in every if p.template is None),
        measured=measured,
        chosen=chosen,
        told_apart=told_apart,
        reports={role: tuple(reports) for role, reports in calls.reports.items()},
        feedback_used=dict(start.feedback.used),
        feedback_left_out=dict(start.feedback.left_out),
        neutral=run.scores.neutral,
        mismatches=run.scores.mismatches,
        shown_contexts=_shown(candidates, start),
        stopped=run.stopped or calls.stopped,
        notes=(*run.notes, *lint_notes(candidates, chosen, template)),
    )


def _shown(candidates: Sequence[Candidate], start: Start) -> tuple[str, ...]:
    """Contexts of gold claims that candidates show as examples."""
    shown = {example.claim for c in candidates for example in c.template.examples}
    own = {example.claim for example in start.proposals.start.examples}
    return tuple(
        dict.fromkeys(
            claim.context_id
            for claim in start.train.claims
            if claim.claim in shown - own and claim.claim_id not in start.from_pool
        )
    )

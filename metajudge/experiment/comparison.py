"""Two candidates from results files: joined by claim, compared, and put in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metajudge.counted import counted
from metajudge.experiment.comparison_words import SPOKEN, Gap, verdict_in_words
from metajudge.experiment.from_results import VERDICTS, measurer_of
from metajudge.experiment.run_pair import (
    Joined,
    check_same_gold,
    check_two,
    find_candidate,
    join,
)
from metajudge.experiment.selection_part import known
from metajudge.report.comparison_results import (
    ChangeCell,
    ChangedClaim,
    ComparedCandidate,
    RunComparison,
)
from metajudge.report.figure import figure, number, rounded
from metajudge.report.part import Figure
from metajudge.report.results import Results
from metajudge.selection.columns import CandidateKey
from metajudge.selection.compare import COMPARED, Comparison, compare, unseen_below
from metajudge.selection.measure import LABEL_WORDS, Measurer
from metajudge.selection.shares import SHARES
from metajudge.selection.ties import figure_sums


def compare_results(
    a: Results,
    b: Results,
    trial_a: str | None = None,
    trial_b: str | None = None,
) -> RunComparison:
    """B against A on the claims that both have; the same results twice compare two trials of one.

    The intervals are made as run A's: its clusters, resamples, seed and alpha.

    Args:
        a: The run of the former practice.
        b: The run of the change.
        trial_a: `trial` or `trial (reading)`; None is the run's winner, or its first row where
            there is none.
        trial_b: The same for B; None is the one named for A where B has it.

    Raises:
        InputError: Gold sets, labelling policies or label spaces differ, a trial is not there, no
            claim is in both, or both sides are one and the same.
    """
    check_same_gold(a, b)
    one = find_candidate(a, trial_a)
    other = find_candidate(b, trial_b, usual=one if trial_a else None)
    check_two(a, b, one, other)
    joined = join(a, b, one, other)
    measurer = measurer_of(a, joined.claims, ((one, joined.was), (other, joined.now)))
    return _comparison(a, b, joined, measurer)


def _comparison(a: Results, b: Results, joined: Joined, measurer: Measurer) -> RunComparison:
    one, other = measurer.candidates.keys
    found = compare(measurer, 1, 0)
    shown = {name: _figures(measurer, name) for name in COMPARED}
    apart = {name: found.told_apart(name) for name in COMPARED}
    unseen = {name: number(unseen_below(found.differences[name])) for name in COMPARED}
    differences = {name: figure(gap) for name, gap in found.differences.items()}
    chances = {name: number(p) for name, p in found.swap_p.items()}
    bounds = {"over_credit": a.guardrails.get("over_credit_above_baseline")}
    sentences = verdict_in_words(
        [
            Gap(name, differences[name], apart[name], chances[name], unseen[name], bounds.get(name))
            for name in SPOKEN
        ]
    )
    return RunComparison(
        a=_candidate(a, one),
        b=_candidate(b, other),
        gold=f"{a.gold.name} {a.gold.version}",
        gold_sha256=a.gold.sha256,
        claims=len(joined.claims),
        only_a=joined.only_a,
        only_b=joined.only_b,
        figures_a={name: pair[0] for name, pair in shown.items()},
        figures_b={name: pair[1] for name, pair in shown.items()},
        differences=differences,
        swap_p=chances,
        told_apart=apart,
        unseen_below=unseen,
        changes=tuple(_cells(found, measurer.columns.binary)),
        changed=tuple(_changed(joined)),
        better=found.mcnemar.better,
        worse=found.mcnemar.worse,
        mcnemar_p=rounded(found.mcnemar.mid_p),
        mcnemar_exact_p=rounded(found.mcnemar.exact),
        stuart_maxwell_p=known(found.stuart_maxwell.p),
        bhapkar_p=known(found.bhapkar.p),
        sentence=sentences.en,
        sentence_zh=sentences.zh,
        notes=tuple(_notes(a, b, joined)),
    )


def _figures(measurer: Measurer, name: str) -> tuple[Figure, Figure]:
    """A figure of A and of B on the common claims."""
    if name in SHARES:
        one, other = measurer.shares(name)
    else:
        one, other = measurer.coefficients(*figure_sums(measurer, name))
    return figure(one), figure(other)


def _candidate(results: Results, key: CandidateKey) -> ComparedCandidate:
    return ComparedCandidate(
        run=results.name,
        created=results.created,
        trial=key.trial,
        reading=next(
            row.reading for row in results.verdicts if (row.trial, row.reading) == tuple(key)
        ),
    )


def _cells(found: Comparison, binary: bool) -> Iterator[ChangeCell]:
    for name, table in ((None, found.changes), *found.by_slice.items()):
        for gold, was, now in zip(*np.nonzero(table), strict=True):
            yield ChangeCell(
                slice=name,
                gold=LABEL_WORDS[binary][gold],
                was=VERDICTS[was],
                now=VERDICTS[now],
                claims=int(table[gold, was, now]),
            )


def _changed(joined: Joined) -> Iterator[ChangedClaim]:
    for claim, was, now in zip(joined.claims, joined.was, joined.now, strict=True):
        if was != now:
            yield ChangedClaim(
                claim_id=claim.claim_id,
                gold=claim.gold,
                slice=claim.slice,
                lang=claim.lang,
                was=was,
                now=now,
            )


def _notes(a: Results, b: Results, joined: Joined) -> Iterator[str]:
    if any(trial.repeats > 1 for results in (a, b) for trial in results.trials):
        yield "Of several draws the first is compared: results files hold no other verdicts."
    if a.cluster != b.cluster:
        yield f"A resamples by {a.cluster}, B by {b.cluster}; this comparison does as A."
    if joined.only_a or joined.only_b:
        yield (
            f"Left out: {counted(len(joined.only_a), 'claims')} that only A has, "
            f"{len(joined.only_b):,} that only B has."
        )
    for name, results in (("A", a), ("B", b)):
        if results.calls.stopped is not None:
            yield f"Run {name} stopped early: claims that it did not ask count as failures."

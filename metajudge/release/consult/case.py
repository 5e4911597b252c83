"""What a consultation is about: both sides, the answers and the gold claims, before any call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metajudge.counted import counted
from metajudge.gold.claim import MetricName
from metajudge.gold.goldset import GoldSet
from metajudge.release.answers import Answer
from metajudge.release.answers_file import read_answers
from metajudge.release.candidate import Candidate
from metajudge.release.consult.metric import common_metrics, settled_metric
from metajudge.release.consult.parts import differing, in_order
from metajudge.release.consult.sample import (
    Sample,
    also_gold,
    check_askable,
    take_gold,
    take_sample,
)
from metajudge.release.consult.sides import Draft, Judges, both_sides
from metajudge.release.manifest import REPLIES
from metajudge.report.consult_results import PartName


@dataclass(frozen=True)
class Case:
    """Everything that is known before anything is asked.

    Attributes:
        drafts: Both sides as written, current first.
        sides: Both as candidates.
        parts: What differs.
        sample: The answers.
        gold: The labelled claims; None without gold.
        notes: What is to be told about all of these.
        metric: What both sides ask for.
    """

    drafts: tuple[Draft, Draft]
    sides: tuple[Candidate, Candidate]
    parts: tuple[PartName, ...]
    sample: Sample
    gold: GoldSet | None
    notes: tuple[str, ...] = ()
    metric: MetricName = "faithfulness"

    @property
    def same_verdicts(self) -> bool:
        """Whether both sides have one set of verdicts, so that at most their scoring differs."""
        return not {"template", "judge"} & set(self.parts)

    @property
    def recordings(self) -> tuple[Path, ...]:
        """Replies that releases bring with them."""
        folders = [draft.release.folder for draft in self.drafts if draft.release is not None]
        return tuple(folder / REPLIES for folder in folders if (folder / REPLIES).is_file())


def case_of(
    current: str,
    proposed: str,
    sample: Any,
    *,
    threshold: float | None = None,
    judge: str | None = None,
    current_judge: str | None = None,
    proposed_judge: str | None = None,
    gold: str | Path | None = None,
    registry: str | Path | None = None,
) -> Case:
    """A case, checked; the arguments are those of `consult`.

    Raises:
        InputError: With every fault of sides, sample or gold; the sides or the gold set are of
            different metrics.
    """
    answers, told = _sample(sample)
    drafts, sides, notes = both_sides(
        (current, proposed),
        _with_primary(answers.languages),
        Judges(judge, current_judge, proposed_judge),
        threshold=threshold,
        registry=registry,
    )
    common = common_metrics(drafts)
    labelled = take_gold(gold, drafts[1].release, answers.languages, common[0])
    metric = settled_metric(common, labelled.claims)
    check_askable(sides, answers, labelled.claims)
    parts = in_order(differing(*sides, answers.languages))
    notes = (*told, *notes, *labelled.notes, *_beside(sides, answers, labelled.claims))
    return Case(drafts, sides, parts, answers, labelled.claims, notes, metric)


def _beside(
    sides: tuple[Candidate, Candidate], sample: Sample, gold: GoldSet | None
) -> Iterator[str]:
    """What a reader has to know of sides, sample and gold taken together."""
    for role, side in zip(("current", "proposed"), sides, strict=True):
        missed = side.variants[0].misses(sample.languages)
        if missed:
            yield f"{role}: it has no template in {', '.join(missed)}: another language's"
    shared = 0 if gold is None else also_gold(sample, gold)
    if shared:
        yield (
            f"{shared} of {counted(len(sample.claims.claims), 'claims')} "
            "of the sample are gold claims: what "
            "gold says of errors is no evidence of its own there."
        )


def _sample(source: Any) -> tuple[Sample, tuple[str, ...]]:
    """The sample of a file, a table, or answers at hand, and what reading it decided."""
    name = str(source) if isinstance(source, str | Path) else "answers"
    if isinstance(source, Sequence) and not isinstance(source, str):
        at_hand = [answer for answer in source if isinstance(answer, Answer)]
        if len(at_hand) == len(source):
            return take_sample(at_hand, name), ()
    read = read_answers(source)
    return take_sample(read.answers, Path(name).name, name), read.notes


def _with_primary(languages: Sequence[str]) -> tuple[str, ...]:
    """Language tags, and those that gold sets may have for them: `zh` for `zh-CN`."""
    return tuple(dict.fromkeys((*languages, *(lang.partition("-")[0] for lang in languages))))

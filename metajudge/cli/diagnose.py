"""`metajudge diagnose`: what the scores of answers mean together, and what to try next."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.judge import ApiBaseOption
from metajudge.cli.output import JsonOption, LangOption, ReportLanguage, say_json
from metajudge.errors import EXIT_GOOD, InputError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.diagnosis.against import Shift
    from metajudge.metrics.diagnosis.diagnose import Diagnosis, DiagnosisSettings
    from metajudge.metrics.diagnosis.experiments import Offer
    from metajudge.metrics.diagnosis.tables import ExperimentName, Threshold

_THRESHOLD = re.compile(r"(?P<name>[a-z_]+)=(?P<low>[0-9.]+)(?:,(?P<high>[0-9.]+))?")


class Tried(Enum):
    """Experiments by name."""

    shorter_context = "shorter-context"
    key_passage_last = "key-passage-last"
    hard_rule = "hard-rule"


EvaluatedArgument = Annotated[
    str,
    typer.Argument(
        metavar="EVALUATED", help="Rows that `metajudge evaluate` wrote.", show_default=False
    ),
]
ThresholdOption = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        metavar="METRIC=LOW[,HIGH]",
        help="Low under LOW, high from HIGH; repeatable.  [default: as shown]",
        show_default=False,
    ),
]
LevelOption = Annotated[float, typer.Option("--level", help="Of the intervals of means.")]
AnswerLevelOption = Annotated[
    float, typer.Option("--answer-level", help="Of the intervals of single answers.")
]
RecallOption = Annotated[
    float | None,
    typer.Option("--context-recall", min=0, max=1, help="Context recall, where rows have none."),
]
PassagesOption = Annotated[
    int | None, typer.Option("--passages", min=0, help="Passages that an answer is given.")
]
RuleOption = Annotated[
    bool | None,
    typer.Option(
        "--hard-rule/--no-hard-rule",
        help="Whether the answering prompt holds it to the material.",
        show_default=False,
    ),
]
TemperatureOption = Annotated[
    float | None, typer.Option("--temperature", min=0, help="Of the answering model.")
]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="BEFORE", help="The same questions, evaluated before a change."
    ),
]
TryOption = Annotated[
    list[Tried] | None,
    typer.Option(
        "--try",
        help="Experiments to write; repeatable.  [default: those for the causes]",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Write the experiments here; with --gold and --judge.")
]
GoldOption = Annotated[
    Path | None, typer.Option("--gold", metavar="GOLD", help="Gold set that the judge is swept on.")
]
JudgeOption = Annotated[
    str | None, typer.Option("--judge", metavar="SPEC", help="The judge that evaluated the rows.")
]
ReleaseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--release",
        metavar="[METRIC=]RELEASE",
        help="The release that served the rows, as in evaluate; repeatable.",
        show_default=False,
    ),
]


def diagnose(
    evaluated: EvaluatedArgument,
    *,
    threshold: ThresholdOption = None,
    level: LevelOption = 0.95,
    answer_level: AnswerLevelOption = 0.8,
    context_recall: RecallOption = None,
    passages: PassagesOption = None,
    hard_rule: RuleOption = None,
    temperature: TemperatureOption = None,
    against: AgainstOption = None,
    tried: TryOption = None,
    out: OutOption = None,
    gold: GoldOption = None,
    judge: JudgeOption = None,
    api_base: ApiBaseOption = None,
    release: ReleaseOption = None,
    lang: LangOption = ReportLanguage.en,
    as_json: JsonOption = False,
) -> None:
    """Read scores together: which part fails, why, and what to try next.

    Each answer and the whole set are read by the published tables, and low faithfulness is walked
    through the tree of causes. A score whose interval spans a threshold is undecided; a combination
    that no table has is said to be so; facts that are not known are asked for. Nothing is asked of
    a judge.
    """
    from metajudge.metrics.diagnosis.against import compared
    from metajudge.metrics.diagnosis.causes import Facts
    from metajudge.metrics.diagnosis.diagnose import DiagnosisSettings
    from metajudge.metrics.diagnosis.diagnose import diagnose as diagnosed
    from metajudge.metrics.diagnosis.matrix import Reading

    _check(out, gold, judge)
    recall = None if context_recall is None else Reading(context_recall)
    settings = DiagnosisSettings(
        thresholds=_thresholds(threshold or ()),
        level=level,
        answer_level=answer_level,
        facts=Facts(recall, passages, hard_rule, temperature),
    )
    found = diagnosed(evaluated, settings)
    shifts = () if against is None else compared(_before(against, settings), found)
    names = _names(found, tried)
    offers: tuple[Offer, ...] = ()
    if out is not None and gold is not None and judge is not None:
        from metajudge.metrics.diagnosis.experiments import write_experiments

        offers = write_experiments(
            found, names, out, gold=gold, judge=judge, before=evaluated,
            api_base=api_base, releases=release or (),
        )  # fmt: skip
    if as_json:
        say_json(_fields(found, shifts, names, offers))
    else:
        _show(found, shifts, names, offers, (evaluated, out, lang))
    raise typer.Exit(EXIT_GOOD)


def _show(
    found: Diagnosis,
    shifts: tuple[Shift, ...],
    names: tuple[ExperimentName, ...],
    offers: tuple[Offer, ...],
    place: tuple[str, Path | None, ReportLanguage],
) -> None:
    from metajudge.cli import diagnose_text as text

    evaluated, out, lang = place
    text.show(found, lang.code)
    text.show_shifts(shifts, lang.code)
    if out is None:
        text.show_worth_trying(names, evaluated, lang.code)
    else:
        text.show_offers(offers, str(out), lang.code)


def _before(place: str, settings: DiagnosisSettings) -> Diagnosis:
    from metajudge.metrics.diagnosis.diagnose import diagnose as diagnosed

    return diagnosed(place, settings)


def _names(found: Diagnosis, tried: list[Tried] | None) -> tuple[ExperimentName, ...]:
    from metajudge.metrics.diagnosis.experiments import experiments, worth_trying

    if not tried:
        return worth_trying(found)
    wanted = {one.value for one in tried}
    return tuple(name for name in experiments() if name in wanted)


def _check(out: Path | None, gold: Path | None, judge: str | None) -> None:
    if out is None:
        return
    law = "experiments are swept with a judge on a gold set"
    problems = [
        Problem("command line", law, f"Add {option}.", field=option)
        for option, value in (("--gold", gold), ("--judge", judge))
        if value is None
    ]
    if problems:
        raise InputError(problems)
    from metajudge.cli.writable import check_folder

    check_folder(out)


def _thresholds(texts: tuple[str, ...] | list[str]) -> dict[str, Threshold]:
    from metajudge.metrics.diagnosis.tables import Threshold

    found, problems = {}, []
    told = ("given on the command line", "由命令行给出")
    law = "a threshold is METRIC=LOW or METRIC=LOW,HIGH, with 0 <= LOW <= HIGH <= 1"
    for text in texts:
        parts = _THRESHOLD.fullmatch(text)
        try:
            if parts is None:
                raise ValueError(text)
            low = float(parts["low"])
            high = low if parts["high"] is None else float(parts["high"])
            found[parts["name"]] = Threshold(low_below=low, high_from=high, source=told)
        except ValueError:
            problems.append(
                Problem("command line", law, "Correct it.", None, "--threshold", repr(text))
            )
    if problems:
        raise InputError(problems)
    return found


def _fields(
    found: Diagnosis,
    shifts: tuple[Shift, ...],
    names: tuple[ExperimentName, ...],
    offers: tuple[Offer, ...],
) -> dict[str, Any]:
    from metajudge.metrics.diagnosis.diagnose import as_fields
    from metajudge.report.figure import figure

    lines = found.settings.read_by
    return {
        "thresholds": {name: lines[name].model_dump() for name in found.sample.means},
        "level": found.settings.level,
        "answer_level": found.settings.answer_level,
        "whole": as_fields(found.whole),
        "counts": {name: found.counts(name) for name in found.tables},
        "answers": [
            {"answer_id": row.row.answer_id, **as_fields(answer)}
            for row, answer in zip(found.sample.rows, found.answers, strict=True)
        ],
        "against": [
            {
                "metric": shift.metric,
                "before": shift.before,
                "after": shift.after,
                "difference": figure(shift.difference).model_dump(mode="json"),
                "told_apart": shift.told_apart,
            }
            for shift in shifts
        ],
        "worth_trying": list(names),
        "experiments": [
            {"name": offer.name, "sweep": offer.sweep, "answered": offer.answered}
            for offer in offers
        ],
    }

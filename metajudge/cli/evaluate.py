"""`metajudge evaluate`: any of the metrics over a file of answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    RecordingOption,
    StoreOption,
    UsdOption,
    checked_budget,
)
from metajudge.cli.evaluate_options import (
    AnswersArgument,
    BoundOption,
    CalibrateOption,
    EmbeddingBaseOption,
    EmbeddingOption,
    IgnoreOption,
    InOrderOption,
    JudgeOption,
    LangOption,
    ListOption,
    MetricsOption,
    NamesOption,
    NliOption,
    PolicyOption,
    ReleaseOption,
    TemplateOption,
    ToleranceOption,
    WeightOption,
)
from metajudge.cli.guard import explain
from metajudge.cli.judge import (
    ApiBaseOption,
    JsonOption,
    OutOption,
    check_out,
    ended_early,
    replies_are_kept,
)
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import ReportLanguage, say_json
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, InputError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.evaluation import Evaluation, EvaluationSummary
    from metajudge.metrics.settings import EvaluateSettings
    from metajudge.release.bundle import Release
    from metajudge.report.words import Language


def evaluate(
    answers: AnswersArgument = None,
    *,
    metrics: MetricsOption = "",
    judge: JudgeOption = None,
    release: ReleaseOption = None,
    template: TemplateOption = None,
    policy: PolicyOption = None,
    tools_in_order: InOrderOption = False,
    tools_tolerance: ToleranceOption = 0.0,
    tools_ignore: IgnoreOption = None,
    tools_by_name: NamesOption = False,
    calibrate: CalibrateOption = None,
    calibrate_bound: BoundOption = 0.1,
    embedding: EmbeddingOption = None,
    embedding_api_base: EmbeddingBaseOption = None,
    nli: NliOption = None,
    similarity_weight: WeightOption = 0.0,
    list_them: ListOption = False,
    lang: LangOption = ReportLanguage.en,
    out: OutOption = None,
    api_base: ApiBaseOption = None,
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score answers under several metrics: faithfulness and what is read beside it.

    A row is an answer with whatever its metrics need: context, question, reference, goal, turns,
    tool calls, under the names of DeepEval, Ragas, Phoenix or plain ones. Only replies that the
    store lacks are asked for, and no call is made twice: running it again goes on where it ended.
    """
    if list_them:
        return _list(lang.code)
    from metajudge.metrics.computed.tool_matching import Sameness
    from metajudge.metrics.computed_metrics import ComputeSettings
    from metajudge.metrics.settings import EvaluateSettings

    place = _named(answers, metrics)
    same = Sameness(absolute=tools_tolerance, ignored=tuple(tools_ignore or ()),
                    by_name_alone=tools_by_name)  # fmt: skip
    computed = ComputeSettings(
        tools_in_order=tools_in_order, same_tools=same, embedding=embedding,
        embedding_api_base=embedding_api_base, nli=nli, similarity_weight=similarity_weight,
        calibrate=calibrate, calibrate_bound=calibrate_bound,
    )  # fmt: skip
    settings = EvaluateSettings(
        judge=judge, api_base=api_base, computed=computed, observer=observer(quiet),
        releases=_releases(release or [], registry), store=store, recordings=recording or (),
        templates=_pairs(template or [], "--template"), policies=_pairs(policy or [], "--policy"),
        budget=checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes),
    )  # fmt: skip
    evaluation = _evaluated(place, metrics, settings, out, lang.code)
    _end(evaluation, out, lang, as_json=as_json, brief=quiet)


def _list(language: Language) -> None:
    from metajudge.cli.evaluated_text import show_metrics

    show_metrics(language)


def _end(
    evaluation: Evaluation, out: Path | None, lang: ReportLanguage, *, as_json: bool, brief: bool
) -> NoReturn:
    """Say what it came to, and end with its exit code."""
    from metajudge.cli.evaluated_text import show

    if as_json:
        summary = evaluation.summary.model_dump(mode="json")
        say_json({"summary": summary, "answers": list(evaluation.records)})
    else:
        show(evaluation, out, lang.code, brief=brief)
    raise typer.Exit(_ended(evaluation.summary, lang.code))


def _evaluated(
    place: str, metrics: str, settings: EvaluateSettings, out: Path | None, language: Language
) -> Evaluation:
    """The rows with their scores, written where they are to go."""
    from metajudge.metrics.evaluate import evaluate as run

    if out is not None:
        check_out(out, place)
    evaluation = run(place, metrics.split(","), settings=settings)
    if out is not None:
        with replies_are_kept(Path(settings.store), language):
            evaluation.save(out)
    return evaluation


def _named(answers: str | None, metrics: str) -> str:
    problems = []
    if answers is None:
        law, mend = "no file of answers is named", "metajudge evaluate answers.jsonl --metrics …"
        problems.append(Problem("evaluate", law, mend, field="ANSWERS"))
    if not metrics.strip():
        law = "no metric is named"
        mend = "Write --metrics faithfulness,groundedness; `metajudge evaluate --list` shows all."
        problems.append(Problem("evaluate", law, mend, field="--metrics"))
    if answers is None or problems:
        raise InputError(problems)
    return answers


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    """`metric=value` by metric."""
    found: dict[str, str] = {}
    problems = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.strip() and value.strip()):
            law = "it names a metric and what it takes"
            mend = "Write for instance faithfulness=lenient."
            problems.append(Problem(option, law, mend, got=repr(text)))
        elif name.strip() in found:
            law = f"a metric is named once, and {name.strip()} stands twice"
            problems.append(Problem(option, law, "Keep one.", got=repr(text)))
        found[name.strip()] = value.strip()
    if problems:
        raise InputError(problems)
    return found


def _releases(refs: list[str], registry: Path | None) -> dict[str, Release]:
    from metajudge.metrics.evaluate import releases_by_metric

    named = [ref for ref in refs if "=" in ref and not Path(ref).exists()]
    found = dict(releases_by_metric(_pairs(named, "--release"), registry))
    for ref in refs:
        if ref in named:
            continue
        served = releases_by_metric(ref, registry)
        for metric in served.keys() & found.keys():
            law = f"one release serves a metric, and two are given for {metric}"
            raise InputError(Problem("--release", law, "Write METRIC=RELEASE.", got=repr(ref)))
        found |= served
    return found


def _ended(summary: EvaluationSummary, language: Language) -> int:
    from metajudge.report.words import word

    if summary.calls.stopped is not None:
        return ended_early(summary.calls, language)
    if any(account.scored for account in summary.metrics):
        return EXIT_GOOD
    failed = any(any(account.failures.values()) for account in summary.metrics)
    explain(word("message.nothing_read" if failed else "message.no_row_scored", language))
    return EXIT_CANNOT_DECIDE

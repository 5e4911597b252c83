"""A setting of a finished search, taken by hand: a proposal that says whether it is safe."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from metajudge.errors import ExperimentError, InputError, Problem
from metajudge.experiment.searching.proposal import FOLDER, Origin, Written, write_proposal
from metajudge.experiment.searching.search import TOOL, open_search
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.report.search_ranking import guardrail_words
from metajudge.report.search_results import Candidate, SearchResults, StudyTrial
from metajudge.report.words import LANGUAGES, Language, word

RESULTS = "search.json"


class Taken(NamedTuple):
    """A setting as it was written.

    Attributes:
        candidate: What the written experiment calls it.
        trial: What the search called it.
        reading: Its reading.
        written: Its files.
        statements: What is known of its guardrails, in English and Chinese.
    """

    candidate: str
    trial: str
    reading: str
    written: Written
    statements: tuple[str, str]


def take(
    experiment: Experiment,
    number: int,
    *,
    store: str | Path = DEFAULT_STORE,
    out: str | Path = Path("runs"),
    limit: int | None = None,
) -> Taken:
    """Write one setting of a search as a proposal; nobody is asked.

    The experiment that is written begins with a statement of the guardrails it is known to break,
    or was not measured on: being taken makes a setting no safer.

    Args:
        experiment: The one that was searched.
        number: Of the setting in the study.
        store: The reply store's file, beside which the study is.
        out: Folder with the results of the search; the proposal goes into it.
        limit: As it was in the search.

    Raises:
        InputError: There are no results, no such setting, or it was not measured; or the space is
            another one since.
    """
    results = _results(Path(out) / RESULTS)
    row = _row(results, number, Path(out) / RESULTS)
    ready = open_search(experiment, store=store, limit=limit)
    made = ready.choices.made(row.setting)
    candidate = row.candidate
    assert candidate is not None
    if made.trial.name != candidate.trial:
        law = f"setting {number} was {candidate.trial}, and the space makes {made.trial.name} of it"
        raise ExperimentError(Problem(str(experiment.path), law, "Search again.", field="search"))
    english, chinese = (_statement(results, number, candidate, lang) for lang in LANGUAGES)
    baseline = experiment.config.baseline
    written = write_proposal(
        experiment,
        made.trial,
        candidate.reading,
        parents=ready.choices.parents(row.setting),
        origin=Origin("search", TOOL, version(TOOL), ready.spec.name, number, dict(row.setting)),
        folder=Path(out) / FOLDER,
        beside=tuple(one for one in ready.prepared.trials if one.name == baseline),
        remarks=(english, chinese),
    )
    prepared = Experiment.from_file(written.experiment).prepare()
    mine = made.trial.variants[0].name
    (name,) = (one.name for one in prepared.trials if one.variants[0].name == mine)
    return Taken(
        f"{name} ({candidate.reading})",
        candidate.trial,
        candidate.reading,
        written,
        (english, chinese),
    )


def _results(path: Path) -> SearchResults:
    try:
        return SearchResults.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, ValueError) as error:
        law = f"a setting is taken from the results of a search ({type(error).__name__})"
        mend = "Run `metajudge search` first, or name its folder with --out."
        raise InputError(Problem(str(path), law, mend)) from None


def _row(results: SearchResults, number: int, path: Path) -> StudyTrial:
    known = {trial.number: trial for trial in results.trials if trial.candidate is not None}
    if number not in known:
        numbers = ", ".join(map(str, sorted(known))) or "none"
        law = f"--take names a setting that was measured: {numbers}"
        raise InputError(Problem(str(path), law, "Choose one.", field="--take", got=str(number)))
    return known[number]


def _statement(
    results: SearchResults, number: int, candidate: Candidate, language: Language
) -> str:
    """What the search knows of the setting's guardrails, in a few sentences."""
    counts = {"n": candidate.claims, "all": results.gold.claims}
    told = [word("search.take_by_hand", language, number=number, name=results.study.name)]
    if candidate.off is None:
        told.append(word("search.take_unmeasured", language))
    elif candidate.off > 0:
        told.append(word("search.take_off", language, off=f"{candidate.off:.3g}", **counts))
    else:
        told.append(word("search.take_keeps", language, **counts))
    if candidate.broken:
        names = guardrail_words(candidate.broken, language)
        told.append(word("search.take_breaks", language, names=names))
    told.append(word("search.take_unconfirmed", language))
    return ("" if language == "zh" else " ").join(told)

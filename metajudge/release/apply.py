"""A release applied to answers: claims first where they are not given, then verdicts and scores."""

from __future__ import annotations

from metajudge.errors import MetajudgeError
from metajudge.release.answers_file import AnswersRead, AnswersSource, read_answers
from metajudge.release.application import Application, JudgeSettings
from metajudge.release.asking import Asking
from metajudge.release.bundle import Release
from metajudge.release.judged import Judged
from metajudge.release.judged_rows import judged_rows
from metajudge.release.judged_summary import summarise
from metajudge.release.scored import scored
from metajudge.runner.absent import from_store_alone, unaskable
from metajudge.runner.door import inside_a_loop, run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store


def judge_answers(
    release: Release, answers: AnswersSource, settings: JudgeSettings | None = None
) -> Judged:
    """Scores of answers under a release.

    What the store holds is not asked again, so that a run that ended early goes on where it ended.

    Args:
        release: The release.
        answers: As `read_answers` takes them.
        settings: How it is applied.

    Raises:
        InputError: The answers, a setting or the release are faulty, with every fault.
        MetajudgeError: An event loop is running in this thread.
        StoreError: The store cannot be used.
    """
    if inside_a_loop():
        raise MetajudgeError(
            "judge cannot work inside a running event loop (a notebook or a web service has one). "
            "Write `await release.judge_async(...)` with the same arguments instead."
        )
    work, read = _prepared(release, answers, settings or JudgeSettings())
    observer, calls = work.settings.observer, work.extraction_calls
    with Store(work.settings.store) as store:
        _load(store, work.settings)
        if calls:
            absent = unaskable(work.extractor, calls, store)
            work.take(
                from_store_alone(calls, store, absent, observer)
                if absent is not None
                else run_sync(calls, work.extractor, store, work.limits(), observer)
            )
        asking = work.asking(store)
        if work.report.stopped is None:
            asking.ask()
        else:
            asking.stored()
    return _judged(work, asking, read)


async def judge_answers_async(
    release: Release, answers: AnswersSource, settings: JudgeSettings | None = None
) -> Judged:
    """`judge_answers` for programs with an event loop: notebooks and web services."""
    work, read = _prepared(release, answers, settings or JudgeSettings())
    observer, calls = work.settings.observer, work.extraction_calls
    with Store(work.settings.store) as store:
        _load(store, work.settings)
        try:
            if calls:
                absent = unaskable(work.extractor, calls, store)
                work.take(
                    from_store_alone(calls, store, absent, observer)
                    if absent is not None
                    else await run_calls(calls, work.extractor, store, work.limits(), observer)
                )
            asking = work.asking(store)
            if work.report.stopped is None:
                await asking.ask_async()
            else:
                asking.stored()
        finally:
            await work.extractor.close()
            await work.judge.close()
    return _judged(work, asking, read)


def _load(store: Store, settings: JudgeSettings) -> None:
    for path in settings.recordings:
        load_recording(store, path)


def _prepared(
    release: Release, answers: AnswersSource, settings: JudgeSettings
) -> tuple[Application, AnswersRead]:
    read = read_answers(answers, settings.claims)
    return Application(release, read.answers, settings), read


def _judged(work: Application, asking: Asking, read: AnswersRead) -> Judged:
    """What follows from the replies; a pure function of them."""
    found, judge = scored(work, asking), work.judge_now()
    rows = judged_rows(found, judge)
    return Judged(summarise(found, asking, judge, rows, read.notes), rows)

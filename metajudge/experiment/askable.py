"""Which judges an experiment can ask on this machine, and when asking the others is hopeless."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from metajudge.errors import ModelFileError
from metajudge.experiment.study import Study
from metajudge.judges.judge import Judge
from metajudge.runner.absent import Absent, obstacle
from metajudge.runner.store import Store


def absent_judges(plan: Study, judges: Mapping[str, Judge], store: Store) -> dict[str, Absent]:
    """Judges by name that lack replies and cannot be asked on this machine."""
    found = {}
    for name in plan.calls:
        barrier = obstacle(judges[name].spec)
        if barrier is None:
            continue
        wanted = {call.key for call in (*plan.extractions(name), *plan.distinct(name))}
        missing = len(wanted - store.has_many(wanted))
        if missing:
            found[name] = Absent(name, missing, len(wanted), barrier)
    return found


def refuse_hopeless(plan: Study, store: Store, absent: Collection[Absent]) -> None:
    """End a run that could not measure a single trial.

    Raises:
        ModelFileError: No judge can be asked, and the store covers no trial as a whole.
    """
    asked = {trial.judge for trial in plan.trials}
    if absent and {judge.spec for judge in absent} >= asked and not _covers_a_trial(plan, store):
        raise ModelFileError("\n".join(judge.sentence for judge in absent))


def _covers_a_trial(plan: Study, store: Store) -> bool:
    wanted: dict[int, set[str]] = {}
    for calls in plan.main.calls.values():
        for planned in calls:
            if planned.claims:
                wanted.setdefault(planned.trial, set()).add(planned.call.key)
    here = store.has_many({key for keys in wanted.values() for key in keys})
    return any(keys <= here for keys in wanted.values())

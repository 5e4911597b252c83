"""Judges that cannot be asked on this machine, and what the store holds of their replies."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from metajudge.counted import counted
from metajudge.extras import install_command
from metajudge.judges.judge import Judge
from metajudge.judges.local import find_model
from metajudge.judges.model_place import EXTRA, libraries_missing
from metajudge.judges.models import ModelSpec, model_path
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.shipped import checkout

FAILS_EACH_TIME = (
    "A call that fails each time has no reply to store: "
    "shorten its context, or take its claim out of the gold set."
)
_LOCAL = "local:"
_NLI = "baseline:nli:"


class Obstacle(NamedTuple):
    """Why a judge cannot be asked here.

    Attributes:
        what: What is missing, as a clause.
        command: The one command that gets it; "" where there is none.
    """

    what: str
    command: str

    @property
    def sentence(self) -> str:
        """One line for people."""
        return f"{self.what}. Get it with: {self.command}" if self.command else f"{self.what}."


class Absent(NamedTuple):
    """A judge that cannot be asked although replies are missing.

    Attributes:
        spec: The judge, as the experiment names it.
        missing: Replies that the store lacks.
        wanted: Replies that the experiment needs of it.
        obstacle: Why it cannot be asked.
    """

    spec: str
    missing: int
    wanted: int
    obstacle: Obstacle

    @property
    def sentence(self) -> str:
        """One line for people; it ends with the command where there is one."""
        replies, are = counted(self.wanted, "replies"), "is" if self.missing == 1 else "are"
        missing = f"{self.missing:,} of {replies} of {self.spec} {are} missing"
        return f"{missing}, and {self.obstacle.sentence}"


def obstacle(spec: str) -> Obstacle | None:
    """Why a judge cannot be asked on this machine; None where nothing stands in the way.

    Only models in this process are looked at: keys and servers show themselves at the first call.

    >>> obstacle("baseline:ngram") is None
    True
    """
    if spec.startswith(_NLI) and libraries_missing():
        return Obstacle("torch or transformers is not installed", install_command(EXTRA))
    if not spec.startswith(_LOCAL):
        return None
    model = find_model(spec.removeprefix(_LOCAL))
    library = find_spec("xllamacpp") is not None
    if isinstance(model, ModelSpec):
        path = model_path(model)
        here = path.is_file() and path.stat().st_size == model.bytes
        if library and here:
            return None
        pull = f"{install_command('local')} && {model.pull_command}"
        what = "xllamacpp is not installed" if here else "its model is not on this machine"
        return Obstacle(what, pull if checkout() is None else "make model")
    if isinstance(model, Path) and not model.is_file():
        return Obstacle(f"there is no file {model}", "")
    return None if library else Obstacle("xllamacpp is not installed", install_command("local"))


def unaskable(judge: Judge, calls: Iterable[Call], store: Store) -> Absent | None:
    """Why a judge cannot be asked what the store lacks; None where it can, or nothing is lacking.

    Args:
        judge: Who would be asked.
        calls: What would be asked.
        store: Where replies are kept.
    """
    barrier = obstacle(judge.spec)
    if barrier is None:
        return None
    keys = {call.key for call in calls}
    missing = len(keys - store.has_many(keys))
    return Absent(judge.spec, missing, len(keys), barrier) if missing else None


def from_store_alone(
    calls: Iterable[Call], store: Store, absent: Absent, observer: Observer | None = None
) -> RunOutcome:
    """What the store holds of a judge's calls, and a report that says why no more was asked."""
    keys = [call.key for call in calls]
    replies = store.get_many(keys)
    report = RunReport(
        asked=len(keys),
        cache_hits=len(replies),
        stopped="no_model",
        message=absent.sentence,
    )
    if observer is not None:
        observer.on_start(len(keys), len(replies))
        observer.on_end(report)
    return RunOutcome({key: replies[key] for key in keys if key in replies}, report)

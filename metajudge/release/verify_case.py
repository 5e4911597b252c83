"""A release that is being verified: its parts, each read once, and what a check says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from metajudge.counted import counted
from metajudge.errors import InputError, MetajudgeError, ReleaseError
from metajudge.gold.claim import Split
from metajudge.gold.goldset import MANIFEST as GOLD_MANIFEST
from metajudge.gold.goldset import GoldSet
from metajudge.release.bundle import Release, read_release
from metajudge.release.compared import stored_replies
from metajudge.release.evidence import split_golds
from metajudge.release.manifest import REPLIES
from metajudge.release.refusals import drifted
from metajudge.release.registry import Located
from metajudge.report.part import Part
from metajudge.runner.call import Stopped
from metajudge.runner.recording import read_recording
from metajudge.runner.store import StoredCall
from metajudge.verdicts.verdict import Reply

State = Literal["ok", "failed", "open"]


class Check(Part):
    """One check of a release."""

    name: str
    state: State
    """`open`: it could not be checked."""
    told: str
    """One line for people."""
    faults: tuple[str, ...] = ()
    """What is wrong, each with its file."""
    essential: bool = True
    """Whether a release counts as verified only after this check."""


class CannotCheckError(Exception):
    """Why a check cannot be made; no fault of what it looks at.

    Attributes:
        stopped: Why asking the judge ended before it gave any answer; None where it was not asked.
    """

    def __init__(self, reason: str, stopped: Stopped | None = None) -> None:
        super().__init__(reason)
        self.stopped = stopped


@dataclass
class Case:
    """The release, and where what it rests on lies.

    Attributes:
        located: Its folder and its registry.
        gold: The gold set's folder; None takes the one that the manifest names.
    """

    located: Located
    gold: Path | None = None

    @property
    def folder(self) -> Path:
        """Of the release."""
        return self.located.folder

    @cached_property
    def release(self) -> Release:
        """The release as its manifest says.

        Raises:
            InputError: The manifest or a file that it names is faulty.
        """
        found = read_release(self.folder)
        candidate = found.candidate
        sources = [s for wording in candidate.variants for s in wording.by_language.values()]
        problems = drifted(candidate.policy, sources)
        if problems:
            raise ReleaseError(problems)
        return found

    @property
    def ref(self) -> str | None:
        """`name@version`; None where the manifest is faulty."""
        try:
            return self.release.ref
        except InputError:
            return None

    @cached_property
    def calls(self) -> tuple[StoredCall, ...]:
        """The stored calls.

        Raises:
            StoreError: The recording is faulty.
        """
        return read_recording(self.folder / REPLIES)

    @cached_property
    def replies(self) -> Mapping[str, Reply]:
        """The stored replies by key.

        Raises:
            StoreError: The recording is faulty.
        """
        return stored_replies(self.calls)

    @property
    def gold_folder(self) -> Path:
        """Where the gold set lies or should lie."""
        return self.folder / self.release.manifest.gold.path if self.gold is None else self.gold

    @property
    def has_gold(self) -> bool:
        """Whether a gold set lies there."""
        return (self.gold_folder / GOLD_MANIFEST).is_file()

    @cached_property
    def golds(self) -> Mapping[Split, GoldSet]:
        """The claims that the figures rest on, by split.

        Raises:
            CannotCheckError: There is no gold set, or it is not the pinned one.
        """
        try:
            release = self.release
        except InputError as error:
            raise CannotCheckError("the manifest or a template is faulty") from error
        if not self.has_gold:
            raise CannotCheckError(f"there is no gold set at {self.gold_folder}")
        try:
            return split_golds(release, self.gold_folder)
        except InputError as error:
            raise CannotCheckError(str(error)) from error


def checked(name: str, look: Callable[[Case], str], case: Case, *, essential: bool = True) -> Check:
    """What a look says: its one line, the faults that it raises, or why it cannot be had.

    Args:
        name: Of the check.
        look: Gives the line for people; raises `MetajudgeError` for faults and `CannotCheckError`.
        case: The release.
        essential: Whether verification needs it.
    """
    try:
        return Check(name=name, state="ok", told=look(case), essential=essential)
    except CannotCheckError as reason:
        told = f"could not be checked: {reason}"
        return Check(name=name, state="open", told=told, essential=essential)
    except MetajudgeError as error:
        faults = tuple(map(str, error.problems)) if isinstance(error, InputError) else (str(error),)
        told = counted(len(faults), "faults")
        return Check(name=name, state="failed", told=told, faults=faults, essential=essential)
    except OSError as error:
        fault = f"{error.filename or case.folder}: {error.strerror or type(error).__name__}"
        told = "a file cannot be read"
        return Check(name=name, state="failed", told=told, faults=(fault,), essential=essential)

"""The table of drop-ins: what `release emit --to` knows, and what each emitter must offer.

An emitter is a module of this room with a function `emit`. It gives the texts of its files without
a mark; `metajudge.release.emit.writing` marks and writes them. No emitter imports its framework, so
that the same release gives the same text on every machine.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Protocol, cast

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release


@dataclass(frozen=True, slots=True)
class DropIn:
    """What an emitter makes of a release.

    Attributes:
        files: Text by file name, each without its mark.
        differences: In what the drop-in asks, reads or scores otherwise than the release; one
            sentence each. Where there is any, the figures of the release do not hold for it.
        conditions: What the user must see to, such as the pinned judge; where nothing differs, the
            figures then hold.
    """

    files: Mapping[str, str]
    differences: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


class Emitter(Protocol):
    """The function `emit` of an emitter's module."""

    def __call__(self, release: Release, languages: Sequence[str]) -> DropIn:
        """The drop-in.

        Args:
            release: The release.
            languages: Which of its languages to write, at least one, all of them its own.

        Raises:
            ReleaseError: The framework cannot express the release; says what it can express.
        """
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table.

    Attributes:
        name: As typed after `--to`.
        module: The module that has `emit`.
        package: The framework's distribution; None where no framework is needed.
        versions: The versions that the drop-in is written for, as `>=1.2,<3`; None without a
            package. Other versions are refused by name.
        tested: The version that its test runs.
        files: Names of the files it writes; `{name}` is the release's name, `{module}` the same as
            a Python name, and a name with `{language}` stands for one file a language.
        what: What is written, in one line.
    """

    name: str
    module: str
    package: str | None
    versions: str | None
    tested: str | None
    files: tuple[str, ...]
    what: str

    def emitter(self) -> Emitter:
        """The emitter, imported when it is asked for."""
        return cast(Emitter, importlib.import_module(self.module).emit)

    def file_names(self, name: str, languages: Sequence[str]) -> tuple[str, ...]:
        """Names of the files for a release of this name, in the order of `files`."""
        module = re.sub(r"\W|^(?=\d)", "_", name)
        return tuple(
            pattern.format(name=name, module=module, language=language)
            for pattern in self.files
            for language in (languages if "{language}" in pattern else languages[:1])
        )

    def bounds(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The lowest version, and the first one that is too high.

        >>> kind_named("ragas").bounds()
        ((0, 4, 3), (0, 5))
        """
        least, _, below = (self.versions or ">=0,<0").partition(",<")
        return _numbers(least), _numbers(below)

    def installed(self) -> str | None:
        """The installed version of its package; None where there is none, or no package."""
        try:
            return None if self.package is None else metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def knows(self, version: str) -> bool:
        """Whether the drop-in is written for a version of its package."""
        least, below = self.bounds()
        return least <= _numbers(version)[:3] < below


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


_ROOM = "metajudge.release.emit"
KINDS: tuple[Kind, ...] = (
    Kind(
        "chat",
        f"{_ROOM}.chat",
        None,
        None,
        None,
        ("{name}.chat.{language}.json",),
        "chat messages with place markers, parse table, policy and threshold",
    ),
    Kind(
        "markdown",
        f"{_ROOM}.markdown",
        None,
        None,
        None,
        ("{name}.md",),
        "the prompts, labels, policy and judge for people to read",
    ),
    Kind(
        "deepeval",
        f"{_ROOM}.deepeval",
        "deepeval",
        ">=3.7,<5",
        "4.3.1",
        ("{module}_deepeval.py", "{name}.deepeval.md"),
        "a template class, a faithfulness metric and a groundedness metric",
    ),
    Kind(
        "ragas",
        f"{_ROOM}.ragas",
        "ragas",
        ">=0.4.3,<0.5",
        "0.4.3",
        ("{module}_ragas.py", "{name}.ragas.md"),
        "a prompt object and a faithfulness metric",
    ),
    Kind(
        "dspy",
        f"{_ROOM}.dspy",
        "dspy",
        ">=3.1,<3.5",
        "3.4.1",
        ("{module}_dspy.py", "{name}.dspy.{language}.json"),
        "a signature, an adapter and the saved program of each language",
    ),
    Kind(
        "promptfoo",
        f"{_ROOM}.promptfoo",
        None,
        ">=0.121,<0.124",
        "0.123.1",
        ("{name}.promptfoo.{language}.yaml",),
        "a defaultTest for llm-rubric with rubricPrompt, threshold and judge",
    ),
    Kind(
        "phoenix",
        f"{_ROOM}.phoenix",
        "arize-phoenix-evals",
        ">=3.9,<4",
        "3.9.4",
        ("{module}_phoenix.py",),
        "a classification evaluator of claims and an evaluator of whole answers",
    ),
    Kind(
        "mlflow",
        f"{_ROOM}.mlflow",
        "mlflow",
        ">=3.17,<4",
        "3.17.2",
        ("{module}_mlflow.py", "{name}.mlflow.{language}.json"),
        "the arguments of make_judge, and a module that judges and scores with them",
    ),
    Kind(
        "inspect",
        f"{_ROOM}.inspect_ai",
        "inspect-ai",
        ">=0.3.285,<0.4",
        "0.3.285",
        ("{module}_inspect.py",),
        "a scorer with the verdict of each claim",
    ),
)


def kind_named(name: str) -> Kind:
    """The row of a name.

    Raises:
        ReleaseError: There is none; the nearest name is given.

    >>> kind_named("chat").module
    'metajudge.release.emit.chat'
    """
    for kind in KINDS:
        if kind.name == name:
            return kind
    known = [kind.name for kind in KINDS]
    near = difflib.get_close_matches(name, known, n=1)
    mend = f"Did you mean {near[0]!r}?" if near else "Choose one of them."
    law = f"a drop-in is for one of {', '.join(known)}"
    raise ReleaseError(Problem("release emit", law, mend, field="--to", got=repr(name)))

"""What an exporter declares, and what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet
    from metajudge.gold.guideline import GuidelineLanguage


@dataclass(frozen=True, slots=True)
class Form:
    """A form that gold can be exported in; each exporter module declares its own as `FORM`.

    Attributes:
        name: What `--as` takes.
        title: Its name as people write it.
        endings: Of files, by which it is recognised; () for a folder, which has to be named.
        is_folder: Whether it is a folder.
        beside: Endings of the files that are written beside the file.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    is_folder: bool = False
    beside: tuple[str, ...] = ()


class Wishes(NamedTuple):
    """What the user wants of a form.

    Attributes:
        byte_order_mark: Whether a CSV file begins with one, so that Excel reads it as UTF-8.
        lang: Of texts that are made for people, such as headings of a labelling page.
    """

    byte_order_mark: bool = True
    lang: GuidelineLanguage = "en"


class Writer(Protocol):
    """Writes a set in one form; the folder of the path is new, and all that is in it is kept."""

    def __call__(self, goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
        """Writes the set, and gives what the form cannot hold or its programs may do to it."""

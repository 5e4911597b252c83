"""Where a model of the `transformers` library is: a folder, or a name on the hub."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from metajudge.errors import ModelFileError
from metajudge.judges.models import own_file_sha256

EXTRA = "nli"
"""The extra that brings torch and transformers."""

_HUB = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?(?:@[\w.-]+)?")
_DECIDING = ("*.json", "*.safetensors", "*.model", "vocab.txt", "merges.txt")


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """Where a model is: a folder, or a name on the hub.

    Attributes:
        name: Path of the folder, or the hub's name without a revision.
        revision: Branch, tag or commit on the hub; None for a folder, and for the hub's `main`.
        is_folder: Whether it is a folder.
    """

    name: str
    revision: str | None = None
    is_folder: bool = False

    @property
    def identity(self) -> str:
        """What decides the answers: a hash of the folder's files, or name and revision.

        Raises:
            ModelFileError: The folder is not there, or holds no model.
        """
        if self.is_folder:
            return f"sha256:{_folder_sha256(Path(self.name))}"
        return f"{self.name}@{self.revision or 'main'}"


def model_place(place: str) -> ModelPlace | None:
    """The place that a spec names; None where it is neither a folder nor a hub's name.

    >>> model_place("org/small-nli@v1")
    ModelPlace(name='org/small-nli', revision='v1', is_folder=False)
    """
    path = Path(place).expanduser()
    if (place and path.is_dir()) or place.startswith((".", "/", "~", "\\")) or path.is_absolute():
        return ModelPlace(str(path), is_folder=True)
    if _HUB.fullmatch(place) is None:
        return None
    name, _, revision = place.partition("@")
    return ModelPlace(name, revision or None)


def libraries_missing() -> bool:
    """Whether torch or transformers is not installed."""
    return find_spec("torch") is None or find_spec("transformers") is None


def _folder_sha256(folder: Path) -> str:
    if not (folder / "config.json").is_file():
        raise ModelFileError(f"{folder} holds no model. Give a folder with a config.json.")
    files = sorted({path for kind in _DECIDING for path in folder.glob(kind)})
    told = "\n".join(f"{path.name} {own_file_sha256(path)}" for path in files)
    return hashlib.sha256(told.encode()).hexdigest()

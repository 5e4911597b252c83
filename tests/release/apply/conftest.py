"""A release with a scripted judge, and a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.release.bundle import Release
from tests.release.applied import made


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return made(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"

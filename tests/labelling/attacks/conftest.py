"""The set that is attacked: four claims without a label."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from tests.labelling.desks import gold_folder

    return gold_folder(tmp_path / "kiosk", [{}] * 4)

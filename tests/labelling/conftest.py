"""One browser and one server for each file of browser tests; without a browser they are skipped.

Not one browser for the whole session: as long as it is open, this thread has a running event loop,
and other tests could start none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import Server, chromium, missing, serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    lacking = missing()
    if lacking:
        pytest.skip(lacking)
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """anna's, on the folder that the file of tests makes."""
    with serving(folder, "anna") as made:
        yield made

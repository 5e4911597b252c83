"""One browser for each file of browser tests; where there is none, they are skipped.

Not one for the whole session: as long as it is open, this thread has a running event loop, and
other tests could start none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.labelling.browser import chromium, missing


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    lacking = missing()
    if lacking:
        pytest.skip(lacking)
    with chromium() as made:
        yield made

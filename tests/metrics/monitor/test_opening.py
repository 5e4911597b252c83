"""Databases of scores: what is said where one cannot be opened."""

from __future__ import annotations

import pytest

from metajudge.errors import StoreError
from metajudge.metrics.monitor.opening import engine_of


def test_a_missing_driver_is_named_with_what_installs_it() -> None:
    with pytest.raises(StoreError, match=r"pip install 'psycopg\[binary\]") as caught:
        engine_of("postgresql+nosuch://me:secret@host/base")
    assert "secret" not in str(caught.value)

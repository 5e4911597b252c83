from __future__ import annotations

import gc

import pytest

from metajudge.runner.bulk import collector_at_rest


def test_the_collector_works_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="torn"), collector_at_rest():
        raise ValueError("torn")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_at_rest():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

import gc

import pytest

from metajudge.gold.importing.collecting import uncollected

MANY = 50_000


@pytest.fixture
def _searching():
    was = gc.isenabled()
    gc.enable()
    yield
    if not was:
        gc.disable()


@pytest.mark.usefixtures("_searching")
def test_what_was_made_is_old_afterwards_and_still_searched():
    with uncollected():
        assert not gc.isenabled()
        kept = [[] for _ in range(MANY)]
        cycle = []
        cycle.append(cycle)
    assert gc.isenabled()
    assert gc.get_count()[0] < MANY
    assert gc.get_freeze_count() == 0
    del cycle
    assert gc.collect() >= 1
    assert len(kept) == MANY


@pytest.mark.usefixtures("_searching")
def test_what_another_program_froze_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with uncollected():
            pass
        assert 0 < gc.get_freeze_count() <= frozen
    finally:
        gc.unfreeze()


def test_a_search_that_was_off_stays_off():
    was = gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        if was:
            gc.enable()

"""Property tests that are to draw the same examples each time do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture
def the_same_each_time() -> Iterator[None]:
    before = settings.get_current_profile_name()
    settings.load_profile("ci")
    yield
    settings.load_profile(before)


def drawn() -> list[tuple[str, int]]:
    seen = []

    @settings(max_examples=300)
    @given(st.text(max_size=19), st.integers(-(10**9), 10**9))
    def note(text: str, number: int) -> None:
        seen.append((text, number))

    note()
    return seen


@pytest.mark.usefixtures("the_same_each_time")
def test_examples_do_not_change_with_the_modules_that_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    path = tmp_path / "odd.py"
    path.write_text(f"{[f'name {n}' for n in range(400)]}\n{[*range(500, 900)]}\n")
    spec = spec_from_file_location("odd", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "odd", module)
    assert drawn() == before

import subprocess
import sys

import pytest

import metajudge.report as room


def test_every_listed_name_is_there_and_sorted() -> None:
    assert list(room.__all__) == sorted(room.__all__)
    assert all(getattr(room, name) is not None for name in room.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = room.nothing


def test_importing_the_room_loads_no_plotly() -> None:
    code = (
        "import sys, metajudge.report.html, metajudge.report.terminal, metajudge.report.markdown;"
        "sys.exit('plotly' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

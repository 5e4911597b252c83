from __future__ import annotations

import subprocess
import sys

import metajudge.agreement as room


def test_every_public_name_is_there_and_listed_once():
    assert len(set(room.__all__)) == len(room.__all__)
    for name in room.__all__:
        assert getattr(room, name) is not None


def test_the_room_loads_numpy_only():
    code = (
        "import sys, metajudge.agreement; "
        "print([m for m in ('scipy','sklearn','pandas','pydantic') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"

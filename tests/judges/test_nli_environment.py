"""The tests that need torch, run where it is not installed: in an environment of its own.

It takes 4.4 GB, so it is made only with METAJUDGE_TEST_NLI=1.
"""

import os
import platform
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.release.emit.environments import python_of

ROOT = Path(__file__).parents[2]
FILES = (
    "tests/judges/test_transformer.py",
    "tests/judges/test_baseline_nli.py",
    "tests/judges/test_embedding.py",
    "tests/metrics/computed/test_nli.py",
)


@pytest.mark.slow
def test_models_of_the_extra_nli_answer_here():
    if find_spec("torch") is not None:
        pytest.skip("torch is installed here, so these tests ran as they are")
    if os.environ.get("METAJUDGE_TEST_NLI") != "1":
        pytest.skip("torch takes 4.4 GB; METAJUDGE_TEST_NLI=1 installs it and runs its tests")
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("torch's wheels are pinned for Linux on x86-64")
    version = "python{}.{}".format(*sys.version_info)
    site = python_of("nli").parents[1] / "lib" / version / "site-packages"
    environment = {**os.environ, "PYTHONPATH": str(site), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "not litellm",
            *FILES,
        ],
        cwd=ROOT,
        env={**environment, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    told = done.stdout[-3000:] + done.stderr[-1000:]
    assert done.returncode == 0, told
    assert re.search(r"\d+ passed", done.stdout) and "is not installed" not in done.stdout, told

"""The Python of the recipe runs as it stands."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "recipes" / "ci.md"


def test_the_gate_of_the_page_passes_from_python(monkeypatch):
    (code,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        if "run_gate" in block
    ]
    monkeypatch.chdir(ROOT)
    exec(compile(code, str(PAGE), "exec"), {})

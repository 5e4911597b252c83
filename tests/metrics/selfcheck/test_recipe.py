import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "recipes" / "selfcheck.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.M | re.S)


def test_the_recipe_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAJUDGE_REGISTRY", str(ROOT / "experiments" / "releases"))
    (script,) = blocks("yaml")
    (tmp_path / "judge.yaml").write_text(script, encoding="utf-8")
    names = {}
    for block in blocks("python"):
        exec(compile(block, str(PAGE), "exec"), names)
    assert "yes Hall A opens at nine." in capsys.readouterr().out


@pytest.mark.parametrize(
    "failure",
    [
        "deadline",
        "judge_down",
        "overloaded",
        "too_many_units",
        "too_long",
        "bad_input",
        "unusable",
        "closed",
    ],
)
def test_every_class_of_failure_is_on_the_page(failure):
    assert f"`{failure}`" in PAGE.read_text("utf-8")

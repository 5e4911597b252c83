from __future__ import annotations

import pytest

from metajudge.errors import ExperimentError
from metajudge.shipped import (
    checkout,
    shipped_experiment,
    shipped_folder,
    shipped_gold,
)


def lay(folder, *, wheel):
    package = folder / "metajudge"
    top = package / "_shipped" if wheel else folder
    (top / "experiments" / "001-templates").mkdir(parents=True)
    (top / "experiments" / "001-templates" / "experiment.yaml").touch()
    (top / "gold" / "faithfulness").mkdir(parents=True)
    package.mkdir(exist_ok=True)
    if not wheel:
        (folder / "Makefile").touch()
        (folder / "pyproject.toml").touch()
    return package


def test_a_checkout_and_a_wheel_are_both_found(tmp_path):
    source = lay(tmp_path / "source", wheel=False)
    assert checkout(source) == tmp_path / "source"
    assert shipped_folder(source) == tmp_path / "source"
    installed = lay(tmp_path / "site-packages", wheel=True)
    assert checkout(installed) is None
    assert shipped_folder(installed) == installed / "_shipped"
    assert shipped_gold(installed).is_dir()
    assert shipped_experiment(installed).is_file()


def test_an_installation_without_it_says_so(tmp_path):
    with pytest.raises(ExperimentError, match="Install metajudge again"):
        shipped_experiment(tmp_path)


def test_the_paths_of_the_shipped_experiment_hold():
    path = shipped_experiment()
    assert (path.parent / "../../gold/faithfulness/goldset.yaml").is_file()

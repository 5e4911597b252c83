"""What comes with the project: experiment 001, its gold set and its recording.

In a source checkout they lie at the top; a wheel holds the same folders under `metajudge/_shipped`:
`experiments/001-templates`, `experiments/recordings` and `gold/faithfulness`, so that the paths
inside the experiment hold in both.
"""

from __future__ import annotations

from pathlib import Path

from metajudge.errors import ExperimentError, Problem

EXPERIMENT = "001-templates"
_PACKAGE = Path(__file__).resolve().parent


def checkout(package: Path = _PACKAGE) -> Path | None:
    """The source checkout that the package lies in; None for an installed wheel.

    Args:
        package: The folder of the package.
    """
    top = package.parent
    marks = ("Makefile", "pyproject.toml", "experiments")
    return top if all((top / mark).exists() for mark in marks) else None


def shipped_folder(package: Path = _PACKAGE) -> Path:
    """The folder that holds the shipped `experiments` and `gold`.

    Args:
        package: The folder of the package.

    Raises:
        ExperimentError: The installation lacks them.
    """
    places = [package / "_shipped", *filter(None, [checkout(package)])]
    for place in places:
        if (place / "experiments" / EXPERIMENT / "experiment.yaml").is_file():
            return place
    law = "the shipped experiment is part of the installation, but it is not there"
    mend = "Install metajudge again, or name an experiment of your own."
    raise ExperimentError(Problem(str(package), law, mend))


def shipped_experiment(package: Path = _PACKAGE) -> Path:
    """`experiment.yaml` of the shipped experiment 001.

    Raises:
        ExperimentError: The installation lacks it.
    """
    return shipped_folder(package) / "experiments" / EXPERIMENT / "experiment.yaml"


def shipped_gold(package: Path = _PACKAGE) -> Path:
    """The folder of the shipped gold set.

    Raises:
        ExperimentError: The installation lacks it.
    """
    return shipped_folder(package) / "gold" / "faithfulness"

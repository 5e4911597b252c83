"""Experiments that were confirmed on the sealed split, ready to be released."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from metajudge.experiment import Experiment
from metajudge.experiment.released import Wanted, create_release
from metajudge.release.create import Created
from metajudge.report.results import Results
from metajudge.report.results_file import write_results
from metajudge.report.selection_results import Confirmation
from tests.experiment.sealed import tilted_judge, two_wordings

NAME = "faithfulness-verdict"


class Confirmed(NamedTuple):
    """An experiment with its results on disk."""

    experiment: Experiment
    results: Results
    folder: Path

    @property
    def confirmation(self) -> Confirmation:
        assert self.results.selection is not None
        assert self.results.selection.confirmation is not None
        return self.results.selection.confirmation

    def release(self, **wanted: Any) -> Created:
        """A release of it in `folder / releases`."""
        told = {"name": NAME, "policy": "strict", "registry": self.folder / "releases", **wanted}
        return create_release(
            self.experiment,
            Wanted(**told),
            results=self.folder / "results.json",
            store=self.folder / "store.sqlite",
        )


def confirm(experiment: Experiment, candidate: str | None = None) -> Confirmed:
    """Sweeps, confirms and writes `results.json` beside the experiment."""
    folder = experiment.path.parent
    store = folder / "store.sqlite"
    outcome = experiment.sweep(store=store)
    results = experiment.confirm(outcome, candidate=candidate, store=store)
    write_results(results, folder / "results.json")
    return Confirmed(experiment, results, folder)


def confirmed(folder: Path, candidate: str | None = None, **fields: Any) -> Confirmed:
    """`mine`, which calls summaries yes, confirmed against `literal`, which calls them idk."""
    return confirm(two_wordings(folder, **fields), candidate)


def confirmed_reading(folder: Path, **fields: Any) -> Confirmed:
    """`literal` with its batch prior divided out, confirmed against `literal` without."""
    return confirm(tilted_judge(folder, **fields))

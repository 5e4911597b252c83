from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import InputError
from metajudge.experiment.asked_power import asked_power
from tests.experiment.folder import CAREFUL, declare, halls, write_gold, write_script


def test_power_needs_nothing_but_the_results(tmp_path: Path) -> None:
    claims, contexts = halls(20)
    write_gold(tmp_path, claims, contexts)
    declared = declare(
        tmp_path,
        judges=[write_script(tmp_path, CAREFUL)],
        perturbations=[{"axis": "repeats", "draws": 2}],
    )
    results = declared.sweep(store=tmp_path / "store.sqlite").results
    found = asked_power(results, difference=0.3, figures=["summary-as-idk"])
    assert (found.trial, found.reading) == ("literal", "top")
    assert found.churn == 0.02
    by_figure = {row.figure: row for row in found.detectable}
    assert by_figure["summary_as_idk"].claims == 20
    assert 0 < (by_figure["summary_as_idk"].difference or 0) < 1
    assert {(n.figure, n.slice, n.have) for n in found.needed} >= {("summary_as_idk", "all", 20)}
    assert asked_power(results, difference=0.3, figures=["summary-as-idk"]) == found
    with pytest.raises(InputError, match="literal"):
        asked_power(results, trial="litteral")

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from metajudge.report.power_text import BAR, curve_lines, render_power
from metajudge.report.selection_results import DetectableFigures
from metajudge.report.words import Language
from tests.report.factory import make_sweep


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("hostile", [False, True])
def test_fits_80_columns_and_tells_reasons(language: Language, hostile: bool) -> None:
    results = make_sweep(60, hostile=hostile).results
    assert results.power is not None
    file = io.StringIO()
    report = render_power(results, results.power, language)
    Console(file=file, width=80, legacy_windows=False).print(report)
    text = file.getvalue()
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text
    told = " ".join(text.split())
    assert "even mending every wrong verdict is seen in 61 % of worlds" in told
    assert "4,096 clusters are not enough" in told


def test_bars_are_as_long_as_the_power() -> None:
    row = DetectableFigures(
        figure="kappa",
        power=0.8,
        difference=0.1,
        clusters=9,
        claims=20,
        curve=((-0.2, 1.0), (0.05, 0.0), (0.1, 0.5), (0.15, 1.2)),
    )
    lines = [line.plain for line in curve_lines(row)]
    assert [line.count("█") for line in lines] == [0, BAR // 2, BAR, BAR]
    assert [line.split()[0] for line in lines] == [".050", ".100", ".150", ".200"]
    assert [line.find("┊") for line in lines] == [lines[0].find("┊")] * 2 + [-1, -1]
    assert lines[0].endswith("0 %")

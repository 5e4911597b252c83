"""A budget in USD at a judge without known prices."""

from __future__ import annotations

from pathlib import Path

from metajudge.report.remarks import stop_sentence
from tests.experiment.searched import searchable, served_answer
from tests.loopback import serve

TOLD = "no known price, so the budget of 0.5 USD could not be kept for them"


def test_results_say_that_it_could_not_be_kept_in_both_languages(tmp_path: Path) -> None:
    with serve(served_answer) as server:
        judge = {"spec": "openai/m", "api_base": server.url}
        experiment = searchable(tmp_path, n=6, judges=[judge], budget={"usd": 0.5})
        results = experiment.sweep(store=tmp_path / "r.sqlite").results
        again = experiment.sweep(store=tmp_path / "r.sqlite").results
    said = stop_sentence(results, "en")
    assert results.calls.stopped is None
    assert said == f"{results.calls.answered} replies have {TOLD}"
    chinese = f"{results.calls.answered} 次答复价格未知，因此无法对其遵守 0.5 美元的预算"
    assert stop_sentence(results, "zh") == chinese
    assert again.calls.message is None, "nothing was asked, nothing was paid"

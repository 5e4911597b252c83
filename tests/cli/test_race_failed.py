from __future__ import annotations

import pytest

from metajudge.cli.race import say_stopped
from metajudge.report.results import CallCounts


@pytest.mark.parametrize(
    ("language", "failed", "told"),
    [
        ("en", 3, "3 calls got no answer, counted as failed"),
        ("en", 1, "1 call got no answer, counted as failed"),
        ("zh", 3, "3 次调用没有得到回复，按失败计"),
    ],
)
def test_calls_that_failed_in_a_race_or_search_that_ended_by_itself_are_told(
    capsys: pytest.CaptureFixture[str], language: str, failed: int, told: str
) -> None:
    usual = dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd"))
    counts = {
        "planned": 9,
        "from_store": 0,
        "asked": 9,
        "answered": 9 - failed,
        "retries": 0,
        "wall_s": 1.0,
    }
    say_stopped("r", CallCounts(**counts, **usual, failed=failed), language)
    assert told in "".join(capsys.readouterr().err.splitlines())
    say_stopped("r", CallCounts(**counts, **usual, failed=0), language)
    assert not capsys.readouterr().err

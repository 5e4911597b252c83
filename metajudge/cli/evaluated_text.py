"""What `metajudge evaluate` shows on the terminal: a mean a metric, and why scores are missing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.cli.output import NARROWEST, WIDEST, say, say_table

if TYPE_CHECKING:
    from metajudge.metrics.evaluation import Evaluation
    from metajudge.report.words import Language

_KINDS = {"judged": "由裁判判断", "computed": "直接计算"}


def show(
    evaluation: Evaluation, out: Path | None, language: Language = "en", *, brief: bool = False
) -> None:
    """The account of all metrics, and where the rows are.

    Args:
        evaluation: The rows with their scores.
        out: Where the rows were written to.
        language: Of the account.
        brief: The figures alone.
    """
    from metajudge.metrics.account_text import COLUMNS, beside, cells, head, notes, word
    from metajudge.report.words import word as shared

    _tell(head(evaluation, language))
    say()
    headers = {name: word(f"column.{name}", language) for name in COLUMNS}
    accounts = evaluation.summary.metrics
    right = f"{headers['mean']} {headers['scored']}"
    rows = [cells(account, language) for account in accounts]
    say_table([*headers.values()], rows, right=right, whole=headers["metric"])
    say()
    for account in accounts:
        for told in beside(account, language):
            _tell(told)
    if not brief:
        for note in notes(evaluation, language):
            _tell(note)
    if out is not None:
        _tell(shared("judged.written", language, n=len(evaluation.rows), out=out))
    elif not brief:
        _tell(shared("judged.not_written", language))


def _tell(text: str) -> None:
    """A sentence, its further lines indented; Chinese breaks between characters."""
    from metajudge.report.guideline_text import wrapped_cells

    columns = max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))
    say("\n  ".join(wrapped_cells(text, columns - 2)))


def show_metrics(language: Language) -> None:
    """Every metric: what it asks, what it does not say, what it needs."""
    from metajudge.metrics.catalogue import METRICS

    chinese = language == "zh"
    not_said, needs, undefined = (
        ("不说明", "需要", "未定义") if chinese else ("does not say", "needs", "undefined")
    )
    colon = "：" if chinese else ": "
    for metric in METRICS.values():
        kind = _KINDS[metric.kind] if chinese else metric.kind
        reach, needed = metric.range, ", ".join(metric.needs)
        if chinese:
            reach = reach.replace(" to ", " 至 ").replace(" and more", " 以上")
            needed = needed.replace(" or ", " 或 ")
        told = f"（{kind}，{reach}）" if chinese else f" ({kind}, {reach})"
        say(f"{metric.name}{told}")
        for head, text in (
            ("", metric.asks[chinese]),
            (f"{not_said}{colon}", metric.not_said[chinese]),
            (f"{undefined}{colon}", metric.undefined[chinese]),
            (f"{needs}{colon}", needed),
        ):
            _tell(f"{head}{text}")
        say()

"""Columns that a metric needs and no row has: which, for which metric, and the mend."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.metrics.accounts import Told
from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.row import MetricRow
from metajudge.metrics.row_fields import OTHER_NAMES

_ATTRIBUTE = {"context": "passages"}
_MOST_NAMED = 8


def missing_columns(rows: Sequence[MetricRow], name: str) -> tuple[Told, ...]:
    """One sentence a column that a metric needs and that none of the rows has."""
    needs = [need.split(" or ") for need in METRICS[name].needs]
    lacking = [columns for columns in needs if not any(_has(r, c) for r in rows for c in columns)]
    unread = list(dict.fromkeys(column for row in rows for column in row.fields))
    return tuple(_told(name, columns, unread, last=columns is lacking[-1]) for columns in lacking)


def _has(row: MetricRow, column: str) -> bool:
    if column in row.lists:
        return True
    return getattr(row, _ATTRIBUTE.get(column, column), None) is not None


def _told(name: str, columns: Sequence[str], unread: Sequence[str], *, last: bool) -> Told:
    names = [other for column in columns for other in OTHER_NAMES.get(column, ())]
    others = names[:_MOST_NAMED]
    more = ["…"] if len(unread) > _MOST_NAMED else []
    shown = [*unread[:_MOST_NAMED], *more] if last else []
    en = f"no row has {' or '.join(columns)}: add the column"
    zh = f"没有一行有 {' 或 '.join(columns)}：请添加这一列"
    if others:
        en, zh = f"{en} (also read: {', '.join(others)})", f"{zh}（也可写作 {'、'.join(others)}）"
    if shown:
        en += f". Columns that no metric reads: {', '.join(shown)}"
        zh += f"。没有指标读取的列：{'、'.join(shown)}"
    return Told(en=f"{name}: {en}.", zh=f"{name}：{zh}。")

"""Plotly for the HTML report: its script, figures checked and as JSON, parts that charts share.

Traces say in `meta` which colour of the page they take: `{"colour": "--accent", "hollow": false}`.
The page fills it in by its theme.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from metajudge.report.inert import one_line
from metajudge.report.part import Figure

SERIES = 6
"""Colours of the page for series without a meaning of their own: `--series-0` and so on."""

LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
MARGIN = {"l": 72, "r": 34, "t": 64, "b": 48}


class Script(NamedTuple):
    """Plotly's script, packed for the page, and the hash by which the page may run it."""

    gzip_base64: str
    csp_hash: str


@lru_cache(maxsize=1)
def plotly_script() -> Script:
    """The installed Plotly's own script: about 4.8 MB, 1.9 MB packed."""
    from plotly.offline import get_plotlyjs

    code = str(get_plotlyjs()).encode()
    packed = base64.b64encode(gzip.compress(code, 6, mtime=0)).decode("ascii")
    return Script(packed, csp_hash(code))


def csp_hash(code: bytes) -> str:
    """A script's source expression for a content security policy.

    >>> csp_hash(b"")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(code).digest()).decode('ascii')}'"


def checked(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> dict[str, Any]:
    """A figure as plain JSON; an attribute that Plotly does not know raises ValueError."""
    import plotly.graph_objects as go

    figure = go.Figure(data=list(map(dict, traces)), layout=dict(layout))
    figure.update_layout(template="none")
    plain: dict[str, Any] = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain


def plotly_text(text: str) -> str:
    """A text that Plotly shows as it is, on one line.

    >>> plotly_text("<b>a</b>")
    '&lt;b&gt;a&lt;/b&gt;'
    """
    return escape(one_line(text))


def series_colour(index: int) -> str:
    """The page's colour of a series; after the last one they begin again."""
    return f"--series-{index % SERIES}"


def whiskers(figures: Sequence[Figure]) -> dict[str, Any]:
    """Error bars from each figure's value to its limits; none where it has no interval."""

    def reach(figure: Figure, limit: float | None) -> float:
        return 0.0 if limit is None or figure.value is None else abs(limit - figure.value)

    return {
        "type": "data",
        "symmetric": False,
        "array": [reach(figure, figure.high) for figure in figures],
        "arrayminus": [reach(figure, figure.low) for figure in figures],
        "thickness": 1.2,
        "width": 0,
    }


def share_axis(title: str, top: float) -> dict[str, Any]:
    """An axis of shares in percent, from a little under 0 to `top`."""
    return {
        "title": {"text": title, "standoff": 12},
        "range": [-0.025, top],
        "zeroline": False,
        "tickformat": ".0%",
        "ticks": "outside",
        "ticklen": 4,
    }

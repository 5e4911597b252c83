"""The labelling guideline as an HTML page: no script, no network; dark, phone and paper too."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup

from metajudge.gold.guideline import Guideline
from metajudge.report.guideline_text import change_lines, slice_line, slice_names
from metajudge.report.html import environment, static

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def guideline_page(guide: Guideline) -> str:
    """The guideline as HTML text; what the set's authors wrote is shown as text."""
    return (
        environment()
        .get_template("guideline.html.j2")
        .render(
            guide=guide,
            csp=POLICY,
            css=Markup("\n".join(map(static, ("page.css", "guideline.css")))),
            slice_names=partial(slice_names, guide),
            slice_lines=[slice_line(guide, text) for text in guide.slices],
            change_lines=change_lines(guide),
        )
    )

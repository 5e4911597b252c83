"""The dashboard as one HTML file: no network, two languages, light and dark, phone and desk."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from jinja2 import ChoiceLoader, DictLoader
from markupsafe import Markup

from metajudge.metrics.monitor.blocks import (
    facts,
    monitor_blocks,
    next_steps,
    provenance,
    queue_command,
    sentence,
    verdict,
)
from metajudge.metrics.monitor.charts import HEIGHT, WIDTH, charts
from metajudge.metrics.monitor.report import MonitorReport
from metajudge.metrics.monitor.words import WORDS as OWN
from metajudge.report.consult_html import page_block
from metajudge.report.html import content_policy, environment, static
from metajudge.report.inert import script_json
from metajudge.report.plots import csp_hash
from metajudge.report.words import WORDS, Language, Words, both
from metajudge.report.written_file import write_whole

SCRIPTS = ("page.js", "consult.js")
STYLES = ("page.css", "consult.css")
TEMPLATE, STYLE = "monitor.html.j2", "monitor.css"
_SCRIPT_WORDS = ("show_all", "show_fewer")


def write_monitor_page(report: MonitorReport, path: str | Path, language: Language = "en") -> Path:
    """Writes the dashboard; it opens from disk and asks nothing of a network.

    Args:
        report: From `monitor_report`.
        path: The file; its folder is made.
        language: Shown first; the page holds both.

    Raises:
        InputError: When the place cannot be written to.
    """
    return write_whole(path, monitor_page(report, language))


def monitor_page(report: MonitorReport, language: Language = "en") -> str:
    """The dashboard as HTML text; only the page's own scripts can run, every text is escaped."""
    scripts = [static(name) for name in SCRIPTS]
    shown, translated = (monitor_blocks(report, lang) for lang in ("en", "zh"))
    own = _own(TEMPLATE)
    made = environment()
    made.loader = ChoiceLoader([DictLoader({TEMPLATE: own}), made.loader or DictLoader({})])
    return made.get_template(TEMPLATE).render(
        report=report,
        words=WORDS | OWN,
        verdict=verdict(report),
        sentence=both(lambda lang: sentence(report, lang)),
        steps=[
            (Words(english.text, chinese.text), english.command)
            for english, chinese in zip(
                next_steps(report, "en"), next_steps(report, "zh"), strict=True
            )
        ],
        queue=queue_command(report),
        facts=[
            (Words(a[0], b[0]), Words(a[1], b[1]))
            for a, b in zip(facts(report, "en"), facts(report, "zh"), strict=True)
        ],
        blocks=[page_block(block, translated[name]) for name, block in shown.items()],
        charts=charts(report),
        width=WIDTH,
        height=HEIGHT,
        provenance=list(provenance(report)),
        language=language,
        csp=content_policy([csp_hash(code.encode()) for code in scripts]),
        css=Markup("\n".join((*map(static, STYLES), _own(STYLE)))),
        scripts=[Markup(code) for code in scripts],
        data=Markup(
            script_json({"language": language, "words": {key: WORDS[key] for key in _SCRIPT_WORDS}})
        ),
    )


def _own(name: str) -> str:
    folder = files("metajudge.metrics.monitor").joinpath("page")
    return folder.joinpath(name).read_text(encoding="utf-8")

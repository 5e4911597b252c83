"""pytest: `assert_faithful(...)`, also to be awaited, a marker, two fixtures and options.

Loading it loads nothing of metajudge but what an assertion needs to begin; a run without an
assertion is not changed in any way.

| option | ini | what |
|---|---|---|
| `--metajudge-release` | `metajudge_release` | the release that serves assertions |
| `--metajudge-judge` | `metajudge_judge` | judge spec, alone or in place of the release's judge |
| `--metajudge-store` | `metajudge_store` | file of the reply store |
| `--metajudge-recording` | `metajudge_recordings` | replies that are loaded first |
| `--metajudge-budget-calls` | `metajudge_budget_calls` | most calls that a session sends |
| `--metajudge-budget-usd` | `metajudge_budget_usd` | most that they cost |
| `--metajudge-offline` | | ask nothing; a reply that is not stored is a failed call |
| `--metajudge-on-call-failure` | | `error` (default), `skip` or `xfail` |

Workers of pytest-xdist share a budget in equal parts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from metajudge.metrics.gate.asserting import (
    Defaults,
    NotMeasured,
    Tally,
    assert_faithful,
    assert_faithful_async,
    opened,
    using,
)

if TYPE_CHECKING:
    from metajudge.release.bundle import Release

__all__ = ["NotMeasured", "assert_faithful", "assert_faithful_async"]
MARKER = "metajudge"
_INI = (
    ("metajudge_release", "string", "Release that serves assert_faithful."),
    ("metajudge_judge", "string", "Judge spec of assert_faithful."),
    ("metajudge_store", "string", "File of the reply store of assert_faithful."),
    ("metajudge_recordings", "paths", "Recorded replies that assert_faithful loads first."),
    ("metajudge_budget_calls", "string", "Most calls that a session sends."),
    ("metajudge_budget_usd", "string", "Most that they cost, in USD."),
)
_MARKED = frozenset(
    ("release", "judge", "store", "registry", "offline", "min_score", "metric", "policy")
)
_SPENT: pytest.StashKey[Tally] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and ini values."""
    group = parser.getgroup("metajudge", "faithfulness of answers")
    group.addoption("--metajudge-release", metavar="RELEASE", help="Serves assert_faithful.")
    group.addoption("--metajudge-judge", metavar="SPEC", help="Judge of assert_faithful.")
    group.addoption("--metajudge-store", metavar="FILE", help="Its reply store.")
    group.addoption(
        "--metajudge-recording", metavar="FILE", action="append", help="Recorded replies."
    )
    group.addoption(
        "--metajudge-budget-calls", metavar="N", help="Most calls that the session sends."
    )
    group.addoption("--metajudge-budget-usd", metavar="USD", help="Most that they cost.")
    group.addoption(
        "--metajudge-offline", action="store_true", help="Ask nothing; only stored replies count."
    )
    group.addoption(
        "--metajudge-on-call-failure",
        choices=("error", "skip", "xfail"),
        default="error",
        help="What a test comes to whose calls failed (error).",
    )
    for name, kind, told in _INI:
        parser.addini(name, told, type=kind, default=None)  # type: ignore[arg-type]


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and what the session has spent; a budget that is none is refused."""
    told = f"{MARKER}({', '.join(sorted(_MARKED))}): what assert_faithful takes in this test."
    config.addinivalue_line("markers", told)
    config.stash[_SPENT] = Tally()
    _budget(config)


@pytest.fixture(scope="session")
def metajudge_release(pytestconfig: pytest.Config) -> Release:
    """The release that the command line or the ini file names."""
    defaults = _defaults(pytestconfig, Tally())
    if defaults.release is None:
        raise pytest.UsageError("name a release with --metajudge-release or metajudge_release")
    return opened(defaults.release, defaults)


@pytest.fixture(scope="session")
def metajudge_judge(pytestconfig: pytest.Config) -> str:
    """Spec of the judge that the command line or the ini file names, or the release pins."""
    defaults = _defaults(pytestconfig, Tally())
    if defaults.judge is not None:
        return defaults.judge
    if defaults.release is None:
        raise pytest.UsageError("name a judge with --metajudge-judge or metajudge_judge")
    return opened(defaults.release, defaults).candidate.judge.spec


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Assertions in fixtures take the defaults of the test; each attempt counts its own."""
    item.user_properties[:] = [told for told in item.user_properties if told[0] != MARKER]
    with _taken(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Assertions take the options and the marker of the test."""
    with _taken(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed call is no failed assertion."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(NotMeasured):
        report.metajudge_not_measured = True  # type: ignore[attr-defined]
    return report


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    """A test whose calls failed is an error, as one whose fixture fails."""
    if getattr(report, "metajudge_not_measured", False) and report.failed:
        return "error", "E", "ERROR"
    return None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Counts and cost, where there was an assertion; workers send theirs with the reports."""
    tally = Tally()
    for reports in terminalreporter.stats.values():
        for report in reports:
            when = getattr(report, "when", None)
            # What passed its setup has a report of the call, which holds both.
            last = when == "call" or (when == "setup" and not report.passed)
            for name, told in getattr(report, "user_properties", ()) if last else ():
                if name == MARKER:
                    tally.add(told)
    if not tally.assertions:
        return
    cost = "" if tally.usd is None else f", {tally.usd:g} USD"
    from metajudge.counted import counted

    terminalreporter.section("metajudge")
    terminalreporter.line(
        f"{counted(tally.assertions, 'assertions')}: {tally.passed} held, {tally.failed} failed, "
        f"{tally.not_measured} not measured; "
        f"{counted(tally.needed, 'calls')}, {tally.sent} sent{cost}"
    )


@contextmanager
def _taken(item: pytest.Item) -> Iterator[None]:
    defaults = _defaults(item.config, Tally())
    for marker in reversed(list(item.iter_markers(MARKER))):
        unknown = marker.kwargs.keys() - _MARKED
        if unknown or marker.args:
            told = ", ".join(sorted(unknown)) or "values without a name"
            raise pytest.UsageError(f"the marker {MARKER} takes {sorted(_MARKED)}, not {told}")
        defaults = replace(defaults, **marker.kwargs)
    with using(defaults):
        try:
            yield
        except NotMeasured as error:
            way = item.config.getoption("--metajudge-on-call-failure")
            if way == "error":
                raise
            (pytest.skip if way == "skip" else pytest.xfail)(str(error))
        finally:
            if defaults.tally.assertions:
                item.user_properties.append((MARKER, asdict(defaults.tally)))


def _defaults(config: pytest.Config, tally: Tally) -> Defaults:
    """What options, or else ini values, say."""

    def told(name: str) -> Any:
        return config.getoption(f"--metajudge-{name}") or config.getini(f"metajudge_{name}") or None

    recordings = config.getoption("--metajudge-recording")
    named = recordings or config.getini("metajudge_recordings") or ()
    return Defaults(
        release=told("release"),
        judge=told("judge"),
        store=told("store") or Defaults.store,
        recordings=tuple(map(Path, named)),
        offline=config.getoption("--metajudge-offline"),
        spent=config.stash[_SPENT],
        tally=tally,
        **_budget(config),
    )


def _budget(config: pytest.Config) -> dict[str, Any]:
    """The session's budget, or this worker's part of it."""
    mine = getattr(config, "workerinput", {"workerid": "gw0", "workercount": 1})
    workers, place = int(mine["workercount"]), int(mine["workerid"].removeprefix("gw"))
    calls = _amount(config, "calls", int)
    usd = _amount(config, "usd", float)
    return {
        "most_calls": None if calls is None else (calls + workers - 1 - place) // workers,
        "most_usd": None if usd is None else usd / workers,
    }


def _amount(config: pytest.Config, name: str, kind: type[int] | type[float]) -> Any:
    told = config.getoption(f"--metajudge-budget-{name}")
    told = config.getini(f"metajudge_budget_{name}") if told is None else told
    if told is None or told == "":
        return None
    try:
        amount = kind(told)
    except ValueError:
        amount = -1
    if not 0 <= amount < float("inf"):
        what = "a whole number of calls" if kind is int else "an amount in USD"
        raise pytest.UsageError(f"metajudge budget: {what}, 0 or more, not {told!r}")
    return amount

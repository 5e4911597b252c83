"""Many calls: planned, sent, bounded, stored once and never asked twice."""

from metajudge.runner.call import Call, RunOutcome, RunReport, Stopped
from metajudge.runner.door import run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer, PlainProgress, RichProgress, Silent, progress_for
from metajudge.runner.recording import (
    RecordingHeader,
    export_recording,
    load_recording,
    read_header,
)
from metajudge.runner.store import Store

__all__ = [
    "Budget",
    "Call",
    "Limits",
    "Observer",
    "PlainProgress",
    "RecordingHeader",
    "RichProgress",
    "RunOutcome",
    "RunReport",
    "Silent",
    "Stopped",
    "Store",
    "export_recording",
    "load_recording",
    "progress_for",
    "read_header",
    "run_calls",
    "run_sync",
]

"""What `verify` finds in a release, in the words that tests ask for."""

from __future__ import annotations

from pathlib import Path

from metajudge.release.bundle import Release
from metajudge.release.verify import Verification, open_case, verify


def look(release: Release, gold: Path | None = None) -> Verification:
    return verify(open_case(str(release.folder), gold=gold))


def states(found: Verification) -> dict[str, str]:
    return {check.name: check.state for check in found.checks}


def faults(found: Verification) -> str:
    return "\n".join(fault for check in found.checks for fault in check.faults)

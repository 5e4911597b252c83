"""Whether a release is what it was when it was made, and whether its figures follow from it.

Every file is held against the hash in `SHA256SUMS`, and that file against the hash in the registry.
Beside that, whatever can be made again is made again: examples, figures, flips, number and card,
from templates, gold set and stored replies. So an altered file is found although all hashes were
written anew, unless everything that follows from it was altered with it. What nothing follows from
is guarded by the hashes and a signature alone: when the release was made and with which package
version, where the judge was asked and how long it had, and what `evidence.json` carries over from
the experiment's results (stability, controls, calibration, optimism) with the card that repeats it.
Replies that were invented whole, with figures to match, are found by `--live` only.

A card, and a figure that was added since, are not made again for a release that another version of
the package wrote; its hashes are held against the registry all the same.
"""

from __future__ import annotations

from pathlib import Path

from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL, Problem, ReleaseError
from metajudge.release import verify_checks as checks
from metajudge.release.manifest import MANIFEST, SIGNATURE, SUMS
from metajudge.release.registry import locate
from metajudge.release.signing import verify_signature
from metajudge.release.sums import irregular
from metajudge.release.verify_case import Case, Check, State, checked
from metajudge.report.part import Part

_LOOKS = (
    checks.files,
    checks.hashes,
    checks.manifest,
    checks.templates,
    checks.gold,
    checks.replies,
    checks.examples,
    checks.evidence,
)


class Verification(Part):
    """What `release verify` found without asking a judge."""

    release: str | None
    """`name@version`; None where the manifest is faulty."""
    folder: str
    state: State
    """`failed` where any check failed, `open` where an essential one could not be made."""
    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        """0, 1 where something failed, 4 where something essential could not be checked."""
        return {"ok": EXIT_GOOD, "failed": EXIT_GUARDRAIL, "open": EXIT_CANNOT_DECIDE}[self.state]


def open_case(ref: str, registry: Path | None = None, gold: Path | None = None) -> Case:
    """The release that a reference or path names, whatever state its files are in.

    Args:
        ref: A reference or the path of a release's folder.
        registry: The registry's folder; None takes the default one, or the one around a path.
        gold: The gold set's folder; None takes the one that the manifest names.

    Raises:
        ReleaseError: There is no release, or the registry is faulty.
    """
    located = locate(ref, registry)
    if not any((located.folder / name).is_file() for name in (MANIFEST, SUMS)):
        law = f"a release's folder holds {MANIFEST} and {SUMS}, and here is neither"
        raise ReleaseError(Problem(str(located.folder), law, "Name a release or its folder."))
    return Case(located, gold)


def verify(case: Case) -> Verification:
    """Every check that needs no judge; where a link or no file lies, nothing more is opened."""
    odd = irregular(case.folder)
    if odd:
        told = "a release holds files only; nothing else was looked at"
        check = Check(name="files", state="failed", told=told, faults=tuple(map(str, odd)))
        return Verification(release=None, folder=str(case.folder), state="failed", checks=(check,))
    found = [checked(look.__name__, look, case) for look in _LOOKS]
    known = case.located.registry is not None
    found.insert(3, checked("registry", checks.registry, case, essential=known))
    found.insert(4, _signature(case))
    found.append(checked("flips", checks.flips, case, essential=False))
    found.append(checked("card", checks.card, case, essential=False))
    return Verification(
        release=case.ref,
        folder=str(case.folder),
        state=_state(found),
        checks=tuple(found),
    )


def _signature(case: Case) -> Check:
    found = verify_signature(case.folder, case.located.registry)
    states: dict[str, State] = {"trusted": "ok", "bad": "failed", "unsigned": "open"}
    state = states.get(found.state, "open")
    faults = (f"{case.folder / SIGNATURE}: {found.told}",) if state == "failed" else ()
    return Check(name="signature", state=state, told=found.told, faults=faults, essential=False)


def _state(found: list[Check]) -> State:
    if any(check.state == "failed" for check in found):
        return "failed"
    return "open" if any(check.essential and check.state == "open" for check in found) else "ok"

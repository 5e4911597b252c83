"""What `release verify` looks at, one function a check; nothing here asks a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from metajudge.counted import counted
from metajudge.errors import (
    GoldError,
    InputError,
    Problem,
    ReleaseError,
    StoreError,
    short_repr,
)
from metajudge.gold.goldset import load_goldset
from metajudge.gold.ledger import read_ledger
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.asking import keys_of
from metajudge.release.card import card_text
from metajudge.release.compared import Recorded, compared, recorded
from metajudge.release.evidence import Recomputed, evidence_text, read_evidence, recompute
from metajudge.release.flips import Compared, flips_text
from metajudge.release.manifest import (
    CARD,
    EVIDENCE,
    EXAMPLES,
    FLIPS,
    MANIFEST,
    NEVER_EDITED,
    REPLIES,
    SUMS,
    TEMPLATES,
    Manifest,
)
from metajudge.release.refusals import other_figures
from metajudge.release.registry import find
from metajudge.release.registry_lines import REGISTRY
from metajudge.release.rendered import examples_text
from metajudge.release.semver import Side, numbered
from metajudge.release.sums import altered, file_sha256, listed_files, read_sums, unlisted
from metajudge.release.verify_case import CannotCheckError, Case
from metajudge.release.verify_manifest import (
    unlike_candidate,
    unlike_evidence,
    unlike_gold,
    unlike_ledger,
    unlike_priors,
)
from metajudge.runner.reply_json import identity_to_json
from metajudge.templates.catalogue import read_template
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply
from metajudge.version import __version__


def files(case: Case) -> str:
    """`SHA256SUMS` lists every file, and nothing else lies in the folder."""
    sums = read_sums(case.folder)
    _raise(unlisted(case.folder, sums))
    return f"{SUMS} lists all {len(sums)} files, and nothing else is there"


def hashes(case: Case) -> str:
    """Every file has the hash that `SHA256SUMS` lists."""
    try:
        sums = read_sums(case.folder)
    except ReleaseError as error:
        raise CannotCheckError(f"{SUMS} cannot be read") from error
    _raise(altered(case.folder, sums))
    return f"all {len(sums)} files have the hash that is listed"


def manifest(case: Case) -> str:
    """`release.yaml` is valid, and so is everything that it names."""
    release = case.release
    one = case.located.registered
    if one is not None and release.ref != one.ref:
        law = f"another release lies where the registry has {one.ref}"
        raise ReleaseError(_fault(case, MANIFEST, law, release.ref))
    return f"{MANIFEST} is valid: {release.ref}, made {release.manifest.created}"


def registry(case: Case) -> str:
    """`SHA256SUMS` has the hash that the registry wrote down when the release was created."""
    home, one = case.located.registry, case.located.registered
    if home is None:
        raise CannotCheckError("no registry is known; name one with --registry")
    if one is None:
        law = f"{REGISTRY} has no line of this release's creation"
        raise ReleaseError(Problem(str(home / REGISTRY), law, "Get the release again."))
    if not (case.folder / SUMS).is_file():
        raise CannotCheckError(f"there is no {SUMS}")
    got = file_sha256(case.folder / SUMS)
    if got != one.created.sha256:
        law = f"{SUMS} must be the one that {REGISTRY} has for the release ({one.created.sha256})"
        raise ReleaseError(_fault(case, SUMS, law, got))
    return f"{SUMS} is the one of {one.created.time}; the release is {one.state}"


def templates(case: Case) -> str:
    """Every template has the fingerprint, label and language that the manifest pins."""
    pins = _of(case).templates
    problems: list[Problem] = []
    read: dict[str, Template] = {}
    for pin in pins:
        try:
            found = read[pin.file] = read_template(case.folder / pin.file)
        except InputError as error:
            problems += error.problems
            continue
        for name in ("fingerprint", "label", "language"):
            wanted, got = getattr(pin, name), getattr(found, name)
            if wanted != got:
                law = f"the template's {name} must be the pinned one ({wanted})"
                problems.append(_fault(case, pin.file, law, got))
    there = {name for name in listed_files(case.folder) if name.startswith(f"{TEMPLATES}/")}
    known = {pin.file for pin in pins}
    for name in sorted(there - known):
        problems.append(_fault(case, name, f"{MANIFEST} pins no such template", None))
    for name in sorted(known - there):
        problems.append(_fault(case, name, f"a template lies in {TEMPLATES}", None))
    where = str(case.folder / MANIFEST)
    problems += unlike_candidate(_of(case), case.release.candidate, read.values(), where)
    _raise(problems)
    if _worded_here(case):
        for name, found in read.items():
            _same_text(case, name, dump_yaml(found.model_dump(mode="json", by_alias=True)))
    return f"{counted(len(pins), 'templates')}, as pinned"


def gold(case: Case) -> str:
    """The gold set has the hash that the manifest pins."""
    pin = _of(case).gold
    if not case.has_gold:
        raise CannotCheckError(f"there is no gold set at {case.gold_folder}; name it with --gold")
    found = load_goldset(case.gold_folder)
    if found.sha256 != pin.sha256:
        law = (
            f"claims, contexts, labels or rules ({_gold_files(case)}) are others than when the "
            f"release was made (sha256 {pin.sha256})"
        )
        mend = "Get the gold set in the version of the release."
        raise GoldError(Problem(str(case.gold_folder), law, mend, got=found.sha256))
    _raise(list(unlike_gold(_of(case), found, str(case.folder / MANIFEST))))
    return f"{found.manifest.name} {found.manifest.version}, sha256 as pinned"


def replies(case: Case) -> str:
    """Each reply is under the key of its request, from the pinned judge, and was asked for."""
    calls = case.calls
    problems = []
    twice = [key for key, n in Counter(call.key for call in calls).items() if n > 1]
    if twice:
        problems.append(_fault(case, REPLIES, "a call is there once", f"{twice[0]} twice"))
    try:
        pin = _of(case).judge
    except CannotCheckError:
        _raise(problems)
        raise
    pinned = identity_to_json(pin.identity)
    others = {call.judge for call in calls} - {pinned}
    if others:
        law = f"replies must be from the pinned judge ({pinned})"
        problems.append(_fault(case, REPLIES, law, min(others)))
    _raise(problems)
    missing, more = _unlike_plan(case)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        law = f"every call of the release has its reply, and {len(missing)} {have} none"
        problems.append(_fault(case, REPLIES, law, f"key {min(missing)}"))
    if more:
        are = "is" if len(more) == 1 else "are"
        law = f"every reply is to a call of the release, and {len(more)} {are} not"
        problems.append(_fault(case, REPLIES, law, f"key {min(more)}"))
    _raise(problems)
    return f"{counted(len(calls), 'replies')}, each under the key of a call of the release"


def examples(case: Case) -> str:
    """Templates and gold give `examples.jsonl` byte by byte."""
    dev = case.golds["dev"]
    wanted = examples_text(case.release.candidate, dev, _stored(case))
    _same_text(case, EXAMPLES, wanted)
    return f"{EXAMPLES} is what the templates give, byte by byte"


def evidence(case: Case) -> str:
    """Gold, replies and templates give every figure of `evidence.json` to the last digit."""
    told = read_evidence(case.folder)
    _ = case.golds
    found = recompute(case.release, case.gold_folder, _stored(case))
    problems = []
    for split, figures in found.items():
        stored = told.split(split).model_dump(mode="json")
        wanted = figures.model_dump(mode="json")
        unlike = list(_unlike(stored, wanted, f"recomputed.{split}", whole=_worded_here(case)))
        if unlike:
            place, got, follows = unlike[0]
            law = f"{place} must follow from gold and replies ({short_repr(follows)})"
            more = f"; {len(unlike) - 1} more differ" if unlike[1:] else ""
            problems.append(_fault(case, EVIDENCE, f"{law}{more}", got))
    measured = Recomputed(dev=found["dev"], test=found["test"])
    for problem in other_figures(measured, None, told.carried.confirmation):
        law = f"carried.confirmation.winner.{problem.field} must be the figure on test"
        problems.append(_fault(case, EVIDENCE, law, problem.got))
    told_by = read_ledger(case.gold_folder)
    where = str(case.folder / MANIFEST)
    candidate, repeats = case.release.candidate, told.how.repeats
    problems += unlike_priors(candidate, case.golds["dev"], _stored(case), repeats, where)
    problems += unlike_ledger(_of(case), told.carried, told_by, where)
    problems += unlike_evidence(_of(case), told.carried, measured, where)
    _raise(problems)
    if _worded_here(case):
        _same_text(case, EVIDENCE, evidence_text(told))
    return "every figure of both splits is equal to 6 decimals as written"


def card(case: Case) -> str:
    """Manifest and evidence give `CARD.md` byte by byte."""
    pin = _of(case)
    if not _worded_here(case):
        raise CannotCheckError(
            f"it was worded by metajudge {pin.package_version}, and this is {__version__}"
        )
    try:
        told = read_evidence(case.folder)
    except ReleaseError as error:
        raise CannotCheckError(f"{EVIDENCE} is faulty") from error
    sha256 = file_sha256(case.folder / MANIFEST)
    try:
        wanted = card_text(pin, told, sha256)
    except KeyError as error:
        raise CannotCheckError(f"{EVIDENCE} lacks {error}") from error
    _same_text(case, CARD, wanted)
    return f"{CARD} is what manifest and evidence give"


def flips(case: Case) -> str:
    """Both releases' replies give `flips.csv`, the version number and the reasons for it."""
    pin = _of(case)
    _ = case.golds, _stored(case)
    found, before = None, None
    if pin.previous is not None:
        before, found = _previous(case, f"{pin.name}@{pin.previous}")
    _same_text(case, FLIPS, flips_text(found))
    number = numbered(before, Side(pin, case.release.candidate), found)
    for name, wanted in number._asdict().items():
        if getattr(pin, name) != wanted:
            law = f"{name} is what the changes since {pin.previous} make it ({wanted})"
            raise ReleaseError(_fault(case, MANIFEST, law, getattr(pin, name)))
    against = f"against {pin.previous}" if pin.previous else "of a first release"
    return f"{FLIPS} {against} and the version number are what the replies give"


def _previous(case: Case, ref: str) -> tuple[Side, Compared]:
    home = case.located.registry
    if home is None:
        raise CannotCheckError(f"{ref}, the release before it, is looked for in a registry")
    try:
        before = find(ref, home).release
        then = recorded(before)
    except (InputError, StoreError) as error:
        raise CannotCheckError(f"{ref}, the release before it, is not there whole") from error
    own = case.release.manifest.gold
    now = Recorded(case.release.candidate, own.languages, own.sha256, case.replies)
    found = compared(then, now, case.golds, own.sha256)
    return Side(before.manifest, before.candidate), found


def _of(case: Case) -> Manifest:
    try:
        return case.release.manifest
    except InputError as error:
        raise CannotCheckError(f"{MANIFEST} or a template is faulty") from error


def _worded_here(case: Case) -> bool:
    """Whether this version of the package wrote the release, so that it would write it again."""
    return _of(case).package_version == __version__


def _stored(case: Case) -> Mapping[str, Reply]:
    try:
        return case.replies
    except StoreError as error:
        raise CannotCheckError(f"{REPLIES} is faulty") from error


def _gold_files(case: Case) -> str:
    names = ("goldset.yaml", "claims.jsonl", "claims.csv", "contexts.jsonl", "contexts.csv")
    return ", ".join(name for name in names if (case.gold_folder / name).is_file())


def _unlike_plan(case: Case) -> tuple[set[str], set[str]]:
    """Keys of calls without a reply, and of replies without a call; dev gives the priors too."""
    candidate = case.release.candidate
    repeats = read_evidence(case.folder).how.repeats
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    of_split = {"dev": replace(candidate, priors=None), "test": candidate}
    wanted = {
        key
        for split, claims in case.golds.items()
        for key in keys_of([of_split[split]], claims, judges, case.replies, repeats)
    }
    there = set(case.replies)
    return wanted - there, there - wanted


def _same_text(case: Case, name: str, wanted: str) -> None:
    """Raises where a file is not the text that follows from the others; the first line is named."""
    path = case.folder / name
    got = path.read_bytes()
    if got == wanted.encode():
        return
    lines, others = got.split(b"\n"), wanted.encode().split(b"\n")
    number = next(
        (n for n, pair in enumerate(zip(lines, others, strict=False), 1) if pair[0] != pair[1]),
        min(len(lines), len(others)),
    )
    law = "the file must be what follows from the other files of the release and the gold set"
    shown = short_repr(lines[number - 1].decode("utf-8", "replace"))
    raise ReleaseError(Problem(str(path), law, NEVER_EDITED, line=number, got=shown))


def _unlike(told: Any, found: Any, path: str, *, whole: bool) -> Iterator[tuple[str, Any, Any]]:
    """Places where two JSON values differ: path, what the file says, what follows.

    Args:
        told: What the file says.
        found: What follows.
        path: Of both.
        whole: Whether the file has to say all that follows; a former version knew less.
    """
    if isinstance(told, dict) and isinstance(found, dict):
        for name in dict.fromkeys((*told, *found)) if whole else told:
            yield from _unlike(told.get(name), found.get(name), f"{path}.{name}", whole=whole)
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for place, (one, other) in enumerate(zip(told, found, strict=True)):
            yield from _unlike(one, other, f"{path}[{place}]", whole=whole)
    elif told != found:
        yield path, told, found


def _fault(case: Case, name: str, law: str, got: object) -> Problem:
    shown = None if got is None else short_repr(got, 160)
    return Problem(str(case.folder / name), law, NEVER_EDITED, got=shown)


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise ReleaseError(problems)

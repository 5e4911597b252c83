"""The two metrics of a consultation: releases, templates with a policy, or framework metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qsl

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.validation import suggest
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.manifest import MANIFEST
from metajudge.release.registry import find
from metajudge.report.consult_results import SideKind
from metajudge.report.part import Reading
from metajudge.scoring.policies import Policy, parse_policy
from metajudge.selection.readings import Priors
from metajudge.templates.catalogue import (
    Wording,
    catalogue_wording,
    read_wordings,
    shipped_wordings,
)
from metajudge.templates.context_form import RAW, ContextForm, parse_context_form
from metajudge.templates.peers import CLAIMS_PER_CALL, PEERS, peer_template
from metajudge.templates.reading_names import reading_named

THRESHOLD = 0.8
"""Least score that passes where neither the side nor the command line says."""
DEEPEVAL_THRESHOLD = 0.5
READINGS = ("top", "prior_corrected")
_METRIC = re.compile(r"[a-z][a-z0-9_]*:[a-z][a-z0-9_]*")
DEEPEVAL_FORM = "truths(deepeval)"
"""DeepEval lists the facts of the context first, with a prompt of its own."""
NO_YES = ("false", "true")
TRUTHS = ("deepeval", "off")
Word = TypeVar("Word", bound=str)
_TEMPLATE_PARAMETERS = ("threshold", "form", "reading")
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "deepeval:faithfulness": (
        "penalize_ambiguous_claims",
        "truths",
        "threshold",
        "claims_per_call",
    ),
    "ragas:faithfulness": ("threshold", "claims_per_call"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """One side as it was written, before a judge is settled.

    Attributes:
        name: As shown.
        kind: What it is.
        variants: One wording per order of the labels.
        policy: The scoring policy.
        threshold: Least score that passes.
        pin: The judge that it brings; None for all but releases.
        form: How the context reaches the judge.
        reading: How replies become labels.
        priors: Frozen with a release's reading.
        release: The release.
        note: What is to be told about it; "" where there is nothing.
    """

    name: str
    kind: SideKind
    variants: tuple[Wording, ...]
    policy: Policy
    threshold: float
    pin: JudgePin | None = None
    form: ContextForm = RAW
    reading: Reading = "top"
    priors: tuple[Priors, ...] | None = None
    release: Release | None = None
    note: str = ""

    def with_judge(self, pin: JudgePin, threshold: float | None) -> Candidate:
        """The side as a candidate."""
        return Candidate(
            name=self.name,
            variants=self.variants,
            policy=self.policy,
            threshold=self.threshold if threshold is None else threshold,
            judge=pin,
            form=self.form,
            reading=self.reading,
            priors=self.priors,
        )


class Judges(NamedTuple):
    """Judges by spec: of sides that bring none, and those that override a side's own."""

    default: str | None = None
    current: str | None = None
    proposed: str | None = None


def parse_side(
    text: str,
    languages: Sequence[str],
    *,
    field: str = "--proposed",
    registry: str | Path | None = None,
) -> Draft:
    """One side from its text.

    Args:
        text: A release (`name@1`, or the path of its folder), a template and policy
            (`literal+strict`, `mine.yaml+partial(0.5)`, with `?threshold=…&form=…&reading=…`), or a
            framework's metric (`deepeval:faithfulness?penalize_ambiguous_claims=true`).
        languages: Languages of the claims; a framework's prompt is read for each.
        field: Option that it comes from, for the message.
        registry: Folder of the registry; None takes the default one.

    Raises:
        InputError: It names none of these; every fault of it at once.
    """
    head, _, query = text.partition("?")
    asked = _Asked(text, head, query, field)
    if (Path(text) / MANIFEST).is_file():
        return _release(_Asked(text, text, "", field), registry)
    if _METRIC.fullmatch(head):
        return _metric(asked, languages)
    if "+" in head:
        return _template(asked)
    is_file = head.endswith((".yaml", ".yml")) and Path(head).name != MANIFEST
    if is_file or head in shipped_wordings():
        law, mend = "a template is named with a policy", f"Write for instance {head}+strict."
        raise asked.refused(law, mend)
    return _release(asked, registry)


def both_sides(
    texts: tuple[str, str],
    languages: Sequence[str],
    judges: Judges,
    *,
    threshold: float | None = None,
    registry: str | Path | None = None,
) -> tuple[tuple[Draft, Draft], tuple[Candidate, Candidate], tuple[str, ...]]:
    """Both sides with their judges, current first, and what is to be told about them.

    A side takes the judge that overrides it, its own pin, the default, or the other side's pin.

    Args:
        texts: As written.
        languages: Languages of the claims.
        judges: Judges that were named.
        threshold: Least score that passes, for both; None leaves each its own.
        registry: Folder of the registry.

    Raises:
        InputError: With every fault of both.
    """
    problems: list[Problem] = []
    drafts: list[Draft] = []
    for text, field in zip(texts, ("--current", "--proposed"), strict=True):
        try:
            drafts.append(parse_side(text, languages, field=field, registry=registry))
        except InputError as error:
            problems += error.problems
    if threshold is not None and not 0 <= threshold <= 1:
        law, mend = "a threshold is from 0 to 1", "Correct it."
        problems.append(Problem("command line", law, mend, field="--threshold", got=f"{threshold}"))
    if problems:
        raise InputError(problems)
    current, proposed = drafts
    overrides = (judges.current, judges.proposed)
    pins = [_pin(draft, own, judges.default) for draft, own in zip(drafts, overrides, strict=True)]
    notes = [draft.note for draft in drafts if draft.note]
    for place, (draft, other) in enumerate(((current, pins[1]), (proposed, pins[0]))):
        if pins[place] is None and other is not None:
            pins[place] = other
            notes.append(f"{draft.name} names no judge and is asked of the other side's.")
    if pins[0] is None or pins[1] is None:
        law = "a template or a framework's metric is asked of a judge, and none is named"
        mend = "Name it: --judge openai/gpt-4o-mini, or --judge local:qwen2.5-coder-1.5b."
        raise InputError(Problem("command line", law, mend, field="--judge"))
    sides = (current.with_judge(pins[0], threshold), proposed.with_judge(pins[1], threshold))
    return (current, proposed), sides, tuple(notes)


def _pin(draft: Draft, override: str | None, default: str | None) -> JudgePin | None:
    if override is not None:
        return JudgePin(spec=override)
    if draft.pin is not None:
        return draft.pin
    return None if default is None else JudgePin(spec=default)


class _Asked(NamedTuple):
    """A side as written: its text, what stands before and after the question mark, its option."""

    text: str
    head: str
    query: str
    field: str

    def problem(self, law: str, mend: str) -> Problem:
        return Problem("command line", law, mend, field=self.field, got=short_repr(self.text))

    def refused(self, law: str, mend: str) -> InputError:
        return InputError(self.problem(law, mend))

    @property
    def given(self) -> dict[str, str]:
        """What stands after the question mark."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    def check_names(self, known: Sequence[str]) -> None:
        """Refuse unknown and doubled parameters."""
        names = [name for name, _ in parse_qsl(self.query, keep_blank_values=True)]
        problems = [
            self.problem(
                f"{self.head} has no parameter {name!r}"
                if known
                else f"{self.head} takes no parameters, such as {name!r}",
                suggest(name, known) if known else "Leave out what follows the question mark.",
            )
            for name in dict.fromkeys(names)
            if name not in known
        ]
        problems += [
            self.problem(f"the parameter {name!r} stands once", "Take one out.")
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        ]
        if problems:
            raise InputError(problems)


def _release(asked: _Asked, registry: str | Path | None) -> Draft:
    asked.check_names(())
    found = find(asked.head, registry)
    candidate = found.release.candidate
    return Draft(
        name=found.release.ref,
        kind="release",
        variants=candidate.variants,
        policy=candidate.policy,
        threshold=candidate.threshold,
        pin=candidate.judge,
        form=candidate.form,
        reading=candidate.reading,
        priors=candidate.priors,
        release=found.release,
        note=found.note,
    )


def _template(asked: _Asked) -> Draft:
    name, _, policy = asked.head.rpartition("+")
    given = asked.given
    _check_all(
        lambda: asked.check_names(_TEMPLATE_PARAMETERS),
        lambda: _wording(asked, name),
        lambda: parse_policy(policy, asked.field),
        lambda: _threshold(asked, given, THRESHOLD),
        lambda: parse_context_form(given.get("form", "raw"), asked.field),
        lambda: _reading(asked, given),
    )
    return Draft(
        name=asked.text,
        kind="template",
        variants=(_wording(asked, name),),
        policy=parse_policy(policy, asked.field),
        threshold=_threshold(asked, given, THRESHOLD),
        form=parse_context_form(given.get("form", "raw"), asked.field),
        reading=_reading(asked, given),
    )


def _metric(asked: _Asked, languages: Sequence[str]) -> Draft:
    if asked.head not in PEERS:
        law = f"a framework's metric is one of {', '.join(PEERS)}"
        raise asked.refused(law, suggest(asked.head, PEERS))
    given = asked.given
    is_deepeval = asked.head.startswith("deepeval:")
    usual = DEEPEVAL_THRESHOLD if is_deepeval else THRESHOLD
    _check_all(
        lambda: asked.check_names(_PARAMETERS[asked.head]),
        lambda: _threshold(asked, given, usual),
        lambda: _claims_per_call(asked, given),
        lambda: _one_of(asked, given, "penalize_ambiguous_claims", NO_YES),
        lambda: _one_of(asked, given, "truths", TRUTHS),
    )
    size = _claims_per_call(asked, given)
    penalize = _one_of(asked, given, "penalize_ambiguous_claims", NO_YES) == "true"
    policy = ("deepeval(penalize)" if penalize else "deepeval") if is_deepeval else "ragas"
    form = RAW
    if is_deepeval and _one_of(asked, given, "truths", TRUTHS) == "deepeval":
        form = parse_context_form(DEEPEVAL_FORM, asked.field)
    spoken = {lang: peer_template(asked.head, lang, size) for lang in languages}
    return Draft(
        name=asked.text,
        kind="metric",
        variants=(Wording(asked.head, spoken),),
        policy=parse_policy(policy, asked.field),
        threshold=_threshold(asked, given, usual),
        form=form,
    )


def _check_all(*checks: Callable[[], object]) -> None:
    """Run every check and raise the faults of all together."""
    problems: list[Problem] = []
    for check in checks:
        try:
            check()
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _wording(asked: _Asked, name: str) -> Wording:
    """The shipped wording of a name, or the one that template files of one name make."""
    if not name.endswith((".yaml", ".yml")):
        return catalogue_wording(name, asked.field)
    paths = sorted(map(Path, glob(name))) if "*" in name else [Path(name)]
    found = list(read_wordings(paths).values())
    if len(found) != 1:
        law = f"the files of one side hold one template, in one or several languages: {len(found)}"
        raise asked.refused(law, "Name its files only.")
    return found[0]


def _threshold(asked: _Asked, given: Mapping[str, str], usual: float) -> float:
    text = given.get("threshold")
    try:
        value = usual if text is None else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise asked.refused("a threshold is a number from 0 to 1", "Write for instance 0.8.")
    return value


def _reading(asked: _Asked, given: Mapping[str, str]) -> str:
    """The reading asked for, with its threshold or without; `top` where none is given."""
    base, at, number = given.get("reading", READINGS[0]).partition("@")
    known = _one_of(asked, {"reading": base}, "reading", READINGS)
    try:
        return str(reading_named(f"{known}{at}{number}"))
    except ValueError as fault:
        raise asked.refused(str(fault), f"Write for instance reading={known}@0.60.") from None


def _claims_per_call(asked: _Asked, given: Mapping[str, str]) -> int:
    text = given.get("claims_per_call", str(CLAIMS_PER_CALL))
    if not re.fullmatch(r"[1-9][0-9]?|100", text):
        raise asked.refused("claims_per_call is a whole number from 1 to 100", "Write e.g. 10.")
    return int(text)


def _one_of(asked: _Asked, given: Mapping[str, str], name: str, known: Sequence[Word]) -> Word:
    """A parameter that is one of some words; the first of them where it is not given."""
    text = given.get(name, known[0]).casefold()
    found = next((word for word in known if word == text), None)
    if found is None:
        raise asked.refused(f"{name} is one of {', '.join(known)}", suggest(text, known))
    return found

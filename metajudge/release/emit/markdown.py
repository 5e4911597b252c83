"""`--to markdown`: the release's prompts, labels, policy and judge, for people to read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metajudge.release.bundle import Release
from metajudge.release.emit.chat import markers_for, with_markers
from metajudge.release.emit.kinds import DropIn, kind_named
from metajudge.release.emit.limits import conditions_head, judge_conditions, reading_differences
from metajudge.release.emit.notes import listed
from metajudge.release.emit.sheet import Sheet, sheets_of
from metajudge.report.inert import markdown_code, markdown_text, visible
from metajudge.scoring.policies import DROPPED, Credit

_LANGUAGES = {"en": "English", "zh": "中文"}
_BACKTICKS = re.compile(r"`{3,}")


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """One page with all languages. Of several orders of the labels the first is shown."""
    (file,) = kind_named("markdown").file_names(release.manifest.name, languages)
    differences = reading_differences(release)
    blocks = [f"# Prompt of {markdown_code(release.ref)}", _summary(release)]
    for sheet in sheets_of(release, languages):
        blocks += _prompt(sheet)
    blocks += ["## Score", _scoring(release)]
    blocks += listed("Whoever asks this prompt and reads the word in the reply", differences)
    conditions = judge_conditions(release)
    blocks += listed(conditions_head(differences).rstrip(":"), conditions)
    return DropIn({file: "\n\n".join(blocks) + "\n"}, differences, conditions)


def _summary(release: Release) -> str:
    manifest = release.manifest
    rows = [
        ("metric", manifest.metric),
        ("languages", ", ".join(manifest.languages)),
        ("context form", manifest.context_form),
        ("claims a call", str(manifest.claims_per_call)),
        ("reading", manifest.reading),
        ("policy", manifest.policy.name),
        ("threshold", f"{manifest.policy.threshold:g}"),
        ("judge", manifest.judge.spec),
        ("gold", f"{manifest.gold.name} {manifest.gold.version}"),
        ("release SHA-256", release.sha256),
    ]
    lines = [f"| {name} | {markdown_code(told, in_table=True)} |" for name, told in rows]
    return "\n".join(["| | |", "|---|---|", *lines])


def _prompt(sheet: Sheet) -> list[str]:
    markers = markers_for(sheet)
    blocks = [f"## {_LANGUAGES[sheet.language]}"]
    for role, pieces in sheet.messages:
        blocks += [f"**{role}**", _fenced(with_markers(pieces, markers))]
    shown = ", ".join(markdown_code(marker) for marker in markers.values())
    blocks.append(
        f"The texts go where {shown} stand, as they are. Several passages are numbered `[1]`, "
        "`[2]` with an empty line between them; an empty context is shown as "
        f"{markdown_code(sheet.empty_context)}."
    )
    rows = [
        f"| {label} | {', '.join(markdown_code(word, in_table=True) for word in words)} |"
        for label, words in sheet.labels.items()
    ]
    return [*blocks, "\n".join(["| label | words |", "|---|---|", *rows])]


def _scoring(release: Release) -> str:
    policy = release.candidate.policy
    passes = f"An answer passes from {release.candidate.threshold:g} on."
    if policy.from_probabilities:
        told = "The score is the mean probability of yes over the claims asked."
        return f"{markdown_text(told)} {passes}"
    credits = [
        f"| {label} | {_credit(value)} |"
        for label, value in zip(("yes", "no", "idk"), policy.credit, strict=True)
    ]
    table = "\n".join(["| label | credit |", "|---|---|", *credits, "| no readable label | 0 |"])
    told = f"The score is the mean credit of the claims asked, policy {policy.name}."
    return f"{markdown_text(told)} {passes}\n\n{table}"


def _credit(value: Credit) -> str:
    if value is None:
        return "–"
    return "left out" if value == DROPPED else f"{value:g}"


def _fenced(text: str) -> str:
    """A code block that the text cannot end."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{visible(text)}\n{fence}"

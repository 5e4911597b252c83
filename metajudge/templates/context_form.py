"""How the context reaches the judge: as it is, passage by passage, or as facts drawn from it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from metajudge.errors import ExperimentError, Problem, short_repr

MOST_FACTS = 100
"""Largest limit of facts that a `truths` form may state."""

FormKind = Literal["raw", "chunks", "truths"]
ChunkRule = Literal["any", "all"]
PeerPrompt = Literal["deepeval"]
_RULES: dict[str | None, ChunkRule] = {"any": "any", "all": "all"}
_WRITTEN = re.compile(r"(?P<kind>[a-z]+)(?:\((?P<inner>[^()]*)\))?")
_NAMES = ("raw", "chunks(any)", "chunks(all)", "truths", "truths(deepeval)", "truths(12)")


@dataclass(frozen=True, slots=True)
class ContextForm:
    """One form of the context.

    Attributes:
        kind: `raw`, the passages as they are in one prompt; `chunks`, one passage at a time;
            `truths`, facts that the judge lists first.
        rule: For `chunks`, whether any or all passages must support a claim; else None.
        limit: For `truths`, most facts to list, 1 to 100; None for no limit.
        prompt: For `truths`, the peer whose own prompt lists the facts; None for this project's.

    Raises:
        ValueError: Rule, limit or prompt do not fit the kind or each other.

    >>> str(ContextForm("truths", limit=12))
    'truths(12)'
    """

    kind: FormKind
    rule: ChunkRule | None = None
    limit: int | None = None
    prompt: PeerPrompt | None = None

    def __post_init__(self) -> None:
        if (self.rule is not None) != (self.kind == "chunks"):
            raise ValueError("chunks, and only chunks, has a rule")
        if self.prompt is not None and (self.kind != "truths" or self.limit is not None):
            raise ValueError("only truths without a limit has a peer's prompt")
        if self.limit is None:
            return
        if self.kind != "truths" or not 1 <= self.limit <= MOST_FACTS:
            raise ValueError(f"only truths has a limit, from 1 to {MOST_FACTS}")

    def __str__(self) -> str:
        """As an experiment file writes it."""
        inner = self.rule or self.limit or self.prompt
        return self.kind if inner is None else f"{self.kind}({inner})"


RAW = ContextForm("raw")


def parse_context_form(text: str, where: str) -> ContextForm:
    """The context form that an experiment file names.

    Args:
        text: `raw`, `chunks(any)`, `chunks(all)`, `truths`, `truths(N)` with N from 1 to 100, or
            `truths(deepeval)`: facts listed by DeepEval's own prompt, without a limit.
        where: File, or the name of what is being read, for the message.

    Raises:
        ExperimentError: It names no form, lacks its rule, or has a limit out of range.

    >>> parse_context_form("chunks(any)", "experiment.yaml")
    ContextForm(kind='chunks', rule='any', limit=None, prompt=None)
    """
    found = _WRITTEN.fullmatch(text)
    kind, inner = (found["kind"], found["inner"]) if found else ("", None)
    if kind == "raw" and inner is None:
        return RAW
    if kind == "truths" and inner == "deepeval":
        return ContextForm("truths", prompt="deepeval")
    if kind == "truths":
        return ContextForm("truths", limit=None if inner is None else _limit(inner, text, where))
    if kind == "chunks":
        if inner in _RULES:
            return ContextForm("chunks", rule=_RULES[inner])
        law = "chunks states its rule: any passage or all passages must support a claim"
        raise _wrong(law, "Write chunks(any) or chunks(all).", text, where)
    if kind == "raw":
        raise _wrong("raw takes nothing in brackets", "Write raw.", text, where)
    law = f"a context form is {', '.join(_NAMES[:-1])} or truths(N), N from 1 to {MOST_FACTS}"
    bare = text.strip().casefold()
    near = difflib.get_close_matches(bare, _NAMES, n=1, cutoff=0.5)
    mend = f"Did you mean {near[0]}?" if near else "Write one of these."
    raise _wrong(law, mend, text, where)


def _limit(inner: str, text: str, where: str) -> int:
    if re.fullmatch(r"[1-9][0-9]{0,2}", inner) and int(inner) <= MOST_FACTS:
        return int(inner)
    law = f"in truths(…) stands a limit, a whole number from 1 to {MOST_FACTS}, or deepeval"
    mend = "Write e.g. truths(12), truths for no limit, or truths(deepeval) for DeepEval's prompt."
    raise _wrong(law, mend, text, where)


def _wrong(law: str, mend: str, text: str, where: str) -> ExperimentError:
    return ExperimentError(Problem(where, law, mend, field="context_forms", got=short_repr(text)))

"""Perturbations: changes to a trial that should not change a verdict.

Each axis changes one thing about how a question is put and nothing about what is asked, so that
verdicts which move along it are the judge's instability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from metajudge.errors import ExperimentError, Problem
from metajudge.gold.validation import suggest
from metajudge.templates.catalogue import Wording, changed
from metajudge.templates.dialect import Dialect, LabelName, named_dialect
from metajudge.templates.paraphrase import paraphrased
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Layout, Template
from metajudge.templates.typography import spaced, widened

Axis = Literal[
    "passage_order",
    "label_order",
    "claims_per_call",
    "batch_position",
    "answer_form",
    "paraphrase",
    "typography",
    "dialect",
    "layout",
]
AXES: tuple[Axis, ...] = get_args(Axis)
LEVELS: dict[Axis, tuple[str, ...]] = {
    "passage_order": ("reversed", "rotated"),
    "label_order": ("+1", "+2"),
    "claims_per_call": ("5", "all"),
    "batch_position": ("5:forward", "5:reversed"),
    "answer_form": ("json", "label_first", "reason_first"),
    "paraphrase": ("1", "2"),
    "typography": ("spaces", "width"),
    "dialect": ("words", "relation", "letters"),
    "layout": get_args(Layout),
}
DEFAULT_LEVELS: dict[Axis, tuple[str, ...]] = LEVELS | {
    "passage_order": ("reversed",),
    "label_order": ("+1",),
    "answer_form": ("json",),
    # A template has one of the two already and is moved to the other.
    "dialect": ("relation", "words"),
    "layout": ("claim_last",),
}
_CLAIMS = {"5": 5, "all": 100}
_BATCH = 5
# These change what the judge is shown of the gold set, whoever wrote the prompt.
_AXES_OF_TEXTS = ("passage_order", "typography")


class Perturbed(NamedTuple):
    """A wording under a perturbation, or the reason why it cannot have it."""

    wording: Wording | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Perturbation:
    """One level of one axis, e.g. passages reversed.

    >>> Perturbation("passage_order", "rotated").passages(["a", "b", "c"])
    ('b', 'c', 'a')
    """

    axis: Axis
    level: str

    @property
    def name(self) -> str:
        """`axis=level`.

        >>> Perturbation("layout", "claim_last").name
        'layout=claim_last'
        """
        return f"{self.axis}={self.level}"

    @property
    def compared_with(self) -> Literal["trial", "first_level"]:
        """What its verdicts are held against: the unperturbed trial or the axis' first level.

        Positions in a batch differ from a trial of single claims in the batching too, so they are
        compared with each other.
        """
        return "first_level" if self.axis == "batch_position" else "trial"

    @property
    def reverses_claims(self) -> bool:
        """Whether the claims of each call stand in reversed order."""
        return self.axis == "batch_position" and self.level.endswith(":reversed")

    def passages(self, passages: Sequence[str]) -> tuple[str, ...]:
        """The passages as this perturbation shows them; on most axes as they are."""
        if self.axis == "typography":
            return tuple(
                self.claim(text) + "\n" * (self.level == "spaces" and bool(text))
                for text in passages
            )
        if self.axis == "passage_order":
            turned = passages[::-1] if self.level == "reversed" else (*passages[1:], *passages[:1])
            return tuple(turned)
        return tuple(passages)

    def claim(self, text: str) -> str:
        """The claim as this perturbation shows it; changed by typography only.

        >>> Perturbation("typography", "spaces").claim("UPF丢弃8个包。")
        'UPF 丢弃 8 个包。'
        """
        if self.axis != "typography":
            return text
        return spaced(text) if self.level == "spaces" else widened(text)

    def wording(self, wording: Wording, where: str) -> Perturbed:
        """The wording under this perturbation, in all its languages or in none.

        Args:
            wording: The unperturbed wording.
            where: The name of what is being read, for messages.
        """
        if self.axis in _AXES_OF_TEXTS:
            return Perturbed(wording, None)
        copies: dict[str, PromptSource] = {}
        for language, source in wording.by_language.items():
            if not isinstance(source, Template):
                axes = " and ".join(_AXES_OF_TEXTS)
                reason = f"{source.label} is a peer's prompt and is perturbed in {axes} only"
                return Perturbed(None, reason)
            copy = _CHANGES[self.axis](source, self.level, f"{where}: {self.name}")
            if copy is None:
                return Perturbed(None, f"{source.label} has no shipped paraphrase")
            if self.compared_with == "trial" and _shape(copy) == _shape(source):
                return Perturbed(None, f"{self.name} leaves {source.label} as it is")
            copies[language] = copy
        return Perturbed(replace(wording, by_language=copies), None)


def parse_perturbation(axis: str, level: str | None, where: str) -> tuple[Perturbation, ...]:
    """Perturbations by name.

    Args:
        axis: One of `AXES`.
        level: A level of the axis; None takes the axis' default levels.
        where: The file, for messages.

    Raises:
        ExperimentError: No such axis or level; the nearest name is given.

    >>> [found.name for found in parse_perturbation("paraphrase", None, "experiment.yaml")]
    ['paraphrase=1', 'paraphrase=2']
    """
    known = next((name for name in AXES if name == axis), None)
    if known is None:
        law = "a perturbation is along a known axis"
        mend = suggest(axis, AXES)
        raise ExperimentError(Problem(where, law, mend, field="perturbations", got=repr(axis)))
    if level is None:
        return tuple(Perturbation(known, each) for each in DEFAULT_LEVELS[known])
    if level not in LEVELS[known]:
        law = f"{known} has the levels {', '.join(LEVELS[known])}"
        mend = suggest(level, LEVELS[known])
        field = f"perturbations.{known}"
        raise ExperimentError(Problem(where, law, mend, field=field, got=repr(level)))
    return (Perturbation(known, level),)


def _shape(template: Template) -> tuple[object, ...]:
    """What a prompt shows apart from context and claims."""
    return template.question_block, template.layout, template.claims_per_call


def _relabelled(template: Template, level: str, where: str) -> Template:
    turned = template.dialect.rotated(int(level))
    return changed(template, where, labels=turned.model_dump())


def _batched(template: Template, most: int, where: str) -> Template:
    answer = {"form": template.answer.form, "json": True}
    return changed(template, where, claims_per_call=most, answer=answer)


def _answered(template: Template, level: str, where: str) -> Template:
    """JSON keeps the form: where definitions speak of quotes, the quotes are still asked for."""
    as_json = level == "json" or template.claims_per_call > 1
    form = template.answer.form if level == "json" else level
    return changed(template, where, answer={"form": form, "json": as_json})


def _respoken(template: Template, level: str, where: str) -> Template:
    order = list(template.dialect.words)
    dialect = _in_order(named_dialect(level, template.language, where), order)
    return changed(template, where, labels=dialect.model_dump())


def _in_order(dialect: Dialect, order: list[LabelName]) -> Dialect:
    """The dialect with the labels of `order`, so that only the words change, not their order."""
    turns = (dialect.rotated(steps) for steps in range(len(dialect.words)))
    turned = next((turn for turn in turns if list(turn.words) == order), None)
    if turned is not None:
        return turned
    by_position = zip(order, dialect.words.values(), strict=False)
    by_label = {label: dialect.words[label] for label in order}
    words = dict(by_position) if dialect.kind == "letters" else by_label
    spellings = {label: also for label, also in dialect.spellings.items() if label in order}
    return dialect.model_copy(update={"words": words, "spellings": spellings})


_CHANGES: dict[str, Callable[[Template, str, str], Template | None]] = {
    "label_order": _relabelled,
    "claims_per_call": lambda template, level, where: _batched(template, _CLAIMS[level], where),
    "batch_position": lambda template, _, where: _batched(template, _BATCH, where),
    "answer_form": _answered,
    "paraphrase": lambda template, level, where: paraphrased(template, int(level), where),
    "dialect": _respoken,
    "layout": lambda template, level, where: changed(template, where, layout=level),
}

"""Proposed instructions and examples as templates; each is made once, and none is lost."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from metajudge.errors import Problem, TemplateError, short_repr
from metajudge.templates.catalogue import changed
from metajudge.templates.instruction import instruction_text, with_instruction
from metajudge.templates.shared_text import KnownTexts
from metajudge.templates.template import Example, Template

DIGITS = 8
"""Hex digits of the fingerprint in a proposal's name."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One instruction with its examples.

    Attributes:
        number: In the order in which they came; 0 is the start.
        text: The instruction as it was proposed.
        examples: The worked cases shown with it.
        template: What is asked; None where it was refused.
        refused: Why there is no template; () where there is one.
    """

    number: int
    text: str
    examples: tuple[Example, ...]
    template: Template | None
    refused: tuple[Problem, ...] = ()


class Proposals:
    """Everything that was proposed from one template; safe for several threads.

    Two proposals that make the same prompts are one.

    Args:
        start: Where the proposals come from; it is number 0.
        prefix: What the names of proposals begin with.
        most_examples: Examples that a proposal may show; with 0 it shows none, whatever comes.
        hidden: Texts that no instruction may quote: claims and passages that are judged.

    Raises:
        TemplateError: The texts of the template cannot be told apart line by line.
    """

    def __init__(
        self, start: Template, prefix: str, *, most_examples: int, hidden: Collection[str]
    ) -> None:
        self.start = start
        self.text = instruction_text(start)
        self._prefix, self._most = prefix, most_examples
        self._hidden = KnownTexts({text: text for text in hidden})
        self._lock = threading.Lock()
        self._by_words: dict[tuple[Any, ...], Proposal] = {}
        self._by_prompt: dict[str, Proposal] = {}
        again = with_instruction(start, self.text, name=start.name)
        if again.fingerprint != start.fingerprint:
            law = "each text of a template that is to be rewritten can be told apart by its line"
            mend = "Take empty lines and lines that begin like a label out of its texts."
            raise TemplateError(Problem(start.label, law, mend))
        first = Proposal(0, self.text, start.examples, start)
        self._by_words[(self.text, start.examples)] = first
        self._by_prompt[start.fingerprint] = first

    def proposal(self, text: str, examples: Sequence[Example]) -> Proposal:
        """The proposal of an instruction; a new one where it is the first of its words.

        Args:
            text: The instruction.
            examples: Examples to be shown beside those of the start.
        """
        shown = (*self.start.examples, *examples)
        with self._lock:
            key = (text, shown)
            if key not in self._by_words:
                self._by_words[key] = self._made(text, shown)
            return self._by_words[key]

    def all(self) -> tuple[Proposal, ...]:
        """Every proposal once, in the order in which they came; refused ones too."""
        with self._lock:
            unique = {id(each): each for each in self._by_words.values()}
        return tuple(sorted(unique.values(), key=lambda each: each.number))

    def _made(self, text: str, shown: tuple[Example, ...]) -> Proposal:
        number = len({id(each) for each in self._by_words.values()})
        try:
            template = self._template(text, shown)
        except TemplateError as error:
            return Proposal(number, text, shown, None, error.problems)
        made = Proposal(number, text, shown, template)
        return self._by_prompt.setdefault(template.fingerprint, made)

    def _template(self, text: str, shown: tuple[Example, ...]) -> Template:
        name = f"{self._prefix}-proposal"
        problems = [*self._quoted(text, name), *self._too_many(shown, name)]
        if problems:
            raise TemplateError(problems)
        template = with_instruction(self.start, text, name=name)
        if shown != self.start.examples:
            examples = [example.model_dump() for example in shown]
            template = changed(template, name, examples=examples)
        told = f"Proposed by {self._prefix} from {self.start.label}."
        own = {
            "name": f"{self._prefix}-{template.fingerprint[:DIGITS]}",
            "purpose": told,
            "risk": "",
            "parentage": None,
        }
        return Template.model_validate(template.model_dump(by_alias=True) | own)

    def _quoted(self, text: str, where: str) -> list[Problem]:
        if text == self.text:
            return []
        return [
            Problem(
                where,
                "an instruction quotes nothing that is judged",
                "Say what to look for, without the case itself.",
                got=short_repr(shared.name),
            )
            for shared in self._hidden.shared_with(text)
        ]

    def _too_many(self, shown: tuple[Example, ...], where: str) -> list[Problem]:
        if len(shown) - len(self.start.examples) <= self._most:
            return []
        law = f"a proposal shows at most {self._most} examples beside those of the start"
        return [Problem(where, law, "Leave some out.", field="examples", got=str(len(shown)))]

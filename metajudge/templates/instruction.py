"""A template's own texts as one instruction that can be rewritten, and the way back.

The instruction holds the question, one line per label and the rules:

```
Does the context support the claim? Choose one label.

yes: the context states the claim.
no: the context states something that conflicts with it.
idk: the context does not state the claim.

- Use no knowledge of your own.
```

On the way back every label needs its line. What stands before the first of them is the question;
what comes after is rules. A line without a bullet right below another one belongs to it, as in
Markdown. Lines that the template has already go back to their places as they were written there,
placeholders and all; everything else is text, braces too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from metajudge.errors import Problem, TemplateError, short_repr
from metajudge.templates.catalogue import changed
from metajudge.templates.dialect import LabelName
from metajudge.templates.frame import Frame, frame_for
from metajudge.templates.placeholders import fill
from metajudge.templates.template import Template

_BULLET = re.compile(r"^\s*(?:[-*•·+]|\d{1,2}(?:[.)]\s|、))\s*(?=\S)")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w-]*\s*$")
_MARKUP = "*_`\"'“”‘’「」『』"
_JOINT = r"(?:\s*[:：]|\s+[-–—=]\s|\s*(?:=>|->|→))"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""What is no text, or turns the order in which text is seen."""
_ENGINE_SIGNS = ("{{", "{%", "{#")
_END_RAW = re.compile(r"\{(?=%[-+]?\s*endraw)")


def instruction_text(template: Template) -> str:
    """Question, one line per label in the dialect's words, and rules, with all words filled in.

    >>> from metajudge.templates.catalogue import catalogue
    >>> print(instruction_text(catalogue()["literal"].source_for("en")).splitlines()[2])
    yes: the context states the claim in the same or nearly the same words.
    """
    frame, words = frame_for(template.language, template.frame), _words(template)
    blocks = [_ask(template, frame)]
    blocks.append(
        "\n".join(
            f"{word}{frame.option_joint}{fill(template.definitions[label], words)}"
            for label, word in template.dialect.words.items()
        )
    )
    if template.rules:
        blocks.append("\n".join(f"- {fill(rule, words)}" for rule in template.rules))
    return "\n\n".join(blocks)


def with_instruction(template: Template, text: str, *, name: str) -> Template:
    """The template with the texts of an instruction in the place of its own.

    Dialect, answer form, examples and layout stay. `with_instruction(t, instruction_text(t))` gives
    the texts back as they were, unless one of them holds an empty line, or a line that begins like
    a bullet or a label.

    Args:
        template: Where the instruction comes from.
        text: The rewritten instruction.
        name: Name of the new template.

    Raises:
        TemplateError: The text is empty, lacks the line of a label, or has two for one label.
    """
    reader = _Reader(template)
    for line in _lines(text):
        reader.take(line)
    read = reader.read
    problems = list(_faults(template, read, text, name))
    if problems:
        raise TemplateError(problems)
    frame, known = frame_for(template.language, template.frame), _known(template)
    usual = _ask(template, frame)
    ask = "\n".join(read.ask).strip()
    return changed(
        template,
        name,
        name=name,
        ask=None if ask == usual else _as_data(ask or frame.ask),
        definitions={
            label: _back(read.definitions[label][0], {_filled(template, label): raw})
            for label, raw in template.definitions.items()
        },
        rules=tuple(_back(rule, known) for rule in read.rules),
    )


@dataclass
class _Read:
    """What an instruction says, still as plain text."""

    ask: list[str] = field(default_factory=list)
    definitions: dict[LabelName, list[str]] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)


class _Reader:
    """Goes through an instruction line by line and puts each where it belongs."""

    def __init__(self, template: Template) -> None:
        frame = frame_for(template.language, template.frame)
        self.read = _Read()
        self._known = _known(template)
        self._ask = _ask(template, frame)
        self._heads = {_folded(frame.rules_head)}
        self._spelled = _spellings(template)
        self._label = _label_pattern(self._spelled)
        self._open: list[str] | None = None

    def take(self, line: str) -> None:
        """One line."""
        bulleted = _BULLET.match(line) is not None
        bare = _BULLET.sub("", line, count=1).strip()
        found = self._label.match(bare)
        if not bare:
            self._blank()
        elif found is not None:
            label = self._spelled[_folded(found["word"])]
            self._begin(self.read.definitions.setdefault(label, []), found["rest"].strip())
        elif _folded(bare.strip(" #" + _MARKUP)) in self._heads:
            self._open = None
        elif bare in self._known:
            self._begin(self.read.rules, bare)
        elif bare == self._ask:
            self._open = None
            self.read.ask.append(bare)
        else:
            self._prose(line.strip(), bare, bulleted)

    def _blank(self) -> None:
        self._open = None
        if not self.read.definitions:
            self.read.ask.append("")

    def _prose(self, line: str, bare: str, bulleted: bool) -> None:
        if not self.read.definitions and self._open is None:
            self.read.ask.append(line)
        elif self._open is None or bulleted:
            self._begin(self.read.rules, bare)
        else:
            self._open[-1] = f"{self._open[-1]}\n{bare}".strip()

    def _begin(self, texts: list[str], first: str) -> None:
        texts.append(first)
        self._open = texts


def _faults(template: Template, read: _Read, text: str, where: str) -> Iterator[Problem]:
    if not text.strip():
        mend = "Write the question, one line per label, and the rules."
        yield Problem(where, "an instruction holds text", mend, got=short_repr(text))
        return
    for label, word in template.dialect.words.items():
        said = {part for part in read.definitions.get(label, ()) if part}
        if not said:
            law = f"an instruction has a line for each label, and there is none for {word!r}"
            yield Problem(where, law, f"Add a line that begins with “{word}: ”.", field=label)
        elif len(said) > 1:
            law = f"a label has one line, and there are {len(said)} for {word!r}"
            yield Problem(where, law, "Make one line of them.", field=label)
        else:
            read.definitions[label] = list(said)


def _lines(text: str) -> Iterator[str]:
    """Lines without control characters, and without the fences of a whole answer."""
    lines = _UNSEEN.sub("", text).splitlines()
    return (line.rstrip() for line in lines if not _FENCE.match(line))


def _spellings(template: Template) -> dict[str, LabelName]:
    """The labels by the words that stand for them, folded."""
    return {
        _folded(spelling): label
        for label, word in template.dialect.words.items()
        for spelling in (word, *template.dialect.spellings.get(label, ()))
    }


def _label_pattern(spelled: Collection[str]) -> re.Pattern[str]:
    """What a line looks like that defines a label; in markup or not, in any case and width."""
    words = "|".join(re.escape(word) for word in sorted(spelled, key=len, reverse=True))
    sign = f"[{re.escape(_MARKUP)}]*"
    return re.compile(
        rf"^{sign}(?P<word>{words}){sign}{_JOINT}{sign}\s*(?P<rest>.*)$", re.IGNORECASE
    )


def _known(template: Template) -> dict[str, str]:
    """The template's rules as they read, and as they were written."""
    words = _words(template)
    return {fill(rule, words).strip(): rule for rule in template.rules}


def _filled(template: Template, label: LabelName) -> str:
    return fill(template.definitions[label], _words(template)).strip()


def _back(text: str, known: Mapping[str, str]) -> str:
    """A text as the template has it, or as data."""
    return known.get(text) or _as_data(text)


def _as_data(text: str) -> str:
    """The text, so that no placeholder is seen in it."""
    if not any(sign in text for sign in _ENGINE_SIGNS):
        return text
    raw = _END_RAW.sub("{{% endraw %}{% raw %}", text)
    return f"{{% raw %}}{raw}{{% endraw %}}"


def _ask(template: Template, frame: Frame) -> str:
    if template.ask is None:
        return frame.ask
    return fill(template.ask, _words(template)).strip()


def _words(template: Template) -> dict[str, str]:
    return {str(label): word for label, word in template.dialect.words.items()}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip(" :").casefold()

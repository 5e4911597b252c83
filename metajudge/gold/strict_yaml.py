"""YAML without surprises: safe, no duplicate keys, `yes` and `no` are words, errors have lines.

Only the words `true` and `false` are booleans (YAML 1.2), so that label names need no quotes; dates
stay text; anchors and aliases are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.source_text import decode, read_bytes
from metajudge.gold.validation import Location, dotted, validation_problems

Model = TypeVar("Model", bound=BaseModel)


class YamlTree(NamedTuple):
    """A parsed document, the 1-based line of each place in it, and the faults of its keys."""

    content: Any
    lines: dict[Location, int]
    problems: tuple[Problem, ...] = ()

    def line_of(self, location: Location) -> int | None:
        """Line of a place, or of the nearest thing that holds it."""
        for end in range(len(location), -1, -1):
            if location[:end] in self.lines:
                return self.lines[location[:end]]
        return None


class _StrictLoader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            law = "anchors and aliases are not read here; write the value out"
            raise yaml.composer.ComposerError(None, None, law, self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


def _resolve(tag: str, pattern: str, first: str) -> None:
    tag = f"tag:yaml.org,2002:{tag}"
    _StrictLoader.add_implicit_resolver(tag, re.compile(pattern), list(first))


_resolve("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF")
_resolve("null", r"^(?:~|null|Null|NULL|)$", "~nN")
_StrictLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])
_resolve("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789")
_resolve(
    "float",
    r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$",
    "-+.0123456789",
)


def read_yaml(path: str | Path, model: type[Model], error: type[InputError]) -> Model:
    """The model that a YAML file declares.

    Args:
        path: The file.
        model: The pydantic model to fill; `extra="forbid"` gives suggestions for unknown keys.
        error: The class to raise, e.g. `GoldError`.

    Raises:
        InputError: Of class `error`, with every fault that the file has.
    """
    where = str(path)
    raw = read_bytes(Path(path))
    text = raw if isinstance(raw, Problem) else decode(raw, where)
    if isinstance(text, Problem):
        raise error(text)
    return parse_yaml(text, where, model, error)


def parse_yaml(text: str, where: str, model: type[Model], error: type[InputError]) -> Model:
    """The model that a YAML text declares; `where` is the file's name in messages.

    >>> from metajudge.errors import GoldError
    >>> from metajudge.gold.claim import SplitRule
    >>> parse_yaml("salt: no", "goldset.yaml", SplitRule, GoldError)
    SplitRule(salt='no', dev_share=0.67)

    Raises:
        InputError: Of class `error`, with every fault that the text has.
    """
    tree = parse_tree(text, where, error)
    if not isinstance(tree.content, dict):
        law = "the file must hold a mapping of fields"
        mend = f"Write one field a line: {next(iter(model.model_fields))}: …"
        raise error(Problem(where, law, mend, line=1, got=short_repr(tree.content)))
    problems = list(tree.problems)
    try:
        filled = model.model_validate(tree.content)
    except ValidationError as complaint:
        problems += validation_problems(complaint, model, where, tree.line_of)
    if problems:
        raise error(sorted(problems, key=lambda problem: problem.line or 0))
    return filled


def parse_tree(text: str, where: str, error: type[InputError]) -> YamlTree:
    """The plain content of a YAML text with the line of each place in it.

    A key that stands twice or is no text is left out and named in `problems`.

    Raises:
        InputError: Of class `error`: the text is not YAML, or holds two documents or aliases.
    """
    lines: dict[Location, int] = {(): 1}
    problems: list[Problem] = []
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        if node is not None:
            _walk(node, (), lines, problems, where)
        content = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        law = f"this is not the YAML read here: {fault.problem or fault.context}"
        line = None if mark is None else mark.line + 1
        raise error(Problem(where, law, "Mend the line.", line=line)) from None
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        law = f"the character U+{ord(text[fault.position]):04X} cannot stand in YAML as it is"
        mend = 'Write it as an escape in double quotes: "\\x07".'
        raise error(Problem(where, law, mend, line=line)) from None
    except ValueError as fault:
        raise error(Problem(where, f"a number is too long: {fault}", "Shorten it.")) from None
    except RecursionError:
        raise error(Problem(where, "the file is nested too deeply", "Flatten it.")) from None
    return YamlTree(content, lines, tuple(problems))


def _walk(
    node: yaml.Node,
    location: Location,
    lines: dict[Location, int],
    problems: list[Problem],
    where: str,
) -> None:
    """Notes the line of every place and every key that is no text or stands twice."""
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            lines[(*location, index)] = child.start_mark.line + 1
            _walk(child, (*location, index), lines, problems, where)
    elif isinstance(node, yaml.MappingNode):
        kept = []
        for key, child in node.value:
            fault = _key_problem(key, location, lines, where)
            if fault is not None:
                problems.append(fault)
                continue
            here = (*location, key.value)
            lines[here] = key.start_mark.line + 1
            kept.append((key, child))
            _walk(child, here, lines, problems, where)
        node.value = kept


def _key_problem(
    key: yaml.Node, location: Location, lines: dict[Location, int], where: str
) -> Problem | None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode) or not key.tag.endswith(":str"):
        law, mend = "a field name must be a text", "Put the name in quotes."
        got = repr(key.value) if isinstance(key, yaml.ScalarNode) else None
        return Problem(where, law, mend, line=line, field=dotted(location) or None, got=got)
    here = (*location, key.value)
    if here in lines:
        law, mend = f"the field stands twice, first in line {lines[here]}", "Remove one of the two."
        return Problem(where, law, mend, line=line, field=dotted(here))
    return None


class _StrictDumper(yaml.SafeDumper):
    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [
            *yaml.SafeDumper.yaml_implicit_resolvers.get(first, ()),
            *_StrictLoader.yaml_implicit_resolvers.get(first, ()),
        ]
        for first in {
            *yaml.SafeDumper.yaml_implicit_resolvers,
            *_StrictLoader.yaml_implicit_resolvers,
        }
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # PyYAML folds these as line ends unless they are escaped, which double quotes make it do.
    style = '"' if any(char in text for char in "\x85\u2028\u2029") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_StrictDumper.add_representer(str, _represent_text)


def dump_yaml(content: Any) -> str:
    r"""Plain content as YAML that `parse_tree` reads back equal: keys in order, no aliases.

    >>> dump_yaml({"labels": ["yes", "是"], "version": "1.0"})
    "labels:\n- 'yes'\n- 是\nversion: '1.0'\n"
    """
    return yaml.dump(content, Dumper=_StrictDumper, allow_unicode=True, sort_keys=False, width=100)

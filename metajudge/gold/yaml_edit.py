"""Fields changed inside a YAML file: everything else stays as it stands, comments too."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from metajudge.errors import GoldError
from metajudge.gold.strict_yaml import dump_yaml, parse_tree


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def with_fields(text: str, block: str, fields: Mapping[str, Any]) -> str | None:
    r"""A YAML text with some fields of one of its top-level mappings set.

    A field that stands there is replaced where it stands, another one is added at the end of the
    mapping. Comments inside a replaced value are lost, all others stay.

    Args:
        text: A file that `parse_tree` reads.
        block: Name of the mapping.
        fields: Plain content by name.

    Returns:
        None where the text is no block mapping that holds the mapping; then it has to be written
        anew.

    >>> with_fields("a:  # one\n  b: 1  # two\nc: 3\n", "a", {"b": 2, "d": ["x"]})
    'a:  # one\n  b: 2  # two\n  d:\n  - x\nc: 3\n'
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    found = next((value for key, value in root.value if key.value == block), None)
    if not isinstance(found, yaml.MappingNode) or not found.value:
        return None
    flow = found.flow_style
    edits = [_anew(text, block, found, fields)] if flow else _edits(text, found, fields)
    line_end = "\r\n" if "\r\n" in text else "\n"
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text.replace("\n", line_end) + text[edit.end :]
    return text


def _edits(text: str, mapping: yaml.MappingNode, fields: Mapping[str, Any]) -> list[_Edit]:
    indent = " " * mapping.value[0][0].start_mark.column
    stand = {key.value: (key, value) for key, value in mapping.value}
    edits = []
    for name in fields.keys() & stand.keys():
        key, value = stand[name]
        start, end = key.start_mark.index, _end(text, value)
        edits.append(_Edit(start, end, _block({name: fields[name]}, indent).lstrip()))
    added = {name: value for name, value in fields.items() if name not in stand}
    if added:
        last = mapping.value[-1][1]
        end = text.find("\n", _end(text, last))
        end = len(text) if end < 0 else end - text[:end].endswith("\r")
        edits.append(_Edit(end, end, "\n" + _block(added, indent)))
    return edits


def _anew(text: str, block: str, mapping: yaml.MappingNode, fields: Mapping[str, Any]) -> _Edit:
    """A mapping on one line, written as a block with the fields in it."""
    content = parse_tree(text, block, GoldError).content[block]
    start, end = mapping.start_mark.index, mapping.end_mark.index
    return _Edit(start, end, "\n" + _block(content | dict(fields), "  "))


def _block(fields: Mapping[str, Any], indent: str) -> str:
    return textwrap.indent(dump_yaml(dict(fields)), indent).rstrip("\n")


def _end(text: str, node: yaml.Node) -> int:
    """Where a node's content ends; PyYAML's own mark of a block stands behind later comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(node, yaml.MappingNode) else last)
    end: int = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[:end].rstrip())
    return end

"""Templates with the file that they stand in and the line of each field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from metajudge.errors import Problem, TemplateError
from metajudge.gold.strict_yaml import parse_tree
from metajudge.gold.validation import dotted
from metajudge.templates.catalogue import (
    catalogue_wording,
    line_of_field,
    read_template,
    shipped_place,
)
from metajudge.templates.template import Template


@dataclass(frozen=True)
class PlacedTemplate:
    """A template and where it stands.

    Attributes:
        template: The template.
        where: Its file, or its label where it has none.
        lines: 1-based line by field; empty where there is no file.
    """

    template: Template
    where: str
    lines: Mapping[str, int] = field(default_factory=dict)

    def line(self, name: str | None) -> int | None:
        """Line of a field, or of the nearest thing that holds it; None for the whole."""
        return None if name is None else line_of_field(name, self.lines)


def _placed_file(path: str | Path) -> PlacedTemplate:
    """The template of a YAML file.

    Raises:
        TemplateError: With every fault of the file.
    """
    template = read_template(path)
    return PlacedTemplate(template, str(path), _lines(Path(path), str(path)))


def _placed_shipped(name: str) -> list[PlacedTemplate]:
    """The templates of a shipped wording, one a language.

    Raises:
        TemplateError: There is none of that name.
    """
    placed = []
    for source in catalogue_wording(name, "templates lint").by_language.values():
        if isinstance(source, Template):
            file = f"{source.name}.{source.language}.yaml"
            with resources.as_file(shipped_place(name)) as folder:
                lines = _lines(folder / file, file)
            placed.append(PlacedTemplate(source, file, lines))
    return placed


def _lines(path: Path, where: str) -> dict[str, int]:
    tree = parse_tree(path.read_text(encoding="utf-8-sig"), where, TemplateError)
    return {dotted(place): line for place, line in tree.lines.items()}


def named_templates(names: list[str]) -> list[PlacedTemplate]:
    """The templates of shipped names, YAML files and folders of them.

    Raises:
        TemplateError: With every fault of every one, a folder without templates included.
    """
    placed: list[PlacedTemplate] = []
    problems: list[Problem] = []
    for name in names:
        try:
            placed += _named(name)
        except TemplateError as error:
            problems += error.problems
    if problems:
        raise TemplateError(problems)
    return placed


def _named(name: str) -> list[PlacedTemplate]:
    path = Path(name)
    if path.is_dir():
        files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")])
        if not files:
            law, mend = "the folder holds no template files", "Name a folder with *.yaml in it."
            raise TemplateError(Problem(name, law, mend))
        return [_placed_file(file) for file in files]
    if name.endswith((".yaml", ".yml")) or path.is_file():
        return [_placed_file(path)]
    return _placed_shipped(name)

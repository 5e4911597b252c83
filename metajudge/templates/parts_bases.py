"""The wordings that a search starts from: shipped ones by name, and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path

from metajudge.errors import Problem, TemplateError
from metajudge.templates.catalogue import Wording, catalogue_wording, read_wordings
from metajudge.templates.template import Template

WHERE = "search.template"
Bases = Mapping[str, Mapping[str, Template]]
"""Templates by name of the wording and language."""


def primary_languages(tags: Iterable[str]) -> tuple[str, ...]:
    """Languages of tags, each once and in order.

    >>> primary_languages(["zh-CN", "en", "zh"])
    ('zh', 'en')
    """
    return tuple(dict.fromkeys(tag.partition("-")[0].casefold() for tag in tags))


def read_bases(entries: Sequence[str], languages: Sequence[str], folder: Path) -> Bases:
    """The bases by name, in the order of `entries`, in each of the languages.

    Args:
        entries: Names of shipped wordings, files, or globs from `folder`.
        languages: Languages that each base must have; its others are left out.
        folder: Where relative paths start from.

    Raises:
        TemplateError: With every entry that is no wording, every fault of a file, and every
            language that a base lacks.
    """
    problems: list[Problem] = []
    found: dict[str, Wording] = {}
    files: dict[Path, None] = {}
    for index, entry in enumerate(entries):
        field = f"bases[{index}]"
        try:
            if _is_path(entry):
                files |= dict.fromkeys(_files(entry, folder, field))
            else:
                found[entry] = _shipped(entry, field)
        except TemplateError as error:
            problems += error.problems
    try:
        own = read_wordings(files)
    except TemplateError as error:
        problems, own = [*problems, *error.problems], {}
    for name in sorted(set(own) & set(found)):
        law = "a base's name is its own, but a shipped wording and one of the files have it"
        problems.append(Problem(WHERE, law, "Rename the file's.", field="bases", got=repr(name)))
    found |= own
    problems += _missing(found.values(), languages)
    if problems:
        raise TemplateError(problems)
    return {name: _spoken(wording, languages) for name, wording in found.items()}


def _is_path(entry: str) -> bool:
    return entry.endswith((".yaml", ".yml")) or "*" in entry


def _files(entry: str, folder: Path, field: str) -> list[Path]:
    if "*" not in entry:
        return [folder / entry]
    found = sorted(path for path in map(Path, glob(str(folder / entry))) if path.is_file())
    if not found:
        law, mend = "there is no such file to start from", "Correct the path."
        raise TemplateError(Problem(WHERE, law, mend, field=field, got=repr(entry)))
    return found


def _shipped(name: str, field: str) -> Wording:
    try:
        return catalogue_wording(name, WHERE)
    except TemplateError as error:
        told = error.problems[0]
        law = f"{told.law}, and only templates have parts"
        raise TemplateError(Problem(WHERE, law, told.mend, field=field, got=told.got)) from None


def _missing(wordings: Iterable[Wording], languages: Sequence[str]) -> Iterator[Problem]:
    for wording in wordings:
        for language in wording.misses(languages):
            law = f"a base speaks the language of the claims ({', '.join(languages)})"
            mend = f"Add a {language} template of this name, or narrow gold.languages."
            yield Problem(WHERE, law, mend, field="bases", got=repr(wording.name))


def _spoken(wording: Wording, languages: Sequence[str]) -> dict[str, Template]:
    sources = {language: wording.source_for(language) for language in languages}
    return {lang: source for lang, source in sources.items() if isinstance(source, Template)}

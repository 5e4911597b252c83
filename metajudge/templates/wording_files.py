"""Wordings as plain template files, and the parentage of those that were proposed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.errors import Problem, TemplateError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.gold.writer import write_text
from metajudge.templates.catalogue import Wording
from metajudge.templates.dialect import DIALECTS, Dialect
from metajudge.templates.parentage import Parentage, parent_of
from metajudge.templates.template import Template

_ALWAYS_WRITTEN = ("labels", "answer", "layout")


def with_parentage(wording: Wording, parentage: Parentage, parents: Wording) -> Wording:
    """The wording with its parentage, each template under the parent in its own language.

    Args:
        wording: What was proposed; its prompts stay as they are.
        parentage: What holds for every language; its `parents` are put before those of `parents`.
        parents: The wording that it was made from.

    Raises:
        TemplateError: A template of the wording is a peer's prompt.
    """
    told = {}
    for language, template in _templates(wording).items():
        parent = parent_of(parents.source_for(language))
        known = tuple(other for other in parentage.parents if other != parent)
        own = parentage.model_copy(update={"parents": (*known, parent)})
        told[language] = template.model_copy(update={"parentage": own})
    return Wording(wording.name, dict(told))


def write_wording(wording: Wording, folder: str | Path) -> list[Path]:
    """Writes a template file for each language, `NAME.LANG.yaml`, over an older one.

    `read_template` gives each back equal. Fields at their usual value are left out, but labels,
    answer form and layout always stand there.

    Args:
        wording: Templates of ours.
        folder: Where to; made if it is not there.

    Raises:
        TemplateError: A template of the wording is a peer's prompt, or the folder cannot be
            written to.
    """
    texts = {
        f"{wording.name.replace(':', '-')}.{language}.yaml": dump_yaml(_fields(template))
        for language, template in _templates(wording).items()
    }
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_text(place / name, text)
    except OSError as error:
        law = f"proposals cannot be written to this folder: {error.strerror or error}"
        raise TemplateError(Problem(str(place), law, "Choose another folder.")) from error
    return [place / name for name in texts]


def _templates(wording: Wording) -> dict[str, Template]:
    found = {
        language: source
        for language, source in wording.by_language.items()
        if isinstance(source, Template)
    }
    if len(found) < len(wording.by_language):
        law, mend = "only templates of ours are proposed", "Start from a template of your own."
        raise TemplateError(Problem(wording.name, law, mend))
    return found


def _fields(template: Template) -> dict[str, Any]:
    whole = template.model_dump(mode="json", by_alias=True)
    unusual = template.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    written = whole | {"labels": _labels(template.dialect, template.language)}
    return {name: written[name] for name in whole if name in unusual or name in _ALWAYS_WRITTEN}


def _labels(dialect: Dialect, language: str) -> str | dict[str, Any]:
    """A dialect as people write it: by name, or as words, or else with all that it has."""
    known = (
        by_language[language].rotated(steps)
        for by_language in DIALECTS.values()
        for steps in range(len(by_language[language].words))
    )
    if any(named == dialect and [*named.words] == [*dialect.words] for named in known):
        return dialect.name
    words = {str(label): word for label, word in dialect.words.items()}
    if dialect == Dialect(name="own", words=dialect.words):
        return words
    return dialect.model_dump(mode="json", exclude_defaults=True) | {"words": words}

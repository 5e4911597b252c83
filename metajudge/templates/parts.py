"""The parts of a template that a search chooses among, and the templates that a choice makes.

`search.template` in `experiment.yaml` names wordings to start from, authored alternatives of their
texts by language, and the structures to try. One choice of each is a setting, and makes ordinary
templates:

```yaml
bases: [summary-tolerant, contradiction-only]
asks: {en: ["Is everything the claim says backed by the context?"]}
definitions: {en: {idk: ["the context leaves something in the claim open."]}}
rules: {en: ["Details that the context does not give are {{ idk }}."]}
labels: [words, letters]
examples: {path: pool.jsonl, counts: [0, 3], draws: 4}
```
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from metajudge.errors import TemplateError
from metajudge.templates.catalogue import Wording
from metajudge.templates.dialect import LabelName
from metajudge.templates.listed import one_at_least, without_doubles
from metajudge.templates.parts_check import open_parts, space_problems
from metajudge.templates.parts_opened import OpenedParts
from metajudge.templates.setting import Axis, Setting, Value
from metajudge.templates.source import AnswerForm
from metajudge.templates.source import WrittenText as Text
from metajudge.templates.template import Layout

__all__ = ["Axis", "ExamplesRef", "PartsSpace", "Setting", "Value"]

Entry = TypeVar("Entry")
Language = Literal["en", "zh"]


Each = Annotated[tuple[Entry, ...], AfterValidator(without_doubles)]
SomeEach = Annotated[Each[Entry], AfterValidator(one_at_least)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExamplesRef(_Part):
    """Examples from a pool, instead of those of the base.

    Attributes:
        path: The pool, a JSON Lines file beside the experiment.
        counts: How many examples a template may show; with 0 it shows none, not the base's either.
        draws: How many ways to draw them.
        seed: What the draws start from.
    """

    path: Text
    counts: SomeEach[Annotated[int, Field(ge=0, le=50, strict=True)]] = (0, 3)
    draws: Annotated[int, Field(ge=1, le=1000, strict=True)] = 1
    seed: Annotated[int, Field(strict=True)] = 0


class PartsSpace(_Part):
    """What a search may choose in a template.

    Of texts the base's own are always a choice too. A structure (labels, answer form, layout,
    claims a call) that is not listed stays as the base has it; one that is listed is always one of
    the list. Several claims a call are answered as JSON whatever the answer form says.

    Attributes:
        bases: Wordings to start from: names of shipped ones, files, or globs.
        asks: Other questions, by language. Where single claims and several a call are both tried,
            they are asked of single claims only.
        definitions: Other definitions, by language and label.
        rules: Further rules, by language. In a language that stands here every rule is in or out,
            the base's too; in another one the base's rules stay.
        fixed_rules: Rules that every template has, after the others, by language.
        rule_order: Whether the order of the rules is tried too; fixed ones stay last.
        labels: Names of dialects.
        answers: Answer forms.
        layouts: Orders of context, claim and question.
        claims_per_call: Most claims in a call.
        examples: Worked cases to show; None for the base's own.
    """

    bases: SomeEach[Text]
    asks: dict[Language, Each[Text]] = Field(default_factory=dict)
    definitions: dict[Language, dict[LabelName, Each[Text]]] = Field(default_factory=dict)
    rules: dict[Language, Each[Text]] = Field(default_factory=dict)
    fixed_rules: dict[Language, Each[Text]] = Field(default_factory=dict)
    rule_order: Annotated[bool, Field(strict=True)] = False
    labels: Each[Text] = ()
    answers: Each[AnswerForm] = ()
    layouts: Each[Layout] = ()
    claims_per_call: Each[Annotated[int, Field(ge=1, le=100, strict=True)]] = ()
    examples: ExamplesRef | None = None

    def text_fields(self) -> dict[str, str]:
        """Languages that texts are declared in, each with the first field that has it."""
        found: dict[str, str] = {}
        for name in ("asks", "definitions", "rules", "fixed_rules"):
            for language in getattr(self, name):
                found.setdefault(language, f"{name}.{language}")
        return found

    def opened(self, languages: Iterable[str], folder: str | Path = ".") -> OpenedParts:
        """The space with its bases and its pool read, for claims in some languages.

        Args:
            languages: Language tags of the claims; `zh-CN` is served by `zh`.
            folder: Where relative paths start from.

        Raises:
            TemplateError: With every fault of the bases and the pool.
        """
        return open_parts(self, languages, Path(folder))

    def axes(self, languages: Iterable[str], folder: str | Path = ".") -> tuple[Axis, ...]:
        """What there is to choose, structures first, then each language's texts.

        Raises:
            TemplateError: As `opened`.
        """
        return self.opened(languages, folder).axes

    def check(self, folder: str | Path, languages: Iterable[str]) -> None:
        """That every choice makes a sound template.

        Raises:
            TemplateError: With every fault of bases, texts, labels and pool.
        """
        problems = space_problems(self, languages, Path(folder))
        if problems:
            raise TemplateError(problems)

    def build(
        self, setting: Setting, languages: Iterable[str], folder: str | Path = "."
    ) -> Wording:
        """The templates of one setting; settings that make the same prompts have one name.

        Raises:
            TemplateError: The setting is none of the space, or makes a faulty template.
        """
        return self.opened(languages, folder).build(setting)

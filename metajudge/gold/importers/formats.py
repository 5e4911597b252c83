"""The table of formats: one name, one module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.named_modules import named_module

Reader = Callable[[Source], Iterator[ImportedClaim | LeftOut]]
MODULES: dict[str, str] = {
    "ragtruth": "ragtruth",
    "faithbench": "faithbench",
    "xsum-hallucination": "xsum_hallucination",
    "frank": "frank",
    "wice": "wice",
    "storysumm": "storysumm",
    "summedits": "summedits",
    "contractnli": "contractnli",
    "control": "control",
    "vitaminc": "vitaminc",
    "fever": "fever",
    "averitec": "averitec",
    "factcheck-gpt": "factcheck_gpt",
    "begin": "begin",
    "attributionbench": "attributionbench",
    "ocnli": "ocnli",
    "uhgeval": "uhgeval",
    "llm-aggrefact": "llm_aggrefact",
    "anah": "anah",
    "label-studio": "label_studio",
    "argilla": "argilla",
    "prodigy": "prodigy",
    "doccano": "doccano",
    "langsmith": "langsmith",
    "langfuse": "langfuse",
    "phoenix": "phoenix",
    "mlflow": "mlflow",
    "promptfoo": "promptfoo",
    "deepeval": "deepeval",
    "ragas": "ragas",
    "metajudge": "exported",
    "table": "table",
}
"""`--from` name: module of this package that declares `FORMAT` and `read`."""
TABLE = "table"
"""The format of plain tables, for what no other format fits."""


def formats() -> tuple[Format, ...]:
    """Every format: public sets, tools, frameworks, the plain table."""
    return tuple(format_named(name) for name in MODULES)


def format_named(name: str) -> Format:
    """The declaration of a format.

    Raises:
        GoldError: There is none of that name.
    """
    return _module(name).FORMAT  # type: ignore[no-any-return]


def reader_named(name: str) -> Reader:
    """The function that reads a format.

    Raises:
        GoldError: There is none of that name.
    """
    return _module(name).read  # type: ignore[no-any-return]


def _module(name: str) -> Any:
    return named_module(name, MODULES, "metajudge.gold.importers", "--from", "format")

"""The prompt by which a framework's own metric lists the facts of a context.

DeepEval's faithfulness never shows the context to the judge that gives the verdicts: it shows what
this prompt made of it. It is read from the installed package, nothing is copied, and it exists in
English only, for claims of every language.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from metajudge.errors import TemplateError
from metajudge.templates.context_form import ContextForm
from metajudge.templates.message import Message
from metajudge.templates.peers import peer_module, peer_version, unsupported
from metajudge.templates.truths import TruthsLanguage, TruthsPrompt, truths_prompt

_MARKS = ("passage one", "passage two")


@dataclass(frozen=True, slots=True)
class PeerTruths:
    """A peer's request for the facts of one context.

    Attributes:
        package: The package that the prompt was read from, and its `package_version`.
        text_sha256: SHA-256 in hex of the prompt with fixed stand-ins for the passages.
        language: Language of the prompt.
        limit: Most facts to list; the peer states none unless told.
    """

    package: str
    package_version: str
    text_sha256: str
    write: Callable[[Sequence[str]], str] = field(repr=False, compare=False)
    language: TruthsLanguage = "en"
    limit: int | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over the package, its version and the prompt's hash."""
        body = {
            "peer": self.package,
            "version": self.package_version,
            "text": self.text_sha256,
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()

    @property
    def max_tokens(self) -> int:
        """Tokens a reply may take, as for this project's prompt without a limit."""
        return truths_prompt(self.language, None).max_tokens

    def render(self, passages: Sequence[str]) -> tuple[Message, ...]:
        """One user message, as the peer sends it.

        Args:
            passages: The context, verbatim.
        """
        return (Message("user", self.write(passages)),)


FactsPrompt: TypeAlias = TruthsPrompt | PeerTruths
"""What asks for the facts of a context."""


def facts_prompt(form: ContextForm, language: str) -> FactsPrompt:
    """The prompt of a context form of the kind `truths`, for claims in a language.

    Args:
        form: The form.
        language: A language tag such as `en`, `zh` or `zh-CN`.

    Raises:
        MissingExtraError: The prompt is that of a package which is not installed.
        TemplateError: The installed version keeps its prompt elsewhere.

    >>> facts_prompt(ContextForm("truths", limit=12), "zh-CN").language
    'zh'
    """
    return truths_prompt(language, form.limit) if form.prompt is None else deepeval_truths()


@cache
def deepeval_truths() -> PeerTruths:
    """DeepEval's prompt for the facts of a context, as its faithfulness metric fills it in.

    Raises:
        MissingExtraError: DeepEval is not installed.
        TemplateError: The installed version keeps its prompt elsewhere.
    """
    templates = peer_module("deepeval.templates")
    metric = peer_module("deepeval.metrics.faithfulness.faithfulness")
    version = peer_version("deepeval")

    def write(passages: Sequence[str]) -> str:
        text: str = templates.resolve_template(
            "metrics",
            "FaithfulnessMetric",
            "generate_truths",
            multimodal=False,
            retrieval_context="\n\n".join(passages),
            limit=metric._faithfulness_truths_limit_phrase(None),
            multimodal_instruction=metric._faithfulness_truths_multimodal_instruction(False),
        )
        return text

    law = "deepeval's faithfulness has a prompt for truths that shows the context"
    try:
        text = write(_MARKS)
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise TemplateError(unsupported("deepeval", version, f"{law}: {error}")) from error
    if "\n\n".join(_MARKS) not in text:
        raise TemplateError(unsupported("deepeval", version, law))
    return PeerTruths("deepeval", version, hashlib.sha256(text.encode()).hexdigest(), write)

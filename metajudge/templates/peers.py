"""Peers' own verdict prompts, read from the installed packages when they are asked for.

Nothing is copied: the wording is what the installed version says today, and its version and hash
go into every record. The prompts exist in English only and are used as they are for every language.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Literal, NamedTuple, get_args

from metajudge.errors import MissingExtraError, Problem, TemplateError
from metajudge.extras import install_command
from metajudge.templates.dialect import Dialect
from metajudge.templates.message import Message
from metajudge.templates.source import AnswerForm

PeerName = Literal["deepeval:faithfulness", "ragas:faithfulness"]
PEERS: tuple[PeerName, ...] = get_args(PeerName)

ReplyShape = Literal["in_order", "by_statement"]
"""How a peer's reply names the claims: by their order alone, or by repeating each statement."""

CLAIMS_PER_CALL = 10
_MARKS = ("passage", "claim one", "claim two")
_ANSWER = AnswerForm(form="label_first", json_=True)
_TOKENS_PER_CALL = 32
_TOKENS_PER_CLAIM = 200
_QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""Set before a peer is imported: no telemetry, and no `.env` file read into this process."""


@dataclass(frozen=True, slots=True)
class PeerTemplate:
    """A peer's verdict prompt as a prompt source.

    Attributes:
        name: `deepeval:faithfulness` or `ragas:faithfulness`.
        package: The package that the prompt was read from, and its `package_version`.
        language: Language of the claims it is used for; the prompt itself is English.
        dialect: The labels that the prompt offers. Ragas offers `1` and `0` only, so that
            contradicted and not mentioned are both `no`.
        text_sha256: SHA-256 in hex of the prompt with fixed stand-ins for context and claims.
        reply_shape: How a reply's verdicts are placed.
        claims_per_call: Most claims in one call; the frameworks put all claims of an answer in one.
    """

    name: PeerName
    package: str
    package_version: str
    language: str
    dialect: Dialect
    text_sha256: str
    reply_shape: ReplyShape
    claims_per_call: int
    write: Callable[[Sequence[str], Sequence[str]], str] = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        """`name@package version/language`."""
        return f"{self.name}@{self.package_version}/{self.language}"

    @property
    def answer(self) -> AnswerForm:
        """A JSON list with a verdict and a reason for each claim."""
        return _ANSWER

    @property
    def family(self) -> str:
        """The peer's name: its prompts are no variant of ours."""
        return self.name

    @property
    def version(self) -> str:
        """The installed package's version."""
        return self.package_version

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over the prompt's hash, the dialect and the claims per call."""
        body = {
            "peer": self.name,
            "text": self.text_sha256,
            "dialect": self.dialect.model_dump(mode="json"),
            "claims_per_call": self.claims_per_call,
        }
        return hashlib.sha256(_canonical(body)).hexdigest()

    @property
    def max_tokens(self) -> int:
        """Tokens that a reply may take: each entry holds a reason and may repeat its statement."""
        return _TOKENS_PER_CALL + _TOKENS_PER_CLAIM * self.claims_per_call

    def render(
        self, passages: Sequence[str], claims: Sequence[str], question: str | None = None
    ) -> tuple[Message, ...]:
        """One user message, as the peer sends it; the question is not shown by either peer.

        Raises:
            TemplateError: No claim, or more than `claims_per_call`.
        """
        if not 1 <= len(claims) <= self.claims_per_call:
            law = f"a call of this template holds 1 to {self.claims_per_call} claims"
            raise TemplateError(Problem(self.label, law, "Split the call.", got=str(len(claims))))
        return (Message("user", self.write(passages, claims)),)


def peer_template(
    name: str, language: str = "en", claims_per_call: int = CLAIMS_PER_CALL
) -> PeerTemplate:
    """A peer's faithfulness prompt, read from the installed package.

    Args:
        name: `deepeval:faithfulness` or `ragas:faithfulness`.
        language: Language of the claims; recorded, the prompt stays English.
        claims_per_call: Most claims in one call, at least 1.

    Raises:
        MissingExtraError: The package is not installed.
        TemplateError: No such peer, fewer than 1 claim a call, or the installed version keeps its
            prompt elsewhere.
    """
    if claims_per_call < 1:
        law = "a call holds at least 1 claim"
        raise TemplateError(
            Problem(name, law, "Raise it.", field="claims_per_call", got=str(claims_per_call))
        )
    peer = next((known for known in PEERS if known == name), None)
    if peer is None:
        law = f"a peer's prompt is one of {', '.join(PEERS)}"
        raise TemplateError(Problem("templates", law, "Choose one of them.", got=repr(name)))
    prompt = _READERS[peer]()
    package = peer.partition(":")[0]
    passage, *claims = _MARKS
    text = prompt.write([passage], claims)
    if not all(mark in text for mark in _MARKS):
        law = f"{package}'s prompt shows the context and the claims it is given"
        raise TemplateError(unsupported(package, peer_version(package), law))
    return PeerTemplate(
        name=peer,
        package=package,
        package_version=peer_version(package),
        language=language,
        dialect=prompt.dialect,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        reply_shape=prompt.reply_shape,
        claims_per_call=claims_per_call,
        write=prompt.write,
    )


def peer_module(module: str) -> Any:
    """A module of an installed peer, imported with its telemetry switched off.

    Raises:
        MissingExtraError: The peer is not installed.
        TemplateError: The installed version has no such module.
    """
    package = module.partition(".")[0]
    version = peer_version(package)
    os.environ.update(_QUIET)
    try:
        return importlib.import_module(module)
    except ImportError as error:
        law = f"{package} has the module {module}, but importing it failed: {error}"
        raise TemplateError(unsupported(package, version, law)) from error


def peer_version(package: str) -> str:
    """Version of an installed peer.

    Raises:
        MissingExtraError: It is not installed; the message has the pip command.
    """
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError as error:
        raise MissingExtraError(f"{package}:faithfulness", package) from error


class _Prompt(NamedTuple):
    dialect: Dialect
    reply_shape: ReplyShape
    write: Callable[[Sequence[str], Sequence[str]], str]


def _deepeval() -> _Prompt:
    templates = peer_module("deepeval.templates")
    vocabulary = peer_module("deepeval.metrics.base_metric")

    def write(passages: Sequence[str], claims: Sequence[str]) -> str:
        text: str = templates.resolve_template(
            "metrics",
            "FaithfulnessMetric",
            "generate_verdicts",
            multimodal=False,
            claims=list(claims),
            retrieval_context="\n\n".join(passages),
        )
        return text

    offered = [str(word.value) for word in vocabulary.YES_NO_BORDERLINE]
    unsure = [word for word in offered if word not in ("yes", "no")]
    if len(offered) != 3 or len(unsure) != 1:
        version = peer_version("deepeval")
        law = f"deepeval's verdicts are yes, no and one more, but this version has {offered}"
        raise TemplateError(unsupported("deepeval", version, law))
    spellings = tuple(word for word in ("borderline", "idk") if word != unsure[0])
    dialect = Dialect(
        name=f"deepeval-{unsure[0]}",
        words={"yes": "yes", "no": "no", "idk": unsure[0]},
        spellings={"idk": spellings},
    )
    return _Prompt(dialect, "in_order", write)


def _ragas() -> _Prompt:
    faithfulness = peer_module("ragas.metrics.collections.faithfulness.util")
    prompt = faithfulness.NLIStatementPrompt()

    def write(passages: Sequence[str], claims: Sequence[str]) -> str:
        asked = faithfulness.NLIStatementInput(context="\n".join(passages), statements=list(claims))
        text: str = prompt.to_string(asked)
        return text

    dialect = Dialect(
        name="ragas",
        words={"yes": "1", "no": "0"},
        spellings={"yes": ("true",), "no": ("false",)},
    )
    return _Prompt(dialect, "by_statement", write)


def unsupported(package: str, version: str, law: str) -> Problem:
    """That an installed peer is not as this version of metajudge knows it."""
    mend = f"Install a supported version: {install_command(package)}."
    return Problem(f"{package} {version}", law, mend)


_READERS: dict[PeerName, Callable[[], _Prompt]] = {
    "deepeval:faithfulness": _deepeval,
    "ragas:faithfulness": _ragas,
}


def _canonical(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False, sort_keys=True).encode()

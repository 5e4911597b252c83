"""How many tokens a prompt has, as a range, without asking anyone.

Three ways, the best that is at hand: token counts that the same judge reported for stored replies,
the model's own tokenizer, and characters. A range is stated because none of them is the bill.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.counted import counted
from metajudge.judges.judge import Request
from metajudge.verdicts.verdict import Reply

LATIN_PER_TOKEN = (3.0, 5.0)
"""Characters per token of text in alphabetic scripts, assumed."""
TOKENS_PER_HAN = (0.5, 1.5)
"""Tokens per Chinese character, assumed; newer vocabularies lie at the lower end."""
FRAME_TOKENS = (3, 8)
"""Tokens that the chat format adds per message, assumed."""
FEWEST_STORED = 20
_STORED_SPREAD = 0.1
_KIN_SPREAD = (0.65, 1.05)
_BPE_NAME = "cl100k_base"
# The vocabulary as litellm carries it: its file is named by the cache of tiktoken, which checks the
# hash. Another file would make tiktoken download one, so the hash is checked here first.
_BPE_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_BPE_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_HAN = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


class Span(NamedTuple):
    """A range of a number, both ends included."""

    low: float
    high: float

    def plus(self, other: Span) -> Span:
        """The range of the sum."""
        return Span(self.low + other.low, self.high + other.high)

    def times(self, low: float, high: float | None = None) -> Span:
        """The range of the product with a positive number or range."""
        return Span(self.low * low, self.high * (low if high is None else high))


class TokenGauge(NamedTuple):
    """Counts the tokens of a prompt.

    Attributes:
        of: Request -> range of its prompt tokens.
        basis: What the count rests on, for people.
    """

    of: Callable[[Request], Span]
    basis: str


def token_gauge(model: str, stored: Iterable[tuple[Request, Reply]]) -> TokenGauge:
    """The best gauge at hand for a judge; never opens a connection.

    Args:
        model: The judge's spec.
        stored: Requests and replies of the same judge that the store holds.
    """
    return _from_stored(stored) or _from_tokenizer(model) or _from_characters()


def characters(request: Request) -> Span:
    """Tokens by characters alone.

    >>> from metajudge.templates.message import Message
    >>> characters(Request((Message("user", "a" * 300),), 1))
    Span(low=63.0, high=108.0)
    """
    han, other = _letters(request)
    text = Span(
        other / LATIN_PER_TOKEN[1] + han * TOKENS_PER_HAN[0],
        other / LATIN_PER_TOKEN[0] + han * TOKENS_PER_HAN[1],
    )
    return text.plus(Span(*FRAME_TOKENS).times(len(request.messages)))


def _from_characters() -> TokenGauge:
    latin = f"{LATIN_PER_TOKEN[0]:g} to {LATIN_PER_TOKEN[1]:g} characters a token"
    han = f"{TOKENS_PER_HAN[0]:g} to {TOKENS_PER_HAN[1]:g} tokens a Chinese character"
    return TokenGauge(characters, f"assumed: {latin}, {han}")


def _from_stored(stored: Iterable[tuple[Request, Reply]]) -> TokenGauge | None:
    """Characters, scaled by what the judge reported for prompts mainly in the same script."""
    sums = {True: [0.0, 0.0, 0.0], False: [0.0, 0.0, 0.0]}
    for request, reply in stored:
        if reply.prompt_tokens:
            row = sums[_is_han(request)]
            row[0] += reply.prompt_tokens
            row[1] += _middle(request)
            row[2] += 1
    scales = {kind: row[0] / row[1] for kind, row in sums.items() if row[2] >= FEWEST_STORED}
    if not scales:
        return None

    def count(request: Request) -> Span:
        scale = scales.get(_is_han(request))
        if scale is None:
            return characters(request)
        tokens = scale * _middle(request)
        return Span(tokens * (1 - _STORED_SPREAD), tokens * (1 + _STORED_SPREAD))

    n = int(sum(row[2] for kind, row in sums.items() if kind in scales))
    return TokenGauge(count, f"token counts of {counted(n, 'stored replies')} of this judge")


def _from_tokenizer(model: str) -> TokenGauge | None:
    """OpenAI's vocabulary, where the model has it or a near relative of it."""
    provider, _, name = model.removeprefix("litellm:").rpartition("/")
    if provider not in ("openai", "") or find_spec("tiktoken") is None:
        return None
    from tiktoken.model import encoding_name_for_model

    try:
        vocabulary = encoding_name_for_model(name)
    except KeyError:
        return None
    encoding = _bundled_encoding()
    if encoding is None:
        return None
    own = vocabulary == _BPE_NAME
    spread = (1.0, 1.0) if own else _KIN_SPREAD

    def count(request: Request) -> Span:
        text = sum(
            len(encoding.encode(message.content, disallowed_special=()))
            for message in request.messages
        )
        frame = Span(*FRAME_TOKENS).times(len(request.messages))
        return Span(text, text).times(*spread).plus(frame)

    kin = _BPE_NAME if own else f"{_BPE_NAME}, an older relative of the model's {vocabulary}"
    return TokenGauge(count, f"tokenizer {kin}")


@lru_cache(maxsize=1)
def _bundled_encoding() -> Any | None:
    """The vocabulary that litellm's package carries; None where it does not."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "litellm_core_utils" / "tokenizers" / _BPE_FILE
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != _BPE_SHA256:
        return None
    import tiktoken

    with _cache_folder(path.parent):
        return tiktoken.get_encoding(_BPE_NAME)


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Let tiktoken read its vocabulary from a folder for a while."""
    name = "TIKTOKEN_CACHE_DIR"
    before = os.environ.get(name)
    os.environ[name] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _letters(request: Request) -> tuple[int, int]:
    text = "".join(message.content for message in request.messages)
    han = len(_HAN.findall(text))
    return han, len(text) - han


def _is_han(request: Request) -> bool:
    han, other = _letters(request)
    return 2 * han > other


def _middle(request: Request) -> float:
    span = characters(request)
    return (span.low + span.high) / 2

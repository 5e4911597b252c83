"""What came back: the judge's reply as received, and the verdict read from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

Label = Literal["yes", "no", "idk"]
LABELS: tuple[Label, ...] = ("yes", "no", "idk")

Failure = Literal[
    "unparsable",
    "truncated",
    "empty",
    "refused",
    "timeout",
    "transport",
    "missing",
    "label_not_offered",
]
FAILURES: tuple[Failure, ...] = get_args(Failure)


class TokenLogprob(NamedTuple):
    """One candidate token at the reply's first position, with its natural-log probability."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge sent back for one call, as received; stored and never thrown away.

    Attributes:
        text: The message text; "" when the server sent none.
        finish_reason: `stop`, `length`, `content_filter`, … as the server names it; None unknown.
        first_token: Candidate tokens at the first position, best first; () when not given.
        failure: Set when the call itself failed for good (timeout, transport, refused, …).
        failure_detail: One line for people; never holds a key.
        prompt_tokens: Tokens read, None unknown. `cached_tokens` of them came from a warm prefix.
        completion_tokens: Tokens written, None unknown.
        cost_usd: Price of the call in USD; None when the model has no known price.
        latency_ms: Wall time of the successful attempt in ms.
        settings: Sampling settings really used where they differ from those asked for.
        model: The model name or file hash that the server reports.
        created: ISO 8601 time in UTC.
    """

    text: str
    finish_reason: str | None = None
    first_token: tuple[TokenLogprob, ...] = ()
    failure: Failure | None = None
    failure_detail: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    settings: dict[str, str | float | int | bool | None] = field(default_factory=dict)
    model: str | None = None
    created: str | None = None


class LabelProbabilities(NamedTuple):
    """Probabilities of the three labels; they sum to 1. A label not offered has 0."""

    yes: float
    no: float
    idk: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label, or a failure with its class; exactly one of `label` and `failure` is set.

    Attributes:
        label: yes, no or idk; None when the reply could not be read.
        failure: Why there is no label; None when there is one.
        detail: One line about the failure for people.
        reason: The judge's own reason, None when it gave none.
        probabilities: Label probabilities where the server gave first-token logprobs.
        label_mass: Share of the first-token probability that fell on any label, 0 to 1.
        repaired: The reply was read only after a declared mend (fence removed, prefix cut, …).
    """

    label: Label | None
    failure: Failure | None = None
    detail: str | None = None
    reason: str | None = None
    probabilities: LabelProbabilities | None = None
    label_mass: float | None = None
    repaired: bool = False

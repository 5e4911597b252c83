"""A judge that is known by its pin alone, for replies that are stored already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.verdicts.verdict import Reply


@dataclass
class PinnedJudge:
    """What of a judge decides the keys of its replies.

    Neither its model nor its server has to be here, and another version of the backend that is
    installed here changes nothing.

    Attributes:
        spec: The judge spec.
        identity: As it enters call keys.
        gives_logprobs: Whether it was asked for label probabilities.
        label_in_one_token: Whether it was asked for one token a label.
        max_in_flight: Means nothing here.
    """

    spec: str
    identity: Mapping[str, Scalar]
    gives_logprobs: bool = False
    label_in_one_token: bool = False
    max_in_flight: int | None = None

    async def ask(self, request: Request) -> Reply:
        """Raises `JudgeCallError('missing')`."""
        raise JudgeCallError("missing", f"{self.spec} is known by its pin alone; nothing is asked")

    async def close(self) -> None:
        """Nothing to give back."""

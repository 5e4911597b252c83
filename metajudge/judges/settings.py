"""The decoding settings a chat judge sends, less those its model refuses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from metajudge.judges.failures import SettingRefused
from metajudge.judges.judge import Request
from metajudge.judges.options import MAX_TOP_LOGPROBS, JudgeOptions
from metajudge.verdicts.verdict import Reply

NOT_SENT = "not sent"
Fields = dict[str, Any]


class DecodingSettings:
    """Fields of a request body that decide decoding, and what the model was found to refuse.

    Some models answer 400 to a temperature, a seed or log-probabilities. Such a setting is left
    out once and for all for this model, and recorded in `Reply.settings` of each call. The model
    is never changed, and a setting is only remembered as refused when leaving it out made the call
    succeed.
    """

    def __init__(self, options: JudgeOptions) -> None:
        self._options = options
        self._refused: tuple[str, ...] = ()

    async def ask(self, request: Request, attempt: Callable[[Fields], Awaitable[Reply]]) -> Reply:
        """One call by `attempt`, repeated without a setting that the server names as refused."""
        refused = self._refused
        while True:
            try:
                reply = await attempt(self.fields(request, refused))
            except SettingRefused as refusal:
                name = _family(refusal.setting)
                if name in refused:
                    raise
                refused = (*refused, name)
                continue
            self._refused = tuple(dict.fromkeys((*self._refused, *refused)))
            return replace(reply, settings=self._differing(request, refused))

    def fields(self, request: Request, refused: tuple[str, ...] | None = None) -> Fields:
        """The body fields for a request, without those refused; None takes those known so far."""
        refused = self._refused if refused is None else refused
        long_name = "max_tokens" in refused
        fields: Fields = {
            "max_completion_tokens" if long_name else "max_tokens": request.max_tokens
        }
        options = self._options
        if options.temperature is not None and "temperature" not in refused:
            fields["temperature"] = float(options.temperature)
        if options.seed is not None and "seed" not in refused:
            fields["seed"] = options.seed + request.repeat
        if request.top_logprobs and "logprobs" not in refused:
            fields["logprobs"] = True
            fields["top_logprobs"] = min(request.top_logprobs, MAX_TOP_LOGPROBS)
        return fields

    def _differing(self, request: Request, refused: tuple[str, ...]) -> dict[str, Any]:
        used: dict[str, Any] = {}
        if "temperature" in refused:
            used["temperature"] = NOT_SENT
        if "seed" in refused:
            used["seed"] = NOT_SENT
        if "logprobs" in refused and request.top_logprobs:
            used["top_logprobs"] = 0
        return used


def _family(setting: str) -> str:
    return {"top_logprobs": "logprobs", "max_completion_tokens": "max_tokens"}.get(setting, setting)

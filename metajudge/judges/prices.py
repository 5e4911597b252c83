"""What a call costs, by the price table that comes with litellm, without importing litellm."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.judges.completion import Tokens

_TABLE = "model_prices_and_context_window_backup.json"
_FREE = ("local:", "baseline:", "scripted:", "recorded:")
_TIER = re.compile(r"^(input|output)_cost_per_token_above_(\d+)k_tokens$")


class Price(NamedTuple):
    """USD per token; `cached` is for prompt tokens that came from the provider's cache."""

    prompt: float
    cached: float
    completion: float


@lru_cache(maxsize=1)
def price_table() -> dict[str, dict[str, Any]]:
    """Litellm's table as installed: model name to its entry; {} where the file is not there."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    try:
        text = (Path(found.origin).parent / _TABLE).read_text(encoding="utf-8")
    except OSError:
        return {}
    table = json.loads(text)
    table.pop("sample_spec", None)
    return {name: entry for name, entry in table.items() if isinstance(entry, dict)}


def _entry(model: str) -> dict[str, Any] | None:
    table = price_table()
    if model in table:
        return table[model]
    provider, _, name = model.partition("/")
    entry = table.get(name)
    ours = entry is not None and str(entry.get("litellm_provider", "")).startswith(provider)
    return entry if ours else None


@lru_cache(maxsize=256)
def price_per_token(model: str, prompt_tokens: int = 0) -> Price | None:
    """Price of a model; None when the table does not know it.

    Args:
        model: Model with its provider, as in a judge spec (`openai/gpt-4o-mini`).
        prompt_tokens: Size of the prompt; some models cost more above a size.
    """
    entry = _entry(model)
    if entry is None or "input_cost_per_token" not in entry:
        return None
    rates = {
        "input": entry["input_cost_per_token"],
        "output": entry.get("output_cost_per_token", 0.0),
        "cached": entry.get("cache_read_input_token_cost"),
    }
    tiers = [(int(m[2]), m[1], entry[key]) for key in entry if (m := _TIER.match(key))]
    for thousands, side, rate in sorted(tiers):
        if prompt_tokens > thousands * 1000 and rate is not None:
            rates[side] = rate
            if side == "input":
                key = f"cache_read_input_token_cost_above_{thousands}k_tokens"
                rates["cached"] = entry.get(key, rates["cached"])
    cached = rates["input"] if rates["cached"] is None else rates["cached"]
    return Price(float(rates["input"]), float(cached), float(rates["output"]))


def cost_of(model: str, tokens: Tokens) -> float | None:
    """Cost of a finished call in USD; None when price or token counts are unknown.

    Prompt tokens count those from the provider's cache too; these are charged once, at their own
    rate.
    """
    if tokens.prompt is None or tokens.completion is None:
        return None
    price = price_per_token(model, _tier_key(tokens.prompt))
    if price is None:
        return None
    cached = min(tokens.cached or 0, tokens.prompt)
    fresh = tokens.prompt - cached
    return fresh * price.prompt + cached * price.cached + tokens.completion * price.completion


def _tier_key(prompt_tokens: int) -> int:
    """Round up to whole thousands, so that the look-up is remembered."""
    return -(-prompt_tokens // 1000) * 1000


def price_of(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Expected cost of a call in USD, nothing cached; None for a model without a known price.

    Args:
        model: A judge spec; judges that call no provider cost 0.
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.

    >>> price_of("local:qwen2.5-coder-1.5b", 1000, 10)
    0.0
    >>> price_of("openai/no-such-model", 1000, 10) is None
    True
    """
    if model.startswith(_FREE):
        return 0.0
    model = model.removeprefix("litellm:")
    if "/" not in model:
        model = f"{price_table().get(model, {}).get('litellm_provider', 'openai')}/{model}"
    return cost_of(model, Tokens(prompt_tokens, 0, completion_tokens))

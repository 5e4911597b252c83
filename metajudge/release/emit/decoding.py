"""The pinned judge in the words of frameworks that ask models themselves."""

from __future__ import annotations

from typing import Any

from metajudge.release.bundle import Release


def decoding(release: Release) -> dict[str, Any]:
    """Temperature and seed of the pin, each where it is set."""
    pin = release.candidate.judge
    wanted = {"temperature": pin.temperature, "seed": pin.seed}
    return {name: value for name, value in wanted.items() if value is not None}


def openai_model(release: Release) -> str | None:
    """The pin's model where it is one of OpenAI's interface; None for any other judge."""
    provider, _, model = release.candidate.judge.spec.partition("/")
    return model if provider == "openai" and model else None

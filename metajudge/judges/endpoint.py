"""Where a chat model is asked, and the identity it has whichever transport asks it."""

from __future__ import annotations

import ipaddress
import os
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from metajudge.errors import JudgeSpecError, Problem
from metajudge.judges.judge import Scalar
from metajudge.judges.options import JudgeOptions, address_problems


@dataclass(frozen=True, slots=True)
class OpenAIStyle:
    """A provider that speaks OpenAI's chat format unchanged, so that both transports fit."""

    base_variables: tuple[str, ...]
    key_variable: str
    default_base: str | None = None


OPENAI_STYLE: dict[str, OpenAIStyle] = {
    "openai": OpenAIStyle(
        ("OPENAI_API_BASE", "OPENAI_BASE_URL"), "OPENAI_API_KEY", "https://api.openai.com/v1"
    ),
    "hosted_vllm": OpenAIStyle(("HOSTED_VLLM_API_BASE",), "HOSTED_VLLM_API_KEY"),
    "lm_studio": OpenAIStyle(("LM_STUDIO_API_BASE",), "LM_STUDIO_API_KEY"),
    "litellm_proxy": OpenAIStyle(("LITELLM_PROXY_API_BASE",), "LITELLM_PROXY_API_KEY"),
}
"""Providers with a direct transport, and the environment variables that they are set up by."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and how to reach it.

    Attributes:
        base: Address up to and with `/v1`, without a trailing slash.
        own: Whether it is another than the provider's own address.
        key_variable: Environment variable that holds the key.
        key: The key; never shown.
    """

    base: str
    own: bool
    key_variable: str
    key: str | None = field(default=None, repr=False)

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        return is_loopback(self.base)

    @property
    def proxy(self) -> str | None:
        """The proxy that the environment names for this server; never one for loopback."""
        parts = urlsplit(self.base)
        host = parts.hostname or ""
        if self.is_loopback or urllib.request.proxy_bypass(host):
            return None
        proxies = urllib.request.getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all")
        return proxy if proxy and proxy.startswith(("http://", "https://")) else None


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine.

    >>> is_loopback("http://localhost:8000/v1"), is_loopback("http://[::1]:8000/v1")
    (True, True)
    >>> is_loopback("https://example.org/v1")
    False
    """
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def find_endpoint(
    provider: str, options: JudgeOptions, environ: Mapping[str, str] | None = None
) -> Endpoint | None:
    """The endpoint of an OpenAI-style provider; None where its address is not known.

    The option comes first, then the provider's environment variables, then its own address.

    Raises:
        JudgeSpecError: The address in the environment is none, or holds credentials.
    """
    environ = os.environ if environ is None else environ
    style = OPENAI_STYLE[provider]
    base = options.api_base
    if base is None:
        for name in style.base_variables:
            if environ.get(name):
                base = environ[name]
                problems = address_problems(base, f"environment variable {name}", name)
                if problems:
                    raise JudgeSpecError(problems)
                break
    base = (base or style.default_base or "").rstrip("/")
    if not base:
        return None
    # A key has no white space; one read from a file often ends with a line break.
    key = "".join((environ.get(style.key_variable) or "").split()) or None
    return Endpoint(base, base != style.default_base, style.key_variable, key)


def address_unknown(spec: str, provider: str) -> JudgeSpecError:
    """The error for a provider that has no address of its own and was given none."""
    names = " or ".join(OPENAI_STYLE[provider].base_variables)
    law = f"{provider}/ needs the address of a server"
    return JudgeSpecError(Problem("judge spec", law, f"Set api_base, or {names}.", got=repr(spec)))


def chat_identity(model: str, own_endpoint: bool, options: JudgeOptions) -> dict[str, Scalar]:
    """Identity of a chat model: the same for both transports, so replies are shared.

    The address is not part of it: a server that moves to another port stays the same judge. That
    it is not the provider's own server is part of it, since a name may mean anything there.

    >>> chat_identity("openai/m", False, JudgeOptions())["backend"]
    'openai'
    """
    return {
        "model": model,
        "backend": model.partition("/")[0],
        "own_endpoint": own_endpoint,
        "temperature": None if options.temperature is None else float(options.temperature),
        "seed": options.seed,
    }

"""What a user may set on a judge beside its spec."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from metajudge.errors import JudgeSpecError, Problem, broken_rules

MAX_TOP_LOGPROBS = 20


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Settings of a judge. None of them holds a secret: keys come from the environment only.

    Attributes:
        api_base: Address of an OpenAI-compatible server up to and with `/v1`; None takes the
            provider's own, or what its environment variable says.
        temperature: Sampling temperature, always sent; None leaves it to the server.
        seed: Sampling seed; the draw number is added to it, so that repeats stay draws.
        timeout_s: Deadline of one call in seconds.
        context_tokens: Context window of a local model in tokens.
        threads: Threads of a local model; None takes the cores this process may use.

    Raises:
        JudgeSpecError: A value out of range, or an `api_base` with credentials or a query.
    """

    api_base: str | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    timeout_s: float = 120.0
    context_tokens: int = 4096
    threads: int | None = None

    def __post_init__(self) -> None:
        problems = _range_problems(self)
        if self.api_base is not None:
            problems += address_problems(self.api_base, "judge options", "api_base")
        if problems:
            raise JudgeSpecError(problems)


def _range_problems(options: JudgeOptions) -> list[Problem]:
    rules = (
        ("temperature", options.temperature is None or 0 <= options.temperature <= 2, "in 0 … 2"),
        ("timeout_s", 0 < options.timeout_s < float("inf"), "a positive number of seconds"),
        ("context_tokens", options.context_tokens >= 64, "at least 64"),
        ("threads", options.threads is None or options.threads >= 1, "at least 1"),
    )
    return broken_rules("judge options", options, rules, "Correct the value.")


def address_problems(address: str, where: str, field: str) -> list[Problem]:
    """Faults of a server address: no http(s) address, credentials in it, or a query.

    The address itself is not repeated in the message, as it may hold a secret.

    >>> address_problems("http://127.0.0.1:8000/v1", "judge options", "api_base")
    []
    >>> [p.law for p in address_problems("http://me:pw@host/v1", "judge options", "api_base")]
    ['a server address holds no user name or password']
    """
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        law = "a server address looks like http://host:port/v1"
        return [Problem(where, law, "Write the full address.", field=field)]
    problems = []
    if parts.username is not None or parts.password is not None:
        law = "a server address holds no user name or password"
        mend = "Put the key into the provider's environment variable."
        problems.append(Problem(where, law, mend, field=field))
    if parts.query or parts.fragment:
        law = "a server address ends with its path, without ? or #"
        mend = "Use a litellm spec for providers that need a query."
        problems.append(Problem(where, law, mend, field=field))
    return problems

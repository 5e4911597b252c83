"""Takes secrets out of text that people will read or that is stored."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_QUERY = re.compile(r"(https?://[^\s?#\"']+)[?#][^\s\"']*")
_BEARER = re.compile(r"\b(bearer|basic)\s+[\w.+/=*~-]{6,}", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|rk|hf|gsk|xai|ghp|key)[-_][\w*.-]{6,}")
_MASKED = re.compile(r"[\w.-]*\*{3,}[\w.-]*")
_SHOWN_PREFIX = 6
_MIN_SECRET = 8
_HIDDEN = "[hidden]"


def scrub(text: str, limit: int = 400) -> str:
    r"""One line of at most `limit` characters without keys, URL credentials and URL queries.

    Hidden are: values of environment variables whose names end like a secret's, also when only
    their beginning is shown, the usual shapes of keys, bearer tokens, and masked keys.

    >>> scrub("see https://me:pw@host/v1?api_key=abc\nBearer abcdef123")
    'see https://host/v1 [hidden]'
    """
    text = " ".join(text.split())
    text = _QUERY.sub(r"\1", _USERINFO.sub("", text))
    for value in _environment_secrets():
        if value[:_SHOWN_PREFIX] in text:
            text = re.sub(re.escape(value[:_SHOWN_PREFIX]) + r"[^\s\"',;)]*", _HIDDEN, text)
    for shape in (_BEARER, _KEY_SHAPE, _MASKED):
        text = shape.sub(_HIDDEN, text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def without_key(text: str, key: str | None) -> str:
    """A reply's text without the key that was sent, should a server echo it; else unchanged.

    >>> without_key("yes, said Bearer sk-12345678", "sk-12345678")
    'yes, said Bearer [hidden]'
    """
    return text.replace(key, _HIDDEN) if key and len(key) >= _MIN_SECRET else text


def without_environment_secrets(text: str) -> str:
    """A reply's text without the value of any secret in the environment."""
    for value in _environment_secrets():
        text = text.replace(value, _HIDDEN)
    return text


def _environment_secrets() -> list[str]:
    return [
        value.strip()
        for name, value in os.environ.items()
        if len(value.strip()) >= _MIN_SECRET and _SECRET_NAME.search(name)
    ]

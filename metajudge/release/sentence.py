"""Sentences that people leave in a release or its registry: reasons and remarks."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.errors import Problem


def faulty(text: str, field: str, law: str) -> Iterator[Problem]:
    """What keeps a sentence from being written down.

    Args:
        text: The sentence.
        field: The option that it was given with.
        law: Why there has to be one.
    """
    if not text.strip():
        yield Problem("command line", law, f'Write a sentence: {field} "…".', field=field)
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        law, mend = "a sentence is text in UTF-8", "Write it again, in a UTF-8 terminal."
        yield Problem("command line", law, mend, field=field, got=ascii(text[:80]))

"""Reasoning blocks are no answer."""

from __future__ import annotations

import pytest

from metajudge.verdicts.think import without_thoughts


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", "yes"),
        ("<think>no</think>yes", "yes"),
        ("no</think>yes", "yes"),
        ("<THINK>a</THINK><think>b</think> yes", " yes"),
        ("<thinking>no</thinking>yes", "yes"),
        ("a < b </think>yes", "yes"),
        ("a < b", "a < b"),
    ],
)
def test_the_answer_follows_the_last_closing_tag(text: str, answer: str) -> None:
    read = without_thoughts(text)
    assert (read.text, read.unfinished) == (answer, False)
    assert read.had_thoughts == (answer != text)


def test_an_open_block_answers_nothing() -> None:
    assert without_thoughts("<think>yes").unfinished
    assert without_thoughts("<think>a</think>\n<think>yes").unfinished

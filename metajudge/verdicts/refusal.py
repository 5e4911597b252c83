"""Replies in which the judge declines to judge."""

from __future__ import annotations

import re

_HELP = r"(?:assist|help|comply|fulfil|provide|answer|continue|discuss|respond|do (?:this|that))"
_REFUSAL = re.compile(
    rf"^\W*(?:i(?:'| a)m (?:very |really )?sorry|sorry|my apologies|i apologi[sz]e)\b.{{0,120}}?"
    rf"(?:can(?:no|')t|can not|unable|won't|will not|not able)\b.{{0,60}}?\b{_HELP}\b"
    rf"|^\W*i(?: am|'m)? (?:can(?:no|')t|can not|unable to|won't|will not|not able to)\b"
    rf".{{0,40}}?\b{_HELP}\b"
    r"|^\W*as an ai\b.{0,160}?(?:can(?:no|')t|can not|unable|not able|won't)\b"
    r"|^\W*(?:非常|很|十分)?(?:抱歉|对不起|不好意思).{0,40}?(?:无法|不能|不便|没办法)"
    r"|^\W*我(?:无法|不能|没办法)(?:提供|协助|帮助|回答|完成|处理|继续)"
    r"|^\W*作为(?:一个|一款|一名)?(?:ai|人工智能|语言模型).{0,60}?(?:无法|不能|不便)",
    re.IGNORECASE | re.DOTALL,
)


def is_refusal(text: str) -> bool:
    """Whether a reply that holds no verdict opens with a refusal, in English or Chinese.

    >>> [is_refusal(t) for t in ("I'm sorry, but I can't assist with that.", "抱歉，我无法回答。")]
    [True, True]
    >>> is_refusal("I cannot find the figure in the context.")
    False
    """
    return _REFUSAL.search(text[:400].replace("’", "'")) is not None

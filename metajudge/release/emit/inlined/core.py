"""Filling a release's prompt, reading its replies and scoring its labels, by itself.

Python drop-ins carry this file's functions, so nothing here may import metajudge.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

_THOUGHTS = re.compile(r"<(/?)\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_PAIRS = (
    "****",
    "____",
    "**",
    "__",
    "``",
    '""',
    "''",
    "“”",
    "‘’",
    "「」",
    "『』",
    "()",
    "[]",
    "【】",
)


def require(package: str, least: Sequence[int], below: Sequence[int], tested: str) -> None:
    """Refuse a version of the framework that this module was not written for."""
    known = f">={'.'.join(map(str, least))},<{'.'.join(map(str, below))}"
    written = f"{__name__} is written for {package} {known} (tested with {tested})"
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError as error:
        told = f"{written}, which is not installed: pip install '{package}{known}'"
        raise ModuleNotFoundError(told) from error
    numbers = [int(number) for number in re.findall(r"\d+", str(found))[:3]]
    if not list(least) <= numbers < list(below):
        raise ImportError(
            f"{written}, and {package} {found} is installed. Install such a version, or emit the "
            "release anew with a metajudge that knows this one."
        )


def texts_of(value: object, what: str) -> list[str]:
    """A text, or several, as a list; a text is never taken apart into its characters."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        texts = list(value)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise TypeError(f"{what} is a text or a list of texts, got {type(value).__name__}")


def spoken_in(languages: Mapping[str, Any], language: str | None) -> Any:
    """The release's wording in a language; `zh-CN` is served by `zh`."""
    if language is None:
        return next(iter(languages.values()))
    primary = language.partition("-")[0].casefold()
    for tag in (language, primary):
        if tag in languages:
            return languages[tag]
    raise ValueError(f"language is one of {', '.join(languages)}, got {language!r}")


def filled(
    wording: Any,
    passages: Sequence[str],
    claims: Sequence[str],
    question: str | None = None,
    unsure: str = "",
) -> list[dict[str, str]]:
    """The chat messages of one call. Texts are joined, never formatted: they arrive as they are."""
    if not any(passage.strip() for passage in passages):
        context = wording["empty_context"]
    elif len(passages) == 1:
        context = passages[0]
    else:
        context = "\n\n".join(f"[{i}] {passage}" for i, passage in enumerate(passages, 1))
    if wording["claims_per_call"] == 1:
        (claim_text,) = claims
    else:
        claim_text = "\n".join(f"{i}. {claim}" for i, claim in enumerate(claims, 1))
    texts = {"context": context, "claims": claim_text, "question": question, "unsure": unsure}
    messages = []
    for role, pieces in wording["messages"]:
        parts = [piece if isinstance(piece, str) else texts[piece["place"]] for piece in pieces]
        if None in parts:
            raise ValueError("this release shows the user's question, and there is none")
        messages.append({"role": role, "content": "".join(parts)})
    return messages


def calls_of(claims: Sequence[str], per_call: int) -> list[list[str]]:
    """The claims in calls of at most `per_call`."""
    return [list(claims[i : i + per_call]) for i in range(0, len(claims), per_call)]


def read_labels(text: str, wording: Any, n_claims: int) -> list[str | None]:
    """The label of each claim of a call: yes, no, idk, or None where the reply has none.

    Only the form that the prompt asks for is read, and only whole words that the prompt offers; a
    label inside a sentence is none. Entries of a list are placed by their `id`.
    """
    answer = _without_thoughts(text)
    if wording["claims_per_call"] > 1:
        return _listed(answer, wording["labels"], n_claims)
    if wording["json"]:
        entry = _loaded(answer)
        return [_entry_label(entry, wording["labels"])]
    if wording["form"] == "label_only":
        return [label_of(answer, wording["labels"])]
    return [_marked(answer, wording)]


def label_of(word: object, labels: Mapping[str, Sequence[str]]) -> str | None:
    """The label that a word stands for, whatever its case, width, quotes and full stop."""
    if not isinstance(word, str) or len(word) > 200:
        return None
    known = {_folded(spelling): label for label, words in labels.items() for spelling in words}
    bare, stop_left = _folded(word), True
    while bare and bare not in known:
        if stop_left and bare[-1] in ".。｡":
            bare, stop_left = bare[:-1].rstrip(), False
            continue
        for pair in _PAIRS:
            opening, closing = pair[: len(pair) // 2], pair[len(pair) // 2 :]
            inside = bare[len(opening) : -len(closing)]
            if inside and bare.startswith(opening) and bare.endswith(closing):
                bare = inside.strip()
                break
        else:
            return None
    return known.get(bare)


def score_of(labels: Sequence[str | None], credit: Mapping[str, float | None]) -> float | None:
    """The score of an answer, 0 to 1; None where it has none.

    The sum of credits over the claims asked. A claim without a label stays in the denominator,
    uncredited; a label whose credit is None is left out.
    """
    if not any(label is not None and credit[label] is not None for label in labels):
        return None
    counted = [0.0 if label is None else credit[label] for label in labels]
    earned = [value for value in counted if value is not None]
    return sum(earned) / len(earned)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def _without_thoughts(text: str) -> str:
    """What follows a model's reasoning; nothing where the reasoning never ends."""
    answer = text
    for tag in _THOUGHTS.finditer(text):
        if tag[1]:
            answer = text[tag.end() :]
    opened = _THOUGHTS.match(answer.lstrip())
    return "" if opened is not None and not opened[1] else answer


def _loaded(text: str) -> object:
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced[1] if fenced else text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; a key that comes twice with two values has none."""
    found: dict[str, object] = {}
    for key, value in pairs:
        found[key] = value if found.get(key, value) == value else None
    return found


def _entry_label(entry: object, labels: Mapping[str, Sequence[str]]) -> str | None:
    return label_of(entry.get("verdict"), labels) if isinstance(entry, dict) else None


def _listed(text: str, labels: Mapping[str, Sequence[str]], n_claims: int) -> list[str | None]:
    entries = _loaded(text)
    said: dict[str, set[str | None]] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("id"), int | str):
            said.setdefault(str(entry["id"]).strip(), set()).add(_entry_label(entry, labels))
    found = [said.get(str(number), set()) for number in range(1, n_claims + 1)]
    return [next(iter(words)) if len(words) == 1 else None for words in found]


def _marked(text: str, wording: Any) -> str | None:
    """The label after the verdict marker, in the first or the last line as the form has it."""
    marker = _folded(wording["marker"])
    lines = [line.strip(" \t*_#") for line in map(_folded, text.splitlines()) if line]
    if not lines:
        return None
    asked = lines[0] if wording["form"] == "label_first" else lines[-1]
    marked = [line for line in lines if line.startswith(marker)]
    if asked not in marked:
        return None
    words = {label_of(line[len(marker) :].strip(" *_"), wording["labels"]) for line in marked}
    return words.pop() if len(words) == 1 else None

"""`baseline:ngram`: the share of a claim's wording that stands in the context.

The floor that a judge has to beat: it sees words, not meaning. Three thresholds, all stated:

- coverage >= 0.6 and every number of the claim stands in the context: **yes**
- coverage >= 0.6 and a number of the claim does not: **no** (same wording, other figure)
- otherwise **idk**; a template without idk gets no

Coverage is the share of the claim's n-grams found anywhere in the passages: words and pairs of
neighbouring words in alphabetic scripts, pairs of neighbouring characters in Chinese; a Chinese
character that stands alone (`5人`) is found wherever the passages have it. Letters are compared
without case and width (`５００` is `500`, NFKC), and figures without marks of thousands (`1,000`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.templates.frame import frame_for
from metajudge.templates.source import PromptSource
from metajudge.verdicts.verdict import Label, Reply

BASELINE = "baseline:"
"""How the specs of judges that compute begin, and the models in their identities."""
MODEL = "baseline:ngram"
YES_FROM = 0.6
VERSION = "2"
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUNS = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[.,'’-][^\W_{_HAN}]+)*")
_IS_HAN = re.compile(rf"[{_HAN}]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


class Named(Protocol):
    """A judge, or what is pinned of one."""

    @property
    def spec(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def identity(self) -> Mapping[str, Scalar]:
        """What of it decides the answer."""
        ...


def compares_wording(judge: Named) -> bool:
    """Whether a judge compares texts itself: it reads no prompt and writes nothing but verdicts.

    >>> compares_wording(NgramBaseline("baseline:ngram"))
    True
    """
    named = (judge.spec, judge.identity.get("model"))
    return any(str(name).startswith(BASELINE) for name in named)


class Coverage(NamedTuple):
    """How far a context covers a claim's wording."""

    share: float
    """Share of the claim's n-grams in the context, 0 to 1; 0 for a claim without any."""
    numbers_match: bool
    """Whether each number of the claim stands in the context."""


def ngrams(text: str) -> list[str]:
    """Words and word pairs; character pairs where the script is Chinese.

    >>> ngrams("The office opens")
    ['the', 'office', 'opens', 'the office', 'office opens']
    >>> ngrams("九点开门")
    ['九点', '点开', '开门']
    """
    words: list[str] = []
    grams: list[str] = []
    for run in runs(text):
        if _IS_HAN.match(run):
            grams += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            words.append(run)
    pairs = [f"{left} {right}" for left, right in pairwise(words)]
    return words + pairs + grams


def runs(text: str) -> list[str]:
    """Words, and stretches of Chinese characters, in order, as they are compared.

    >>> runs("５００ Euro, 九点开门")
    ['500', 'euro', '九点开门']
    """
    return list(_RUNS.findall(_plain(text)))


def known_grams(passages: Sequence[str]) -> frozenset[str]:
    """What counts as found in passages: their n-grams, and each Chinese character alone."""
    known = {gram for passage in passages for gram in ngrams(passage)}
    known.update(char for passage in passages for char in _IS_HAN.findall(_plain(passage)))
    return frozenset(known)


def _plain(text: str) -> str:
    """A text without what two spellings of one wording may differ in."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _THOUSANDS.sub("", folded)


def coverage(claim: str, passages: Sequence[str]) -> Coverage:
    """Coverage of a claim by a context.

    >>> coverage("It opens at nine.", ["It opens at nine."]).share
    1.0
    >>> coverage("最多５人", ["最多 5 人可用。"]).share
    1.0
    """
    wanted = ngrams(claim)
    known = known_grams(passages)
    share = sum(gram in known for gram in wanted) / len(wanted) if wanted else 0.0
    return Coverage(share, not missing_numbers(claim, passages))


def missing_numbers(claim: str, passages: Sequence[str]) -> tuple[str, ...]:
    """Numbers of a claim that stand in no passage, each once, in the claim's order.

    >>> missing_numbers("5 of 12 by 2020", ["12 in 2020"])
    ('5',)
    """
    figures = {figure for passage in passages for figure in _NUMBER.findall(_plain(passage))}
    return tuple(dict.fromkeys(n for n in _NUMBER.findall(_plain(claim)) if n not in figures))


class NgramBaseline:
    """A judge that compares wording. It reads `Request.subject`, not the messages."""

    max_in_flight: int | None = None
    gives_logprobs = False
    label_in_one_token = False

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.identity: Mapping[str, Scalar] = {
            "model": MODEL,
            "backend": "metajudge",
            "backend_version": VERSION,
            "yes_from": YES_FROM,
        }

    def __repr__(self) -> str:
        return f"NgramBaseline({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """The verdicts in the form and dialect the template asks for."""
        subject = request.subject
        if subject is None:
            detail = "the n-gram baseline needs claim and context as data (Request.subject)"
            raise JudgeCallError("bad_request", detail)
        offered = subject.prompt.dialect.words
        found = [coverage(claim, subject.passages) for claim in subject.claims]
        labels = [_label(each, "idk" in offered) for each in found]
        reasons = [f"{each.share:.2f} of the claim's n-grams are in the context" for each in found]
        text = write_answer(subject.prompt, labels, reasons)
        return Reply(text, finish_reason="stop", cost_usd=0.0, model=MODEL)

    async def close(self) -> None:
        """Nothing to give back."""


def _label(found: Coverage, idk_offered: bool) -> Label:
    if found.share >= YES_FROM:
        return "yes" if found.numbers_match else "no"
    return "idk" if idk_offered else "no"


def write_answer(prompt: PromptSource, labels: Sequence[Label], reasons: Sequence[str]) -> str:
    """A reply that holds these labels in the answer form of a template.

    Args:
        prompt: The template.
        labels: One label a claim, in the order of the prompt.
        reasons: One line a claim; left out where the form has no reason.
    """
    form, words = prompt.answer.form, prompt.dialect.words
    batch = prompt.claims_per_call > 1
    if batch or prompt.answer.json_:
        entries = []
        for number, (label, reason) in enumerate(zip(labels, reasons, strict=True), 1):
            verdict = {"verdict": words[label]}
            with_reason = {
                "label_only": verdict,
                "reason_first": {"reason": reason, **verdict},
                "label_first": {**verdict, "reason": reason},
            }[form]
            entries.append({"id": number, **with_reason} if batch else with_reason)
        return json.dumps(entries if batch else entries[0], ensure_ascii=False)
    word = words[labels[0]]
    if form == "label_only":
        return word
    marked = frame_for("zh" if prompt.language == "zh" else "en").verdict_marker + word
    return "\n".join((reasons[0], marked) if form == "reason_first" else (marked, reasons[0]))

"""One claim's verdict as read from text: the common currency of the readers in this room."""

from __future__ import annotations

from typing import NamedTuple

from metajudge.templates.source import AnswerForm
from metajudge.verdicts.json_answer import JsonAnswer, single_answers
from metajudge.verdicts.json_scan import JsonFound, scan_json
from metajudge.verdicts.lines import TextAnswer, read_text
from metajudge.verdicts.refusal import is_refusal
from metajudge.verdicts.verdict import Failure, Label
from metajudge.verdicts.vocabulary import NOT_OFFERED, Vocabulary, Word


class Parsed(NamedTuple):
    """A label or a failure, before probabilities are looked at.

    Attributes:
        label: The label; None when there is a failure.
        failure: Why there is none.
        detail: One line for people.
        reason: The judge's own reason.
        repaired: Read from anything but the form that the template asks for.
        at_first_token: The label stands at the reply's very beginning.
    """

    label: Label | None
    failure: Failure | None = None
    detail: str | None = None
    reason: str | None = None
    repaired: bool = False
    at_first_token: bool = False


def failed(failure: Failure, detail: str) -> Parsed:
    """A reading without a label."""
    return Parsed(None, failure, detail)


def parsed_word(
    word: Word, vocabulary: Vocabulary, reason: str | None = None, *, repaired: bool = False
) -> Parsed:
    """The reading of a whole word: its label, or `label_not_offered`."""
    if word == NOT_OFFERED:
        offered = ", ".join(vocabulary.labels)
        detail = f"the reply names a label that this template does not offer ({offered})"
        return Parsed(None, "label_not_offered", detail, reason, repaired)
    return Parsed(word, reason=reason, repaired=repaired)


def read_single(text: str, vocabulary: Vocabulary, answer: AnswerForm, *, cut: bool) -> Parsed:
    """The verdict of a reply about one claim.

    Args:
        text: The reply without reasoning blocks.
        vocabulary: The words that count.
        answer: The form that the template asks for; other forms are read too, as repaired.
        cut: The server stopped at its length limit.
    """
    word = vocabulary.whole_word(text)
    if word is not None and not (cut and answer.form != "label_only"):
        strict = answer.form == "label_only" and not answer.json_
        return parsed_word(word, vocabulary, repaired=not strict)._replace(at_first_token=True)
    if "{" in text or "[" in text:
        found = scan_json(text)
        reading = _json_reading(text, found, vocabulary, answer, cut=cut)
        if reading is not None:
            return reading
    return _text_reading(read_text(text, vocabulary), text, vocabulary, answer, cut=cut)


def nothing_read(text: str, *, cut: bool, why: str = "no whole declared label found") -> Parsed:
    """The failure of a reply in which no verdict was found."""
    if cut:
        return failed("truncated", "the reply stopped at the token limit; raise max_tokens")
    if is_refusal(text):
        return failed("refused", "the judge declined to answer")
    return failed("unparsable", why)


def _json_reading(
    text: str, found: JsonFound, vocabulary: Vocabulary, answer: AnswerForm, *, cut: bool
) -> Parsed | None:
    if found.cut and cut:
        return nothing_read(text, cut=True)
    if found.broken:
        return failed("unparsable", "the reply holds JSON that does not decode")
    answers = single_answers(found, vocabulary)
    words = {word for each in answers for word in each.words}
    if not words:
        unread = [each.unread for each in answers if each.unread is not None]
        why = "the verdict is no whole declared label: "
        return failed("unparsable", why + unread[0]) if unread else None
    outside = None if found.whole else read_text(found.text_outside(text), vocabulary)
    if outside is not None and outside.marked and outside.word is not None:
        words.add(outside.word)
    if len(words) > 1:
        return failed("unparsable", "the reply holds several verdicts that contradict each other")
    chosen = next(each for each in answers if each.words)
    return parsed_word(
        words.pop(),
        vocabulary,
        chosen.reason,
        repaired=not (answer.json_ and _is_strict(found, answers)),
    )


def _is_strict(found: JsonFound, answers: list[JsonAnswer]) -> bool:
    return found.whole and not found.mended and len(answers) == 1 and answers[0].exact


def _text_reading(
    read: TextAnswer, text: str, vocabulary: Vocabulary, answer: AnswerForm, *, cut: bool
) -> Parsed:
    if read.word is None:
        why = {
            "none": "no whole declared label found",
            "contradiction": "several labels that contradict each other",
            "unread_marker": "what follows the verdict marker is no whole declared label",
        }[read.failure]
        return nothing_read(text, cut=cut, why=why)
    if cut and read.at_end and answer.form != "label_only":
        return nothing_read(text, cut=True)
    strict = not answer.json_ and read.marked
    strict &= (answer.form == "label_first" and read.first) or (
        answer.form == "reason_first" and read.last and not read.rest
    )
    reading = parsed_word(read.word, vocabulary, read.reason, repaired=not strict)
    return reading._replace(at_first_token=read.first and not read.marked)

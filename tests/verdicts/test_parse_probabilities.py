"""Replies with label probabilities: when the text goes first, and when they decide."""

from __future__ import annotations

import math

import pytest

from metajudge.templates.dialect import RELATION
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply, TokenLogprob
from tests.verdicts.parsing import BINARY, JSON, LABEL_FIRST, LABEL_ONLY, REASON_FIRST, template


def tokens(**shares: float) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(t.replace("_", " "), math.log(p)) for t, p in shares.items())


def test_label_only_text_goes_before_probabilities() -> None:
    first = tokens(_no=0.7, yes=0.2)
    (verdict,) = parse_reply(Reply("yes", first_token=first), LABEL_ONLY, ["1"])
    assert verdict.label == "yes"
    assert verdict.probabilities is not None
    assert verdict.probabilities.no == pytest.approx(7 / 9)
    assert verdict.label_mass == pytest.approx(0.9)


def test_label_only_falls_back_to_the_top_label_above_the_floor() -> None:
    cut = Reply("not", finish_reason="length", first_token=tokens(not_=0.6, supported=0.3))
    asked = template(dialect=RELATION["en"])
    (verdict,) = parse_reply(cut, asked, ["1"])
    assert (verdict.label, verdict.repaired) == ("idk", True)
    low = Reply("The", first_token=tokens(The=0.95, yes=0.05))
    (verdict,) = parse_reply(low, LABEL_ONLY, ["1"])
    assert (verdict.failure, verdict.probabilities) == ("unparsable", None)
    assert verdict.label_mass == pytest.approx(0.05)


def test_probabilities_never_overrule_a_refusal_or_a_foreign_label() -> None:
    first = tokens(yes=0.5, idk=0.4)
    binary = template(dialect=BINARY)
    (verdict,) = parse_reply(Reply("idk", first_token=first), binary, ["1"])
    assert verdict.failure == "label_not_offered"
    sorry = Reply("I'm sorry, I cannot help with that.", first_token=tokens(I=0.8, yes=0.2))
    assert parse_reply(sorry, LABEL_ONLY, ["1"])[0].failure == "refused"


def test_b54_missing_logprobs_keep_the_verdict() -> None:
    (verdict,) = parse_reply(Reply("yes", first_token=()), LABEL_ONLY, ["1"])
    assert (verdict.label, verdict.probabilities, verdict.label_mass) == ("yes", None, None)


def test_b55_probabilities_only_at_the_place_of_the_verdict() -> None:
    first = tokens(yes=0.9, no=0.1)
    text = "Yes is what one might say.\nVerdict: no"
    (verdict,) = parse_reply(Reply(text, first_token=first), REASON_FIRST, ["1"])
    assert (verdict.label, verdict.probabilities) == ("no", None)
    (verdict,) = parse_reply(Reply('{"verdict": "no"}', first_token=first), JSON, ["1"])
    assert verdict.probabilities is None
    (verdict,) = parse_reply(Reply("no. It is 500.", first_token=first), LABEL_FIRST, ["1"])
    assert verdict.probabilities is not None

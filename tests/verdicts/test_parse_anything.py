"""Whatever a judge says, the parser gives one verdict a claim, and soon."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.verdicts.parsing import JSON, LABEL_ONLY, ZH, template

ODD = st.text(alphabet=string.printable + '是否，。：{}[]"\\<>*`', max_size=80) | st.text(
    max_size=40
)


@settings(max_examples=150, deadline=None)
@given(text=ODD, finish=st.sampled_from(["stop", "length", None]))
def test_never_raises_and_always_gives_one_verdict_per_claim(text: str, finish: str | None) -> None:
    batch = template(json=True, claims_per_call=3)
    for asked, ids in ((LABEL_ONLY, ["1"]), (JSON, ["1"]), (ZH, ["1"]), (batch, ["1", "2", "3"])):
        verdicts = parse_reply(Reply(text, finish_reason=finish), asked, ids)
        assert len(verdicts) == len(ids)
        assert all((v.label is None) != (v.failure is None) for v in verdicts)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"a":' * 50_000,
        "*" * 50_000,
        "Verdict:" + "*" * 50_000,
        "9" * 50_000,
        '{"a":' * 9_000 + "}" * 9_000,
    ],
)
def test_hostile_text_is_read_quickly(text: str) -> None:
    batch = template(json=True, claims_per_call=2)
    for asked in (LABEL_ONLY, JSON, batch):
        assert parse_reply(Reply(text), asked, ["1"])[0].failure == "unparsable"

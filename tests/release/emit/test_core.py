"""What Python drop-ins carry: replies read as the parser reads them, or not at all."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.release.emit.inlined import core
from metajudge.release.emit.limits import credits
from metajudge.release.emit.python_text import literal, module_text
from metajudge.release.emit.sheet import sheet_of
from metajudge.scoring.policies import parse_policy
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.release.emit.made import CLAIMS, PASSAGES, own_template

TEMPLATES = [
    own_template(lang=lang, **changes)
    for lang in ("en", "zh")
    for changes in (
        {},
        {"labels": "relation"},
        {"labels": "letters"},
        {"answer": {"form": "label_first"}},
        {"answer": {"form": "reason_first"}},
        {"answer": {"form": "reason_first", "json": True}},
        {"answer": {"form": "label_only", "json": True}, "claims_per_call": 2},
    )
]
SHAPES = (
    "{w}",
    "{w}.",
    "**{w}**",
    " “{w}”。\n",
    "{w}{w}",
    "{w} or {v}",
    "{w}, because of that",
    "({w})",
    "Verdict: {w}",
    "verdict: **{w}**\nSince it says so.",
    "Why?\nVerdict: {w}",
    "结论：{w}\n因为。",
    "因为。\n结论：{w}",
    "Verdict: {w}\nVerdict: {v}",
    "Verdict: {w} or {v}\nIt says {v}.",
    "<think>{v}?</think>{w}",
    "<think>{w}",
    '{{"verdict": "{w}"}}',
    '{{"reason": "{v}", "verdict": "{w}"}}',
    '```json\n{{"verdict": "{w}", "reason": "x"}}\n```',
    '{{"verdict": "{w}", "verdict": "{v}"}}',
    '[{{"id": 1, "verdict": "{w}"}}, {{"id": 2, "verdict": "{v}"}}]',
    "1. {w}\n2. {v}",
    '[{{"id": "2", "verdict": "{w}"}}, {{"id": 1, "verdict": "{v}"}}]',
    '[{{"id": 7, "verdict": "{w}"}}, {{"id": 1, "verdict": "{v}"}}]',
    '[{{"id": 1, "verdict": "{w}"}}, {{"id": 1, "verdict": "{v}"}}]',
    '{{"verdict": null}}',
    "",
    "{w",
    "[]",
    "I cannot help with that.",
    '{{"verdict": {{"a": "{w}"}}}}',
)


def read(text: str, template: Template) -> tuple[list[str | None], list[str | None]]:
    """Labels as a drop-in reads them, and as the parser does."""
    n = 2 if template.claims_per_call > 1 else 1
    ids = [str(i) for i in range(1, n + 1)]
    ours = [verdict.label for verdict in parse_reply(Reply(text), template, ids)]
    return core.read_labels(text, sheet_of(template).plain(), n), list(ours)


@pytest.mark.parametrize(
    "template", TEMPLATES, ids=lambda t: f"{t.language}-{t.answer}-{t.dialect.name}"
)
def test_a_reply_is_read_as_the_parser_reads_it_or_not_at_all(template: Template) -> None:
    words = [*template.dialect.words.values(), "maybe", "ＹＥＳ"]
    agreed = 0
    for shape in SHAPES:
        for word in words:
            for other in words:
                text = shape.replace("{w}", word).replace("{v}", other)
                mine, ours = read(text.replace("{{", "{").replace("}}", "}"), template)
                for label, known in zip(mine, ours, strict=True):
                    assert label in (None, known), (text, mine, ours)
                    agreed += label is not None
    assert agreed > 10


@given(st.text(max_size=60))
def test_any_text_is_read_as_the_parser_reads_it_or_not_at_all(text: str) -> None:
    for template in TEMPLATES[:7]:
        mine, ours = read(text, template)
        assert all(label in (None, known) for label, known in zip(mine, ours, strict=True))


@pytest.mark.parametrize("template", TEMPLATES, ids=str)
def test_prompts_are_filled_as_templates_are_rendered(template: Template) -> None:
    wording = sheet_of(template).plain()
    for passages in ((), ("", " \n"), PASSAGES[:1], PASSAGES, ("{}", "{{context}}", "")):
        for call in core.calls_of(CLAIMS, template.claims_per_call):
            wanted = [message._asdict() for message in template.render(passages, call)]
            assert core.filled(wording, passages, call) == wanted


@given(
    st.lists(st.sampled_from(["yes", "no", "idk", None]), max_size=8),
    st.sampled_from(
        ["lenient", "strict", "partial(0.3)", "drop_idk", "map(yes=0.9,no=0.1,idk=0.4)"]
    ),
)
def test_scores_are_those_of_the_policy(labels: list[str | None], name: str) -> None:
    policy = parse_policy(name)
    codes = [("yes", "no", "idk", None).index(label) for label in labels]
    ours = policy.score_answer(np.array(codes, dtype=np.int8)).value
    mine = core.score_of(labels, credits(policy, ("yes", "no", "idk")))
    assert (mine is None) is (ours is None)
    assert mine is None or ours is None or abs(mine - ours) <= 1e-12


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES, st.integers(0, 3))
def test_literals_are_read_back_equal(value: Any, depth: int) -> None:
    assert ast.literal_eval(literal(value, depth)) == value


def test_languages_are_found_by_their_primary_tag_and_others_are_refused() -> None:
    tags = {"en": 1, "zh": 2}
    assert [core.spoken_in(tags, tag) for tag in (None, "zh-CN", "ZH", "en")] == [1, 2, 2, 1]
    with pytest.raises(ValueError, match="language is one of en, zh"):
        core.spoken_in(tags, "fr")


def test_a_docstring_cannot_end_its_own_quotes() -> None:
    doc = 'told """ and \\ and \x1b[31m and ends in "'
    tree = ast.parse(module_text(f"{doc}\n", {"A": 1}, "core.py"))
    assert (ast.get_docstring(tree) or "").startswith('told """ and \\ and ⟨1B⟩')


def test_a_text_is_one_text_and_never_a_row_of_characters_B39() -> None:
    assert core.texts_of("A claim.", "claims") == ["A claim."]
    assert core.texts_of(np.array(["a", "b"]), "claims") == ["a", "b"]
    assert core.texts_of((), "claims") == []
    for wrong in (None, float("nan"), 3, ["a", None], {"a": "b"}, b"a"):
        with pytest.raises(TypeError, match="claims is a text or a list of texts"):
            core.texts_of(wrong, "claims")


def test_a_framework_that_is_missing_is_named_with_how_to_get_it() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'no-such-thing>=1\.2,<3'"):
        core.require("no-such-thing", (1, 2), (3,), "1.5")

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from metajudge.experiment.build import Prepared
from metajudge.gold.claim import Context
from metajudge.judges.judge import call_key
from metajudge.release.asking import planned
from metajudge.release.rendered import PER_LANGUAGE, examples_text
from metajudge.templates.context_form import ContextForm
from tests.experiment.folder import declare, halls, write_gold, write_script
from tests.release.test_evidence import pinned


def prepared(folder: Path, **fields: Any) -> Prepared:
    english, contexts = halls(4)
    chinese, others = halls(4, "zh")
    write_gold(folder, [*english, *chinese], [*contexts, *others])
    return declare(folder, judges=[write_script(folder, [])], **fields).prepare()


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_five_claims_a_language_from_its_slices_in_turn(tmp_path: Path) -> None:
    found = prepared(tmp_path)
    rows = lines(examples_text(pinned(found, "literal"), found.gold, {}))
    assert [row["language"] for row in rows] == ["en"] * PER_LANGUAGE + ["zh"] * PER_LANGUAGE
    assert [row["claim_id"] for row in rows[:PER_LANGUAGE]] == [
        "en0-literal",
        "en0-summary",
        "en0-contradiction",
        "en0-off_context",
        "en1-literal",
    ]
    assert set(rows[0]) == {"claim_id", "language", "variant", "passage", "messages"}


def test_messages_are_those_that_are_sent(tmp_path: Path) -> None:
    found = prepared(tmp_path)
    candidate = pinned(found, "literal")
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    plan = planned([candidate], found.gold, judges, {})
    sent = {
        plan.claims[call.claims[0]].claim_id: call.call for call in plan.calls[candidate.judge.name]
    }
    for row in lines(examples_text(candidate, found.gold, {})):
        call = sent[row["claim_id"]]
        assert [m._asdict() for m in call.request.messages] == row["messages"]
        assert call_key(candidate.judge.identity, call.request) == call.key


def test_equal_candidates_give_equal_bytes(tmp_path: Path) -> None:
    found = prepared(tmp_path)
    candidate = pinned(found, "literal")
    again = replace(candidate, name="another name", threshold=0.1)
    assert examples_text(candidate, found.gold, {}) == examples_text(again, found.gold, {})


def test_each_order_of_the_labels_has_its_line(tmp_path: Path) -> None:
    axes = [{"name": "literal", "labels": "letters", "rotations": "all"}]
    found = prepared(tmp_path, templates=axes)
    candidate = pinned(found, "literal · letters*")
    rows = lines(examples_text(candidate, found.gold, {}))
    assert [row["variant"] for row in rows[:3]] == [0, 1, 2]
    assert len({row["claim_id"] for row in rows[:3]}) == 1
    assert len(rows) == 3 * 2 * PER_LANGUAGE


def test_passages_shown_one_at_a_time_have_a_line_each(tmp_path: Path) -> None:
    found = prepared(tmp_path)
    candidate = replace(pinned(found, "literal"), form=ContextForm("chunks", rule="any"))
    rows = lines(examples_text(candidate, found.gold, {}))
    assert [row["passage"] for row in rows[:4]] == [0, 1, 0, 1]


def test_a_language_with_fewer_claims_shows_all_of_them(tmp_path: Path) -> None:
    claims, contexts = halls(1)
    write_gold(tmp_path, claims, contexts)
    found = declare(tmp_path, judges=[write_script(tmp_path, [])]).prepare()
    rows = lines(examples_text(pinned(found, "literal"), found.gold, {}))
    assert len(rows) == len(claims)


def test_text_that_looks_like_markup_or_braces_stays_as_it_is(tmp_path: Path) -> None:
    """B37: judged text is data; it is neither filled in nor escaped."""
    odd = '{{ yes }} {% raw %} <b> "\u2028" \\n'
    found = prepared(tmp_path)
    claims = tuple(c.model_copy(update={"claim": odd}) for c in found.gold.claims[:1])
    passage = Context(context_id=claims[0].context_id, passages=(odd,), lang="en")
    gold = replace(found.gold, claims=claims, contexts={passage.context_id: passage})
    (row,) = lines_of(examples_text(pinned(found, "literal"), gold, {}))
    assert row["messages"][-1]["content"].count(odd) == 2


def lines_of(text: str) -> list[dict[str, Any]]:
    """Lines end with a line feed, whatever other line ends a text holds."""
    return [json.loads(line) for line in text.rstrip("\n").split("\n")]

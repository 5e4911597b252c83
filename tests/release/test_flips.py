from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from metajudge.experiment.build import Prepared
from metajudge.gold.claim import Claim
from metajudge.release.asking import planned
from metajudge.release.candidate import Candidate
from metajudge.release.compared import Recorded, compared
from metajudge.release.flips import COLUMNS, Compared, flips_text
from metajudge.verdicts.verdict import Reply
from tests.experiment.folder import declare, halls, write_gold, write_script
from tests.release.test_evidence import pinned


def claim(claim_id: str, label: str = "yes") -> Claim:
    return Claim.model_validate(
        {
            "claim_id": claim_id,
            "answer_id": "a",
            "context_id": "x",
            "claim": "c",
            "label": label,
            "slice": "literal",
        }
    )


def test_only_claims_with_another_verdict_have_a_line() -> None:
    compared = Compared(
        [claim("a"), claim("b", "no"), claim("c", "idk")],
        ["dev", "dev", "test"],
        np.array([2, 1, 0]),
        np.array([0, 1, 3]),
    )
    assert compared.flips == 2
    rows = list(csv.DictReader(io.StringIO(flips_text(compared))))
    assert [row["claim_id"] for row in rows] == ["a", "c"]
    assert [row["direction"] for row in rows] == ["idk->yes", "yes->failure"]
    assert rows[1] == {
        "claim_id": "c",
        "split": "test",
        "slice": "literal",
        "lang": "en",
        "gold": "idk",
        "before": "yes",
        "after": "failure",
        "direction": "yes->failure",
    }


def test_a_first_release_has_the_header_alone() -> None:
    assert flips_text(None) == ",".join(COLUMNS) + "\n"


def test_an_id_that_a_spreadsheet_would_compute_is_text() -> None:
    """A claim id comes from somebody's file."""
    compared = Compared([claim("=1+1")], ["dev"], np.array([0]), np.array([1]))
    assert "'=1+1,dev" in flips_text(compared)


def prepared(folder: Path) -> Prepared:
    claims, contexts = halls(2)
    write_gold(folder, claims, contexts)
    return declare(folder, judges=[write_script(folder, [])]).prepare()


def saying(candidate: Candidate, found: Prepared, labels: dict[str, str], gold: str) -> Recorded:
    """The candidate with replies to the claims that `labels` names."""
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    plan = planned([candidate], found.gold, judges, {})
    replies = {}
    for call in plan.calls[candidate.judge.name]:
        name = plan.claims[call.claims[0]].claim_id
        if name in labels:
            replies[call.call.key] = Reply(labels[name])
    return Recorded(candidate, ("en",), gold, replies)


def another_judge(candidate: Candidate) -> Candidate:
    return replace(
        candidate, judge=candidate.judge.model_copy(update={"identity": {"model": "newer"}})
    )


def test_each_side_is_read_by_its_own_pinned_judge(tmp_path: Path) -> None:
    found = prepared(tmp_path)
    before = pinned(found, "literal")
    ids = [c.claim_id for c in found.gold.claims]
    old = saying(before, found, dict.fromkeys(ids, "idk"), "g")
    new = saying(another_judge(before), found, dict.fromkeys(ids, "idk") | {ids[0]: "yes"}, "g")
    both = compared(old, new, {"dev": found.gold}, "g")
    assert both.flips == 1
    assert (both.before[0], both.after[0]) == (2, 0)


def test_on_its_own_gold_a_lost_reply_is_a_failure_on_other_gold_it_was_not_asked(
    tmp_path: Path,
) -> None:
    found = prepared(tmp_path)
    before = pinned(found, "literal")
    ids = [c.claim_id for c in found.gold.claims]
    new = saying(another_judge(before), found, dict.fromkeys(ids, "idk"), "g")
    old = saying(before, found, dict.fromkeys(ids[1:], "idk"), "g")
    same = compared(old, new, {"dev": found.gold}, "g")
    grown = compared(old._replace(gold_sha256="smaller"), new, {"dev": found.gold}, "g")
    assert (len(same.claims), same.flips, same.before[0]) == (len(ids), 1, 3)
    assert ([c.claim_id for c in grown.claims], grown.flips) == (ids[1:], 0)
    assert list(grown.splits) == ["dev"] * (len(ids) - 1)

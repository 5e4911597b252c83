"""`release verify` where what lies beside a release is another one, or is not there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from metajudge.release.bundle import Release
from metajudge.release.manifest import (
    EVIDENCE,
    SIGNATURE,
)
from metajudge.release.verify import open_case, verify
from tests.release.confirmed import NAME
from tests.release.factory import forge
from tests.release.verified import faults, look, states


@pytest.mark.parametrize("name", ["claims.jsonl", "contexts.jsonl", "goldset.yaml"])
def test_a_swapped_gold_file_is_found_and_named_with_both_hashes(
    place: Path, release: Release, name: str
) -> None:
    path = place / "gold" / name
    text = path.read_text("utf-8")
    old, new = {
        "claims.jsonl": ('"label": "idk"', '"label": "no"'),
        "contexts.jsonl": ("lends 2", "lends 3"),
        "goldset.yaml": ("labelling_policy:\n  version: '1'", "labelling_policy:\n  version: '2'"),
    }[name]
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    found = look(release)
    assert found.exit_code == 1
    assert states(found)["gold"] == "failed"
    assert states(found)["evidence"] == "open"
    told = next(check for check in found.checks if check.name == "gold").faults[0]
    assert name in told
    assert release.manifest.gold.sha256 in told
    assert re.search(r"got '?[0-9a-f]{64}", told)


def test_a_gold_file_in_another_order_is_the_same_gold(place: Path) -> None:
    """Intervals and examples depend on the order of claims, and the gold hash does not."""
    for name in ("claims.jsonl", "contexts.jsonl"):
        path = place / "gold" / name
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[1::2] + lines[::2][::-1]), "utf-8")
    for version in ("1.0.0", "1.0.1"):
        found = verify(open_case(f"{NAME}@{version}", place / "releases"))
        assert found.state == "ok", faults(found)


def test_an_order_of_claims_that_was_not_the_one_is_found(release: Release) -> None:
    path = release.folder / EVIDENCE
    told = json.loads(path.read_text("utf-8"))
    for ids in (told["recomputed"]["dev"]["claim_ids"][::-1], []):
        told["recomputed"]["dev"]["claim_ids"] = ids
        path.write_text(json.dumps(told), "utf-8")
        forge(release)
        assert states(look(release))["evidence"] == "failed"


def test_another_split_of_the_same_gold_is_found(place: Path, release: Release) -> None:
    path = place / "gold" / "goldset.yaml"
    path.write_text(path.read_text("utf-8").replace("s/1", "s/2"), "utf-8")
    found = look(release)
    assert states(found)["gold"] == "ok"
    assert states(found)["evidence"] == "failed"


def test_without_the_gold_set_verification_is_left_open(place: Path, release: Release) -> None:
    (place / "gold").rename(place / "away")
    found = look(release)
    assert (found.state, found.exit_code) == ("open", 4)
    assert {name for name, state in states(found).items() if state == "open"} == {
        "signature",
        "gold",
        "replies",
        "examples",
        "evidence",
        "flips",
    }
    assert look(release, gold=place / "away").exit_code == 0


def test_without_the_ledger_evidence_is_left_open(place: Path, release: Release) -> None:
    (place / "gold" / "ledger.jsonl").unlink()
    found = look(release)
    assert found.exit_code == 4
    told = next(check.told for check in found.checks if check.name == "evidence")
    assert "ledger.jsonl" in told


def test_a_path_without_a_registry_says_that_none_was_asked(
    release: Release, tmp_path: Path, place: Path
) -> None:
    alone = tmp_path / "alone"
    shutil.copytree(release.folder, alone)
    found = verify(open_case(str(alone), gold=place / "gold"))
    assert found.exit_code == 0
    assert states(found)["registry"] == "open"
    with_registry = verify(open_case(str(alone), place / "releases", place / "gold"))
    assert states(with_registry)["registry"] == "ok"


def test_a_signature_that_is_none_is_a_fault(release: Release) -> None:
    (release.folder / SIGNATURE).write_text("signed, honestly", "utf-8")
    found = look(release)
    assert states(found)["signature"] in ("failed", "open")
    assert states(found)["files"] == "ok"


def test_flips_are_left_open_where_the_release_before_is_gone(place: Path) -> None:
    shutil.rmtree(place / "releases" / NAME / "1.0.0")
    found = verify(open_case(f"{NAME}@1.0.1", place / "releases"))
    assert found.exit_code == 0
    assert states(found)["flips"] == "open"

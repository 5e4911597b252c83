from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metajudge.gold.claim import Claim
from metajudge.release.bundle import Release
from metajudge.release.flips import Compared
from metajudge.release.semver import Side, numbered
from metajudge.templates.catalogue import Wording, changed
from metajudge.templates.template import Template
from tests.release.factory import put_release


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return put_release(tmp_path, "1.2.3")


def verdicts(before: list[int], after: list[int]) -> Compared:
    claims = [
        Claim(claim_id=str(i), answer_id="a", context_id="x", claim="c", label="yes")
        for i in range(len(before))
    ]
    return Compared(claims, ["dev"] * len(before), np.array(before), np.array(after))


SAME = verdicts([0, 1, 2], [0, 1, 2])
FLIPPED = verdicts([0, 1, 2], [0, 1, 0])


def side(release: Release, **changes: Any) -> Side:
    return Side(release.manifest.model_copy(update=changes), release.candidate)


def part(release: Release, name: str, /, **changes: Any) -> dict[str, Any]:
    return {name: getattr(release.manifest, name).model_copy(update=changes)}


def test_the_first_release_is_1_0_0(release: Release) -> None:
    found = numbered(None, side(release), None)
    assert (found.version, found.change.kind) == ("1.0.0", "first")


def test_no_flip_is_a_patch(release: Release) -> None:
    found = numbered(side(release), side(release), SAME)
    assert (found.version, found.change.kind) == ("1.2.4", "patch")
    assert found.change.reasons == ("No verdict flips on 3 gold claims.",)


def test_a_flip_is_minor(release: Release) -> None:
    found = numbered(side(release), side(release), FLIPPED)
    assert (found.version, found.change.kind) == ("1.3.0", "minor")
    assert found.change.reasons == ("1 of 3 gold verdicts flip.",)


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_verdict_that_becomes_a_failure_is_a_flip(release: Release, code: int) -> None:
    found = numbered(side(release), side(release), verdicts([code], [3]))
    assert found.change.kind == "minor"


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("gold", {"policy_version": "2"}, "The labelling policy changes: 1 -> 2."),
        ("gold", {"policy_rules": ("new",)}, "The rules of the labelling policy change."),
        ("policy", {"name": "lenient"}, "strict (version 1) -> lenient (version 1)"),
        ("policy", {"version": "2"}, "strict (version 1) -> strict (version 2)"),
        ("policy", {"threshold": 0.7}, "The threshold changes: 0.5 -> 0.7."),
    ],
)
@pytest.mark.parametrize("compared", [SAME, FLIPPED])
def test_what_scores_or_labels_mean_is_major(
    release: Release, name: str, changes: dict[str, Any], told: str, compared: Compared
) -> None:
    found = numbered(side(release), side(release, **part(release, name, **changes)), compared)
    assert (found.version, found.change.kind) == ("2.0.0", "major")
    assert told in " ".join(found.change.reasons)
    assert ("1 of 3" in " ".join(found.change.reasons)) == (compared is FLIPPED)


def worded(release: Release, **changes: Any) -> Side:
    wording = release.candidate.variants[0]
    template = wording.by_language["en"]
    assert isinstance(template, Template)
    other = Wording(wording.name, {"en": changed(template, "test", **changes)})
    pins = [
        pin.model_copy(update={"fingerprint": other.by_language["en"].fingerprint})
        for pin in release.manifest.templates
    ]
    manifest = release.manifest.model_copy(update={"templates": tuple(pins)})
    return Side(manifest, replace(release.candidate, variants=(other,)))


@pytest.mark.parametrize("labels", ["letters", "words+1", {"yes": "Yes!", "no": "no", "idk": "?"}])
def test_another_dialect_or_order_of_labels_is_major(release: Release, labels: Any) -> None:
    found = numbered(side(release), worded(release, labels=labels), SAME)
    assert found.change.kind == "major"
    assert found.change.reasons[0].startswith("The dialect of en changes: yes 'yes', no 'no'")


def test_another_wording_moves_the_number_only_through_verdicts(release: Release) -> None:
    reworded = worded(release, layout="instructions_first")
    found = numbered(side(release), reworded, SAME)
    assert (found.change.kind, found.change.reasons[-1]) == ("patch", "The prompt changes.")
    assert numbered(side(release), reworded, FLIPPED).change.kind == "minor"


def test_another_judge_is_told_and_moves_the_number_only_through_verdicts(
    release: Release,
) -> None:
    other = side(release, **part(release, "judge", identity={"model": "m2"}))
    told = "The judge is another one: model None -> m2."
    for compared, kind in ((SAME, "patch"), (FLIPPED, "minor")):
        found = numbered(side(release), other, compared)
        assert (found.change.kind, found.change.reasons[-1]) == (kind, told)


def test_a_language_less_is_major_and_one_more_is_minor(release: Release) -> None:
    both = side(release, languages=("en", "zh"))
    assert numbered(both, side(release), SAME).change.reasons[0] == "It no longer stands for zh."
    assert numbered(both, side(release), SAME).change.kind == "major"
    assert numbered(side(release), both, SAME).change.kind == "minor"


def test_a_broken_guardrail_that_was_kept_is_major_and_one_broken_before_is_not(
    release: Release,
) -> None:
    over = side(release, override="because")
    assert numbered(side(release), over, FLIPPED).version == "2.0.0"
    assert numbered(over, over, FLIPPED).version == "1.3.0"
    assert numbered(over, side(release), SAME).version == "1.2.4"


def test_nothing_to_compare_is_not_taken_for_no_flip(release: Release) -> None:
    found = numbered(side(release), side(release), verdicts([], []))
    assert found.change.kind == "minor"
    assert found.change.reasons == ("No gold claim was asked about in 1.2.3 too.",)


def test_ten_follows_nine(tmp_path: Path) -> None:
    nine = put_release(tmp_path, "1.9.9")
    assert numbered(side(nine), side(nine), SAME).version == "1.9.10"
    assert numbered(side(nine), side(nine), FLIPPED).version == "1.10.0"

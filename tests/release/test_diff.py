"""`release diff` shows words, settings, verdicts, scores and number; it asks nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.release.bundle import Release, read_release
from metajudge.release.diff import ReleaseDiff, diff
from metajudge.release.manifest import REPLIES
from metajudge.release.registry import folder_of
from tests.experiment.folder import CAREFUL
from tests.release.confirmed import NAME, confirmed
from tests.release.factory import later

SURE = [(r"Claim: Somebody sells tea near Hall en\d,", "no"), *CAREFUL]
"""Lost claims of the first ten halls are called no."""
TURNED = 10


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases: the second with other words and verdicts, the third with another policy."""
    folder = tmp_path_factory.mktemp("pristine")
    confirmed(folder).release()
    later(folder, script=SURE).release()
    later(folder, name="third", script=SURE).release(policy="partial(0.5)", threshold=0.4)
    return folder


def release(place: Path, version: str) -> Release:
    return read_release(folder_of(place / "releases", NAME, version))


def between(place: Path, a: str, b: str) -> ReleaseDiff:
    return diff(release(place, a), release(place, b))


def test_a_release_has_no_difference_to_itself(place: Path) -> None:
    found = between(place, "1.0.0", "1.0.0")
    assert (found.templates, found.fields) == ((), ())
    assert found.gold is not None
    assert found.gold.flips.changed == 0
    assert found.gold.scores.mean_shift.value == 0
    assert found.change is not None
    assert found.change.kind == "patch"


def test_changed_words_stand_in_a_unified_diff_with_a_head_for_each_side(place: Path) -> None:
    (template,) = between(place, "1.0.0", "1.1.0").templates
    assert template.file == "template/en.yaml"
    assert template.lines[0] == f"--- {NAME}@1.0.0/template/en.yaml"
    assert template.lines[1] == f"+++ {NAME}@1.1.0/template/en.yaml"
    assert "-  'yes': 'MIND the gist: it follows.'" in template.lines
    assert "+  'yes': 'MIND the gist and the words: it follows.'" in template.lines


def test_flips_on_gold_are_told_by_direction_slice_and_claim(place: Path) -> None:
    gold = between(place, "1.0.0", "1.1.0").gold
    assert gold is not None
    assert (gold.claims, gold.splits) == (96, {"dev": 44, "test": 52})
    (way,) = gold.on_gold.directions
    assert (way.was, way.now, way.claims) == ("idk", "no", TURNED)
    assert (way.agrees_before.value, way.agrees_after.value) == (1.0, 0.0)
    assert way.slices == {"off_context": TURNED}
    assert (gold.on_gold.better, gold.on_gold.worse) == (0, TURNED)
    assert len(gold.changed) == TURNED
    assert {(row.gold, row.was, row.now) for row in gold.changed} == {("idk", "idk", "no")}


def test_flips_without_a_change_of_policy_are_a_minor_change_of_no_score(place: Path) -> None:
    """Strict gives neither no nor idk any credit."""
    found = between(place, "1.0.0", "1.1.0")
    assert found.version == "1.1.0"
    assert found.change is not None
    assert found.change.reasons[0] == f"{TURNED} of 96 gold verdicts flip."
    assert found.gold is not None
    assert found.gold.scores.mean_shift.value == 0
    assert "judge.identity.backend_version" in {change.name for change in found.fields}


def test_scores_shift_under_each_ones_policy_with_a_paired_interval(place: Path) -> None:
    """An idk of four claims is worth an eighth more under partial(0.5): 14 of 24 halls have one."""
    found = between(place, "1.1.0", "2.0.0")
    assert found.version == "2.0.0"
    assert found.change is not None
    assert found.change.kind == "major"
    settings = {change.name: (change.a, change.b) for change in found.fields}
    assert settings["policy.name"] == ("strict", "partial(0.5)")
    assert settings["policy.threshold"] == (0.8, 0.4)
    assert found.gold is not None
    assert found.gold.flips.changed == 0
    shift = found.gold.scores.mean_shift
    assert shift.value == pytest.approx(14 / 24 / 8, abs=1e-6)
    assert shift.low is not None
    assert shift.low > 0
    assert shift.clusters == 24
    assert found.gold.scores.to_pass > 0


def test_the_way_back_is_the_way_there_with_other_signs(place: Path) -> None:
    there, back = between(place, "1.1.0", "2.0.0").gold, between(place, "2.0.0", "1.1.0").gold
    assert there is not None
    assert back is not None
    assert there.scores.mean_shift.value == -(back.scores.mean_shift.value or 0)


def test_of_another_gold_set_the_claims_with_the_same_words_are_compared(tmp_path: Path) -> None:
    confirmed(tmp_path).release()
    path = tmp_path / "gold" / "claims.jsonl"
    lines = path.read_text("utf-8").splitlines()
    row = json.loads(lines[0])
    lines[0] = json.dumps(row | {"claim": row["claim"].replace("opens", "closes")})
    path.write_text("\n".join(lines) + "\n", "utf-8")
    later(tmp_path).release()
    found = between(tmp_path, "1.0.0", "1.0.1")
    assert found.gold is not None
    assert found.gold.claims == 95
    assert any("95 of 96 claims of B's set" in note for note in found.notes)
    assert "gold.sha256" in {change.name for change in found.fields}


def test_without_the_gold_set_words_and_settings_are_told_all_the_same(place: Path) -> None:
    away = place / "away"
    (place / "gold").rename(away)
    found = between(place, "1.0.0", "1.1.0")
    assert found.templates
    assert found.gold is None
    assert found.change is None
    assert "there is no gold set at" in found.notes[0]
    again = diff(release(place, "1.0.0"), release(place, "1.1.0"), away)
    assert again.gold is not None


def test_replies_that_cannot_be_read_leave_verdicts_out(place: Path) -> None:
    (release(place, "1.0.0").folder / REPLIES).write_bytes(b"no gzip")
    found = between(place, "1.0.0", "1.1.0")
    assert found.gold is None
    assert REPLIES in found.notes[0]

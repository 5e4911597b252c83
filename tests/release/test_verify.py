"""`release verify` finds what was altered, names it, and says what it could not look at.

The judge is a script, so that its answers can be turned in part.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release import verify_checks
from metajudge.release.bundle import Release, read_release
from metajudge.release.manifest import (
    CARD,
    EVIDENCE,
    EXAMPLES,
    FLIPS,
    MANIFEST,
    REPLIES,
    SUMS,
    TEMPLATES,
)
from metajudge.release.registry import REGISTRY
from metajudge.release.sums import listed_files
from metajudge.release.verify import open_case, verify
from metajudge.release.verify_case import checked
from metajudge.release.verify_checks import hashes
from tests.release.confirmed import NAME
from tests.release.factory import edit_replies, flip_byte, forge
from tests.release.verified import faults, look, states

TEMPLATE = f"{TEMPLATES}/en.yaml"
FILES = (CARD, EVIDENCE, EXAMPLES, FLIPS, MANIFEST, REPLIES, TEMPLATE)
FOLLOWS = (CARD, EXAMPLES, FLIPS, MANIFEST, TEMPLATE)
"""Files of which every byte follows from the others, or whose hash another file holds."""


def test_a_release_as_it_was_made_is_verified(place: Path) -> None:
    for ref in (f"{NAME}@1.0.0", NAME):
        found = verify(open_case(ref, place / "releases"))
        assert found.state == "ok", faults(found)
        assert found.exit_code == 0
        assert states(found) == {
            "files": "ok",
            "hashes": "ok",
            "manifest": "ok",
            "registry": "ok",
            "signature": "open",
            "templates": "ok",
            "gold": "ok",
            "replies": "ok",
            "examples": "ok",
            "evidence": "ok",
            "card": "ok",
            "flips": "ok",
        }


def test_there_are_two_releases_and_each_of_their_files_is_tried(place: Path) -> None:
    later = read_release(place / "releases" / NAME / "1.0.1")
    assert later.manifest.previous == "1.0.0"
    assert set(listed_files(later.folder)) == set(FILES)


@pytest.mark.parametrize("name", [*FILES, SUMS])
def test_one_altered_byte_in_any_file_is_found_and_the_file_named(
    release: Release, name: str
) -> None:
    path = release.folder / name
    before = path.read_bytes()
    for seed in range(40):
        flip_byte(path, seed)
        if seed < 3:
            found = look(release)
            assert found.exit_code == 1, (name, seed)
            assert str(path) in faults(found), (name, seed)
        elif name != SUMS:
            check = checked("hashes", hashes, open_case(str(release.folder)))
            assert check.state == "failed", (name, seed)
            assert str(path) in check.faults[0]
        path.write_bytes(before)


@pytest.mark.parametrize("name", FOLLOWS)
def test_one_altered_byte_is_found_although_all_hashes_were_forged(
    place: Path, release: Release, name: str
) -> None:
    path = release.folder / name
    registry = place / "releases" / REGISTRY
    before, lines = path.read_bytes(), registry.read_bytes()
    for seed in range(6):
        flip_byte(path, seed)
        forge(release)
        found = look(release)
        assert found.exit_code == 1, (name, seed)
        assert (found.checks[0].state, found.checks[1].state) == ("ok", "ok")
        path.write_bytes(before)
        registry.write_bytes(lines)


def test_every_altered_figure_is_found_although_all_hashes_were_forged(release: Release) -> None:
    path = release.folder / EVIDENCE
    before = path.read_text("utf-8")
    end = before.index('"carried"')
    digits = [found.start() for found in re.finditer(r"\d(?=[,\]}. ])", before[:end])]
    for place in digits[:: len(digits) // 8]:
        digit = str((int(before[place]) + 1) % 10)
        path.write_text(before[:place] + digit + before[place + 1 :], "utf-8")
        forge(release)
        found = look(release)
        assert found.exit_code == 1, before[place - 40 : place + 1]
        assert str(path) in faults(found)


def test_the_first_figure_that_differs_is_named_with_both_values(release: Release) -> None:
    path = release.folder / EVIDENCE
    told = json.loads(path.read_text("utf-8"))
    wanted = told["recomputed"]["test"]["figures"]["kappa"]["value"]
    told["recomputed"]["test"]["figures"]["kappa"]["value"] = wanted + 0.000001
    path.write_text(json.dumps(told), "utf-8")
    forge(release)
    text = faults(look(release))
    assert (
        f"recomputed.test.figures.kappa.value must follow from gold and replies ({wanted}" in text
    )


def test_figures_of_the_confirmation_cannot_be_bettered(release: Release) -> None:
    path = release.folder / EVIDENCE
    told = json.loads(path.read_text("utf-8"))
    told["carried"]["confirmation"]["winner"]["kappa"]["value"] = 0.99
    path.write_text(json.dumps(told), "utf-8")
    forge(release)
    assert "carried.confirmation.winner.kappa" in faults(look(release))


def test_an_altered_word_of_the_template_is_found_although_all_hashes_were_forged(
    release: Release,
) -> None:
    path = release.folder / TEMPLATE
    text = path.read_text("utf-8")
    for old, new in (("MIND", "MINE"), ("it conflicts", "it conflict"), ("1.0.0", "1.0.1")):
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        forge(release)
        found = look(release)
        assert states(found)["templates"] == "failed"
        assert str(path) in faults(found)
    (release.folder / TEMPLATES / "zh.yaml").write_text(text, "utf-8")
    forge(release)
    assert "pins no such template" in faults(look(release))


def test_an_altered_reply_is_found_although_all_hashes_were_forged(release: Release) -> None:
    path = release.folder / REPLIES
    edit_replies(path, lambda text: text.replace('"text":"no"', '"text":"yes"', 1))
    forge(release)
    found = look(release)
    assert states(found)["evidence"] == "failed"
    assert str(release.folder / EVIDENCE) in faults(found)


def test_an_altered_request_a_lost_reply_and_a_foreign_one_are_found(
    place: Path, release: Release
) -> None:
    path = release.folder / REPLIES
    before = path.read_bytes()

    edit_replies(path, lambda text: text.replace("opens at 9", "opens at 8", 1))
    forge(release)
    assert "a recorded call with the key of its request" in faults(look(release))

    path.write_bytes(before)
    edit_replies(path, _without_last)
    forge(release)
    assert "every call of the release has its reply, and 1 has none" in faults(look(release))

    shutil.copy(place / "releases" / NAME / "1.0.1" / REPLIES, path)
    forge(release)
    text = faults(look(release))
    assert "every reply is to a call of the release, and 96 are not" in text
    assert str(path) in text


def _without_last(text: str) -> str:
    head, *lines = text.splitlines()
    header = json.loads(head)
    header["replies"] -= 1
    return "\n".join([json.dumps(header), *lines[:-1]]) + "\n"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("override", "because"),
        ("created", "2020-01-01T00:00:00+00:00"),
        ("claims_per_call", 2),
        ("version", "1.0.7"),
    ],
)
def test_a_manifest_that_says_something_else_is_found(
    release: Release, field: str, value: object
) -> None:
    told = release.manifest.model_dump(mode="json") | {field: value}
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    assert look(release).exit_code == 1


def test_a_number_that_the_changes_do_not_make_is_found(place: Path) -> None:
    release = read_release(place / "releases" / NAME / "1.0.1")
    told = release.manifest.model_dump(mode="json")
    told["change"]["reasons"] = ["Nothing changes."]
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    assert "change is what the changes since 1.0.0 make it" in faults(look(release))


def test_a_file_more_or_less_is_found(release: Release) -> None:
    (release.folder / "notes.txt").write_text("mine", "utf-8")
    (release.folder / CARD).unlink()
    text = faults(look(release))
    assert "notes.txt: SHA256SUMS does not list this file" in text
    assert "CARD.md: SHA256SUMS lists this file, but it is gone" in text


def test_a_missing_manifest_is_a_fault_and_an_empty_folder_no_release(
    release: Release, tmp_path: Path
) -> None:
    (release.folder / MANIFEST).unlink()
    assert look(release).exit_code == 1
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "nowhere"):
        with pytest.raises(ReleaseError, match="here is neither"):
            open_case(str(path))


def test_evidence_that_lacks_a_figure_is_a_fault_and_no_crash(release: Release) -> None:
    path = release.folder / EVIDENCE
    path.write_text(path.read_text("utf-8").replace('"kappa"', '"Kappa"', 1), "utf-8")
    forge(release)
    found = look(release)
    assert states(found)["evidence"] == "failed"
    assert states(found)["card"] == "open"


def test_a_policy_without_a_value_for_a_label_is_a_fault_and_no_crash(release: Release) -> None:
    told = release.manifest.model_dump(mode="json")
    told["policy"]["name"] = "map(yes=1)"
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    found = look(release)
    assert states(found)["manifest"] == "failed"
    assert "has none for" in faults(found)


@pytest.mark.parametrize(
    "file",
    [
        "../../../templates/mine.en.yaml",
        "template/../../../../templates/mine.en.yaml",
        "/etc/passwd",
        "template\\en.yaml",
        "template/en.yaml\n",
        "template/sub/en.yaml",
        "CARD.md",
    ],
)
def test_a_template_is_never_read_from_outside_its_folder(
    place: Path, release: Release, file: str
) -> None:
    told = release.manifest.model_dump(mode="json")
    told["templates"][0]["file"] = file
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    assert "must be a .yaml file in template/" in faults(look(release))
    with pytest.raises(ReleaseError, match=r"must be a \.yaml file in template/"):
        read_release(release.folder)


def test_what_another_version_wrote_is_verified_but_for_its_wording(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_checks, "__version__", "99.0.0")
    found = look(release)
    assert found.exit_code == 0
    assert states(found)["card"] == "open"
    assert states(found)["evidence"] == "ok"
    path = release.folder / EVIDENCE
    told = json.loads(path.read_text("utf-8"))
    del told["recomputed"]["dev"]["figures"]["alpha"]
    path.write_text(json.dumps(told), "utf-8")
    forge(release)
    assert states(look(release))["evidence"] == "ok"
    told["recomputed"]["dev"]["figures"]["kappa"]["value"] = 0.5
    path.write_text(json.dumps(told), "utf-8")
    forge(release)
    assert states(look(release))["evidence"] == "failed"

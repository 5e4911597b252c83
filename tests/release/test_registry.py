"""The registry gives out what it vouches for, and says why it refuses the rest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.manifest import MANIFEST, SUMS, TEMPLATES
from metajudge.release.registry import (
    REGISTRY,
    change,
    default_registry,
    entries,
    find,
    list_releases,
    record,
    resolve,
)
from metajudge.release.sums import write_sums
from tests.release.factory import NAME, entry, put_release

VERSIONS = ("0.9.0", "1.0.0", "1.2.0", "1.2.10", "1.10.0", "2.0.0")


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    place = tmp_path / "releases"
    for version in VERSIONS:
        put_release(place, version)
    return place


@pytest.mark.parametrize(
    ("ref", "version"),
    [
        (NAME, "2.0.0"),
        (f"{NAME}@latest", "2.0.0"),
        (f"{NAME}@1", "1.10.0"),
        (f"{NAME}@1.2", "1.2.10"),
        (f"{NAME}@1.2.0", "1.2.0"),
        (f"{NAME}@0", "0.9.0"),
    ],
)
def test_a_reference_is_the_highest_version_that_it_allows(
    registry: Path, ref: str, version: str
) -> None:
    assert resolve(ref, registry).manifest.version == version


def test_latest_is_the_highest_promoted_version(registry: Path) -> None:
    change(registry, f"{NAME}@1.2.10", "promoted", "the team reads it")
    change(registry, f"{NAME}@1.0.0", "promoted", "was first")
    assert resolve(NAME, registry).manifest.version == "1.2.10"
    assert resolve(f"{NAME}@latest", registry).manifest.version == "1.2.10"
    assert resolve(f"{NAME}@2", registry).manifest.version == "2.0.0"
    assert resolve(f"{NAME}@1", registry).manifest.version == "1.2.10"


def test_within_a_range_what_the_team_promoted_comes_before_what_is_higher(registry: Path) -> None:
    change(registry, f"{NAME}@1.2.0", "promoted", "the team reads it")
    assert resolve(f"{NAME}@1", registry).manifest.version == "1.2.0"
    assert resolve(f"{NAME}@1.2", registry).manifest.version == "1.2.0"
    assert resolve(f"{NAME}@1.10", registry).manifest.version == "1.10.0"
    assert resolve(f"{NAME}@2", registry).manifest.version == "2.0.0"
    change(registry, f"{NAME}@1.2.0", "deprecated", "no more")
    assert resolve(f"{NAME}@1", registry).manifest.version == "1.10.0"


def test_a_deprecated_version_is_given_by_its_exact_number_only_and_with_a_note(
    registry: Path,
) -> None:
    change(registry, f"{NAME}@2.0.0", "promoted", "newest")
    change(registry, f"{NAME}@2.0.0", "deprecated", "over-credits outside facts")
    assert resolve(NAME, registry).manifest.version == "1.10.0"
    found = find(f"{NAME}@2.0.0", registry)
    assert found.release.manifest.version == "2.0.0"
    assert found.note == f"{NAME}@2.0.0 is deprecated: over-credits outside facts"
    with pytest.raises(ReleaseError, match="is deprecated") as caught:
        resolve(f"{NAME}@2", registry)
    assert "over-credits outside facts" in str(caught.value)


def test_promotion_and_deprecation_are_refused_where_they_change_nothing(registry: Path) -> None:
    ref = f"{NAME}@1.0.0"
    change(registry, ref, "promoted", "good")
    with pytest.raises(ReleaseError, match="promoted already"):
        change(registry, ref, "promoted", "again")
    change(registry, ref, "deprecated", "bad")
    with pytest.raises(ReleaseError, match="deprecated already \\(bad\\)"):
        change(registry, ref, "promoted", "good after all")
    with pytest.raises(ReleaseError, match="deprecated already"):
        change(registry, ref, "deprecated", "twice")
    assert [line.action for line in entries(registry)[-2:]] == ["promoted", "deprecated"]


@pytest.mark.parametrize("ref", [NAME, f"{NAME}@1", f"{NAME}@latest"])
def test_promotion_names_one_version(registry: Path, ref: str) -> None:
    with pytest.raises(ReleaseError, match="one version is promoted at a time"):
        change(registry, ref, "promoted", "good")


def test_promotion_needs_a_reason(registry: Path) -> None:
    with pytest.raises(ReleaseError, match="for a reason"):
        change(registry, f"{NAME}@1.0.0", "promoted", "  ")


def test_a_line_once_written_is_never_changed(registry: Path) -> None:
    before = (registry / REGISTRY).read_bytes()
    change(registry, f"{NAME}@1.0.0", "promoted", "good\nand on two lines")
    after = (registry / REGISTRY).read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == before.count(b"\n") + 1


def test_a_line_that_the_disk_has_no_room_for_is_taken_back(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk takes half a line; the registry must stay readable."""
    before = (registry / REGISTRY).read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, raw: write(file, raw[: len(raw) // 2]))
    with pytest.raises(ReleaseError, match="cannot be added: No space left"):
        change(registry, f"{NAME}@1.0.0", "promoted", "good")
    monkeypatch.undo()
    assert (registry / REGISTRY).read_bytes() == before
    change(registry, f"{NAME}@1.0.0", "promoted", "good")


def test_the_same_version_is_not_created_twice(registry: Path) -> None:
    with pytest.raises(ReleaseError, match="in the registry already"):
        record(registry, entry("1.0.0"))


def test_near_names_and_versions_are_suggested(registry: Path) -> None:
    with pytest.raises(ReleaseError, match=f"Did you mean '{NAME}'"):
        resolve("faithfulness-verdikt", registry)
    with pytest.raises(ReleaseError, match=f"There are: .*{NAME}@1.2.10, "):
        resolve(f"{NAME}@1.2.1", registry)
    with pytest.raises(ReleaseError, match="the registry has no release"):
        resolve(NAME, registry / "nowhere")


@pytest.mark.parametrize(
    "ref", ["", "a@", "a@b", "a@1.2.3.4", "a@01", "Big@1", "a@1 ", "a@latest\n", "..", "@1"]
)
def test_what_is_no_reference_is_refused(registry: Path, ref: str) -> None:
    with pytest.raises(ReleaseError):
        resolve(ref, registry)


def test_a_path_is_read_without_a_registry(registry: Path) -> None:
    folder = registry / NAME / "1.2.0"
    (registry / REGISTRY).unlink()
    for path in (folder, folder / MANIFEST):
        found = find(str(path))
        assert found.release.ref == f"{NAME}@1.2.0"
        assert found.registered is None


def test_a_folder_without_a_line_is_refused_and_listed_with_the_reason(registry: Path) -> None:
    put_release(registry, "3.0.0", registered=False)
    put_release(registry, "1.0.0", "stray", registered=False)
    assert resolve(NAME, registry).manifest.version == "2.0.0"
    for ref in (f"{NAME}@3.0.0", "stray", "stray@1.0.0"):
        with pytest.raises(ReleaseError, match="has no line of its creation"):
            resolve(ref, registry)
    refused = {(row.name, row.version): row.refusal for row in list_releases(registry)}
    assert "no line of its creation" in (refused["stray", "1.0.0"] or "")
    assert refused[NAME, "2.0.0"] is None


def test_other_sums_than_those_of_the_creation_are_refused(registry: Path) -> None:
    folder = registry / NAME / "2.0.0"
    template = folder / TEMPLATES / "en.yaml"
    template.write_text(template.read_text("utf-8").replace("given all,", "given most,"), "utf-8")
    with pytest.raises(ReleaseError, match=r"en\.yaml: the file is not the one that was hashed"):
        resolve(NAME, registry)
    write_sums(folder)
    with pytest.raises(ReleaseError, match=f"{SUMS} is not the one that {REGISTRY} has"):
        resolve(NAME, registry)
    with pytest.raises(ReleaseError):
        change(registry, f"{NAME}@2.0.0", "promoted", "good")
    assert change(registry, f"{NAME}@2.0.0", "deprecated", "altered").action == "deprecated"
    assert resolve(NAME, registry).manifest.version == "1.10.0"


def test_files_beside_or_missing_from_the_sums_are_refused(registry: Path) -> None:
    folder = registry / NAME / "2.0.0"
    (folder / "more.txt").write_text("more", "utf-8")
    (folder / TEMPLATES / "en.yaml").unlink()
    with pytest.raises(ReleaseError) as caught:
        resolve(NAME, registry)
    assert "does not list this file" in str(caught.value)
    assert "but it is gone" in str(caught.value)


def test_a_link_in_place_of_a_file_is_refused(registry: Path, tmp_path: Path) -> None:
    template = registry / NAME / "2.0.0" / TEMPLATES / "en.yaml"
    elsewhere = tmp_path / "elsewhere.yaml"
    template.rename(elsewhere)
    template.symlink_to(elsewhere)
    with pytest.raises(ReleaseError, match="this is a link"):
        resolve(NAME, registry)


def test_a_release_under_another_name_is_refused(registry: Path) -> None:
    (registry / NAME).rename(registry / "other")
    lines = (registry / REGISTRY).read_text("utf-8").replace(NAME, "other")
    (registry / REGISTRY).write_text(lines, "utf-8")
    with pytest.raises(
        ReleaseError, match=r"another release lies where the registry has other@2\.0\.0"
    ):
        resolve("other", registry)


def test_a_folder_that_is_gone_is_named(registry: Path) -> None:
    (registry / NAME / "2.0.0").rename(registry / "away")
    with pytest.raises(ReleaseError, match="its folder is gone"):
        resolve(f"{NAME}@2.0.0", registry)


def test_a_torn_last_line_is_named_with_its_number(registry: Path) -> None:
    path = registry / REGISTRY
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReleaseError, match="the last line is torn") as caught:
        entries(registry)
    assert caught.value.problems[0].line == len(VERSIONS)


def test_every_faulty_line_is_named(registry: Path) -> None:
    path = registry / REGISTRY
    good = json.loads(path.read_text("utf-8").splitlines()[0])
    wrong = [
        "no json",
        json.dumps(good | {"version": "1.0", "extra": 1}),
        json.dumps(good | {"version": "7.0.0", "time": "yesterday"}),
        json.dumps(good),
        json.dumps(good | {"action": "promoted"}),
        json.dumps(good | {"action": "promoted", "reason": "r", "version": "8.0.0"}),
        json.dumps(good | {"action": "promoted", "reason": "r", "sha256": "f" * 64}),
    ]
    path.write_text(path.read_text("utf-8") + "\n".join(wrong) + "\n", "utf-8")
    with pytest.raises(ReleaseError) as caught:
        entries(registry)
    lines = {problem.line for problem in caught.value.problems}
    assert lines == {len(VERSIONS) + 1 + i for i in range(len(wrong))}


def test_a_registry_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="the line cannot be added"):
        record(tmp_path / "nowhere", entry("1.0.0"))


def test_the_list_has_states_and_the_latest(registry: Path) -> None:
    change(registry, f"{NAME}@1.2.0", "promoted", "good")
    change(registry, f"{NAME}@1.0.0", "deprecated", "bad")
    rows = list_releases(registry)
    assert [row.version for row in rows] == list(VERSIONS)
    states = {row.version: row.registered.state for row in rows if row.registered}
    assert states["1.2.0"] == "promoted"
    assert states["1.0.0"] == "deprecated"
    assert [row.version for row in rows if row.is_latest] == ["1.2.0"]


def test_the_default_registry_is_the_one_beside_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("METAJUDGE_REGISTRY", raising=False)
    shipped = default_registry()
    (tmp_path / "experiments" / "releases").mkdir(parents=True)
    assert default_registry() == Path("experiments/releases")
    assert shipped.is_absolute()
    monkeypatch.setenv("METAJUDGE_REGISTRY", "elsewhere")
    assert default_registry() == Path("elsewhere")

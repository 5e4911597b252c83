"""What the manifest and the carried evidence say is held against templates, gold and replies.

Here the card is written anew with what was altered, and all hashes with it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ReleaseError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release, read_release
from metajudge.release.card import card_text
from metajudge.release.evidence import Evidence, evidence_text, read_evidence
from metajudge.release.manifest import CARD, EVIDENCE, MANIFEST, SUMS
from metajudge.release.registry import folder_of, resolve
from metajudge.release.sums import file_sha256
from metajudge.release.verify import Verification, open_case, verify
from tests.experiment.sealed import tilted_judge
from tests.release.confirmed import NAME, confirm, confirmed, confirmed_reading
from tests.release.factory import forge

WHY = "A script, so that it can be told what to break."
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def overridden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that breaks guardrails, with everything that an experiment can say of it."""
    folder = tmp_path_factory.mktemp("overridden")
    found = confirmed(
        folder,
        candidate="mine",
        perturbations=["paraphrase", {"axis": "repeats"}],
        controls={"per_kind": 3},
        guardrails={"over_credit_upper": 0.01},
    )
    found.release(override=WHY)
    return folder


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with label priors."""
    folder = tmp_path_factory.mktemp("corrected")
    confirmed_reading(folder).release()
    return folder


def copied(origin: Path, place: Path) -> Release:
    shutil.copytree(origin, place / "copy")
    return read_release(folder_of(place / "copy" / "releases", NAME, "1.0.0"))


def with_card(release: Release, change: Change, name: str = MANIFEST) -> Verification:
    """What is found after a change of the manifest or the evidence, card and hashes forged."""
    manifest = release.manifest.model_dump(mode="json")
    evidence = read_evidence(release.folder).model_dump(mode="json")
    change(manifest if name == MANIFEST else evidence)
    (release.folder / MANIFEST).write_text(dump_yaml(manifest), "utf-8")
    told = Evidence.model_validate(evidence)
    (release.folder / EVIDENCE).write_text(evidence_text(told), "utf-8")
    forged = read_release(release.folder)
    sha256 = file_sha256(release.folder / MANIFEST)
    (release.folder / CARD).write_text(card_text(forged.manifest, told, sha256), "utf-8")
    forge(forged)
    return verify(open_case(str(release.folder)))


def faults(found: Verification) -> str:
    assert (found.exit_code, found.checks[0].state, found.checks[1].state) == (1, "ok", "ok")
    return "\n".join(fault for check in found.checks for fault in check.faults)


def test_nothing_is_found_where_nothing_was_changed(overridden: Path, tmp_path: Path) -> None:
    found = with_card(copied(overridden, tmp_path), lambda _: None)
    assert found.state == "ok", found


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda m: m.update(override=None), "a release keeps every guardrail on dev"),
        (lambda m: m.update(claims_per_call=2), "claims_per_call: the manifest must say"),
        (lambda m: m.update(languages=["en", "zh"]), "languages: the manifest must say"),
        (lambda m: m["policy"].update(version="2"), "policy.version: the manifest must say"),
        (
            lambda m: m["gold"].update(label_source="author"),
            "gold.label_source: the manifest must say",
        ),
        (lambda m: m["gold"].update(name="experts"), "gold.name: the manifest must say"),
        (lambda m: m["gold"].update(policy_rules=["All is well."]), "gold.policy_rules: the"),
        (lambda m: m["gold"].update(languages=["de"]), "gold.languages: the manifest must say"),
        (lambda m: m["experiment"].update(name="other"), "experiment.name: the manifest must say"),
        (lambda m: m["experiment"].update(trial="literal"), "experiment.trial: the manifest"),
        (lambda m: m["experiment"].update(baseline=None), "experiment.baseline: the manifest"),
    ],
)
def test_a_manifest_that_does_not_follow_is_found_although_the_card_was_forged_too(
    overridden: Path, tmp_path: Path, change: Change, told: str
) -> None:
    assert told in faults(with_card(copied(overridden, tmp_path), change))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["ranking"].update(broken=[], safe=True), "on dev where the figures break it"),
        (lambda c: c["confirmation"].update(broken=[], holds=True), "on test where the figures"),
        (lambda c: c["confirmation"].update(holds=True), "breaks a guardrail does not hold"),
        (lambda c: c["confirmation"].update(claims=999), "carried.confirmation must be of this"),
        (lambda c: c["ranking"].update(safe=True), "carried.ranking must be of this candidate"),
        (lambda c: c.update(test_reads=0), "evidence.carried.test_reads"),
    ],
)
def test_carried_evidence_that_contradicts_what_was_made_again_is_found(
    overridden: Path, tmp_path: Path, change: Change, told: str
) -> None:
    release = copied(overridden, tmp_path)
    found = with_card(release, lambda evidence: change(evidence["carried"]), EVIDENCE)
    assert told in faults(found)


@pytest.mark.parametrize(
    "path",
    [
        ("candidates",),
        ("test_reads",),
        ("guardrails", "slice_loss"),
        ("ranking", "broken", 0, "by"),
        ("confirmation", "sentence"),
        ("stability", 0, "flip_rate", "value"),
        ("stability", 0, "n"),
        ("controls", "insensitive"),
    ],
)
def test_a_carried_figure_that_the_card_repeats_is_found_although_hashes_were_forged(
    overridden: Path, tmp_path: Path, path: tuple[Any, ...]
) -> None:
    """The card is left as it was."""
    release = copied(overridden, tmp_path)
    told = json.loads((release.folder / EVIDENCE).read_text("utf-8"))
    held: Any = told["carried"]
    for name in path[:-1]:
        held = held[name]
    old = held[path[-1]]
    assert old is not None
    held[path[-1]] = f"{old} Not." if isinstance(old, str) else old + 1
    found_text = evidence_text(Evidence.model_validate(told))
    (release.folder / EVIDENCE).write_text(found_text, "utf-8")
    forge(release)
    assert str(release.folder / CARD) in faults(verify(open_case(str(release.folder))))


def test_priors_are_those_that_the_dev_replies_give(corrected: Path, tmp_path: Path) -> None:
    """A prior that moves no verdict is found too."""

    def change(manifest: dict[str, Any]) -> None:
        manifest["templates"][0]["prior"][0] += 0.00001

    told = faults(with_card(copied(corrected, tmp_path), change))
    assert "the label prior that the dev replies give" in told


def test_content_free_priors_are_made_again_too(tmp_path: Path) -> None:
    found = confirm(
        tilted_judge(tmp_path, readings=["top", "prior_corrected"]), "literal (prior_corrected)"
    )
    release = found.release(override=WHY).release
    assert release.manifest.templates[0].prior is not None
    assert verify(open_case(str(release.folder))).state == "ok"
    with_prior = with_card(release, lambda m: m["templates"][0].update(prior=[0.2, 0.3, 0.5]))
    assert "the label prior that the dev replies give" in faults(with_prior)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda m: m["templates"][0].update(variant=10**9), "variants are numbered from 0 on"),
        (lambda m: m["templates"].append(m["templates"][0]), "each language has one file"),
        (lambda m: m["templates"][0].update(prior=[0.0, 0.0, 0.0]), "not zero throughout"),
        (lambda m: m["templates"][0].update(prior=[float("inf"), 0.5, 0.5]), "prior"),
        (lambda m: m["gold"].update(path="/etc"), "a path from the release's folder"),
        (lambda m: m["gold"].update(path="C:/gold"), "a path from the release's folder"),
        (lambda m: m["gold"].update(path="..\\..\\gold"), "a path from the release's folder"),
        (lambda m: m["judge"].update(timeout_s=float("inf")), "timeout_s"),
        (lambda m: m.update(version="1.0." + "9" * 5000), "version"),
        (lambda m: m.update(version="1.٣.0"), "version"),
        (lambda m: m.update(created="yesterday"), "created"),
        (lambda m: m.update(claims_per_call=0), "claims_per_call"),
    ],
)
def test_a_hostile_manifest_is_a_fault_and_no_crash(
    overridden: Path, tmp_path: Path, change: Change, told: str
) -> None:
    release = copied(overridden, tmp_path)
    manifest = release.manifest.model_dump(mode="json")
    change(manifest)
    (release.folder / MANIFEST).write_text(dump_yaml(manifest), "utf-8")
    with pytest.raises(ReleaseError, match=told):
        read_release(release.folder)
    forge(release)
    assert told in faults(verify(open_case(str(release.folder))))


def test_a_number_of_thousands_of_digits_is_a_fault_and_no_crash(
    overridden: Path, tmp_path: Path
) -> None:
    release = copied(overridden, tmp_path)
    text = (release.folder / MANIFEST).read_text("utf-8")
    long = text.replace("threshold: 0.8", f"threshold: {'9' * 5000}")
    assert long != text
    (release.folder / MANIFEST).write_text(long, "utf-8")
    forge(release)
    assert "a number is too long" in faults(verify(open_case(str(release.folder))))


@pytest.mark.parametrize("number", ["NaN", "1e999"])
def test_evidence_with_a_number_that_is_none_is_a_fault(
    overridden: Path, tmp_path: Path, number: str
) -> None:
    release = copied(overridden, tmp_path)
    path = release.folder / EVIDENCE
    path.write_text(path.read_text("utf-8").replace('"value": 0.', f'"value": {number}, "x": 0.'))
    path.write_text(path.read_text("utf-8").replace('"x": 0.', '"n": 0, "low": 0.'), "utf-8")
    with pytest.raises(ReleaseError, match="finite"):
        read_evidence(release.folder)


@pytest.mark.parametrize("name", [CARD, MANIFEST, SUMS])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_links_and_pipes_are_found_and_never_opened(
    overridden: Path, tmp_path: Path, name: str, kind: str
) -> None:
    release = copied(overridden, tmp_path)
    path = release.folder / name
    path.unlink()
    if kind == "link":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    if name != SUMS:
        found = verify(open_case(str(release.folder)))
        assert (found.exit_code, [check.name for check in found.checks]) == (1, ["files"])
        assert str(path) in found.checks[0].faults[0]
    with pytest.raises(ReleaseError, match="a link or no file"):
        resolve(NAME, release.folder.parents[1])

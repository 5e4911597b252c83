"""A reading with a threshold from the sweep to the release, and what is done with the release."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.ledger import read_ledger
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release, read_release
from metajudge.release.card import card_text
from metajudge.release.consult.consultation import consult
from metajudge.release.emit.kinds import KINDS
from metajudge.release.emit.writing import emitted
from metajudge.release.evidence import read_evidence
from metajudge.release.manifest import MANIFEST
from metajudge.release.verify import open_case, verify
from tests.experiment.sealed import tilted_judge
from tests.release.confirmed import NAME, Confirmed, confirm
from tests.release.emit.made import made, own_template
from tests.release.factory import forge

READINGS = ("top@0.42", "batch_corrected@0.60")
"""Both call the summaries yes that `top` calls idk."""


@pytest.fixture(scope="module", params=READINGS)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Confirmed:
    folder = tmp_path_factory.mktemp("at")
    return confirm(tilted_judge(folder, readings=["top", request.param]))


@pytest.fixture(scope="module")
def release(found: Confirmed) -> Release:
    return found.release().release


def judged(release: Release, folder: Path) -> list[str]:
    """A literal and a summary claim, judged."""
    row = {
        "answer_id": "a",
        "context": ["Hall A opens at 9."],
        "claims": ["Hall A opens at 9.", "Access is easy.", "Tea is served."],
    }
    (one,) = release.judge([row], store=folder / "judged.sqlite").rows
    return [verdict["verdict"] for verdict in one["verdicts"]]


def test_it_is_chosen_confirmed_and_on_record_by_its_name(found: Confirmed) -> None:
    reading = found.results.decision.reading
    assert reading in READINGS
    assert (found.confirmation.trial, found.confirmation.reading) == ("literal", reading)
    assert found.confirmation.differences["summary_as_idk"].value == -1
    assert f"of literal ({reading}) minus literal -1.00" in found.confirmation.sentence
    (entry,) = read_ledger(found.folder / "gold")
    assert entry.candidates == (f"literal ({reading})", "literal (top)")


def test_a_release_of_it_is_verified_and_freezes_a_prior_only_where_one_is_divided_out(
    release: Release,
) -> None:
    reading = release.manifest.reading
    divides = reading.startswith("batch_corrected")
    assert release.candidate.reading == reading
    assert (release.candidate.priors is not None) == divides
    assert all((pin.prior is not None) == divides for pin in release.manifest.templates)
    case = verify(open_case(str(release.folder)))
    assert case.state == "ok", [fault for check in case.checks for fault in check.faults]


def test_its_card_says_what_is_called_yes(release: Release) -> None:
    text = card_text(release.manifest, read_evidence(release.folder), "0" * 64)
    least = release.manifest.reading.partition("@")[2]
    assert f"yes only where P(yes) is at least {least} |" in text
    assert ("label priors frozen" in text) == release.manifest.reading.startswith("batch")


def test_it_judges_by_the_threshold(release: Release, tmp_path: Path) -> None:
    assert judged(release, tmp_path) == ["yes", "yes", "idk"]


def test_another_threshold_in_the_manifest_is_found(release: Release, tmp_path: Path) -> None:
    place = release.folder.parent.parent.parent
    copy = tmp_path / "copy"

    shutil.copytree(place, copy)
    forged = read_release(copy / "releases" / NAME / "1.0.0")
    told = forged.manifest.model_dump(mode="json")
    told["reading"] = told["reading"].partition("@")[0] + "@0.70"
    (forged.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    altered = read_release(forged.folder)
    forge(altered)
    assert judged(altered, tmp_path) == (
        ["yes", "idk", "idk"] if altered.candidate.priors else ["idk", "idk", "idk"]
    )
    faults = [f for check in verify(open_case(str(forged.folder))).checks for f in check.faults]
    assert any("reading" in fault for fault in faults)


def test_it_is_consulted_on(release: Release, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "answer_id": f"a{i}",
            "context": [f"Hall A{i} opens at 9."],
            "claims": [f"Hall A{i} opens at 9.", "Access is easy.", "Tea is served."],
        }
        for i in range(20)
    ]
    told = consult(
        "literal+strict?reading=top",
        str(release.folder),
        rows,
        store=tmp_path / "consulted.sqlite",
    )
    assert told.proposed.reading == release.manifest.reading
    assert told.flips.changed == 20, "the summary of every answer"


@pytest.mark.parametrize("reading", READINGS)
def test_the_chat_kind_carries_the_threshold(tmp_path: Path, reading: str) -> None:

    templates = [own_template(labels=labels) for labels in ("letters", "letters+1", "letters+2")]
    prior = (0.5, 0.3, 0.2) if reading.startswith("batch") else None
    release = made(tmp_path, templates, reading=reading, prior=prior)
    (text,) = emitted(release, "chat").texts.values()
    page = json.loads(text)
    means = page["label_from"]["means"]
    assert page["label_from"]["reading"] == reading
    assert f"yes where its probability is at least {reading.partition('@')[2]}, else" in means
    assert ("divide by the label's prior" in means) == reading.startswith("batch")
    assert "The threshold is held against the mean." in page["joining"]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.name != "chat"])
def test_a_kind_that_cannot_carry_a_threshold_says_so(
    tmp_path: Path, kind: str, reading: str
) -> None:
    prior = (0.5, 0.3, 0.2) if reading.startswith("batch") else None
    found = emitted(made(tmp_path, reading=reading, prior=prior), kind)
    (told,) = [text for text in found.drop_in.differences if "plain label" in text]
    assert f"says yes from {reading.partition('@')[2]} up ({reading})" in told
    assert ("divided out" in told) == reading.startswith("batch")

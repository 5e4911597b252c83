"""What no drop-in may keep quiet about, and what all of them have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.candidate import JudgePin
from metajudge.release.emit.kinds import KINDS, kind_named
from metajudge.release.emit.writing import emitted
from tests.release.emit.made import made, own_template

WITH_CODE = [kind.name for kind in KINDS if kind.name not in ("chat", "markdown")]


@pytest.fixture(autouse=True)
def _every_framework_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metajudge.release.emit.kinds.Kind.installed", lambda _: None)


@pytest.mark.parametrize("kind", WITH_CODE)
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"context_form": "chunks(any)"}, "asks passage by passage and takes any"),
        ({"context_form": "truths(12)"}, "has the judge list their facts first"),
        (
            {"reading": "prior_corrected", "prior": (0.5, 0.3, 0.2)},
            "reads the plain label; figures of the release do not hold",
        ),
    ],
    ids=str,
)
def test_a_form_or_reading_that_a_framework_lacks_is_told(
    tmp_path: Path, kind: str, changes: dict[str, object], told: str
) -> None:
    release = made(tmp_path, **changes)  # type: ignore[arg-type]
    assert any(told in line for line in emitted(release, kind).drop_in.differences)


@pytest.mark.parametrize("kind", WITH_CODE)
def test_several_orders_of_the_labels_are_told(tmp_path: Path, kind: str) -> None:
    orders = [own_template(labels=labels) for labels in ("letters", "letters+1", "letters+2")]
    differences = emitted(made(tmp_path, orders), kind).drop_in.differences
    assert any("first of the release's 3 orders" in line for line in differences)


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_texts_are_the_same_wherever_the_registry_lies_and_name_no_place(
    tmp_path: Path, kind: str
) -> None:
    judge = JudgePin(spec="scripted:../../../judge.yaml")
    told = [emitted(made(tmp_path / place, judge=judge), kind).texts for place in ("one", "other")]
    assert told[0] == told[1]
    assert all(str(tmp_path) not in text for text in told[0].values())


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_file_names_are_those_of_the_table_and_texts_carry_release_and_hash(
    tmp_path: Path, kind: str
) -> None:
    release = made(tmp_path)
    made_of = emitted(release, kind)
    assert tuple(made_of.texts) == kind_named(kind).file_names(release.manifest.name, ("en", "zh"))
    for text in made_of.texts.values():
        assert release.ref in text
        assert release.sha256 in text
        assert not any(0xE000 <= ord(char) <= 0xF8FF for char in text)


def test_a_template_with_characters_that_mark_places_is_refused(tmp_path: Path) -> None:
    template = own_template().model_copy(update={"rules": ("Mind \ue001.",)})
    for kind in KINDS:
        with pytest.raises(ReleaseError, match="U\\+E000"):
            emitted(made(tmp_path / kind.name, [template]), kind.name)


def test_versions_are_compared_as_numbers() -> None:
    deepeval = kind_named("deepeval")
    known = ("3.7", "3.10.2", "4.3.1", "4.99.0rc1")
    assert all(map(deepeval.knows, known))
    assert not any(map(deepeval.knows, ("3.6.9", "5.0.0", "0.21.78")))


def test_modules_can_be_imported_whatever_the_release_is_called() -> None:
    for kind in KINDS:
        for name in ("3d-judge.v2", "my.verdict-2", "7"):
            for file in kind.file_names(name, ["en"]):
                assert not file.endswith(".py") or file.removesuffix(".py").isidentifier(), file

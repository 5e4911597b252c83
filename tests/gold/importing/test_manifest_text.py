import pytest

from metajudge.errors import GoldError
from metajudge.gold import GoldManifest
from metajudge.gold.claim import ImportRecord
from metajudge.gold.importing.manifest_text import with_manifest
from metajudge.gold.strict_yaml import parse_yaml

TEXT = """\
# Our set.
name: tea   # ours
version: 1.0.0
languages: [en]
labelling_policy:
  version: "2"
  # what counts
  rules:
    - >-
      Only the context counts.
    - Summary, too.
licence: none  # for now
provenance: |
  Line one.
  Line two.
label_source: human
annotators:
- anna
# the end
"""


def manifest(text: str) -> GoldManifest:
    return parse_yaml(text, "goldset.yaml", GoldManifest, GoldError)


def test_what_does_not_change_stays_as_it_stands():
    assert with_manifest(TEXT, manifest(TEXT)) == TEXT
    wanted = manifest(TEXT).model_copy(
        update={
            "version": "1.1.0",
            "languages": ("en", "zh"),
            "annotators": ("anna", "标注员乙"),
            "licence": "CC BY 4.0",
            "imported": ImportRecord(format="table", sources={"a.csv": "0" * 64}),
        }
    )
    edited = with_manifest(TEXT, wanted)
    assert manifest(edited) == wanted
    for kept in ("# Our set.", "name: tea   # ours", "  # what counts", "      Only the context"):
        assert kept in edited
    assert "licence: CC BY 4.0  # for now" in edited
    assert "provenance: |\n  Line one.\n  Line two.\n" in edited
    assert "- 标注员乙" in edited
    assert edited.endswith("\n")
    assert with_manifest(edited, wanted) == edited


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        "---\n" + TEXT,
        "{name: tea, version: '1', languages: [en], labelling_policy: {version: '1'}, licence: a, "
        "provenance: b, label_source: human, annotators: [anna]}\n",
    ],
)
def test_any_form_says_what_is_wanted(text):
    wanted = manifest(text).model_copy(update={"version": "9", "annotators": ()})
    assert manifest(with_manifest(text, wanted)) == wanted

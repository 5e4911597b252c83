from typing import Any

import pytest

from metajudge.gold.claim import Annotation
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.told_space import told_space

TEA = Format("tea", "Tea Notes", "tool", "a file", "ternary", "as they are")


def claims(*labels: Any, **more: Any) -> list[ImportedClaim | LeftOut]:
    return [
        ImportedClaim("tea.jsonl", n, f"Tea {n}.", ("Tea.",), label, **more)
        for n, label in enumerate(labels)
    ]


def votes(**labels: Any) -> tuple[Annotation, ...]:
    return tuple(Annotation(annotator=name, label=label) for name, label in labels.items())


@pytest.mark.parametrize(
    ("labels", "space"),
    [
        (("supported", None, "unsupported"), "binary"),
        (("supported",), "binary"),
        (("supported", "unsupported", "no"), "ternary"),
        (("yes", "unsupported"), "ternary"),
        ((None, None), "ternary"),
        ((), "ternary"),
    ],
)
def test_the_space_that_labels_have(labels, space):
    left = LeftOut("cancelled", "tea.jsonl", 9, "t9")
    told = told_space([*claims(*labels), left], "ternary")
    assert told.space == space
    assert list(told.records) == [*claims(*labels), left]
    assert told_space(claims(*labels), "binary").space == "binary"


def test_votes_tell_it_too_and_labels_of_models_do_not():
    assert told_space(claims(None, annotations=votes(a="idk")), "ternary").space == "ternary"
    assert told_space(claims(None, annotations=votes(a="unsupported")), "ternary").space == "binary"
    made = [*claims("yes", label_source="model"), *claims("unsupported")]
    assert told_space(made, "ternary").space == "binary"


def test_nothing_is_read_ahead_of_the_label_that_decides():
    read = []

    def rows() -> Any:
        for row in claims("supported", "no", "idk"):
            read.append(row)
            yield row

    told_space(rows(), "ternary")
    assert len(read) == 2


def test_it_is_said_what_was_done_and_what_an_option_would_keep():
    binary = assemble(TEA, claims("supported", "unsupported"), About("tea"))
    assert binary.goldset.manifest.label_space == "binary"
    assert (len(binary.goldset.claims), binary.left_out) == (2, ())
    assert "only supported and unsupported, so the set is binary" in binary.notes[0]
    mixed = assemble(TEA, claims("yes", "unsupported", "unsupported"), About("tea"))
    assert mixed.left_out_counts == {"not_ternary": 2}
    assert mixed.notes == ("people said unsupported in 2 rows: --label-space binary keeps them",)
    asked = assemble(TEA, claims("supported", "unsupported"), About("tea", label_space="ternary"))
    assert (asked.goldset.manifest.label_space, asked.notes) == ("ternary", ())


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"a": "yes", "b": "unsupported", "c": "unsupported"}, None),
        ({"a": "yes", "b": "unsupported"}, None),
        ({"a": "yes", "b": "yes", "c": "unsupported"}, "yes"),
    ],
)
def test_a_vote_that_has_no_word_here_is_not_outvoted_by_its_absence(labels, expected):
    rows = [*claims("no"), ImportedClaim("tea.jsonl", 9, "Milk.", ("Tea.",), None,
            annotations=votes(**labels))]  # fmt: skip
    found = assemble(TEA, rows, About("tea")).goldset.claims[1:]
    assert [claim.label for claim in found] == ([expected] if expected else [])

from typing import Any

import pytest

from metajudge.gold.importing.fields import Record, Texts
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source

RECORD = Record("a.jsonl", 2, {})
TEXTS = Texts("Tea is hot.", ("Tea is a hot drink.", "茶很烫。"), None, {})


def outcome(
    *given: Given, labels: Any = None, more: Any = None, **options: Any
) -> tuple[ImportedClaim, list[LeftOut]]:
    source = Source("a.jsonl", None, labels)
    rows = list(settled(RECORD, TEXTS._replace(more=more or {}), source, given, **options))
    assert isinstance(rows[-1], ImportedClaim)
    return rows[-1], [row for row in rows[:-1] if isinstance(row, LeftOut)]


def test_b91_the_rule_is_majority_and_a_tie_is_not_decided_by_time():
    def votes(*words: str) -> list[Given]:
        return [
            Given(f"p{n}", word, time=f"2025-03-0{n + 1}T00:00:00Z") for n, word in enumerate(words)
        ]

    assert outcome(*votes("yes", "yes", "yes", "no"))[0].label == "yes"
    for words, detail in (("yes yes no no", "2 yes, 2 no"), ("no yes", "1 yes, 1 no")):
        claim, left = outcome(*votes(*words.split()))
        assert (claim.label, claim.unlabelled, claim.detail) == (None, "tied", detail)
        assert (len(claim.annotations), left) == (len(words.split()), [])


def test_spans_notes_and_times_that_cannot_be_kept_are_not():
    claim, _ = outcome(
        Given(
            "a", "yes", time="soon", note="\ud800", seconds=-1, spans=("茶", "coffee"), slice="x"
        ),
        Given("b", "yes", time=1740821400, note="见原文", seconds="2.5", slice="paraphrase"),
    )
    first, second = claim.annotations
    assert (first.time, first.note, first.seconds, first.slice) == (None, None, None, None)
    assert (first.spans, claim.spans) == (("茶",), ("茶",))
    assert (second.note, second.seconds, second.slice) == ("见原文", 2.5, "paraphrase")
    for odd in (True, "x", float("nan"), [1]):
        assert outcome(Given("a", "yes", seconds=odd))[0].annotations[0].seconds is None


def test_evidence_of_the_claim_is_of_those_who_gave_its_label():
    claim, _ = outcome(
        Given("a", "yes", spans=("茶很烫",)), Given("b", "yes"), Given("c", "no", spans=("hot",))
    )
    assert (claim.label, claim.spans) == ("yes", ("茶很烫",))


@pytest.mark.parametrize(
    ("times", "label", "reasons"),
    [
        (("2025-03-01", "2025-03-02"), "no", ["superseded"]),
        (("2025-03-02T00:00:00Z", "2025-03-01T23:59:59"), "yes", ["superseded"]),
        (("2025-03-01", None), None, ["unsettled", "unsettled"]),
        (("2025-03-01", "2025-03-01"), None, ["unsettled", "unsettled"]),
    ],
)
def test_the_last_of_one_person_by_time(times, label, reasons):
    given = [Given("a", word, time=time) for word, time in zip(("yes", "no"), times, strict=True)]
    claim, left = outcome(*given)
    assert (claim.label, [out.reason for out in left]) == (label, reasons)
    assert all((out.where, out.line) == ("a.jsonl", 2) for out in left)


def test_the_same_label_twice_is_one_and_order_decides_only_where_it_is_known():
    claim, left = outcome(Given("a", "yes"), Given("a", "Yes "))
    assert (claim.label, [out.reason for out in left]) == (None, ["unsettled", "unsettled"])
    claim, left = outcome(Given("a", "yes"), Given("a", "yes"))
    assert (claim.label, [out.reason for out in left]) == ("yes", ["duplicate"])
    claim, left = outcome(Given("a", "yes"), Given("a", "no"), in_order=True)
    assert (claim.label, [out.reason for out in left]) == ("no", ["superseded"])


def test_a_stated_label_stands_and_two_of_them_tie():
    claim, _ = outcome(Given("a", "yes"), Given("b", "yes"), stated=["no"])
    assert (claim.label, len(claim.annotations)) == ("no", 2)
    claim, _ = outcome(stated=["no", "yes"])
    assert (claim.label, claim.unlabelled, claim.detail) == (None, "tied", "1 no, 1 yes")
    claim, left = outcome(stated=["grounded", None])
    assert (claim.label, [out.what for out in left]) == (None, ["grounded"])


def test_b92_a_label_whose_source_is_a_model_is_never_gold():
    claim, left = outcome(stated=["yes"], more={"label_source": "Model"})
    assert (claim.label, claim.unlabelled, left[0].reason) == (None, "model_made", "model_made")
    claim, _ = outcome(stated=["yes"], more={"label_source": "author"})
    assert (claim.label, claim.label_source) == ("yes", "author")
    claim, _ = outcome(Given("a", "yes"), more={"label_source": "model"})
    assert (claim.label, claim.label_source) == ("yes", "human")


def test_an_unknown_word_of_the_last_answer_is_not_replaced_by_an_earlier_one():
    claim, left = outcome(
        Given("a", "yes", time="2025-03-01"), Given("a", "maybe", time="2025-03-02")
    )
    assert (claim.label, claim.unlabelled) == (None, "unknown_label")
    assert [out.reason for out in left] == ["superseded", "unknown_label"]


def test_the_most_telling_reason_is_given():
    claim, _ = outcome(Given("a", "maybe"), left=[RECORD.left("cancelled", "1", "skipped")])
    assert (claim.unlabelled, claim.detail) == ("unknown_label", "maybe (a)")
    claim, _ = outcome(left=[RECORD.left("cancelled", "1", "skipped")])
    assert (claim.unlabelled, claim.detail) == ("cancelled", "skipped")
    assert outcome()[0].unlabelled == "unlabelled"

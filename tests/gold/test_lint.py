from dataclasses import replace
from typing import Any

import pytest

from metajudge.gold import GoldSet, LabellingPolicy
from metajudge.gold.claim import SplitRule
from metajudge.gold.counts import CountCell, count_claims
from metajudge.gold.label_words import own_label_word
from metajudge.gold.lint import Finding, check_goldset
from metajudge.gold.split import assign
from tests.gold.reading import Make

TEXT = "The carrier refunds the whole fare when the train is cancelled before it leaves."


def found(gold: GoldSet, code: str) -> list[Finding]:
    return [finding for finding in check_goldset(gold).findings if finding.code == code]


def with_split(gold: GoldSet) -> GoldSet:
    """The set with a salt that parts its first two contexts."""
    first, second = list(gold.contexts)[:2]
    rules = (SplitRule(salt=f"{n}", dev_share=0.5) for n in range(999))
    rule = next(rule for rule in rules if assign(first, rule) != assign(second, rule))
    return replace(gold, manifest=gold.manifest.model_copy(update={"split": rule}))


def test_clean_set_has_no_finding_but_small_counts(make_gold: Make) -> None:
    gold = make_gold(
        [
            {"label": label, "claim": f"{label} {n}: tea {n * 7919}."}
            for n, label in enumerate(["no", "idk"] * 9)
        ],
        min_slice_n=2,
    )
    assert {f.code for f in check_goldset(gold).findings} <= {
        "no-split",
        "label-absent",
        "label-word-in-claim",
    }
    assert check_goldset(gold).passed


def test_labels_that_break_the_policy(make_gold: Make) -> None:
    policy = LabellingPolicy(
        version="3", slice_labels={"outside_false": ("no", "idk"), "literal": ("yes",)}
    )
    claims = [
        {"slice": "outside_false", "label": "yes"},
        {"slice": "outside_false", "label": "idk"},
        {"slice": "hedged"},
    ]
    (finding,) = found(make_gold(claims, labelling_policy=policy), "label-breaks-policy")
    assert (finding.severity, finding.where) == ("error", "c0")
    assert "by policy '3', this claim has 'yes'" in finding.message
    binary = [
        {"slice": "outside_false", "label": "supported"},
        {"slice": "outside_false", "label": "unsupported"},
        {"slice": "literal", "label": "unsupported"},
    ]
    wrong = found(
        make_gold(binary, labelling_policy=policy, label_space="binary"), "label-breaks-policy"
    )
    assert [finding.where for finding in wrong] == ["c0", "c2"]


def test_duplicates(make_gold: Make) -> None:
    claims: list[dict[str, Any]] = [
        {"claim": "Tea is hot."},
        {"claim": "tea  is hot."},
        {"claim": "Milk.", "answer_id": "p"},
        {"claim": "Milk.", "answer_id": "q"},
        {"claim": "Beer.", "label": "yes"},
        {"claim": "Beer.", "label": "idk"},
        {"claim": "Tea is hot.", "context_id": "y"},
        {"claim": "Tea is hot.", "question": "Is it?"},
    ]
    gold = make_gold(claims)
    assert [f.where for f in found(gold, "duplicate-claim")] == ["c0, c1"]
    assert [f.where for f in found(gold, "repeated-claim")] == ["c2, c3"]
    (conflict,) = found(gold, "conflicting-labels")
    assert conflict.where == "c4, c5" and "idk and yes" in conflict.message
    assert not check_goldset(gold).passed
    assert conflict.severity == "error" and "--adjudicate" in conflict.mend


@pytest.mark.parametrize(
    ("change", "severity"),
    [({}, "warning"), ({"answer_id": "a"}, "error"), ({"label_source": "model"}, "error")],
)
def test_conflicting_labels_of_different_answers_may_stand(
    make_gold: Make, change: dict[str, Any], severity: str
) -> None:
    claims: list[dict[str, Any]] = [
        {"claim": "Beer.", "label": "yes", "answer_id": "a"},
        {"claim": "beer.", "label": "no", "answer_id": "b"} | change,
    ]
    (conflict,) = found(make_gold(claims), "conflicting-labels")
    assert conflict.severity == severity
    assert ("answers differ in what stands before" in conflict.mend) == (severity == "warning")


def test_contexts_that_differ_by_blanks_only(make_gold: Make) -> None:
    contexts = {"x": ("Tea is cold.",), "y": ("Tea  is cold. ",), "z": ("Tea is hot.",)}
    claims = [
        {"context_id": name, "claim": claim, "label": label}
        for name, claim, label in (
            ("x", "It is cold.", "no"), ("y", "It is cold.", "yes"), ("z", "It is cold.", "no"),
            ("x", "It is tea.", "yes"), ("y", "It is tea.", "yes"),
        )
    ]  # fmt: skip
    gold = make_gold(claims, contexts)
    (doubt,) = found(gold, "conflicting-contexts")
    assert (doubt.severity, doubt.where) == ("warning", "c0, c1")
    assert "no and yes" in doubt.message and not found(gold, "conflicting-labels")


def test_contexts_shared_across_splits(make_gold: Make) -> None:
    contexts = {"x": (TEXT, "More."), "y": (TEXT.upper(), "more."), "z": ("Milk is white.",)}
    claims = [{"context_id": name, "claim": f"About {name * 9}."} for name in contexts]
    gold = make_gold(claims, contexts)
    assert len(found(gold, "no-split")) == 1
    (leak,) = found(with_split(gold), "context-across-splits")
    assert (leak.severity, leak.where) == ("error", "x, y")
    joined = gold.contexts | {"y": gold.contexts["y"].model_copy(update={"group": "x"})}
    assert not found(replace(with_split(gold), contexts=joined), "context-across-splits")


def test_near_duplicate_claims_and_answers_across_splits(make_gold: Make) -> None:
    claims = [
        {"context_id": "x", "claim": TEXT, "answer_id": "a"},
        {"context_id": "y", "claim": TEXT + "!", "answer_id": "a"},
        {"context_id": "x", "claim": TEXT + "?", "answer_id": "b"},
    ]
    gold = with_split(make_gold(claims, {"x": ("Milk is white.",), "y": ("Tea is black.",)}))
    assert [f.where for f in found(gold, "near-duplicate-across-splits")] == ["c0, c1", "c1, c2"]
    assert [f.where for f in found(gold, "answer-across-splits")] == ["a"]


@pytest.mark.parametrize(
    ("claim", "label", "word"),
    [
        ("The plan is supported.", "yes", "supported"),
        ("The plan is unsupported.", "yes", None),
        ("He said yes.", "yes", "yes"),
        ("Yesterday it rained.", "yes", None),
        ("There is no fee and nothing is known.", "no", None),
        ("No, the fee is due.", "no", "No"),
        ("The report is contradicted by the audit.", "no", "contradicted"),
        ("I don’t know the fee.", "idk", "I don’t know"),
        ("The fee is not mentioned.", "idk", "not mentioned"),
        ("The fee is not mentioned.", "yes", None),
        ("费用未提及。", "idk", "未提及"),
        ("套餐支持国际漫游。", "yes", "支持"),
        ("茶是饮料。", "yes", None),
        ("是的,可以退款。", "yes", "是的"),
        ("不是,不能退款。", "no", "不是"),
        ("是否退款由经理决定,否则不退。", "no", None),
        ("This is unsupported.", "unsupported", "unsupported"),
    ],
)
def test_claims_that_contain_their_own_label_word(claim: str, label: Any, word: str | None) -> None:
    assert own_label_word(claim, label) == word


def test_label_words_are_reported(make_gold: Make) -> None:
    (finding,) = found(
        make_gold([{"claim": "It is not mentioned.", "label": "idk"}]), "label-word-in-claim"
    )
    assert finding.severity == "warning" and "'not mentioned'" in finding.message


def test_spans_must_be_verbatim(make_gold: Make) -> None:
    claims = [{"spans": ("is hot",)}, {"spans": ("is  hot", "Tea")}]
    gold = make_gold(claims, {"x": ("Tea is hot.", "Milk.")})
    assert [f.where for f in found(gold, "span-not-in-context")] == ["c1"]


def votes(*labels: str, **more: Any) -> dict[str, Any]:
    return {
        "annotations": tuple(
            {"annotator": name, "label": label} for name, label in zip("abcd", labels, strict=False)
        ),
        **more,
    }


def test_votes_without_a_conflict_need_no_line(make_gold: Make) -> None:
    assert not found(make_gold([votes("yes", "yes", "yes")]), "adjudication")


def test_b91_conflicts_are_listed_and_the_rule_is_printed(make_gold: Make) -> None:
    gold = make_gold([
        votes("yes", "yes", "yes", "no"),
        votes("yes", "yes", "no", "no"),
        votes("no", "no", "yes", label="yes"),
        votes("no", "no", "yes", label="yes", note="The third annotator saw the footnote."),
        votes("yes", "yes"),
    ])  # fmt: skip
    (rule,) = found(gold, "adjudication")
    assert "4 claims have conflicting annotations" in rule.message
    assert "'majority': the label with most votes; a tie is settled by people" in rule.message
    (told,) = found(gold, "annotators-disagree")
    assert told.message == "annotators disagree about 4 claims"
    assert told.where == "c0, c1, c2, c3" and "`metajudge gold agree " in told.mend
    assert [(f.where, f.severity) for f in found(gold, "label-against-votes")] == [
        ("c2", "warning"),
        ("c3", "note"),
    ]


def test_many_disagreements_are_one_finding_with_the_whole_list_beside(make_gold: Make) -> None:
    (told,) = found(make_gold([votes("yes", "no")] * 8), "annotators-disagree")
    assert told.where == "c0, c1, c2, c3, c4, 3 more"
    assert told.claims == tuple(f"c{n}" for n in range(8))


def test_unknown_annotators(make_gold: Make) -> None:
    gold = make_gold([votes("yes", "no")], annotators=("a",))
    (finding,) = found(gold, "unknown-annotator")
    assert finding.where == "b" and finding.message.startswith("1 annotation is")


def test_b92_model_labels_are_counted_and_left_out(make_gold: Make) -> None:
    gold = make_gold([{}, {"label_source": "model"}, {"label_source": "model", "exclude": True}])
    (finding,) = found(gold, "model-labelled")
    assert finding.message.startswith("2 claims are labelled by a model")
    counts = check_goldset(gold).counts
    assert (counts.claims, counts.judged, counts.model_labelled, counts.excluded) == (3, 1, 1, 1)
    (empty,) = found(make_gold([{"label_source": "model"}]), "nothing-to-judge")
    assert empty.severity == "error"


def test_b33_excluded_rows_are_counted_and_listed(make_gold: Make) -> None:
    gold = make_gold([{}, {"exclude": True, "claim": "Hi."}])
    (finding,) = found(gold, "excluded")
    assert finding.message == "1 claim is marked exclude: c1"
    assert count_claims(gold).by("label") == {("yes",): 1}


def test_contexts_empty_or_unused(make_gold: Make) -> None:
    gold = make_gold([{}], {"x": (), "y": ("Tea.",)})
    assert [f.where for f in found(gold, "empty-context")] == ["x"]
    assert [f.where for f in found(gold, "unused-context")] == ["y"]


def test_small_slices_absent_labels_and_languages(make_gold: Make) -> None:
    gold = make_gold(
        [{"slice": "summary"}] * 3 + [{"slice": "hedged"}], min_slice_n=3, languages=("en", "zh")
    )
    few, none = found(gold, "small-slice")
    assert (few.severity, none.severity) == ("warning", "note")
    assert few.message == "slice 'hedged' has 1 judged claim, the least is 3"
    assert "no judged claim is of the slices " in none.message and "literal" in none.message
    assert "summary" not in none.message and "hedged" not in none.message
    assert [f.message for f in found(gold, "label-absent")] == [
        "no claim has the label 'no'",
        "no claim has the label 'idk'",
    ]
    assert [f.message for f in found(gold, "language-absent")] == [
        "no claim is in the language 'zh'"
    ]
    assert not found(make_gold([{}]), "small-slice")


def test_sets_with_slices_but_no_summary_are_told_that_the_default_target_is_undefined(
    make_gold: Make,
) -> None:
    (told,) = found(make_gold([{"slice": "hedged"}, {}]), "no-summary-claims")
    assert told.severity == "warning" and "summary-as-idk" in told.message
    assert "labelling page" in told.mend and "slice column" in told.mend
    assert not found(make_gold([{"slice": "aggregation"}, {"slice": "hedged"}]), told.code)
    assert not found(make_gold([{}]), told.code)


def test_findings_come_errors_first_and_are_counted(make_gold: Make) -> None:
    gold = make_gold([{"claim": "Beer."}, {"claim": "Beer.", "label": "no"}, {"spans": ("nope",)}])
    report = check_goldset(gold)
    severities = [finding.severity for finding in report.findings]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert report.count("error") == 1 and not report.passed


def test_counts_by_axes(make_gold: Make) -> None:
    gold = make_gold([{"slice": "summary"}, {"slice": "summary", "lang": "zh"}, {"label": "no"}])
    counts = count_claims(gold)
    assert counts.by("slice", "lang") == {
        ("none", "en"): 1,
        ("summary", "en"): 1,
        ("summary", "zh"): 1,
    }
    assert counts.by("split") == {("none",): 3}
    assert counts.cells[0] == CountCell("none", "en", "no", "none", 1)
    split = count_claims(with_split(make_gold([{"context_id": "p"}, {"context_id": "q"}])))
    assert split.by("split") == {("dev",): 1, ("test",): 1}

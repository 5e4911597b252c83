"""Rows of an optimiser: parts by context, scores, feedback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.gold.claim import Annotation, Claim, Context
from metajudge.gold.goldset import GoldSet
from metajudge.selection.optimise.rows import Costs, Feedback, RowScores, parts_by_context
from metajudge.verdicts.verdict import Verdict
from tests.selection import optimising as world

WORDS = {"yes": "yes", "no": "no", "idk": "idk"}


def claim(label: str = "yes", **fields: Any) -> Claim:
    given = {"claim_id": "c", "answer_id": "a", "context_id": "x", "claim": "It rains."}
    return Claim(**{**given, "label": label, **fields})


def one(*claims: Claim, passages: Sequence[str] = ("It rains a lot.",)) -> GoldSet:
    base = world.gold(1)
    return GoldSet(base.manifest, claims, {"x": Context(context_id="x", passages=tuple(passages))})


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_b109_parts_are_disjoint_by_context_and_hold_every_claim(share: float, seed: int) -> None:
    gold = world.gold(5)  # 20 claims in 5 contexts
    train, validation = parts_by_context(gold, share, seed)
    contexts = [{c.context_id for c in part.claims} for part in (train, validation)]
    assert not contexts[0] & contexts[1]
    assert len(train.claims) + len(validation.claims) == 20
    assert len(train.claims) == pytest.approx(20 * share, abs=4)
    assert parts_by_context(gold, share, seed) == (train, validation)


def test_declared_groups_never_part() -> None:
    gold = world.gold(6)
    contexts = {
        key: context.model_copy(update={"group": f"g{i // 2}"})
        for i, (key, context) in enumerate(gold.contexts.items())
    }
    parts = parts_by_context(GoldSet(gold.manifest, gold.claims, contexts), 0.5, 0)
    groups = [{contexts[c.context_id].group for c in part.claims} for part in parts]
    assert not groups[0] & groups[1]


def test_b109_contexts_of_the_same_text_never_part() -> None:
    gold = world.gold(6)
    texts = [(f"Page {i % 3} of the log.", "Nothing.") for i in range(6)]
    contexts = {
        key: context.model_copy(update={"passages": passages})
        for (key, context), passages in zip(gold.contexts.items(), texts, strict=True)
    }
    parts = parts_by_context(GoldSet(gold.manifest, gold.claims, contexts), 0.5, 0)
    said = [{contexts[c.context_id].passages for c in part.claims} for part in parts]
    assert said[0] and said[1]
    assert not said[0] & said[1]


def test_one_context_cannot_be_divided() -> None:
    with pytest.raises(ExperimentError, match="learns from some contexts"):
        parts_by_context(world.gold(1), 0.5, 0)


@pytest.mark.parametrize(
    ("gold", "said", "score"),
    [
        (claim("yes"), Verdict("yes"), 1.0),
        (claim("no"), Verdict("yes"), 0.0),
        (claim("idk"), Verdict("yes"), 0.0),
        (claim("yes"), Verdict("no"), 0.75),
        (claim("idk"), Verdict("no"), 0.75),
        (claim("yes", slice="summary"), Verdict("idk"), 0.5),
        (claim("yes"), Verdict(None, "unparsable"), 0.75),
        (claim("supported"), Verdict("idk"), 0.75),
        (claim("unsupported"), Verdict("idk"), 1.0),
        (claim("unsupported"), Verdict("no"), 1.0),
        (claim("unsupported"), Verdict("yes"), 0.0),
        (claim("yes"), Verdict(None, "timeout"), None),
        (claim("yes"), Verdict(None, "transport"), None),
    ],
)
def test_errors_cost_what_was_declared(gold: Claim, said: Verdict, score: float | None) -> None:
    assert Costs(over_credit=4, summary_as_idk=2).score(gold, said) == score


def test_an_error_never_costs_less_than_an_ordinary_one() -> None:
    with pytest.raises(ExperimentError, match="at least as much"):
        Costs(over_credit=0.5)


def scores(gold: GoldSet) -> RowScores:
    return RowScores(Costs(), Feedback(gold, "en", WORDS))


def test_b106_a_failed_call_moves_no_mean() -> None:
    gold, down = one(claim("yes")), Verdict(None, "transport")
    rows = scores(gold)
    assert rows.scored(0, gold.claims[0], down, "(transport)").score == 0.5
    rows.scored(0, gold.claims[0], Verdict("yes"), "yes")
    told = rows.scored(1, gold.claims[0], down, "(transport)")
    assert told.score == 1.0
    assert "says nothing about the instruction" in told.feedback
    assert rows.neutral == 2


def test_b110_a_row_that_flips_is_counted() -> None:
    gold = one(claim("yes"))
    rows = scores(gold)
    for label in ("yes", "yes", "no", "no"):
        rows.scored(0, gold.claims[0], Verdict(label), label)  # type: ignore[arg-type]
    assert rows.mismatches == 1
    assert rows.mean(0) == 0.5
    assert rows.mean(1) is None


def annotation(label: str = "yes", annotator: str = "Anna", **fields: Any) -> Annotation:
    return Annotation(annotator=annotator, label=label, **fields)  # type: ignore[arg-type]


def test_b115_what_is_left_out_is_counted_by_reason() -> None:
    gold = one(
        claim(
            "yes",
            annotations=(
                annotation(note="as it says", spans=("IT  rains", "it snows")),
                annotation("no", "Ben", note="never"),
                annotation("yes", "Cleo"),
            ),
        ),
        claim("no", claim_id="d"),
    )
    feedback = Feedback(gold, "en", WORDS)
    assert feedback.used == {
        "note": 1,
        "evidence": 1,
        "with words of people": 1,
        "without words of people": 1,
    }
    assert feedback.left_out == {
        "evidence that is not in the context": 1,
        "given with another label than gold": 1,
        "a label without note and evidence": 1,
        "no annotation kept": 1,
    }
    told = feedback.of(gold.claims[0], Verdict("idk"), "idk")
    assert told.splitlines() == [
        "Wrong: the judge said idk, and people say yes.",
        "Evidence that people marked: “IT  rains”",
        "People wrote: “as it says”",
    ]


def test_b115_named_annotators_only_and_a_near_name_is_suggested() -> None:
    gold = one(claim("yes", annotations=(annotation(note="a"), annotation("yes", "Ben", note="b"))))
    feedback = Feedback(gold, "en", WORDS, ["Ben"])
    assert feedback.left_out["of an annotator who was not named"] == 1
    assert "“b”" in feedback.of(gold.claims[0], Verdict("yes"), "yes")
    with pytest.raises(ExperimentError) as caught:
        Feedback(gold, "en", WORDS, ["ana", "Zoe"])
    mends = [problem.mend for problem in caught.value.problems]
    assert mends == ["Did you mean 'Anna'?", "There are: Anna, Ben."]


def test_over_credit_is_told_as_the_worse_error() -> None:
    gold = one(claim("no"))
    en, zh = (Feedback(gold, lang, WORDS) for lang in ("en", "zh"))
    assert "must not pass" in en.of(gold.claims[0], Verdict("yes"), "yes")
    assert "不得通过" in zh.of(gold.claims[0], Verdict("yes"), "yes")
    assert "No label could be read" in en.of(
        gold.claims[0], Verdict(None, "unparsable"), "(unparsable)"
    )

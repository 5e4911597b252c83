"""Units of other metrics through a cascade, an NLI model as the screen, and an event loop."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

import metajudge
from metajudge.errors import InputError, MetajudgeError
from metajudge.gold.claim import TWO_LABELS
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.cascade.asked import CallSettings
from metajudge.metrics.cascade.fit import fit_cascade
from metajudge.metrics.cascade.people import write_queue
from metajudge.metrics.cascade.run import run_cascade, run_cascade_async
from metajudge.metrics.cascade.settings import FitSettings
from metajudge.metrics.cascade.units import EXTRACTED
from tests.experiment.folder import halls, write_gold, write_script
from tests.judges.tiny_models import needs_torch, save_tiny
from tests.metrics.cascade.folder import NO, PASSAGES, SURE, answer, gold, judge

TEMPLATES = {
    "groundedness": "traceable",
    "context_recall": "recalled",
    "context_entity_recall": "entity-named",
}
SPOKEN = r"(?:Sentence|Statement|Entity|Name|Claim|Term): "
OWN = [
    (r"(?s)Answer:\nHall A opens at 91\. .*List", "- Hall A opens at 91.\n- Hall A opens at 9."),
    (r"(?s)Text:\nHall A .*List", "- Hall A\n- Ann"),
    (SPOKEN + r"Hall.*opens at (?:\d|[1-6]\d)\.\s", SURE),
    (SPOKEN + r"Access", SURE),
    (SPOKEN + r"Hall A\n", SURE),
]


@pytest.fixture
def calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return CallSettings(store=tmp_path / "s.sqlite")


def fitted_for(metric, tmp_path, calls):
    template = next(
        name for name in metajudge.catalogue(metric) if name.startswith(TEMPLATES[metric])
    )
    settings = FitSettings(
        judge=write_script(tmp_path, OWN, NO), template=template, miss_rate=0.2, calls=calls
    )
    claims, contexts = halls(40)
    if metric in TWO_LABELS:
        claims = [claim | {"label": "yes" if claim["label"] == "yes" else "no"} for claim in claims]
    place = write_gold(tmp_path, claims, contexts, metric=metric)
    return fit_cascade(place, settings).cascade


def row(answer_id, **fields):
    return {"answer_id": answer_id, "context": PASSAGES, **fields}


def test_sentences_are_counted_off_without_a_call(tmp_path, calls):
    cascade = fitted_for("groundedness", tmp_path, calls)
    told = [
        row("a", answer="Hello! Hall A opens at 9. Hall A opens at 91."),
        row("b", answer="Sorry, I cannot help with that."),
        row("c", claims=["Hall A opens at 9."]),
    ]
    applied = run_cascade(cascade, told, calls)
    first, second, third = applied.answers
    assert [(c.claim.claim, c.stage) for c in first.claims] == [
        ("Hall A opens at 9.", "screen"), ("Hall A opens at 91.", "people"),
    ]  # fmt: skip
    assert (second.stage, third.stage) == ("none", "screen")
    assert sum(report.asked for report in applied.reports) == 1
    write_queue(cascade, applied.answers, tmp_path / "queue")
    assert load_goldset(tmp_path / "queue").manifest.metric == "groundedness"


@pytest.mark.parametrize(
    ("metric", "units"),
    [
        ("context_recall", ["Hall A opens at 91.", "Hall A opens at 9."]),
        ("context_entity_recall", ["Hall A", "Ann"]),
    ],
)
def test_the_judge_lists_the_reference_where_no_row_does(metric, units, tmp_path, calls):
    cascade = fitted_for(metric, tmp_path, calls)
    given = {"context_recall": "statements", "context_entity_recall": "entities"}[metric]
    told = [
        row("a", answer="At 9.", reference="Hall A opens at 91. Hall A opens at 9."),
        row("b", answer="At 9.", **{given: units[1:]}),
    ]
    applied = run_cascade(cascade, told, calls)
    assert [c.claim.claim for c in applied.answers[0].claims] == units
    assert [c.claim.claim for c in applied.answers[1].claims] == units[1:]
    assert "people" in applied.counts()["claims"]
    again = run_cascade(cascade, told, calls)
    assert again.answers == applied.answers
    assert sum(report.sent for report in again.reports) == 0
    with pytest.raises(InputError, match="has a reference"):
        run_cascade(cascade, [row("a", answer="At 9.")], calls)


def test_units_that_are_held_against_another_text_have_to_be_given(tmp_path, calls):
    cascade = fitted_for("groundedness", tmp_path, calls)
    other = cascade.gold.model_copy(update={"metric": "answer_relevance"})
    assert "answer_relevance" not in EXTRACTED
    with pytest.raises(InputError, match=r"answer_relevance.*Give them as `claims`"):
        run_cascade(cascade.model_copy(update={"gold": other}), [row("a", answer="x")], calls)


def test_an_nli_model_screens_what_the_judge_would_be_asked(tmp_path, calls, monkeypatch):
    """The smallest model there is, of random weights: what it passes, the judge does not see."""
    needs_torch()
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    screen = f"baseline:nli:{save_tiny(tmp_path / 'tiny')}"
    settings = FitSettings(
        screen=screen, judge=judge(tmp_path), screen_cuts=(None, 1.0), miss_rate=0.1, calls=calls
    )
    found = fit_cascade(gold(tmp_path), settings)
    cascade = found.cascade
    assert cascade is not None
    assert cascade.screen.spec == screen
    assert cascade.screen.scores == "probability"
    told = [answer("verbatim", "Hall A opens at 9."), answer("wrong", "Hall A opens at 91.")]
    for cut, stages in ((None, ["judge", "people"]), (0.0, ["screen", "screen"])):
        stage = cascade.screen.model_copy(update={"cut": cut})
        applied = run_cascade(cascade.model_copy(update={"screen": stage}), told, calls)
        assert [one.stage for one in applied.answers] == stages
        assert applied.changes == ()
        scores = [one["screen_score"] for one in applied.rows]
        assert all(score is None if cut is None else 0 < score < 1 for score in scores)


def test_a_program_with_an_event_loop_has_a_door_of_its_own(tmp_path, calls):
    settings = FitSettings(judge=judge(tmp_path), miss_rate=0.1, calls=calls)
    cascade = fit_cascade(gold(tmp_path), settings).cascade
    told = [answer("verbatim", "Hall A opens at 9."), answer("wrong", "Hall A opens at 91.")]

    async def work():
        with pytest.raises(MetajudgeError, match="run_cascade_async"):
            run_cascade(cascade, told, calls)
        with pytest.raises(InputError):
            await run_cascade_async(cascade, [], calls)
        both = replace(calls, store=tmp_path / "other.sqlite")
        return await asyncio.gather(
            run_cascade_async(cascade, told, calls),
            metajudge.run_cascade_async(cascade, told, both),
        )

    one, two = asyncio.run(work())
    assert [found.stage for found in one.answers] == ["screen", "people"]
    assert one.answers == two.answers == run_cascade(cascade, told, calls).answers

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.experiment import Experiment
from metajudge.report.results import Results
from metajudge.runner.trial import PlannedCall
from metajudge.selection.readings import CLASSES, Candidates, read_candidates
from metajudge.selection.replay import replay
from metajudge.verdicts.verdict import Reply, TokenLogprob
from tests.experiment.folder import declare, halls, write_gold, write_script

LETTERS: dict[str, Any] = {"name": "literal", "labels": "letters", "rotations": "all"}
Answer = Callable[[PlannedCall], Reply]


def likely(planned: PlannedCall, yes: float, no: float, idk: float) -> Reply:
    """A reply whose first token has these label probabilities."""
    words = planned.source.dialect.words
    shares = {"yes": yes, "no": no, "idk": idk}
    tokens = [TokenLogprob(words[label], math.log(p)) for label, p in shares.items() if p > 0]  # type: ignore[index]
    tokens.sort(key=lambda token: -token.logprob)
    return Reply(tokens[0].token, "length", first_token=tuple(tokens))


def said(planned: PlannedCall, label: str) -> Reply:
    """A text reply without probabilities."""
    return Reply(planned.source.dialect.words[label], "stop")  # type: ignore[index]


def experiment(folder: Path, n: int = 2, **fields: Any) -> Experiment:
    claims, contexts = halls(n)
    write_gold(folder, claims, contexts)
    spec = write_script(folder, [], {"text": "yes", "first_token": {"yes": -0.1}})
    return declare(folder, judges=[spec], **fields)


def measured(declared: Experiment, answer: Answer) -> Results:
    prepared = declared.prepare()
    plan = declared.plan(prepared)
    replies = {p.call.key: answer(p) for calls in plan.calls.values() for p in calls}
    return declared.measure(prepared, plan, replies).results


def read(declared: Experiment, answer: Answer) -> Candidates:
    plan = declared.plan(declared.prepare())
    replies = {p.call.key: answer(p) for calls in plan.calls.values() for p in calls}
    return read_candidates(replay(plan, replies), declared.config.readings)


READINGS = ["top", "prior_corrected", "batch_corrected"]


def test_priors_are_divided_out(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims:
            return likely(planned, 0.8, 0.1, 0.1)
        if planned.claims[0] % 2:
            return likely(planned, 0.6, 0.3, 0.1)
        return likely(planned, 0.7, 0.1, 0.2)

    found = read(experiment(tmp_path, readings=READINGS), answer)
    assert [key.reading for key in found.codes.keys] == READINGS
    top, prior, batch = found.codes.codes.tolist()
    assert top == [0] * 8
    # 0.7/0.8, 0.1/0.1, 0.2/0.1 -> idk; 0.6/0.8, 0.3/0.1, 0.1/0.1 -> no
    assert prior == [2, 1] * 4
    # The batch mean is (0.65, 0.2, 0.15): 0.7/0.65, 0.1/0.2, 0.2/0.15 -> idk
    assert batch == [2, 1] * 4
    shares = found.codes.probabilities
    scaled = np.array([0.7 / 0.8, 1.0, 2.0])
    assert shares[1, 0] == pytest.approx(scaled / scaled.sum(), abs=1e-6)
    scaled = np.array([0.7 / 0.65, 0.1 / 0.2, 0.2 / 0.15])
    assert shares[2, 0] == pytest.approx(scaled / scaled.sum(), abs=1e-6)
    assert found.failures == ({}, {}, {})


def test_each_language_has_its_own_prior(tmp_path: Path) -> None:
    english, contexts = halls(1)
    chinese, more = halls(1, "zh")
    declared = experiment(tmp_path, readings=["prior_corrected"])
    write_gold(tmp_path, english + chinese, contexts + more)

    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims:
            high = planned.source.language == "zh"
            return likely(planned, *((0.1, 0.1, 0.8) if high else (0.8, 0.1, 0.1)))
        return likely(planned, 0.4, 0.2, 0.4)

    results = measured(declared, answer)
    prior = results.trials[0].prior
    assert prior is not None
    assert {name.rpartition("/")[2]: p["yes"] for name, p in prior.items()} == {
        "en · words": pytest.approx(0.8),
        "zh · words": pytest.approx(0.1),
    }
    assert results.verdicts[0].verdicts == ("idk",) * 4 + ("yes",) * 4


def test_a_prior_is_a_mean_over_the_content_free_claims(tmp_path: Path) -> None:
    priors = iter([(0.9, 0.05, 0.05), (0.6, 0.3, 0.1), (0.3, 0.1, 0.6)])

    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims:
            return likely(planned, *next(priors))
        return likely(planned, 0.5, 0.3, 0.2)

    (trial,) = measured(experiment(tmp_path, readings=["prior_corrected"]), answer).trials
    assert trial.prior is not None
    (prior,) = trial.prior.values()
    assert prior == pytest.approx({"yes": 0.6, "no": 0.15, "idk": 0.25}, abs=1e-6)


def test_rotations_average_probabilities(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        shares = [(0.5, 0.1, 0.4), (0.2, 0.1, 0.7), (0.45, 0.15, 0.4)][planned.variant]
        return likely(planned, *shares)

    results = measured(experiment(tmp_path, templates=[LETTERS]), answer)
    (row,) = results.verdicts
    assert row.verdicts == ("idk",) * 8
    assert row.probabilities[0] == pytest.approx((0.3833, 0.1167, 0.5), abs=1e-4)
    (trial,) = results.trials
    assert [r.order for r in trial.rotations] == [
        ("yes", "no", "idk"),
        ("no", "idk", "yes"),
        ("idk", "yes", "no"),
    ]
    assert [r.summary_as_idk for r in trial.rotations] == [0, 1, 0]
    assert [r.over_credit for r in trial.rotations] == [1, 0, 1]
    assert [r.accuracy for r in trial.rotations] == [0.5, 0.25, 0.5]
    assert trial.figures["summary_as_idk"].value == 1


def test_rotations_of_text_replies_vote(tmp_path: Path) -> None:
    votes = {0: ("yes", "yes", "idk"), 1: ("yes", "no", "idk"), 2: ("no", "no", "no")}

    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims:
            return said(planned, "yes")
        return said(planned, votes[planned.claims[0] % 3][planned.variant])

    results = measured(experiment(tmp_path, templates=[LETTERS], readings=READINGS), answer)
    (row,) = results.verdicts
    assert row.verdicts[:3] == ("yes", "failure", "no")
    (trial,) = results.trials
    assert trial.failures == {"orders_disagree": 3}
    assert row.failures["en0-summary"].startswith("orders_disagree: ")
    assert trial.figures["coverage"].value == 5 / 8
    assert [note for note in results.notes if "no label probabilities" in note] == [
        "literal · letters*: no label probabilities, so no prior_corrected reading.",
        "literal · letters*: no label probabilities, so no batch_corrected reading.",
    ]


def test_one_unreadable_order_is_a_failure_of_the_claim(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        if planned.variant == 1 and planned.claims[:1] == (0,):
            return Reply("well, well", "stop")
        return said(planned, "yes")

    results = measured(experiment(tmp_path, templates=[LETTERS]), answer)
    assert results.trials[0].failures == {"unparsable": 1}
    assert results.verdicts[0].failures["en0-literal"].startswith("unparsable: ")


def test_a_threshold_says_yes_only_from_there_up(tmp_path: Path) -> None:
    shares = [(0.6, 0.3, 0.1), (0.55, 0.15, 0.3), (0.3, 0.35, 0.35), (0.2, 0.5, 0.3)]

    def answer(planned: PlannedCall) -> Reply:
        return likely(planned, *shares[planned.claims[0] % 4])

    at = ["top", "top@0.60", "top@0.30", "top@0.61"]
    found = read(experiment(tmp_path, readings=at), answer)
    assert [key.reading for key in found.codes.keys] == at
    assert found.codes.codes[:, :4].tolist() == [
        [0, 0, 1, 1],
        [0, 2, 2, 1],
        [0, 0, 0, 1],
        [1, 2, 2, 1],
    ]
    assert found.codes.probabilities[1:] == pytest.approx(
        np.broadcast_to(found.codes.probabilities[0], (3, 8, 3))
    )


def test_a_threshold_is_held_against_corrected_probabilities(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims:
            return likely(planned, 0.8, 0.1, 0.1)
        return likely(planned, *((0.9, 0.05, 0.05) if planned.claims[0] % 2 else (0.7, 0.1, 0.2)))

    at = ["top@0.60", "prior_corrected", "prior_corrected@0.50", "prior_corrected@0.53"]
    found = read(experiment(tmp_path, readings=at), answer)
    # 0.9 / 0.8 against 0.5 and 0.5: 0.529; 0.7 / 0.8 against 1 and 2: 0.226
    assert found.codes.codes[:, :2].tolist() == [[0, 0], [2, 0], [2, 0], [2, 2]]


def test_a_threshold_of_rotations_is_held_against_the_mean(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        shares = [(0.5, 0.1, 0.4), (0.2, 0.1, 0.7), (0.47, 0.13, 0.4)][planned.variant]
        return likely(planned, *shares)

    declared = experiment(tmp_path, templates=[LETTERS], readings=["top@0.39", "top@0.40"])
    results = measured(declared, answer)
    assert [set(row.verdicts) for row in results.verdicts] == [{"yes"}, {"idk"}]
    assert [r.over_credit for r in results.trials[0].rotations] == [1, 0, 1]


def test_what_a_threshold_cannot_read_is_a_failure(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        label = ("yes", "no", "idk")[planned.variant]
        replies = [
            likely(planned, 0.6, 0.2, 0.2),
            said(planned, label),
            said(planned, "yes") if planned.variant else likely(planned, 0.9, 0.05, 0.05),
            Reply("well, well", "stop"),
        ]
        return replies[planned.claims[0] % 4]

    declared = experiment(tmp_path, templates=[LETTERS], readings=["top", "top@0.50"])
    top, at = measured(declared, answer).trials
    assert top.failures == {"orders_disagree": 2, "unparsable": 2}
    assert at.failures == {"no_probabilities": 4, "unparsable": 2}


def test_without_probabilities_there_is_no_threshold(tmp_path: Path) -> None:
    found = read(experiment(tmp_path, readings=["top", "top@0.50"]), lambda p: said(p, "yes"))
    assert [key.reading for key in found.codes.keys] == ["top"]
    assert found.notes == ("literal: no label probabilities, so no top@0.50 reading.",)


@pytest.mark.parametrize("base", ["top", "batch_corrected"])
def test_the_threshold_that_calibration_states_is_the_reading_of_that_name(
    tmp_path: Path, base: str
) -> None:
    shares = np.random.default_rng(1).dirichlet([1.2, 1.0, 1.0], size=96)

    def answer(planned: PlannedCall) -> Reply:
        return likely(planned, *shares[planned.claims[0]])

    fields: dict[str, Any] = {"guardrails": {"over_credit_upper": 0.3}, "n": 24}
    (told,) = measured(experiment(tmp_path, readings=[base], **fields), answer).calibration
    assert told.yes_threshold is not None
    name = f"{base}@{told.yes_threshold}"
    (trial,) = measured(experiment(tmp_path, readings=[name], **fields), answer).trials
    assert trial.reading == name
    for figure in ("summary_as_idk", "over_credit"):
        assert trial.figures[figure] == told.at_threshold[figure]


def test_a_label_without_probabilities_fails_a_corrected_reading_only(tmp_path: Path) -> None:
    def answer(planned: PlannedCall) -> Reply:
        if planned.claims[:1] == (0,):
            return said(planned, "yes")
        return likely(planned, 0.6, 0.2, 0.2)

    results = measured(experiment(tmp_path, readings=["top", "prior_corrected"]), answer)
    assert [trial.failures for trial in results.trials] == [{}, {"no_probabilities": 1}]
    assert results.verdicts[1].failures["en0-literal"].startswith("no_probabilities: ")


def test_an_unmeasured_prior_fails_the_prior_corrected_reading(tmp_path: Path) -> None:
    english, contexts = halls(1)
    chinese, more = halls(1, "zh")
    declared = experiment(tmp_path, readings=["prior_corrected", "batch_corrected"])
    write_gold(tmp_path, english + chinese, contexts + more)

    def answer(planned: PlannedCall) -> Reply:
        if not planned.claims and planned.source.language == "zh":
            return Reply("", failure="timeout", failure_detail="scripted")
        return likely(planned, 0.6, 0.2, 0.2)

    results = measured(declared, answer)
    assert [trial.failures for trial in results.trials] == [{"no_prior": 4}, {}]


def test_missing_replies_are_failures_of_class_missing(tmp_path: Path) -> None:
    declared = experiment(tmp_path, baseline="literal", readings=READINGS)
    prepared = declared.prepare()
    results = declared.measure(prepared, declared.plan(prepared), {}).results
    (trial,) = results.trials
    assert trial.failures == {"missing": 8}
    assert trial.figures["coverage"].value == 0
    assert trial.figures["kappa"].value is not None
    assert results.decision.winner is None
    assert set(results.verdicts[0].failures.values()) == {"missing: not asked in this run"}


def test_nothing_can_be_read_at_all(tmp_path: Path) -> None:
    declared = experiment(tmp_path, baseline="literal", readings=["prior_corrected"])
    results = measured(declared, lambda planned: said(planned, "yes"))
    assert (results.trials, results.ranking, results.decision.winner) == ((), (), None)
    assert results.decision.sentence == "Nothing was measured."


def test_a_baseline_without_the_top_reading_is_found(tmp_path: Path) -> None:
    declared = experiment(
        tmp_path,
        readings=["prior_corrected"],
        baseline="literal",
        templates=["literal", "summary-tolerant"],
    )
    results = measured(declared, lambda planned: likely(planned, 0.6, 0.2, 0.2))
    assert {row.trial for row in results.ranking} == {"literal", "summary-tolerant"}
    assert "over_credit_above_baseline" in results.guardrails


REPLIES: Mapping[str, Answer] = {
    "yes": lambda p: said(p, "yes"),
    "no": lambda p: likely(p, 0.2, 0.7, 0.1),
    "idk": lambda p: likely(p, 0.2, 0.1, 0.7),
    "prose": lambda p: Reply("hard to say, really", "stop"),
    "empty": lambda p: Reply("", "stop"),
    "refused": lambda p: Reply("", "content_filter"),
    "down": lambda p: Reply("", failure="transport", failure_detail="scripted"),
}


@pytest.fixture(scope="module")
def rotated(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    folder = tmp_path_factory.mktemp("rotated")
    readings = [*READINGS, "top@0.25", "batch_corrected@0.60"]
    return experiment(folder, n=1, templates=[LETTERS, "literal"], readings=readings, repeats=2)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_failures_add_up_to_the_failure_column(rotated: Experiment, data: st.DataObject) -> None:
    kinds = st.sampled_from(sorted(REPLIES))

    def answer(planned: PlannedCall) -> Reply:
        return REPLIES[data.draw(kinds)](planned)

    found = read(rotated, answer)
    for codes, failures in zip(found.codes.codes, found.failures, strict=True):
        assert sum(failures.values()) == int((codes == 3).sum())
        assert set(failures) <= set(CLASSES)
    for shares in found.codes.probabilities:
        known = np.isfinite(shares).all(-1)
        assert shares[known].sum(-1) == pytest.approx(1, abs=1e-5)


def test_replay_is_pure(tmp_path: Path) -> None:
    declared = experiment(tmp_path, readings=READINGS, policies=["strict", "expected"])

    def answer(planned: PlannedCall) -> Reply:
        return likely(planned, 0.5, 0.3, 0.2)

    once, again = (measured(declared, answer).model_dump(exclude={"created"}) for _ in range(2))
    assert once == again

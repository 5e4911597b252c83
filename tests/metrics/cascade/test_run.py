from __future__ import annotations

import json
from dataclasses import replace

import pytest

from metajudge.errors import GoldError, InputError
from metajudge.gold.events import LabelEvent, append_event
from metajudge.gold.goldset import load_goldset
from metajudge.labelling.folder import GoldFolder
from metajudge.metrics.cascade.asked import CallSettings
from metajudge.metrics.cascade.cost import Prices
from metajudge.metrics.cascade.fit import fit_cascade
from metajudge.metrics.cascade.lost import whole_answers
from metajudge.metrics.cascade.people import write_queue
from metajudge.metrics.cascade.run import run_cascade
from metajudge.metrics.cascade.settings import FitSettings
from metajudge.runner.limits import Budget
from tests.experiment.folder import write_script
from tests.metrics.cascade.folder import RULES, answer, gold, judge

EVERY = [
    answer("verbatim", "Hall A opens at 9."),
    answer("judged", "Hall A opens at 9.", "Access and lending are both settled for Hall A."),
    answer("wrong", "Hall A opens at 9.", "Hall A opens at 91.", question="When <b>?"),
    answer("lost", "Hall A mumbles."),
    answer("empty"),
]
OPENS = "甲馆九点开放。"


@pytest.fixture
def calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return CallSettings(store=tmp_path / "s.sqlite")


@pytest.fixture
def fitted(tmp_path, calls):
    settings = FitSettings(
        judge=judge(tmp_path), miss_rate=0.1, prices=Prices(minutes_per_claim=1), calls=calls
    )
    return fit_cascade(gold(tmp_path), settings).cascade


def test_each_answer_goes_as_far_as_it_has_to(fitted, calls):
    applied = run_cascade(fitted, EVERY, calls)
    assert [a.stage for a in applied.answers] == ["screen", "judge", "people", "people", "none"]
    rows = {row["answer_id"]: row for row in applied.rows}
    assert rows["verbatim"]["passed"] is True
    assert rows["verbatim"]["judge_score"] is None, "the judge was not asked"
    assert rows["wrong"]["passed"] is False
    assert rows["wrong"]["screen_score"] == 0, "a number that the context lacks"
    assert rows["wrong"]["judge_score"] < fitted.judge.cut
    assert rows["lost"]["claims"][0]["judge"] is None, "a reply that cannot be read"
    assert rows["empty"]["passed"] is None
    assert applied.counts() == {
        "answers": {"none": 1, "screen": 1, "judge": 1, "people": 2},
        "claims": {"screen": 3, "judge": 1, "people": 2},
    }
    assert sum(report.asked for report in applied.reports) == 3
    assert applied.changes == ()
    json.dumps(applied.rows, allow_nan=False)


def test_a_screen_or_judge_that_passes_nothing_is_not_asked(fitted, calls):
    screen = fitted.screen.model_copy(update={"cut": None})
    applied = run_cascade(fitted.model_copy(update={"screen": screen}), EVERY, calls)
    assert {row["screen_score"] for row in applied.rows} == {None}
    assert applied.counts()["claims"] == {"judge": 4, "people": 2}
    judge = fitted.judge.model_copy(update={"cut": None})
    applied = run_cascade(fitted.model_copy(update={"judge": judge}), EVERY, calls)
    assert applied.reports == ()
    assert applied.counts()["claims"] == {"screen": 3, "people": 3}


def test_a_second_run_asks_nothing(fitted, calls):
    first = run_cascade(fitted, EVERY, calls)
    second = run_cascade(fitted, EVERY, calls)
    assert second.answers == first.answers
    assert sum(report.sent for report in second.reports) == 0


def test_a_budget_leaves_claims_open_and_the_next_run_goes_on(fitted, calls):
    cut = run_cascade(fitted, EVERY, replace(calls, budget=Budget(calls=1)))
    assert cut.stopped.stopped == "budget"
    assert "open" in cut.counts()["answers"]
    assert {row["passed"] for row in cut.rows if row["stage"] == "open"} == {None}
    assert run_cascade(fitted, EVERY, calls).stopped is None


def test_claims_are_extracted_where_no_row_gives_them(fitted, tmp_path, calls):
    rules = [
        (r"(?s)Answer:\n.*story", "- Hall A opens at 9.\n- Hall A opens at 91."),
        (r"(?s)Answer:\n.*void", "   "),
        *RULES,
    ]
    (tmp_path / "judge.yaml").unlink()
    write_script(tmp_path, rules, "idk")
    told = [
        {"answer_id": "s", "context": ["Hall A opens at 9."], "answer": "A story."},
        {"answer_id": "v", "context": ["Hall A opens at 9."], "answer": "A void."},
    ]
    applied = run_cascade(fitted, told, calls)
    story, void = applied.answers
    assert [claim.stage for claim in story.claims] == ["screen", "people"]
    assert void.stage == "people", "claims that are not known are no claims that pass"
    assert void.claims[0].claim.claim == "A void."
    assert applied.changes, "another script is another judge"


def test_an_answer_whose_claims_are_still_to_be_drawn_is_not_one_that_has_none(fitted, calls):
    told = [
        {"answer_id": name, "context": ["Hall A opens at 9."], "answer": f"Story {name}."}
        for name in "ab"
    ]
    cut = run_cascade(fitted, told, replace(calls, budget=Budget(calls=1)))
    assert cut.stopped.stopped == "budget"
    assert "open" in cut.counts()["answers"]
    assert whole_answers(cut) == 0


def test_a_judge_that_writes_nothing_cannot_extract(tmp_path, calls):
    settings = FitSettings(judge="baseline:ngram", miss_rate=0.5, calls=calls)
    cascade = fit_cascade(gold(tmp_path), settings).cascade
    told = [{"answer_id": "s", "context": ["Hall A opens at 9."], "answer": "A story."}]
    with pytest.raises(InputError, match="Give claims"):
        run_cascade(cascade, told, calls)


def test_another_template_is_refused(fitted, calls):
    other = fitted.judge.model_copy(update={"template": "summary-tolerant"})
    with pytest.raises(InputError, match="templates"):
        run_cascade(fitted.model_copy(update={"judge": other}), EVERY, calls)


def test_a_judge_that_lost_its_probabilities_passes_nothing(fitted, tmp_path, calls):
    write_script(tmp_path, [], "yes")
    applied = run_cascade(fitted, EVERY, calls)
    assert applied.counts()["claims"] == {"screen": 3, "people": 3}
    assert applied.changes


def test_the_queue_opens_for_labelling_and_shows_no_score(fitted, calls, tmp_path):
    applied = run_cascade(fitted, EVERY, calls)
    queued = write_queue(fitted, applied.answers, tmp_path / "queue")
    assert (queued.new, queued.known) == (2, 0)
    folder = GoldFolder(tmp_path / "queue")
    texts = {claim.claim: claim for claim in folder.claims.values()}
    assert set(texts) == {"Hall A opens at 91.", "Hall A mumbles."}
    assert texts["Hall A opens at 91."].question == "When <b>?"
    assert folder.policy == fitted.gold.labelling_policy
    text = (tmp_path / "queue" / "claims.jsonl").read_text()
    assert "judge" not in text
    assert "screen" not in text


def test_a_rerun_adds_nothing_and_leaves_labels_and_file_alone(fitted, calls, tmp_path):
    place = tmp_path / "queue"
    applied = run_cascade(fitted, EVERY, calls)
    write_queue(fitted, applied.answers, place)
    claim = load_goldset(place).pending[0]
    label = LabelEvent(
        claim_id=claim.claim_id, annotator="ann", label="no", save_id="0" * 16,
        time="2026-01-05T09:00:00+00:00", policy=fitted.gold.labelling_policy.version,
    )  # fmt: skip
    append_event(place, label)
    before = (place / "claims.jsonl").stat().st_mtime_ns
    queued = write_queue(fitted, applied.answers, place)
    assert (queued.new, queued.known) == (0, 2)
    assert (place / "claims.jsonl").stat().st_mtime_ns == before
    assert [c.label for c in load_goldset(place).claims] == ["no"]
    more = [*EVERY, answer("later", "Hall A sings.", lang="en")]
    queued = write_queue(fitted, run_cascade(fitted, more, calls).answers, place)
    assert (queued.new, queued.known) == (1, 2)
    whole = load_goldset(place)
    assert [c.label for c in whole.claims] == ["no"]
    assert len(whole.pending) == 2


def test_chinese_claims_are_screened_judged_and_queued(fitted, calls, tmp_path):
    told = [
        {"answer_id": "甲", "context": [OPENS], "claims": [OPENS, "甲馆出售茶叶。"], "lang": "zh"},
    ]
    applied = run_cascade(fitted, told, calls)
    assert [claim.stage for claim in applied.answers[0].claims] == ["screen", "people"]
    write_queue(fitted, applied.answers, tmp_path / "queue")
    whole = load_goldset(tmp_path / "queue")
    assert whole.pending[0].claim == "甲馆出售茶叶。"
    assert "zh" in whole.manifest.languages


def test_the_same_claim_twice_is_one_claim_to_label(fitted, calls, tmp_path):
    told = [answer("a", "Hall A sings."), answer("b", "Hall A sings.", "Hall A sings.")]
    queued = write_queue(fitted, run_cascade(fitted, told, calls).answers, tmp_path / "queue")
    assert queued.new == 1


def test_somebody_elses_folder_is_refused(fitted, calls, tmp_path):
    applied = run_cascade(fitted, EVERY, calls)
    with pytest.raises(GoldError, match="halls"):
        write_queue(fitted, applied.answers, tmp_path / "gold")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(GoldError, match="new or empty"):
        write_queue(fitted, applied.answers, tmp_path / "notes")


@pytest.mark.parametrize("context", [[], ["", "  "]])
def test_a_claim_without_a_context_goes_to_people_and_nobody_else_is_asked(fitted, calls, context):
    told = [{"answer_id": "bare", "context": context, "claims": ["Hall A opens at 9."]},
            answer("verbatim", "Hall A opens at 9.")]  # fmt: skip
    applied = run_cascade(fitted, told, calls)
    assert [a.stage for a in applied.answers] == ["people", "screen"]
    assert applied.answers[0].claims[0].note == "there is no context to hold it against"
    assert sum(report.asked for report in applied.reports) == 0


def test_extraction_and_verdicts_open_the_judge_once(fitted, calls, tmp_path, monkeypatch):
    from metajudge.metrics.cascade import asked

    opened = []
    real = asked.open_judges

    from contextlib import contextmanager

    @contextmanager
    def counting():
        with real() as judge_of:

            def told(pin):
                judge = judge_of(pin)
                opened.append(id(judge))
                return judge

            yield told

    monkeypatch.setattr("metajudge.metrics.cascade.run.open_judges", counting)
    rows = [{"answer_id": "s", "context": ["Hall A opens at 9."], "answer": "A story."}]
    write_script(tmp_path, [(r"(?s)Answer:\n.*story", "- Hall A opens at 91."), *RULES], "idk")
    run_cascade(fitted, rows, calls)
    assert len(opened) >= 2
    assert len(set(opened)) == 1

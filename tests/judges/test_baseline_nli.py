from pathlib import Path

import numpy as np
import pytest

from metajudge.errors import MissingExtraError
from metajudge.judges import model_place as places
from metajudge.judges.baseline_nli import TWO_LABELS, NliBaseline, entailed
from metajudge.judges.judge import JudgeCallError, Request, Subject
from metajudge.judges.model_place import ModelPlace
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message
from metajudge.templates.source import AnswerForm
from metajudge.verdicts.parse import parse_reply
from tests.judges.asking import literal
from tests.judges.tiny_models import needs_torch, save_tiny


class Table:
    """A stand-in for a model: entailment and contradiction by (premise, hypothesis)."""

    def __init__(self, known, columns=None):
        self.known = known
        self.asked = []
        self.revision = None
        self.columns = columns

    def probabilities(self, pairs):
        self.asked += pairs
        rows = [self.known.get(pair, (0.1, 0.2)) for pair in pairs]
        return np.array([[e, 1 - e - c, c] for e, c in rows])


TRAVEL = ("The tier-one cap is 500 a night. The tier-two cap is 350.", "Above the cap, ask first.")


def test_best_entailment_over_context_sentences_mean_over_claim_sentences():
    model = Table(
        {
            ("The tier-one cap is 500 a night.", "Tier one gets 500."): (0.9, 0.0),
            ("The tier-two cap is 350.", "Tier one gets 500."): (0.0, 0.3),
            ("Above the cap, ask first.", "Department heads agree."): (0.3, 0.4),
        }
    )
    found = entailed("Tier one gets 500. Department heads agree.", TRAVEL, "en", model)
    assert found.best == pytest.approx((0.9, 0.3))
    assert found.shares.yes == pytest.approx(0.6)
    assert found.shares.no == pytest.approx(0.4 * 0.4)
    assert sum(found.shares) == pytest.approx(1.0)
    assert len(model.asked) == 6


def test_chinese_is_taken_apart_as_chinese():
    model = Table({("九点开门；", "九点开。"): (0.8, 0.0)})
    found = entailed("九点开。五点关。", ("九点开门；五点关门。",), "zh", model)
    assert found.best == pytest.approx((0.8, 0.1))


@pytest.mark.parametrize(("claim", "passages"), [("", ()), ("…", ("",)), ("It opens.", ())])
def test_nothing_to_read_is_asked_all_the_same_and_never_sure(claim, passages):
    found = entailed(claim, passages, "en", Table({}))
    assert sum(found.shares) == pytest.approx(1.0)
    assert found.shares.yes == pytest.approx(0.1)


def judged(monkeypatch, template, claims, top_logprobs=0):
    judge = NliBaseline("baseline:nli:org/name", ModelPlace("org/name"), JudgeOptions())
    monkeypatch.setattr(judge, "_load", lambda: Table(KNOWN))
    context = ("The office opens at 9.",)
    request = Request(
        (Message("user", "…"),), 8, top_logprobs, 0, Subject(context, claims, template)
    )
    return judge.ask(request)


KNOWN = {
    ("The office opens at 9.", "It opens at 9."): (0.8, 0.1),
    ("The office opens at 9.", "It opens at 8."): (0.1, 0.8),
    ("The office opens at 9.", "Parking is free."): (0.1, 0.1),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("claim", "label"),
    [("It opens at 9.", "yes"), ("It opens at 8.", "no"), ("Parking is free.", "idk")],
)
async def test_labels_come_with_their_probabilities(monkeypatch, language, claim, label):
    template = literal(language)
    reply = await judged(monkeypatch, template, (claim,), top_logprobs=20)
    (verdict,) = parse_reply(reply, template, ["1"])
    entail, contradict = KNOWN["The office opens at 9.", claim]
    assert verdict.label == label
    assert verdict.probabilities.yes == pytest.approx(entail, abs=1e-6)
    assert verdict.probabilities.no == pytest.approx((1 - entail) * contradict, abs=1e-6)
    assert verdict.label_mass == pytest.approx(1.0)


async def test_batches_and_reasons_are_read_back(monkeypatch):
    template = literal(claims_per_call=3, answer=AnswerForm(form="reason_first", json=True))
    reply = await judged(monkeypatch, template, tuple(claim for _, claim in KNOWN))
    verdicts = parse_reply(reply, template, ["1", "2", "3"])
    assert [verdict.label for verdict in verdicts] == ["yes", "no", "idk"]
    assert "0.80 entailed" in verdicts[0].reason


async def test_a_template_of_two_labels_gets_no_for_whatever_is_not_entailed(monkeypatch):
    template = literal()
    dialect = template.dialect.model_copy(update={"words": {"yes": "yes", "no": "no"}})
    template = template.model_copy(update={"dialect": dialect})
    reply = await judged(monkeypatch, template, ("Parking is free.",), top_logprobs=20)
    (verdict,) = parse_reply(reply, template, ["1"])
    assert verdict.label == "no"
    assert verdict.probabilities.no == pytest.approx(0.9, abs=1e-6)


async def test_without_the_subject_there_is_no_guess():
    with pytest.raises(JudgeCallError, match="subject"):
        await open_judge("baseline:nli:org/name").ask(Request((Message("user", "x"),), 1))


async def test_without_the_libraries_the_command_is_told(monkeypatch):
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    request = Request((Message("user", "…"),), 1, 20, 0, Subject(("a",), ("b",), literal()))
    judge = open_judge("baseline:nli:org/name")
    with pytest.raises(MissingExtraError, match="pip install"):
        await judge.ask(request)
    await judge.close()


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> Path:
    needs_torch()
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    return save_tiny(tmp_path / "nli")


async def test_a_real_model_answers_the_same_each_time(tiny):
    template = literal()
    claims = ("The office opens at nine.", "图书馆九点开门。")
    replies = []
    for _ in range(2):
        judge = open_judge(f"baseline:nli:{tiny}")
        for claim in claims:
            subject = Subject(("The office opens at nine. It closes at five.",), (claim,), template)
            replies.append(await judge.ask(Request((Message("user", "…"),), 1, 20, 0, subject)))
        await judge.close()
        await judge.close()
    assert replies[0].first_token == replies[2].first_token
    assert replies[1].first_token == replies[3].first_token
    (verdict,) = parse_reply(replies[0], template, ["1"])
    assert sum(verdict.probabilities) == pytest.approx(1.0)
    assert replies[0].model == judge.identity["model"]


async def test_a_model_of_two_labels_says_so_once(tiny):
    folder = save_tiny(tiny.parent / "two", ("not_entailment", "entailment"))
    judge = open_judge(f"baseline:nli:{folder}")
    subject = Subject(("The office.",), ("It opens.",), literal())
    for _ in range(2):
        reply = await judge.ask(Request((Message("user", "…"),), 1, 20, 0, subject))
    assert [notice.endswith(TWO_LABELS) for notice in judge.notices] == [True]
    assert parse_reply(reply, literal(), ["1"])[0].probabilities.no == pytest.approx(0, abs=1e-6)
    await judge.close()

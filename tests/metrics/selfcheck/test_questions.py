import asyncio

import pytest

from metajudge.errors import InputError, TemplateError
from metajudge.metrics.selfcheck.checked import Said
from metajudge.metrics.selfcheck.questions import Matter, Questions
from metajudge.runner.setback import Setback
from metajudge.templates.catalogue import Wording, catalogue, changed
from metajudge.templates.context_form import ContextForm
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply, TokenLogprob
from tests.metrics.selfcheck.asked import BAD, GOOD, LOST, PASSAGES, FakeJudge, candidate, says

MATTER = Matter(tuple(PASSAGES), None, "en")
LITERAL = catalogue()["literal"].source_for("en")
BATCH = changed(LITERAL, "test", claims_per_call=3, answer={"form": "label_first", "json": True})


def put(questions, matter=MATTER, *, texts=(GOOD,), answer=None, judge=None, way="put"):
    """What is said, and the requests that were sent."""
    sent = []

    async def ask(request):
        sent.append(request)
        return answer(request) if answer else Reply(says(request.messages[-1].content))

    judge = judge or FakeJudge(lambda _: "yes")
    found = asyncio.run(getattr(questions, way)(matter, tuple(texts), judge, ask))
    return found, sent


@pytest.mark.parametrize(
    ("template", "texts"),
    [(LITERAL, [GOOD]), (LITERAL, [BAD]), (LITERAL, [LOST]), (BATCH, [GOOD, BAD])],
)
@pytest.mark.parametrize("gives_logprobs", [False, True])
def test_plain_questions_are_those_of_a_sweep(template, texts, gives_logprobs):
    questions = Questions(candidate(template={"en": template}))
    assert questions.is_plain
    judge = FakeJudge(lambda _: "yes")
    judge.gives_logprobs = judge.label_in_one_token = gives_logprobs
    replies = {
        1: Reply("no", first_token=(TokenLogprob("no", -0.1), TokenLogprob("yes", -2.5))),
        2: Reply('[{"id": 1, "verdict": "yes", "reason": "it is"}, {"id": 2, "verdict": "no"}]'),
    }
    outcomes = [
        put(questions, texts=texts, answer=lambda _: replies[len(texts)], judge=judge, way=way)
        for way in ("_put_plainly", "_put_as_planned")
    ]
    (plain, sent), (planned, sent_so) = outcomes
    assert sent == sent_so
    assert [s.subject for s in sent] == [s.subject for s in sent_so]
    for one, other in zip(plain, planned, strict=True):
        assert one._replace(probabilities=None) == other._replace(probabilities=None)
        assert one.probabilities == (other.probabilities and pytest.approx(other.probabilities))


@pytest.mark.parametrize("way", ["_put_plainly", "_put_as_planned"])
@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply("hm, well"), "unparsable"),
        (Reply(""), "empty"),
        (Reply("yes and no and idk"), "unparsable"),
        (Reply("<html><body>yes</body></html>"), "unparsable"),
        (Setback("timeout", "no answer within 2 s"), "timeout"),
        (Setback("connection", "refused"), "transport"),
        (Setback("content_filter", "the provider refused the content"), "refused"),
    ],
)
def test_b07_what_cannot_be_read_is_a_failure_with_its_class(way, reply, failure):
    (said,), _ = put(Questions(candidate()), answer=lambda _: reply, way=way)
    assert (said.label, said.failure) == (None, failure)
    assert said.detail


def test_b09_a_label_that_the_template_does_not_offer_is_a_failure():
    raw = LITERAL.model_dump(by_alias=True, mode="json")
    raw |= {"labels": {"yes": "yes", "no": "no"}}
    raw["definitions"] = {label: raw["definitions"][label] for label in ("yes", "no")}
    two = type(LITERAL).model_validate(raw)
    (said,), _ = put(Questions(candidate(template={"en": two})), answer=lambda _: Reply("idk"))
    assert said.failure == "label_not_offered"


def test_passages_one_at_a_time():
    questions = Questions(candidate(form=ContextForm("chunks", rule="any")))
    assert not questions.is_plain
    by_passage = {PASSAGES[0]: "yes", PASSAGES[1]: "idk"}

    def answer(request):
        text = request.messages[-1].content
        return Reply(next(label for passage, label in by_passage.items() if passage in text))

    (said,), sent = put(questions, texts=["Hall A is open."], answer=answer)
    assert said.label == "yes"
    assert len(sent) == 2


def test_facts_first():
    questions = Questions(candidate(form=ContextForm("truths")))

    def answer(request):
        text = request.messages[-1].content
        return Reply("yes") if "\nClaim: " in text else Reply("- Hall A opens at nine.")

    (said,), sent = put(questions, answer=answer)
    assert said.label == "yes"
    assert len(sent) == 2
    (said,), sent = put(questions, answer=lambda _: Reply("", failure="empty"))
    assert said.label is None
    assert len(sent) == 1


def test_thresholds_and_orders_of_the_labels():
    questions = Questions(candidate(reading="top@0.90"))
    tops = (TokenLogprob("yes", -0.2), TokenLogprob("no", -1.8))
    judge = FakeJudge(lambda _: "yes")
    judge.gives_logprobs = True
    (said,), _ = put(questions, answer=lambda _: Reply("yes", first_token=tops), judge=judge)
    assert said.label == "no"
    (said,), _ = put(questions, answer=lambda _: Reply("yes"), judge=judge)
    assert said.failure == "no_probabilities"
    both = [Wording("a", {"en": LITERAL}), Wording("b", {"en": BATCH})]
    questions = Questions(candidate(variants=tuple(both)))
    labels = iter(["yes", "no"])
    (said,), sent = put(questions, answer=lambda _: Reply(next(labels)))
    assert said == Said(None, "orders_disagree", said.detail, None, None)
    assert len(sent) == 2


def test_what_cannot_check_an_answer_is_refused_at_once():
    with pytest.raises(InputError, match="label priors"):
        Questions(candidate(reading="batch_corrected"))
    framed = type("Framed", (), {"frame": "passage", "claims_per_call": 1})()
    with pytest.raises(InputError, match="frame: a self-check asks whether a context supports"):
        Questions(candidate(template={"en": framed}))


def test_a_template_that_shows_the_question_needs_one():
    shows = changed(LITERAL, "test", show_question=True)
    with pytest.raises(TemplateError, match="shows the user's question"):
        put(Questions(candidate(template={"en": shows})))
    matter = Matter(tuple(PASSAGES), "When does it open?", "en")
    _, (request,) = put(Questions(candidate(template={"en": shows})), matter)
    assert "When does it open?" in request.messages[-1].content


def test_as_many_units_a_call_as_the_template_takes():
    assert Questions(candidate()).per_call("en") == 1
    assert Questions(candidate(template={"en": BATCH})).per_call("zh") == 3


@pytest.mark.parametrize("template", [LITERAL, BATCH])
@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", None])
@pytest.mark.parametrize(
    "text", ["yes", "No.", "**idk**", "", " ", "hm", "yes no", "supported", '{"verdict": "yes"}']
)
def test_short_replies_that_are_remembered_read_as_the_parser_does(template, finish, text):
    questions, texts = Questions(candidate(template={"en": template})), (GOOD,)
    for reply in (Reply(text, finish_reason=finish), Reply(text, finish_reason=finish, model="m")):
        (verdict,) = parse_reply(reply, template, ("1",), texts)
        (said,) = questions.read_plainly(MATTER, texts, reply)
        assert said == Said(verdict.label, verdict.failure, verdict.detail, verdict.reason)
    tops = (TokenLogprob("no", -0.1), TokenLogprob("yes", -2.5))
    (said,) = questions.read_plainly(MATTER, texts, Reply(text, first_token=tops))
    (verdict,) = parse_reply(Reply(text, first_token=tops), template, ("1",), texts)
    assert (said.label, said.probabilities) == (verdict.label, verdict.probabilities)

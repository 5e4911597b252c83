import pytest

from metajudge.judges.baseline import coverage, ngrams, write_answer
from metajudge.judges.judge import JudgeCallError, Request, Subject
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message
from metajudge.templates.source import AnswerForm
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.judges.asking import literal

CONTEXT = ("The office opens at 9 and closes at 17.", "办公室九点开门，十七点关门。")


async def verdicts(template, *claims):
    request = Request((Message("user", "…"),), 8, subject=Subject(CONTEXT, claims, template))
    reply = await open_judge("baseline:ngram").ask(request)
    ids = [str(number) for number in range(1, len(claims) + 1)]
    return [verdict.label for verdict in parse_reply(reply, template, ids)]


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The office opens at 9.", "yes"),
        ("The office opens at 8.", "no"),
        ("Parking is free for guests.", "idk"),
        ("办公室九点开门。", "yes"),
        ("停车场对访客免费。", "idk"),
    ],
)
async def test_thresholds(claim, label):
    assert await verdicts(literal(), claim) == [label]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", ["label_only", "reason_first", "label_first"])
@pytest.mark.parametrize("json_", [False, True])
def test_answers_are_read_back_in_every_form(language, form, json_):
    template = literal(language, answer=AnswerForm(form=form, json=json_))
    for label in ("yes", "no", "idk"):
        text = write_answer(template, [label], ["0.50 of it"])
        (verdict,) = parse_reply(Reply(text), template, ["1"])
        assert (verdict.label, verdict.repaired) == (label, False), text


async def test_batches_answer_each_claim_by_number():
    template = literal(claims_per_call=3, answer=AnswerForm(json=True))
    claims = ("The office opens at 9.", "Parking is free.", "The office opens at 8.")
    assert await verdicts(template, *claims) == ["yes", "idk", "no"]


async def test_without_the_subject_there_is_no_guess():
    with pytest.raises(JudgeCallError, match="subject"):
        await open_judge("baseline:ngram").ask(Request((Message("user", "x"),), 1))


def test_two_label_templates_get_no_instead_of_idk():
    template = literal()
    dialect = template.dialect.model_copy(update={"words": {"yes": "yes", "no": "no"}})
    text = write_answer(template.model_copy(update={"dialect": dialect}), ["no"], [""])
    assert text == "no"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("押金５００元", "押金500元。"),
        ("Ｃａｆé opens", "Cafe\u0301 opens"),
        ("It's free", "It’s free"),
        ("It holds 12,500 users", "It holds 12500 users"),
        ("最多5人", "最多5人可用"),
        ("九", "九点开门"),
    ],
)
def test_b119_two_spellings_of_one_wording_are_equal(claim, passage):
    assert coverage(claim, [passage]) == (1.0, True)


@pytest.mark.parametrize(("claim", "passage"), [("12,50", "1250"), ("1.000", "1000"), ("人", "大")])
def test_other_figures_and_characters_stay_other_ones(claim, passage):
    assert coverage(claim, [passage]).share == 0.0


def test_mixed_scripts_and_empty_claims():
    assert ngrams("5G核心网 AMF") == ["5g", "amf", "5g amf", "核心", "心网"]
    assert coverage("…", ["x"]) == (0.0, True)
    assert coverage("x", []) == (0.0, True)

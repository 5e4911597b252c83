import pytest

from metajudge.metrics.selfcheck.claims import sentence_of
from metajudge.metrics.selfcheck.pieces import pieces_of
from tests.loopback import chat, error, hang, serve
from tests.metrics.selfcheck.asked import BAD, GOOD, LOST, PASSAGES, checker, reads

TEXT = f"{GOOD} {BAD} I hope this helps!"


def lister(claims):
    """A judge that lists these claims, and reads them."""

    def script(call):
        return reads(call) if "\nClaim: " in call.prompt else claims

    return script


def test_sentences_go_with_the_claims_that_were_drawn_from_them():
    claims = chat("- Hall A opens at nine.\n- Hall A closes at five.")
    with serve(lister(claims)) as server, checker(server.url, units="claims") as checks:
        checked = checks.check(TEXT, PASSAGES)
    assert [unit.sentences for unit in checked.units] == [(0,), (1,)]
    assert (checked.decision, checked.score) == ("stripped", 0.5)
    assert checked.text == f"{GOOD} I hope this helps!"
    assert checked.calls == 3


def test_a_claim_that_stands_in_no_sentence_cannot_be_stripped():
    claims = chat("- Hall A opens at nine.\n- Dogs closes barking loudly outside.")
    with serve(lister(claims)) as server, checker(server.url, units="claims") as checks:
        checked = checks.check(TEXT, PASSAGES)
    assert checked.decision == "refused"
    assert checked.units[1].sentences == ()


@pytest.mark.parametrize("reply", ["NONE", "The answer makes no claims."])
def test_b23_a_judge_that_finds_no_claim_does_not_let_the_answer_pass(reply):
    """The sentences are judged instead."""
    with serve(lister(chat(reply))) as server, checker(server.url, units="claims") as checks:
        checked = checks.check(f"{GOOD} {BAD}", PASSAGES)
    assert [unit.text for unit in checked.units] == [GOOD, BAD]
    assert checked.decision == "stripped"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (error(500), "transport"),
        (chat(""), "empty"),
        (chat("- Hall A", finish_reason="length"), "truncated"),
        (hang(), "deadline"),
    ],
)
@pytest.mark.parametrize("on_failure", ["closed", "open"])
def test_claims_that_could_not_be_listed(answer, failure, on_failure):
    settings = {"units": "claims", "deadline_s": 0.4, "on_failure": on_failure}
    with serve(lister(answer)) as server, checker(server.url, **settings) as checks:
        checked = checks.check(TEXT, PASSAGES)
    assert dict(checked.failures) == {failure: 1}
    assert checked.decision == ("refused" if on_failure == "closed" else "unchecked")


def test_nothing_is_listed_where_there_is_nothing():
    with serve(lister(chat("- a"))) as server, checker(server.url, units="claims") as checks:
        assert checks.check("", PASSAGES).decision == "passed"
        assert checks.check(GOOD, []).units[0].label == "idk"
        assert server.calls == 0


def test_claims_and_sentences_in_chinese():
    sentences = pieces_of("甲馆九点开放。茶水免费提供。", "zh").sentences
    assert sentence_of("甲馆在九点开放", sentences) == (0,)
    assert sentence_of("茶水是免费的", sentences) == (1,)
    assert sentence_of("狗在叫", sentences) == ()
    assert sentence_of(LOST, ()) == ()

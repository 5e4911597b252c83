import pytest

from metajudge.metrics.selfcheck.checked import Said
from metajudge.metrics.selfcheck.decision import Rule, decide, score_of, withheld
from metajudge.scoring.policies import parse_policy
from metajudge.verdicts.verdict import LabelProbabilities

YES, NO, IDK, LOST = Said("yes"), Said("no"), Said("idk"), Said(None, "deadline", "late")
OF = {"y": YES, "n": NO, "i": IDK, "?": LOST}


def rule(policy="strict", least=0.8, on_unsupported="strip", on_failure="closed"):
    return Rule(parse_policy(policy), least, on_unsupported, on_failure)


def ruled(labels, rule, places=None):
    said = [OF[label] for label in labels]
    ruling = decide(rule, said, places or [(n,) for n in range(len(said))])
    return ruling.decision, ruling.score, ruling.removed


def test_worked_examples_of_the_field_guide():
    """2 of 5 claims supported is 0.40; 4 of 5 is 0.8, which reaches 0.8."""
    assert ruled("yynii", rule()) == ("stripped", 0.4, (2, 3, 4))
    assert ruled("yyyyi", rule()) == ("passed", 0.8, ())
    assert ruled("i" * 20, rule("lenient")) == ("passed", 1.0, ())
    assert ruled("i" * 20, rule("strict")) == ("refused", 0.0, ())


@pytest.mark.parametrize(
    ("labels", "on_unsupported", "closed", "opened"),
    [
        ("yy", "strip", "passed", "passed"),
        ("yn", "strip", "stripped", "stripped"),
        ("yi", "strip", "stripped", "stripped"),
        ("nn", "strip", "refused", "refused"),
        ("yn", "refuse", "refused", "refused"),
        ("yn", "hand_over", "handed_over", "handed_over"),
        ("yn", "report", "reported", "reported"),
        ("y?", "strip", "stripped", "unchecked"),
        ("??", "strip", "refused", "unchecked"),
        ("??", "refuse", "refused", "unchecked"),
        ("??", "hand_over", "handed_over", "unchecked"),
        ("??", "report", "unchecked", "unchecked"),
        ("n?", "strip", "refused", "stripped"),
        ("yn?", "strip", "stripped", "stripped"),
        ("yn?", "refuse", "refused", "refused"),
        ("yn?", "report", "unchecked", "unchecked"),
        ("yyyyyyyyy?", "refuse", "passed", "passed"),
    ],
)
def test_what_happens_is_what_is_stated(labels, on_unsupported, closed, opened):
    assert ruled(labels, rule(on_unsupported=on_unsupported))[0] == closed
    assert ruled(labels, rule(on_unsupported=on_unsupported, on_failure="open"))[0] == opened


def test_open_keeps_what_could_not_be_checked_and_closed_does_not():
    assert ruled("yn?", rule())[2] == (1, 2)
    assert ruled("yn?", rule(on_failure="open"))[2] == (1,)


def test_b106_a_failure_is_never_credited_in_the_score():
    for on_failure in ("closed", "open"):
        assert ruled("yy??", rule(on_failure=on_failure))[1] == 0.5
    assert ruled("??", rule(on_failure="open"))[1] is None


def test_b29_only_labels_that_cost_points_are_stripped():
    assert ruled("yin", rule("lenient", 0.9))[2] == (2,)
    assert ruled("yin", rule("partial(0.5)", 0.9))[2] == (1, 2)
    assert ruled("yin", rule("map(yes=1,no=0,idk=1)", 0.9))[2] == (2,)
    assert ruled("yin", rule("drop_idk", 0.9))[2] == (2,)


def test_a_score_that_is_undefined_does_not_pass():
    assert ruled("ii", rule("drop_idk")) == ("refused", None, ())
    assert ruled("ii", rule("drop_idk", on_unsupported="report"))[0] == "reported"


def test_expected_scores_go_by_probabilities():
    sure = Said("yes", probabilities=LabelProbabilities(0.9, 0.1, 0.0))
    unsure = Said("yes", probabilities=LabelProbabilities(0.6, 0.2, 0.2))
    policy = parse_policy("expected")
    assert score_of(policy, [sure, unsure], trusting=False).value == pytest.approx(0.75)
    assert score_of(policy, [sure, LOST], trusting=True).value == pytest.approx(0.95)
    assert score_of(policy, [sure, YES], trusting=False).value is None


def test_claims_take_their_sentences_with_them():
    places = [(0,), (0,), (2,)]
    assert ruled("yny", rule(), places) == ("stripped", pytest.approx(2 / 3), (0,))
    assert ruled("yyn", rule(least=1.0), places)[2] == (2,)
    assert ruled("yn", rule(), [(0,), ()])[0] == "refused", "a claim that is in no sentence"
    assert ruled("yn", rule(), [(0,), (0,)])[0] == "refused", "nothing checked would be left"


def test_what_could_not_be_checked_at_all():
    assert withheld(rule()) == "refused"
    assert withheld(rule(on_unsupported="hand_over")) == "handed_over"
    assert withheld(rule(on_failure="open")) == "unchecked"
    assert withheld(rule(on_unsupported="report")) == "unchecked"

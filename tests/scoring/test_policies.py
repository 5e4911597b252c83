"""Policies: names, credits, refusals, and the known figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import ExperimentError
from metajudge.scoring.policies import check_policy, parse_policy

YES, NO, IDK, FAILED = 0, 1, 2, 3
PLAIN = ("lenient", "strict", "partial(0.5)", "drop_idk", "deepeval", "deepeval(penalize)", "ragas")


def value(policy: str, codes: list[int]) -> float | None:
    return parse_policy(policy).score_answer(codes).value


def test_b28_what_idk_is_worth() -> None:
    codes = [YES, IDK, NO, YES]
    assert value("strict", codes) == 0.50
    assert value("lenient", codes) == 0.75
    assert value("drop_idk", codes) == pytest.approx(0.667, abs=5e-4)
    assert value("partial(0.5)", codes) == pytest.approx(0.625)
    assert value("deepeval", codes) == 0.75
    assert value("deepeval(penalize)", codes) == 0.50
    assert value("ragas", codes) == 0.50
    assert all(parse_policy(name).name == name for name in PLAIN)


def test_twenty_idk_is_one_lenient_and_nought_strict() -> None:
    assert (value("lenient", [IDK] * 20), value("strict", [IDK] * 20)) == (1.00, 0.00)


def test_the_worked_examples_of_the_field() -> None:
    assert value("strict", [YES, YES, YES, YES, IDK]) == pytest.approx(0.8)
    assert value("strict", [YES, YES, NO, IDK, NO]) == pytest.approx(0.4)


@pytest.mark.parametrize("policy", [*PLAIN, "expected"])
def test_b30_no_claims_is_null_with_a_reason(policy: str) -> None:
    assert parse_policy(policy).score_answer([]) == (None, "no claims")


@pytest.mark.parametrize("policy", [*PLAIN, "expected"])
def test_b21_an_answer_whose_verdicts_all_failed_has_no_score(policy: str) -> None:
    assert parse_policy(policy).score_answer([FAILED, FAILED]) == (None, "no verdicts")


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("lenient", 0.5), ("strict", 0.25), ("partial(0.5)", 0.375), ("drop_idk", 1 / 3)],
)
def test_b07_a_failure_is_never_credited_and_stays_in_the_denominator(
    policy: str, expected: float
) -> None:
    assert value(policy, [YES, IDK, NO, FAILED]) == pytest.approx(expected)


def test_drop_idk_without_a_decided_claim_is_undefined() -> None:
    assert parse_policy("drop_idk").score_answer([IDK, IDK]) == (None, "no decided claims")
    assert parse_policy("drop_idk").score_answer([IDK, FAILED]) == (None, "no decided claims")


def test_expected_is_the_mean_probability_of_yes() -> None:
    policy = parse_policy("expected")
    rows = [[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]
    assert policy.score_answer([YES, IDK], rows).value == pytest.approx(0.55)
    nan = [float("nan")] * 3
    assert policy.score_answer([YES, IDK, FAILED], [*rows, nan]).value == pytest.approx(1.1 / 3)
    missing = (None, "probabilities missing")
    assert policy.score_answer([YES, IDK], [rows[0], nan]) == missing
    assert policy.score_answer([YES, IDK]) == missing


@given(
    st.lists(st.sampled_from([YES, NO, IDK, FAILED]), min_size=1, max_size=30),
    st.floats(0, 1),
)
def test_partial_lies_between_strict_and_lenient(codes: list[int], weight: float) -> None:
    strict, lenient = value("strict", codes), value("lenient", codes)
    partial = value(f"partial({weight})", codes)
    if strict is None or lenient is None or partial is None:
        assert strict is lenient is partial is None
    else:
        assert strict - 1e-12 <= partial <= lenient + 1e-12


@given(st.permutations([YES, YES, NO, IDK, FAILED]), st.sampled_from(PLAIN))
def test_order_of_claims_changes_nothing(codes: list[int], policy: str) -> None:
    assert value(policy, codes) == pytest.approx(value(policy, sorted(codes)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("partial(.5)", "partial(0.5)"),
        (" partial( 1 ) ", "partial(1)"),
        ("deepeval( penalize )", "deepeval(penalize)"),
        ("map(no=0, yes=1)", "map(yes=1,no=0)"),
        ("map(yes=1,no=0,idk=0.25)", "map(yes=1,no=0,idk=0.25)"),
    ],
)
def test_names_are_canonical(text: str, name: str) -> None:
    assert parse_policy(text).name == name
    assert parse_policy(name) == parse_policy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Strict",
        "stric",
        "partial",
        "partial()",
        "partial(1.5)",
        "partial(nan)",
        "partial(x)",
        "strict(1)",
        "deepeval(x)",
        "map()",
        "map(yes=2)",
        "map(maybe=1)",
        "map(yes=1,yes=0)",
        "map(yes)",
    ],
)
def test_unknown_policies_are_refused(text: str) -> None:
    with pytest.raises(ExperimentError) as refused:
        parse_policy(text, "experiment.yaml")
    (problem,) = refused.value.problems
    assert (problem.where, problem.got) == ("experiment.yaml", repr(text))


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(ExperimentError, match="Did you mean 'strict'"):
        parse_policy("stric")


def test_b25_a_label_without_a_value_is_refused_before_any_request() -> None:
    binary = parse_policy("map(yes=1,no=0)")
    check_policy(binary, ("yes", "no"))
    with pytest.raises(ExperimentError) as refused:
        check_policy(binary, ("yes", "no", "idk", "partial"))
    assert [p.got for p in refused.value.problems] == ["'idk'", "'partial'"]
    with pytest.raises(ValueError, match="no value for label 'idk'"):
        binary.score_answer([YES, IDK])
    for policy in (*PLAIN, "expected"):
        check_policy(parse_policy(policy), ("yes", "no", "idk"))

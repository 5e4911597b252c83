from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from metajudge.agreement.fleiss import fleiss_kappa, rating_counts
from metajudge.agreement.intervals import wilson_interval
from metajudge.scoring.policies import parse_policy
from metajudge.selection.axis_runs import Compared
from metajudge.selection.stability import (
    REPEATS,
    AxisRuns,
    axis_stability,
    flip_rate,
    flip_rates,
    most_flipping,
    template_taus,
    variance_shares,
)
from tests.selection.axes import STRICT, asked, axis_of


def test_pairs_by_hand_for_each_comparison() -> None:
    trial = axis_of("yyni", "yini", "fyyi")
    assert trial.pairs().differ.tolist() == [1, 1, 1, 0]
    assert trial.pairs().of.tolist() == [2, 2, 2, 2]
    draws = axis_of("yyni", "yini", "fyyi", compared_with="each_other")
    assert draws.pairs().differ.tolist() == [2, 2, 2, 0]
    assert draws.pairs().of.tolist() == [3, 3, 3, 3]
    position = axis_of("nnnn", "yini", "fyyi", compared_with="first_level")
    assert position.pairs().differ.tolist() == [1, 1, 1, 0]
    assert position.pairs().of.tolist() == [1, 1, 1, 1]
    assert position.reference_name == "level 0"


def test_cells_that_changed_nothing_do_not_count() -> None:
    # The last claim has one passage: it has no other order, whatever stands in its cell.
    axis = axis_of("yyyy", "niyf", "yiyf", changed=["1110", "0110"])
    assert axis.pairs().differ.tolist() == [1, 2, 0, 0]
    assert axis.pairs().of.tolist() == [1, 2, 2, 0]
    assert axis.rows.tolist()[1:] == [[1, 2, 0, 0], [0, 2, 0, 0]]
    columns, resampling = asked(["yes"] * 4)
    found = axis_stability(axis, columns, resampling, STRICT)
    assert (found.n, found.flip_rate.n) == (3, 3)
    assert found.flip_rate.value == 3 / 5
    assert [level.compared for level in found.levels] == [3, 2]
    assert [dict(level.flips) for level in found.levels] == [
        {"yes->no": 1, "yes->idk": 1},
        {"yes->idk": 1},
    ]


def test_an_axis_that_changes_nothing_is_undefined() -> None:
    columns, resampling = asked(["yes", "no"])
    found = axis_stability(axis_of("yn", "ny", changed=["00"]), columns, resampling, STRICT)
    assert found.n == 0
    assert (found.flip_rate.value, found.fleiss.value) == (None, None)
    assert found.flip_rate.reason == "no claim was put to the judge in another way along this axis"
    assert found.scores["strict"] == (None, None, None)
    assert found.levels[0].flips == {}


def test_a_failure_is_a_category_of_its_own() -> None:
    axis = axis_of("yfff", "ffyf")
    assert axis.pairs().differ.tolist() == [1, 0, 1, 0]
    columns, resampling = asked(["yes"] * 4)
    level = axis_stability(axis, columns, resampling, STRICT).levels[0]
    assert level.flips == {"yes->failure": 1, "failure->yes": 1}


def test_flip_rate_has_wilson_limits_at_the_number_of_claims() -> None:
    columns, resampling = asked(["yes"] * 50)
    draws = axis_of("y" * 50, "y" * 50, "y" * 50, name=REPEATS, compared_with="each_other")
    found = flip_rate(draws, columns, resampling)
    assert (found.value, found.low, found.n) == (0, 0, 50)
    assert found.high == pytest.approx(float(wilson_interval(0, 50).high))


def test_fleiss_equals_the_plain_coefficient_when_every_cell_counts() -> None:
    axis = axis_of("yyniyf", "yinify", "yyyiyf")
    columns, resampling = asked(["yes", "yes", "no", "idk", "yes", "no"])
    found = axis_stability(axis, columns, resampling, STRICT)
    assert found.fleiss.value == pytest.approx(float(fleiss_kappa(rating_counts(axis.rows, 4))))
    assert found.runs == 3


def test_levels_are_measured_on_the_same_claims_as_the_reference() -> None:
    columns, resampling = asked(
        ["yes", "yes", "no", "idk"], slices=["summary", "summary", "literal", "outside_true"]
    )
    found = axis_stability(axis_of("yyni", "yiyi"), columns, resampling, STRICT)
    before, after = found.reference.figures, found.levels[0].figures
    assert found.reference.level == "unperturbed"
    assert [before[k].value for k in ("summary_as_idk", "over_credit", "kappa")] == [0, 0, 1]
    assert (after["summary_as_idk"].value, after["over_credit"].value) == (0.5, 0.5)
    assert found.levels[0].differences["over_credit"].value == 0.5
    assert found.levels[0].differences["kappa"].value == pytest.approx(
        (after["kappa"].value or 0) - 1
    )
    assert found.reference.differences == {}


def test_answer_scores_by_hand() -> None:
    columns, resampling = asked(["yes"] * 6, answers=["a", "a", "b", "b", "c", "c"])
    axis = axis_of("yyyiii", "yiyiii")
    found = axis_stability(axis, columns, resampling, [*STRICT, parse_policy("expected")])
    # Scores: a 1, b 0.5, c 0 unperturbed; a 0.5, b 0.5, c 0 at the level.
    sd, icc, tau = found.scores["strict"]
    assert sd == pytest.approx(np.std([1, 0.5], ddof=1) / 3)
    assert tau == pytest.approx(2 / np.sqrt(3 * 2))
    assert icc is not None and 0.5 < icc < 1
    assert found.scores["expected"] == (None, None, None)


def test_only_answers_that_were_put_in_another_way_have_a_spread() -> None:
    columns, resampling = asked(["yes"] * 4, answers=["a", "a", "b", "b"])
    axis = axis_of("yyii", "iiyy", changed=["1100"])
    assert axis_stability(axis, columns, resampling, STRICT).scores["strict"].sd == pytest.approx(
        np.std([1, 0], ddof=1)
    )


def test_flip_rates_come_from_repeats_at_the_judges_own_temperature() -> None:
    columns, resampling = asked(["yes"] * 4)
    axes = [
        axis_of("yyyy", "yyyi", name=REPEATS, compared_with="each_other"),
        axis_of("yyyy", "iiii", name="repeats at 0.7", compared_with="each_other"),
        axis_of("yyyy", "iiii", trial="u"),
    ]
    rates = flip_rates(axes, columns, resampling)
    assert {name: rate.value for name, rate in rates.items()} == {"t": 0.25}


def test_variance_of_a_claim_by_hand() -> None:
    axis = axis_of("yyyy", "ynny", "yyiy", changed=["1111", "1110"])
    assert axis.variance().tolist() == pytest.approx([0, 2 / 3, 1, 0])


def test_shares_of_the_variance_by_hand() -> None:
    axes = [
        axis_of("yyyy", "niyy", name="layout"),
        axis_of("yyyy", "iyyy", "iyyy", name="dialect"),
        axis_of("yyyy", "yyyy", name="typography"),
    ]
    # Layout: 1, 1, 0, 0 -> 0.5; dialect: 2/3, 0, 0, 0 -> 1/6.
    assert variance_shares(axes) == {
        "t": pytest.approx({"layout": 0.75, "dialect": 0.25, "typography": 0})
    }


def test_noise_of_draws_is_not_an_axis_effect() -> None:
    axes = [
        axis_of("yyyy", "iyyy", name=REPEATS, compared_with="each_other"),
        axis_of("yyyy", "iyyy", name="typography"),
        axis_of("yyyy", "iiyy", name="layout"),
        axis_of("yyyy", "iiii", name="repeats at 1", compared_with="each_other"),
    ]
    assert variance_shares(axes) == {"t": {REPEATS: 0.5, "typography": 0, "layout": 0.5}}
    still = [axis_of("yy", "yy"), axis_of("yy", "yi", trial="u")]
    assert variance_shares(still) == {"t": {}, "u": {"passage_order": 1}}


def test_an_inert_axis_gets_no_share_at_a_warm_temperature() -> None:
    rng = np.random.default_rng(5)
    chances = rng.dirichlet([1, 1, 1], size=3000)

    def draw(labels: str) -> str:
        return "".join(labels[rng.choice(3, p=p)] for p in chances)

    base = draw("yni")
    repeats = [draw("yni") for _ in range(4)]
    axes = [
        axis_of(base, *repeats, name=REPEATS, compared_with="each_other"),
        axis_of(base, draw("yni"), draw("yni"), name="typography"),
        axis_of(base, draw("iyn"), draw("iyn"), name="dialect"),
    ]
    shares = variance_shares(axes)["t"]
    assert shares["typography"] < 0.03
    assert shares["dialect"] > 0.1


def test_template_rank_needs_three_trials() -> None:
    gold = ["yes", "no", "idk"] * 4
    columns, resampling = asked(gold)
    right = "yni" * 4
    bases = {"a": right, "b": right[:9] + "iii", "c": "i" * 6 + right[6:]}
    turned = {"a": right, "b": "i" * 6 + right[6:], "c": right[:9] + "iii"}
    rows = [
        axis_stability(axis_of(bases[t], turned[t], trial=t), columns, resampling, ())
        for t in bases
    ]
    assert template_taus(rows)["passage_order"] == pytest.approx(1 / 3)
    assert template_taus(rows[:2]) == {"passage_order": None}


def test_claims_that_flip_most_come_first() -> None:
    axes = [
        axis_of("yyyy", "nnyy", "nyyy", name="layout"),
        axis_of("yyyy", "nyyi", name="dialect", changed=["1101"]),
    ]
    found = most_flipping(axes)
    assert [(row.claim, row.flips, row.of, row.axes) for row in found] == [
        (0, 3, 3, ("layout", "dialect")),
        (1, 1, 3, ("layout",)),
        (3, 1, 3, ("dialect",)),
    ]
    assert [row.verdict for row in found] == [0, 0, 0]
    assert len(most_flipping(axes, limit=1)) == 1


def first_claim_gets_yes(order: Sequence[int], size: int) -> str:
    """Verdicts of a judge that credits whatever stands first in a batch."""
    said = ["i"] * len(order)
    for start in range(0, len(order), size):
        said[order[start]] = "y"
    return "".join(said)


def test_b102_a_judge_that_credits_the_first_claim_of_a_batch_is_caught() -> None:
    n, size = 40, 5
    batches = [list(range(start, start + size)) for start in range(0, n, size)]
    forward = first_claim_gets_yes([i for batch in batches for i in batch], size)
    backward = first_claim_gets_yes([i for batch in batches for i in batch[::-1]], size)
    axis = axis_of(
        "i" * n,
        forward,
        backward,
        name="batch_position",
        compared_with="first_level",
        levels=("5:forward", "5:reversed"),
    )
    columns, resampling = asked(["idk"] * n)
    found = axis_stability(axis, columns, resampling, STRICT)
    assert found.flip_rate.value == 2 / size
    assert found.flip_rate.low is not None and found.flip_rate.low > 0.05
    assert found.reference.level == "5:forward"
    assert found.levels[0].flips == {"yes->idk": 8, "idk->yes": 8}
    involved = {i for batch in batches for i in (batch[0], batch[-1])}
    assert {row.claim for row in most_flipping([axis])} == involved
    assert {row.axes for row in most_flipping([axis])} == {("batch_position",)}
    # Against the unbatched trial it would look like an effect of batching alone.
    steady = axis_of("i" * n, forward, forward, compared_with="first_level")
    assert flip_rate(steady, columns, resampling).value == 0


def test_b103_a_judge_that_flips_every_tenth_call_is_not_repeatable() -> None:
    n, draws, call = 201, 2, 0
    said = [["y"] * n for _ in range(draws)]
    for draw in range(draws):
        for claim in range(n):
            call += 1
            if call % 10 == 0:
                said[draw][claim] = "i"
    axis = axis_of("".join(said[0]), "".join(said[1]), name=REPEATS, compared_with="each_other")
    columns, resampling = asked(["yes"] * n)
    rate = flip_rates([axis], columns, resampling)["t"]
    # 20 calls of each draw flip, none of them about the same claim.
    assert rate.value == 40 / n
    assert rate.low is not None and rate.low > 0.05
    against_base = axis_of("y" * n, "".join(said[0]), name="layout")
    assert flip_rate(against_base, columns, resampling).value == pytest.approx(0.1, abs=0.005)


def test_b100_flips_that_come_in_answers_have_a_wider_interval() -> None:
    base = "y" * 200
    moved = "".join("i" if (i // 10) % 4 == 0 else "y" for i in range(200))
    alone, by_claim = asked(["yes"] * 200)
    grouped, by_answer = asked(["yes"] * 200, answers=[f"a{i // 10}" for i in range(200)])
    axis = axis_of(base, moved)
    narrow, wide = flip_rate(axis, alone, by_claim), flip_rate(axis, grouped, by_answer)
    assert narrow.value == wide.value == 0.25
    assert (wide.high or 0) - (wide.low or 0) > 2 * ((narrow.high or 0) - (narrow.low or 0))


@pytest.mark.parametrize("n_answers", [15, 60])
def test_flip_rate_intervals_cover_when_claims_of_an_answer_share_their_noise(
    n_answers: int,
) -> None:
    rng = np.random.default_rng(8)
    n, worlds = n_answers * 4, 400
    columns, resampling = asked(["yes"] * n, answers=[f"a{i // 4}" for i in range(n)])
    # A draw slips with chance q ~ Beta(1/2, 6): two draws differ with mean chance E[2 q (1 - q)].
    mean, square = 0.5 / 6.5, 0.5 * 1.5 / (6.5 * 7.5)
    truth, held = 2 * (mean - square), 0
    for _ in range(worlds):
        noise = np.repeat(rng.beta(0.5, 6, size=n_answers), 4)
        drawn = np.where(rng.random((3, n)) < noise, 2, 0)
        every = np.ones((2, n), np.bool_)
        axis = AxisRuns("t", REPEATS, ("2", "3"), drawn[0], drawn[1:], every, "each_other")
        rate = flip_rate(axis, columns, resampling)
        held += (rate.low or 0) <= truth <= (rate.high or 0)
    assert 0.92 <= held / worlds <= 0.98


@pytest.mark.parametrize(
    ("base", "runs", "compared_with", "message"),
    [
        ("yy", [], "trial", "no run to compare with"),
        ("yy", ["yy"], "first_level", "no run to compare with"),
        ("", [""], "trial", "no claim"),
    ],
)
def test_axes_without_a_comparison_are_refused(
    base: str, runs: list[str], compared_with: Compared, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        axis_of(base, *runs, compared_with=compared_with)


def test_shapes_and_codes_are_checked() -> None:
    with pytest.raises(ValueError, match="have shape"):
        axis_of("yy", "yy", changed=["1"])
    with pytest.raises(ValueError, match="codes are 0 to 3"):
        AxisRuns("t", "x", ("a",), np.array([4]), np.array([[0]]), np.ones((1, 1), bool), "trial")
    columns, resampling = asked(["yes"])
    with pytest.raises(ValueError, match="1 claim and 2 verdicts"):
        axis_stability(axis_of("yy", "yy"), columns, resampling, ())

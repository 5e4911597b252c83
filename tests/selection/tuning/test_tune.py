"""Settings measured on stored replies, held against a sweep's own figures."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.scoring.policies import parse_policy
from metajudge.selection import Bounds, CandidateCodes, CandidateKey, Measurer
from metajudge.selection.calibrate import folds_by_context
from metajudge.selection.columns import ClaimColumns, claim_columns
from metajudge.selection.policies import policy_figures
from metajudge.selection.rule import Guardrails, Rule
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import Objective, StudySpec
from metajudge.selection.tuning.space import NOBODY, TuningSpace
from metajudge.selection.tuning.tune import FIGURES, Evaluated, Tunables
from metajudge.selection.tuning.verdicts import Tuning
from tests.selection.worlds import claims

LABELS = ("yes", "no", "idk")
LIFTED = Bounds(None, None, None, None, None)
SLICES = {"yes": ("literal", "summary"), "no": ("contradiction",), "idk": ("off_context",)}


def columns(n: int = 240, repeats: int = 1, seed: int = 5) -> ClaimColumns:
    """Claims in answers of four, two answers a context."""
    rng = np.random.default_rng(seed)
    gold = [LABELS[code] for code in rng.choice(3, n, p=[0.5, 0.2, 0.3])]
    slices = [SLICES[label][rng.integers(len(SLICES[label]))] for label in gold]
    rows = claims(gold, slices=slices, answers=[f"a{i // 4}" for i in range(n)])
    rows = [row.model_copy(update={"context_id": f"x{i // 8}"}) for i, row in enumerate(rows)]
    return claim_columns(rows, repeats, binary=False)


def stored(found: ClaimColumns, rows: int = 6, seed: int = 6) -> CandidateCodes:
    """Judges of three trials under two readings each, that know something; some failures."""
    rng = np.random.default_rng(seed)
    n = len(found.gold)
    shares = rng.dirichlet([1.0, 0.8, 1.0], (rows, n)) * 0.5
    shares += 0.5 * np.eye(3)[np.where(rng.random((rows, n)) < 0.75, found.gold, 2)]
    codes = shares.argmax(-1)
    lost = rng.random((rows, n)) < 0.02
    codes[lost], shares[rng.random((rows, n)) < 0.02] = 3, np.nan
    keys = [CandidateKey(f"t{i // 2}", ("top", "batch_corrected")[i % 2]) for i in range(rows)]
    return CandidateCodes(tuple(keys), codes.astype(np.int64), shares.astype(np.float32))


SETTINGS = (
    Tuning((0,), weight=0.5),
    Tuning((1,), threshold=0.6, weight=0.5),
    Tuning((0, 2, 4), "majority", weight=0.25),
    Tuning((1, 3), "unanimous_yes"),
    Tuning((0, 3, 5), "mean_probability", 0.35, 0.0),
)


def as_sweep(tunables: Tunables, codes: np.ndarray) -> Measurer:
    """The same verdicts as candidates of a sweep, with the baseline in the last row."""
    base = tunables.candidates.codes[[tunables.baseline or 0]]
    every = np.concatenate([codes, base])
    keys = tuple(CandidateKey(f"s{i:03}", "top") for i in range(len(every)))
    shares = np.full((*every.shape, 3), np.nan, np.float32)
    groups = tunables.columns.clusters(tunables.cluster).n_clusters
    weights = cluster_weights(groups, 400, np.random.default_rng(1))
    return Measurer(
        tunables.columns,
        CandidateCodes(keys, every, shares),
        weights,
        tunables.cluster,
        tunables.level,
    )


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("cluster", ["answer", "context"])
def test_figures_are_those_of_a_sweep(cluster: str, repeats: int) -> None:
    place = columns(repeats=repeats)
    tunables = Tunables(place, stored(place), cluster, baseline=0)
    found = tunables.evaluate(SETTINGS)
    codes = tunables.codes(SETTINGS)
    sweep = as_sweep(tunables, codes)
    figures = sweep.measure()
    for row in range(len(SETTINGS)):
        for name in FIGURES:
            assert found.values[name][0, row] == pytest.approx(figures[row].figures[name].value)
    assert found.values["trials"][0].tolist() == [1, 1, 3, 2, 3]
    limits = Guardrails(sweep, tunables.bounds, len(SETTINGS)).on(tunables.everybody)
    off = sum(found.constraints.values())
    assert ((off == 0) == limits.allowed[:, :-1]).all()
    assert off == pytest.approx(limits.off[:, :-1], abs=1e-9)


def test_the_order_is_that_of_the_rule() -> None:
    place = columns()
    tunables = Tunables(place, stored(place), baseline=0, bounds=Bounds(over_credit_upper=0.3))
    many = TuningSpace(tunables.candidates.keys, threshold_step=0.1, weight_step=None).grid()
    found = tunables.evaluate(many)
    sweep = as_sweep(tunables, tunables.codes(many))
    rule = Rule(sweep, target="summary_as_idk", bounds=tunables.bounds, baseline=len(many))
    first = rule.first(tunables.everybody)
    best = found.best_first("summary_as_idk")
    winner = tunables.codes([many[best[0]]])[0]
    assert sweep.candidates.codes[first.row[0]].tolist() == winner.tolist() or (
        first.row[0] == len(many)
    ), "or today's practice itself, which is none of the settings"


def test_scores_are_those_of_the_policy_table() -> None:
    place = columns(repeats=2)
    tunables = Tunables(place, stored(place))
    for weight in (0.0, 0.35, 1.0):
        settings = [Tuning(s.rows, s.vote, s.threshold, weight) for s in SETTINGS]
        found = tunables.evaluate(settings).values
        sweep = as_sweep(tunables, tunables.codes(settings))
        table = policy_figures(sweep, [parse_policy(f"partial({weight})")], 0.8)
        for row in range(len(settings)):
            (told,) = table[row]
            assert found["score_bias"][0, row] == pytest.approx(told.bias.value)
            assert found["score_mae"][0, row] == pytest.approx(told.mae.value)
            assert found["pass_agreement"][0, row] == pytest.approx(told.pass_agreement.value)


def test_a_fixed_policy_for_gold_holds_the_weight_to_one_truth() -> None:
    """A judge that calls every gold-yes summary idk: only credit for idk brings its scores near."""
    gold = ["yes", "yes", "yes", "yes"] * 10
    said = np.array([[0, 0, 2, 2] * 10])
    place = claim_columns(claims(gold, answers=[f"a{i // 4}" for i in range(40)]), binary=False)
    shares = np.full((1, 40, 3), np.nan, np.float32)
    rows = CandidateCodes((CandidateKey("t", "top"),), said, shares)
    tunables = Tunables(place, rows, gold_policy=parse_policy("strict"))
    settings = [Tuning((0,), weight=weight) for weight in (0.0, 0.5, 1.0)]
    found = tunables.evaluate(settings)
    assert found.values["score_mae"][0].tolist() == [0.5, 0.25, 0.0]
    assert found.values["score_bias"][0].tolist() == [-0.5, -0.25, 0.0]
    assert found.values["pass_agreement"][0].tolist() == [0.0, 0.0, 1.0]
    assert settings[found.best_first("score_mae")[0]].weight == 1.0


def test_what_is_undefined_is_none_and_never_nought() -> None:
    place = claim_columns(claims(["yes", "yes"], slices=["literal"] * 2), binary=False)
    shares = np.full((1, 2, 3), np.nan, np.float32)
    rows = CandidateCodes((CandidateKey("t", "top"),), np.array([[3, 3]]), shares)
    values, constraints = Tunables(place, rows).evaluate([Tuning((0,), weight=0.5)]).told(0)
    assert values["over_credit"] is None and values["summary_as_idk"] is None
    assert values["coverage"] == 0.0
    assert "score_mae" not in values
    assert constraints["coverage"] == pytest.approx(0.98)
    assert constraints["over_credit_upper"] == np.inf


def planted(seed: int, bounds: Bounds | None = None) -> tuple[Tunables, TuningSpace]:
    """A row that knows most and leans to yes: it over-credits, but not from a high P(yes) up."""
    rng = np.random.default_rng(seed)
    place = columns(400, seed=seed)
    rows = []
    for know, lean in ((1.0, 0.0), (4.0, 3.0), (1.5, -0.5)):
        heights = rng.normal(0, 1, (len(place.gold), 3)) + know * np.eye(3)[place.gold]
        heights[:, 0] += lean
        shares = np.exp(heights)
        rows.append(shares / shares.sum(-1, keepdims=True))
    probabilities = np.asarray(rows, np.float32)
    keys = tuple(CandidateKey(f"t{i}", "top") for i in range(3))
    candidates = CandidateCodes(keys, probabilities.argmax(-1), probabilities)
    tunables = Tunables(place, candidates, bounds=bounds or Bounds(over_credit_upper=0.1))
    return tunables, TuningSpace(keys, threshold_step=0.05, weight_step=None)


def test_the_winner_of_a_grid_keeps_the_guardrails_and_can_be_declared() -> None:
    for seed in range(10):
        tunables, space = planted(seed)
        grid = space.grid()
        assert len(grid) == 3 * 21
        found = tunables.evaluate(grid)
        first = int(found.best_first("summary_as_idk")[0])
        assert all(row[0, first] == 0 for row in found.constraints.values())
        key = tunables.as_candidate(grid[first])
        assert key is not None and key.trial == "t1"
        assert key.reading == f"top@{grid[first].threshold:.2f}"
        own = grid.index(Tuning((1,)))
        assert found.constraints["over_credit_upper"][0, own] > 0
        broken = [sum(row[0, i] for row in found.constraints.values()) > 0 for i in range(63)]
        order = found.best_first("summary_as_idk")
        assert sorted(broken) == [broken[i] for i in order], "no breaker before one that keeps all"


def test_what_was_chosen_without_a_fold_is_the_best_of_the_rest() -> None:
    tunables, space = planted(3, LIFTED)
    grid, gold = space.grid(), tunables.columns.gold
    codes = tunables.codes(grid)
    chosen = tunables.held_out(grid, "kappa")
    folds = folds_by_context(tunables.columns.contexts.codes)
    assert len(chosen) == len(folds) == 5
    joined = np.empty_like(gold)
    for (fitted, held), setting in zip(folds, chosen, strict=True):
        kappas = [cohen_kappa_score(gold[fitted], row[fitted]) for row in codes]
        assert kappas[grid.index(setting)] == pytest.approx(max(kappas))
        joined[held] = codes[grid.index(setting), held]
    honest = tunables.cross_fitted(grid, "kappa")
    assert honest is not None
    assert honest.values["kappa"][0, 0] == pytest.approx(cohen_kappa_score(gold, joined))


def test_one_context_gives_no_folds() -> None:
    rows = [row.model_copy(update={"context_id": "x"}) for row in claims(["yes", "no"] * 4)]
    place = claim_columns(rows, binary=False)
    tunables = Tunables(place, stored(place, rows=2))
    assert tunables.held_out([Tuning((0,))], "kappa") == ()
    assert tunables.cross_fitted([Tuning((0,))], "kappa") is None


def test_a_panel_cannot_be_declared_as_a_reading() -> None:
    place = columns(16)
    tunables = Tunables(place, stored(place))
    assert tunables.as_candidate(Tuning((0, 2))) is None
    assert tunables.as_candidate(Tuning((1,))) == CandidateKey("t0", "batch_corrected")
    at = tunables.as_candidate(Tuning((1,), threshold=0.6))
    assert at == CandidateKey("t0", "batch_corrected@0.60")
    assert tunables.as_candidate(Tuning((1,), threshold=0.123456)).reading.endswith("@0.123456")  # type: ignore[union-attr]


def test_no_setting_is_an_error_and_more_than_a_chunk_is_none() -> None:
    place = columns(16)
    tunables = Tunables(place, stored(place))
    with pytest.raises(ValueError, match="no setting"):
        tunables.evaluate([])
    many = [Tuning((i % 6,), threshold=(1 + i) / 400) for i in range(300)]
    whole = tunables.evaluate(many)
    one = tunables.evaluate(many[290:291])
    assert isinstance(whole, Evaluated)
    for name, row in whole.values.items():
        assert row.shape == (1, 300)
        assert row[0, 290] == pytest.approx(one.values[name][0, 0], nan_ok=True)
    assert tunables.codes([]).shape == (0, 16)


KEYS = (CandidateKey("a", "top"), CandidateKey("a", "batch_corrected"), CandidateKey("b", "top"))


def test_a_trial_is_in_a_panel_once_and_order_does_not_matter() -> None:
    space = TuningSpace(KEYS, members=3)
    one = {"row.1": "b (top)", "row.2": "a (batch_corrected)", "row.3": NOBODY}
    other = {"row.1": "a (batch_corrected)", "row.2": NOBODY, "row.3": "b (top)"}
    assert space.tuning(one) == space.tuning(other) == Tuning((1, 2))
    twice = {"row.1": "a (top)", "row.2": "a (batch_corrected)", "vote": "unanimous_yes"}
    assert space.tuning(twice) == Tuning((0,)), "one row has no vote"
    assert space.tuning(one | {"vote": "unanimous_yes", "threshold": 0.30000000000000004}) == (
        Tuning((1, 2), "unanimous_yes", 0.3)
    )
    with pytest.raises(ValueError, match="no row 'c'"):
        space.tuning({"row.1": "c"})


def test_the_space_of_single_rows_has_no_panels() -> None:
    space = TuningSpace(KEYS, threshold_step=0.25, weight_step=0.5)
    assert [d.name for d in space.space.dimensions] == ["row.1", "threshold", "weight"]
    assert space.space.size() == len(space.grid()) == 3 * (1 + 4) * 3
    assert {s.threshold for s in space.grid()} == {None, 0.25, 0.5, 0.75, 1.0}
    bare = TuningSpace(KEYS, threshold_step=None, weight_step=None)
    assert bare.grid() == (Tuning((0,)), Tuning((1,)), Tuning((2,)))


def test_a_grid_with_panels_holds_each_panel_once() -> None:
    space = TuningSpace(KEYS, members=2, threshold_step=None, weight_step=None)
    panels = [s for s in space.grid() if len(s.rows) == 2]
    assert {s.rows for s in panels} == {(0, 2), (1, 2)}
    assert len(panels) == len(set(panels)) == 2 * 3


def test_a_study_over_stored_replies_finds_the_threshold_of_the_grid() -> None:
    """No call is made, and no breaker of a guardrail is on the front."""
    tunables, space = planted(4)
    grid = space.grid()
    whole = tunables.evaluate(grid)
    best = whole.values["summary_as_idk"][0, whole.best_first("summary_as_idk")[0]]
    objective = Objective("summary_as_idk", "minimize")
    spec = StudySpec("tuning", None, "tpe", 1, (objective,), space.space, "planted", generation=10)
    study = TemplateStudy.open(spec)
    while asked := study.ask(10):
        found = tunables.evaluate([space.tuning(one.setting) for one in asked])
        for place, one in enumerate(asked):
            values, constraints = found.told(place)
            study.tell(one, {objective.name: values[objective.name]}, constraints, {})
        if len(study.trials()) >= 50:
            break
    trials = {trial.number: trial for trial in study.trials()}
    front = [trials[number] for number in study.front()]
    assert front and all(value == 0 for trial in front for value in trial.constraints.values())
    assert min(float(trial.values["summary_as_idk"] or 0) for trial in front) == best

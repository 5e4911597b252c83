import json
from typing import Any

import pytest

from metajudge.report.charts import charts
from metajudge.report.factor_chart import factor_lines
from metajudge.report.plots import checked, plotly_script
from metajudge.report.ranked import calibrated_rows, ranked_trials
from metajudge.report.results import Results
from metajudge.report.scatter_chart import unplotted_rows
from tests.report.factory import make_sweep


def fixed(results: Results, name: str, language: str = "en") -> dict[str, Any]:
    figure = charts(results, ranked_trials(results))["fixed"][name][language]
    return dict(figure)


def test_every_row_is_a_point_or_named_as_missing() -> None:
    results = make_sweep(120).results
    rows = ranked_trials(results)
    scatter = fixed(results, "scatter")
    drawn = {point[0] for trace in scatter["data"] for point in trace["customdata"]}
    assert len(drawn) == 22
    assert len(unplotted_rows(rows).split(", ")) == 2


def test_whiskers_reach_the_limits_and_the_region_ends_at_the_guardrail() -> None:
    results = make_sweep(120, 3).results
    rows = ranked_trials(results)
    scatter = fixed(results, "scatter", "zh")
    assert scatter["layout"]["shapes"][0]["x1"] == 0.10
    for trace in scatter["data"]:
        for k, (row, *_) in enumerate(trace["customdata"]):
            figure = rows[row - 1].figure("over_credit")
            assert abs(trace["x"][k] + trace["error_x"]["array"][k] - (figure.high or 0)) < 1e-9
            assert abs(trace["x"][k] - trace["error_x"]["arrayminus"][k] - (figure.low or 0)) < 1e-9


def test_no_guardrail_no_region() -> None:
    results = make_sweep(20, 1).results.model_copy(update={"guardrails": {}})
    assert fixed(results, "scatter")["layout"].get("shapes", []) == []


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


def test_no_hostile_text_is_markup_in_any_chart() -> None:
    results = make_sweep(60, hostile=True).results
    made = strings(charts(results, ranked_trials(results)))
    told = [text.replace("<br>", "").replace("<extra></extra>", "") for text in made]
    assert not [text for text in told if "<" in text]


def test_one_slice_trace_a_row() -> None:
    results = make_sweep(40, 3).results
    rows = ranked_trials(results)
    assert len(charts(results, rows)["slices"]["traces"]) == len(rows)


def test_plotly_is_packed_the_same_way_each_time() -> None:
    first = plotly_script()
    plotly_script.cache_clear()
    assert plotly_script() == first
    assert len(first.gzip_base64) < 2_500_000


def test_every_chart_is_json_without_nan() -> None:
    results = make_sweep().results
    json.dumps(charts(results, ranked_trials(results)), allow_nan=False)


def test_an_attribute_that_plotly_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="blob"):
        checked([{"type": "scatter", "blob": 1}], {})


def test_results_without_the_parts_have_the_old_charts_alone() -> None:
    results = make_sweep(40, 2, whole=False).results
    made = charts(results, ranked_trials(results))
    assert set(made["fixed"]) == {"scatter"}
    assert made["chosen"] == {"reliability": [], "abstention": []}


def test_the_front_rings_its_candidates_and_crosses_the_unsafe_ones() -> None:
    results = make_sweep().results
    assert results.selection is not None
    traces = {trace["name"]: trace for trace in fixed(results, "front")["data"]}
    points = {(p.over_credit, p.summary_as_idk): p for p in results.selection.front}
    ringed = traces["on the front of all three"]
    assert all(points[at].on_front for at in zip(ringed["x"], ringed["y"], strict=True))
    assert traces["broken"]["marker"]["symbol"] == "x"
    assert traces["safe"]["marker"]["symbol"] == "circle"
    line = traces["front of the two shares"]
    assert line["x"] == sorted(line["x"])
    assert line["y"] == sorted(line["y"], reverse=True)


def test_marks_grow_with_tokens() -> None:
    results = make_sweep().results
    selection = results.selection
    assert selection is not None
    sizes = {}
    for trace in fixed(results, "front")["data"]:
        if "customdata" in trace:
            rows = [entry[0] for entry in trace["customdata"]]
            sizes |= dict(zip(rows, trace["marker"]["size"], strict=True))
    numbers = {(r.trial, r.reading): r.row for r in ranked_trials(results)}
    tokens = {numbers[p.trial, p.reading]: p.tokens_per_claim or 0.0 for p in selection.front}
    order = sorted(sizes, key=lambda row: tokens[row])
    assert [sizes[row] for row in order] == sorted(sizes.values())


def test_points_at_one_place_share_a_label() -> None:
    results = make_sweep().results
    selection = results.selection
    assert selection is not None
    same = tuple(
        p.model_copy(update={"over_credit": 0.5, "summary_as_idk": 0.5, "safe": False})
        for p in selection.front
    )
    together = results.model_copy(
        update={
            "selection": selection.model_copy(update={"front": same}),
            "decision": results.decision.model_copy(update={"winner": None}),
        }
    )
    (marks,) = [t for t in fixed(together, "front")["data"] if t["name"] == "broken"]
    labels = [text.strip() for text in marks["text"]]
    assert labels[0].split(", ") == [str(row + 1) for row in range(24)]
    assert not any(labels[1:])


def test_power_curves_rise_by_size_and_show_the_power_asked_for() -> None:
    figure = fixed(make_sweep().results, "power")
    for trace in figure["data"]:
        assert trace["x"] == sorted(trace["x"])
    assert len({trace["marker"]["symbol"] for trace in figure["data"]}) == len(figure["data"])
    assert [shape["y0"] for shape in figure["layout"]["shapes"]] == [0.8]


def test_an_undefined_cell_is_no_point_of_the_interaction_plot() -> None:
    results = make_sweep().results
    assert results.factors is not None
    lines = factor_lines(results.factors)
    assert len({(line.colour, line.mark) for line in lines}) == len(lines) == 4
    drawn = [len(trace["x"]) for trace in fixed(results, "factors-summary_as_idk")["data"]]
    assert drawn == [3, 3, 3, 2]
    assert [len(t["x"]) for t in fixed(results, "factors-over_credit")["data"]] == [3, 3, 3, 3]


def test_reliability_has_a_point_per_bin_that_holds_verdicts() -> None:
    results = make_sweep().results
    rows = ranked_trials(results)
    made = charts(results, rows)["chosen"]
    for (_, found), figure in zip(calibrated_rows(results, rows), made["reliability"], strict=True):
        points = figure["en"]["data"][1]
        assert [entry[0] for entry in points["customdata"]] == [b.n for b in found.bins if b.n]
    for (_, found), figure in zip(calibrated_rows(results, rows), made["abstention"], strict=True):
        known = [p.coverage for p in found.abstention if p.error is not None]
        assert figure["zh"]["data"][0]["x"] == known

from metajudge.report.plots import charts, plotly_script, unplotted_rows
from metajudge.report.ranked import ranked_trials
from tests.report.factory import make_sweep


def test_every_row_is_a_point_or_named_as_missing() -> None:
    results = make_sweep(120).results
    rows = ranked_trials(results)
    scatter = charts(results, rows)["scatter"]["en"]
    drawn = {point[0] for trace in scatter["data"] for point in trace["customdata"]}
    assert len(drawn) == 22
    assert len(unplotted_rows(rows).split(", ")) == 2


def test_whiskers_reach_the_limits_and_the_region_ends_at_the_guardrail() -> None:
    results = make_sweep(120, 3).results
    rows = ranked_trials(results)
    scatter = charts(results, rows)["scatter"]["zh"]
    assert scatter["layout"]["shapes"][0]["x1"] == 0.10
    for trace in scatter["data"]:
        for k, (row, *_) in enumerate(trace["customdata"]):
            figure = rows[row - 1].figure("over_credit")
            assert abs(trace["x"][k] + trace["error_x"]["array"][k] - (figure.high or 0)) < 1e-9
            assert abs(trace["x"][k] - trace["error_x"]["arrayminus"][k] - (figure.low or 0)) < 1e-9


def test_no_guardrail_no_region() -> None:
    results = make_sweep(20, 1).results.model_copy(update={"guardrails": {}})
    assert (
        charts(results, ranked_trials(results))["scatter"]["en"]["layout"].get("shapes", []) == []
    )


def test_hostile_names_are_escaped_for_plotly() -> None:
    results = make_sweep(60, hostile=True).results
    made = charts(results, ranked_trials(results))
    names = [p[1] for trace in made["scatter"]["en"]["data"] for p in trace["customdata"]]
    assert not [name for name in names if "<" in name]


def test_one_slice_trace_a_row() -> None:
    results = make_sweep(40, 3).results
    rows = ranked_trials(results)
    assert len(charts(results, rows)["slices"]["traces"]) == len(rows)


def test_plotly_is_packed_the_same_way_each_time() -> None:
    first = plotly_script()
    plotly_script.cache_clear()
    assert plotly_script() == first
    assert len(first.gzip_base64) < 2_500_000

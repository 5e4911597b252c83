import base64

from metajudge.report.browser import PROBABILITY_STEPS, browser_data
from metajudge.report.inert import script_json
from metajudge.report.ranked import ranked_trials
from tests.report.factory import make_sweep


def test_verdicts_and_probabilities_come_back() -> None:
    made = make_sweep(50, 4)
    rows = ranked_trials(made.results)
    data = browser_data(made.results, rows, made.gold)
    for row, entry in zip(rows, data["rows"], strict=True):
        assert row.verdicts is not None
        assert entry["codes"] == "".join(
            {"yes": "y", "no": "n", "idk": "i", "failure": "f"}[v] for v in row.verdicts.verdicts
        )
        packed = base64.b64decode(entry["p"])
        for index, triple in enumerate(row.verdicts.probabilities):
            got = packed[3 * index : 3 * index + 3]
            if triple is None:
                assert set(got) == {255}
            else:
                for byte, p in zip(got, triple, strict=True):
                    assert abs(byte / PROBABILITY_STEPS - p) <= 0.5 / PROBABILITY_STEPS + 1e-9


def test_reasons_and_failures_join_by_claim() -> None:
    made = make_sweep(50, 4)
    rows = ranked_trials(made.results)
    data = browser_data(made.results, rows, made.gold)
    ids = data["claims"]["id"]
    for row, entry in zip(rows, data["rows"], strict=True):
        assert row.verdicts is not None
        for kind in ("reasons", "failures"):
            where, which = entry[kind]
            got = {ids[i]: data["said"][w] for i, w in zip(where, which, strict=True)}
            assert got == getattr(row.verdicts, kind)


def test_without_gold_there_are_ids_and_no_texts() -> None:
    made = make_sweep(10, 1)
    data = browser_data(made.results, ranked_trials(made.results), None)
    assert data["claims"]["text"] is None
    assert data["passages"] is None
    assert len(data["claims"]["id"]) == 10


def test_contexts_are_kept_once() -> None:
    made = make_sweep(50, 1)
    data = browser_data(made.results, ranked_trials(made.results), made.gold)
    assert len(data["contexts"]) == 10
    assert [] in data["passages"]


def test_large_sets_stay_small() -> None:
    made = make_sweep(1000, 4, failures=False)
    rows = ranked_trials(made.results)
    verdicts = browser_data(made.results, rows, None)["rows"]
    bare = [entry | {"reasons": [], "failures": []} for entry in verdicts]
    assert len(script_json(bare)) < 6 * 1000 * 8

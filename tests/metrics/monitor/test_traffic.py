from __future__ import annotations

import json

import pytest

from metajudge.errors import InputError
from metajudge.metrics.monitor.recording import check_sampled
from metajudge.metrics.monitor.traffic import SAMPLE_FIELDS, Sampling, sample_traffic
from metajudge.release.answers_file import read_answers
from tests.release.applied import answer, write_rows

DAYS = ("2026-11-30", "2026-12-01")


def traffic(n: int = 200, **more):
    return [
        answer(
            f"a{k}",
            "Hall A opens at 9.",
            time=f"{DAYS[k % 2]}T09:30:00Z",
            product="shop" if k % 10 else "help",
            conversation=f"c{k // 4}",
            **more,
        )
        for k in range(n)
    ]


def test_a_sample_reads_back_as_answers_with_what_undoes_it():
    found = sample_traffic(traffic(), Sampling(rate=0.2, by=("product",), slices=("lang",)))
    assert 20 < len(found.rows) < 60
    answers = read_answers(found.rows).answers
    assert all(set(SAMPLE_FIELDS) <= set(one.fields) for one in answers)
    assert {one.fields["sample_weight"] for one in answers} == {5.0}
    assert {one.fields["sample_stratum"] for one in answers} == {"product=help", "product=shop"}
    told = {stratum.name: stratum for stratum in found.strata}
    assert told["product=help"].answers == 20
    assert sum(stratum.taken for stratum in found.strata) == len(found.rows)
    again = sample_traffic(traffic()[::-1], Sampling(rate=0.2, by=("product",), slices=("lang",)))
    assert {row["answer_id"] for row in again.rows} == {row["answer_id"] for row in found.rows}


def test_a_conversation_is_taken_as_a_whole():
    found = sample_traffic(traffic(), Sampling(rate=0.3, unit="conversation"))
    units: dict[str, int] = {}
    for row in found.rows:
        units[row["sample_unit"]] = units.get(row["sample_unit"], 0) + 1
    assert set(units.values()) == {4}


def test_a_minimum_a_stratum_and_day_is_kept():
    found = sample_traffic(traffic(), Sampling(rate=0.01, by=("product",), at_least=3))
    assert {stratum.name: stratum.taken for stratum in found.strata} == {
        "product=help": 3,
        "product=shop": 6,
    }


def test_every_faulty_time_is_named_with_its_answer():
    rows = traffic(3)
    rows[0].pop("time")
    rows[1]["time"] = "yesterday"
    with pytest.raises(InputError) as caught:
        sample_traffic(rows, Sampling())
    assert len(caught.value.problems) == 2
    assert "'a1'" in str(caught.value)


def test_a_field_that_no_row_has_is_a_slip_and_is_named():
    with pytest.raises(InputError, match="prodcut"):
        sample_traffic(traffic(3), Sampling(by=("prodcut",)))


@pytest.mark.parametrize("bad", [{"rate": 0.0}, {"rate": 2.0}, {"at_least": -1}])
def test_settings_that_mean_nothing_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Sampling(**bad)


def test_b86_rows_without_an_id_are_taken_by_their_content():
    rows = [answer(None, f"Hall A opens at {k}.", time="2026-11-30") for k in range(60)]
    first = sample_traffic(rows, Sampling(rate=0.3)).rows
    again = sample_traffic(rows[::-1], Sampling(rate=0.3)).rows
    assert {row["answer_id"] for row in first} == {row["answer_id"] for row in again}


def test_a_file_of_answers_is_no_file_of_spans(tmp_path):
    path = write_rows(tmp_path / "t.jsonl", traffic(20))
    assert sample_traffic(str(path), Sampling(rate=1.0)).spans is None
    pretty = tmp_path / "t.json"
    pretty.write_text(json.dumps(traffic(20), indent=1))
    assert len(sample_traffic(str(pretty), Sampling(rate=1.0)).rows) == 20


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+08:00", "9999-12-31T23:59:59-08:00", "1970-01-01T00:00:00Z"]
)
def test_times_of_no_year_of_traffic_are_refused_as_faulty(time):
    with pytest.raises(InputError, match="ISO 8601"):
        sample_traffic([answer("a", "It opens at 9.", time=time)], Sampling(rate=1.0))


def test_fractions_of_seconds_of_any_length_are_read():
    rows = [answer("a", "It opens at 9.", time="2026-12-31T23:59:59.123456789z")]
    assert sample_traffic(rows, Sampling(rate=1.0)).rows[0]["sample_time"] == "2026-12-31T23:59:59Z"


def test_as_many_strata_as_answers_are_counted_in_one_pass():
    rows = [{**row, "user": row["answer_id"]} for row in traffic(3000)]
    found = sample_traffic(rows, Sampling(rate=0.2, by=("user",)))
    assert len(found.strata) == sum(stratum.answers for stratum in found.strata) == 3000
    assert sum(stratum.taken for stratum in found.strata) == len(found.rows)


@pytest.mark.parametrize(
    ("field", "value"),
    [("sample_slices", "model"), ("sample_slices", 5), ("sample_weight", 10**400)],
)
def test_a_sample_that_a_spreadsheet_changed_is_refused_with_its_field(field, value):
    row = answer("a", "It opens at 9.", time="2026-11-30", **{field: value})
    with pytest.raises(InputError, match=field):
        check_sampled(read_answers([row]).answers)

from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from tests.report.factory import make_sweep


def test_a_trial_without_a_reading_is_its_top_row() -> None:
    rows = ranked_trials(make_sweep().results)
    places = Places(rows)
    for row in rows:
        assert places.of(row.trial, row.reading).row == row.row
        first = places.of(row.trial)
        assert first.reading is None
        assert rows[(first.row or 0) - 1].reading == "top"


def test_a_candidate_is_found_by_its_label_and_a_stranger_is_not() -> None:
    rows = ranked_trials(make_sweep().results)
    places = Places(rows)
    found = places.of(f"{rows[3].trial} ({rows[3].reading})")
    assert (found.row, found.reading) == (rows[3].row, rows[3].reading)
    assert places.of("stranger") == (None, "stranger", "stranger", None)
    assert " × local:" not in places.of(rows[0].trial).head

"""Verdicts of settings, held against the rules spelt out claim by claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.readings import CLASSES, Read, at_threshold
from metajudge.selection.tuning.verdicts import VOTES, Tuning, Vote, tuned_codes

YES, NO, IDK, FAILURE = range(4)
SHARES = [(0.6, 0.3, 0.1), (0.2, 0.7, 0.1), (0.3, 0.1, 0.6), (0.4, 0.3, 0.3), (0.5, 0.2, 0.3)]


def made(codes: Sequence[Sequence[int]], shares: Sequence[Sequence[int | None]]) -> CandidateCodes:
    """Rows with codes, and for each entry one of `SHARES` or none."""
    rows = [[(np.nan,) * 3 if s is None else SHARES[s] for s in row] for row in shares]
    keys = tuple(CandidateKey(f"t{i}", "top") for i in range(len(codes)))
    return CandidateCodes(keys, np.asarray(codes, np.int64), np.asarray(rows, np.float32))


def read(share: int | None, code: int, threshold: float | None) -> int:
    """One member's verdict."""
    if threshold is None:
        return code
    if share is None or code == FAILURE:
        return FAILURE
    yes, no, idk = SHARES[share]
    return YES if yes >= threshold else NO if no > idk else IDK


def voted(said: Sequence[int], vote: Vote) -> int:
    counts = Counter(code for code in said if code != FAILURE)
    if vote == "unanimous_yes":
        if all(code == YES for code in said):
            return YES
        if not counts[NO] and not counts[IDK]:
            return FAILURE
        return NO if counts[NO] > counts[IDK] else IDK
    best = [code for code, n in counts.items() if n == max(counts.values())]
    return best[0] if len(best) == 1 else FAILURE


def averaged(shares: Sequence[int | None], codes: Sequence[int], threshold: float | None) -> int:
    if None in shares or FAILURE in codes:
        return FAILURE
    mean = np.mean([SHARES[share] for share in shares if share is not None], axis=0).round(6)
    if threshold is None:
        return int(mean.argmax())
    return YES if mean[0] >= threshold else NO if mean[1] > mean[2] else IDK


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_vote_is_what_the_rule_says_claim_by_claim(data: st.DataObject) -> None:
    n = 4
    share = st.none() | st.integers(0, len(SHARES) - 1)
    rows = data.draw(st.integers(1, 4))
    codes = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n),
                               min_size=rows, max_size=rows))  # fmt: skip
    shares = data.draw(st.lists(st.lists(share, min_size=n, max_size=n),
                                min_size=rows, max_size=rows))  # fmt: skip
    tunings = data.draw(
        st.lists(
            st.builds(
                Tuning,
                st.lists(st.integers(0, rows - 1), min_size=1, unique=True).map(tuple),
                st.sampled_from(VOTES),
                st.none() | st.sampled_from([0.25, 0.35, 0.55, 1.0]),
            ),
            min_size=1,
            max_size=5,
        )
    )
    found = tuned_codes(made(codes, shares), tunings)
    for row, tuning in zip(found, tunings, strict=True):
        for claim in range(n):
            mine = [codes[member][claim] for member in tuning.rows]
            told = [shares[member][claim] for member in tuning.rows]
            said = [read(s, c, tuning.threshold) for s, c in zip(told, mine, strict=True)]
            wanted = (
                said[0]
                if len(said) == 1
                else averaged(told, mine, tuning.threshold)
                if tuning.vote == "mean_probability"
                else voted(said, tuning.vote)
            )
            assert row[claim] == wanted, (tuning, claim)


@pytest.mark.parametrize("threshold", [0.2, 0.4, 0.41, 0.6])
def test_a_row_at_a_threshold_is_the_reading_of_that_name(threshold: float) -> None:
    codes = [[0, 1, 2, 0, 0, 3, 1]]
    shares = [[0, 1, 2, 3, 4, None, None]]
    row = made(codes, shares)
    classes = np.full((7, 1), -1, np.int8)
    classes[5] = CLASSES.index("unparsable")
    whole = Read(
        np.asarray(codes, np.int8).T, row.probabilities[0][:, None].astype(np.float64), classes
    )
    wanted = at_threshold(whole, threshold)
    found = tuned_codes(row, [Tuning((0,), threshold=threshold)])
    assert found[0].tolist() == wanted.codes[:, 0].tolist()
    lost = [CLASSES[c] for c in wanted.classes[5:, 0]]
    assert lost == ["unparsable", "no_probabilities"]


def test_a_draw_of_a_panel_is_a_failure() -> None:
    row = made([[0, 0], [1, 0]], [[None] * 2] * 2)
    assert tuned_codes(row, [Tuning((0, 1))]).tolist() == [[FAILURE, YES]]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rows": ()}, "each once"),
        ({"rows": (1, 1)}, "each once"),
        ({"rows": (-1,)}, "from 0 on"),
        ({"rows": (0,), "vote": "loudest"}, "a vote is one of majority"),
        ({"rows": (0,), "threshold": 0.0}, "above 0"),
        ({"rows": (0,), "threshold": 1.2}, "at most 1"),
        ({"rows": (0,), "weight": -0.1}, "from 0 to 1"),
        ({"rows": (0,), "threshold": float("nan")}, "above 0"),
    ],
)
def test_a_setting_that_is_none_is_refused(fields: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Tuning(**fields)  # type: ignore[arg-type]


def test_a_row_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="a setting has row 3 of 1 row"):
        tuned_codes(made([[0]], [[0]]), [Tuning((0,)), Tuning((0, 3))])

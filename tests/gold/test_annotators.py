from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from metajudge.gold import Annotation, GoldSet, adjudicate, annotation_matrix


def notes(*votes: tuple[str, str, str | None]) -> list[Annotation]:
    return [
        Annotation.model_validate({"annotator": who, "label": label, "time": time})
        for who, label, time in votes
    ]


DATED = ("2026-01-01", "2026-01-02T10:00:00+08:00", "2026-01-02T03:00:00Z")


def test_b91_three_to_one() -> None:
    votes = notes(("a", "yes", None), ("b", "yes", None), ("c", "no", DATED[1]), ("d", "yes", None))
    verdict = adjudicate(votes)
    assert (verdict.label, verdict.votes, verdict.reason) == ("yes", (("yes", 3), ("no", 1)), None)
    assert adjudicate(votes, "majority_then_latest").label == "yes"


def test_b91_two_to_two_is_a_tie_whatever_the_dates_unless_asked() -> None:
    votes = notes(
        ("a", "yes", DATED[0]), ("b", "no", DATED[1]), ("c", "yes", DATED[2]), ("d", "no", DATED[0])
    )
    assert adjudicate(votes).label is None
    assert adjudicate(votes).reason == "a tie: 2 yes, 2 no"
    assert adjudicate(votes, "majority_then_latest").label == "yes"


def test_b91_one_to_one_with_dates() -> None:
    votes = notes(("a", "idk", DATED[2]), ("b", "no", DATED[1]))
    assert adjudicate(votes).label is None
    assert adjudicate(votes, "majority_then_latest").label == "idk"


@pytest.mark.parametrize("times", [(None, DATED[1]), ("yesterday", DATED[1]), (DATED[1], DATED[1])])
def test_b91_a_tie_without_clear_dates_stays_a_tie(times: tuple[str | None, str]) -> None:
    verdict = adjudicate(
        notes(("a", "yes", times[0]), ("b", "no", times[1])), "majority_then_latest"
    )
    assert verdict.label is None and verdict.reason is not None


def test_three_way_plurality_and_nothing() -> None:
    assert (
        adjudicate(
            notes(("a", "yes", None), ("b", "no", None), ("c", "yes", None), ("d", "idk", None))
        ).label
        == "yes"
    )
    assert adjudicate([]).reason == "there are no annotations"


def test_matrix(make_gold: Callable[..., GoldSet]) -> None:
    def said(**labels: str) -> dict[str, Any]:
        return {
            "annotations": tuple(
                {"annotator": who, "label": label} for who, label in labels.items()
            )
        }

    gold = make_gold([said(zoe="yes", bo="idk"), {}, said(al="no")], annotators=("zoe",))
    matrix = annotation_matrix(gold)
    assert matrix.annotators == ("zoe", "al", "bo")
    assert matrix.labels.dtype == np.int8
    assert matrix.labels.tolist() == [[0, -1, 2], [-1, -1, -1], [-1, 1, -1]]
    again = {
        "annotations": ({"annotator": "al", "label": "no"}, {"annotator": "al", "label": "yes"})
    }
    assert annotation_matrix(make_gold([again])).labels.tolist() == [[0]]
    binary = make_gold([{"label": "supported"} | said(al="unsupported")], label_space="binary")
    assert annotation_matrix(binary).labels.tolist() == [[1]]
    assert annotation_matrix(make_gold([{}])).labels.shape == (1, 0)

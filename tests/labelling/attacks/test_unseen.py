"""What a page must not give away: the labels of others, by order, words or marks."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")

from metajudge.gold.events import LabelEvent
from metajudge.labelling.sitting import ShownVerdict
from tests.labelling.desks import Visitor, events, gold_folder, said


def _votes(*labels):
    return {
        "annotations": [{"annotator": f"p{n}", "label": label} for n, label in enumerate(labels)]
    }


def test_the_order_of_second_labels_says_nothing_of_the_first(tmp_path):
    plain = gold_folder(tmp_path / "plain", [_votes("yes", "yes")] * 12)
    mixed = [_votes("yes", "no"), _votes("no", "no"), {"label": "idk"}] * 4
    other = gold_folder(tmp_path / "mixed", mixed)
    orders = []
    for folder in (plain, other):
        queue = Visitor(folder, "eve", work="double").desk.queue
        orders.append([name for name in queue._status if queue.status(name) == "open"])
    assert orders[0] == orders[1] == [f"c{n}" for n in range(1, 13)]


@pytest.mark.parametrize("only", ["all", "pending"])
def test_the_order_of_first_labels_says_nothing_of_others(tmp_path, only):
    folder = gold_folder(tmp_path / "kiosk", [{}] * 4)
    said(folder, "ann", "c3", "no")
    for who, label in (("ann", "yes"), ("cem", "no")):
        said(folder, who, "c2", label)
    queue = Visitor(folder, "eve", only=only).desk.queue
    assert list(queue._status) == ["c1", "c2", "c3", "c4"]


def test_label_it_again_is_said_of_ones_own_labels_alone(tmp_path):
    more = """\
  support: {inference: false}
  changes: [{version: 2.0.0, support: {inference: false}}]
"""
    folder = gold_folder(tmp_path / "kiosk", [{}] * 2, policy="2.0.0", more=more)
    said(folder, "ann", "c2", "yes", policy="1.0.0", slice="inference")
    for sitting in ({"work": "double"}, {"only": "all"}, {}, {"only": "relabel"}):
        visitor = Visitor(folder, "eve", **sitting)
        visitor.see("/claim", id="c2")
        assert visitor.page == "label"
        assert "data-again" not in visitor.text
    own = Visitor(folder, "ann")
    own.see()
    assert own.claim_id == "c2"
    assert "data-again" in own.text
    assert isinstance(events(folder)[0], LabelEvent)


def test_a_verdict_is_named_as_the_labels_beside_it_are(tmp_path):
    folder = gold_folder(tmp_path / "kiosk", [{"label": "yes"}])
    verdicts = {"c1": (ShownVerdict("c1", "plain", "no"), ShownVerdict("c1", "odd", "<other>"))}
    visitor = Visitor(folder, work="review", language="zh", verdicts=verdicts, source="sweep")
    visitor.see()
    assert '<b class="v v-no">矛盾</b>' in visitor.text
    assert "data-settle-gold" in visitor.text

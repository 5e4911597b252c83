"""From twelve claims without a label to gold: two people, two quarrels, a third who settles."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import load_goldset
from tests.labelling.browser import acts, claim_id, kind, press, serving, window
from tests.labelling.folders import claim, command, lights
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
LABELS = ("yes", "no", "idk")
ANNA = {f"c{number:03d}": LABELS[number % 3] for number in range(12)}
BO = ANNA | {"c004": "yes", "c007": "idk"}
ODD = 'a, "quoted"\tand tabbed\n=SUM(A1)，又一行；'


def label_as(browser: Any, folder: Path, name: str, said: dict[str, str], *options: str) -> None:
    with serving(folder, name, *options) as server, window(browser, server) as page:
        while kind(page) == "label":
            label = said[claim_id(page)]
            if claim_id(page) == "c004":
                page.fill("[data-note]", f"{ODD} {name}")
                page.keyboard.press("Escape")
            press(page, str(LABELS.index(label) + 1))
        assert kind(page) == "end"
        assert page.get_attribute("[data-progress]", "data-done") == "12"
        assert "All done" in page.inner_text("h1")


def settle(browser: Any, folder: Path) -> None:
    with serving(folder, "chair", "--adjudicate") as server, window(browser, server) as page:
        assert page.get_attribute("[data-progress]", "data-total") == "2"
        settled = []
        while kind(page) == "settle":
            settled.append(claim_id(page))
            given = [vote.get_attribute("data-vote") for vote in page.locator("[data-vote]").all()]
            assert given == [ANNA[claim_id(page)], BO[claim_id(page)]]
            page.keyboard.press("1")
            page.keyboard.type("Read it again. 再读一遍。")
            press(page, "Control+Enter")
        assert sorted(settled) == ["c004", "c007"]
        assert kind(page) == "end"


def test_from_nothing_to_gold(browser: Any, tmp_path: Path) -> None:
    folder = lights(tmp_path / "lights", 12)
    label_as(browser, folder, "anna", ANNA)
    assert len(load_goldset(folder).claims) == 12
    label_as(browser, folder, "小博", BO, "--double", "1")
    split = load_goldset(folder)
    assert {waiting.claim_id for waiting in split.pending} == {"c004", "c007"}
    agreement = json.loads(command(tmp_path, "gold", "agree", folder, "--resamples", 200, "--json"))
    assert {claim["claim_id"] for claim in agreement["disputed"]} == {"c004", "c007"}
    (pair,) = agreement["pairs"]
    assert pair["claims"] == 12
    settle(browser, folder)
    gold = load_goldset(folder)
    expected = ANNA | {"c004": "yes", "c007": "yes"}
    assert {claim.claim_id: claim.label for claim in gold.claims} == expected
    assert gold.pending == ()
    agreement = json.loads(command(tmp_path, "gold", "agree", folder, "--resamples", 200, "--json"))
    assert (agreement["settled"], agreement["disputed"]) == (2, [])
    report = json.loads(command(tmp_path, "gold", "check", folder, "--json"))
    assert (report["passed"], report["errors"]) == (True, 0)
    exports(tmp_path, folder, expected)


def exports(home: Path, folder: Path, expected: dict[str, str]) -> None:
    """b88: texts with commas, quotes, tabs and line ends come through, and so do all labels."""
    for form in ("csv", "jsonl"):
        command(home, "gold", "export", folder, "--to", home / f"out.{form}")
        with (home / f"out.{form}").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file)) if form == "csv" else [json.loads(r) for r in file]
        assert {row["claim_id"]: row["label"] for row in rows} == expected
        (row,) = (row for row in rows if row["claim_id"] == "c004")
        told = row["annotations"] if form == "jsonl" else json.loads(row["annotations"])
        assert {(each["annotator"], each["label"], each["note"]) for each in told} == {
            ("anna", "no", f"{ODD} anna"),
            ("小博", "yes", f"{ODD} 小博"),
        }
    command(home, "gold", "export", folder, "--to", home / "copy", "--as", "folder")
    gold, copy = load_goldset(folder), load_goldset(home / "copy")
    assert copy.sha256 == gold.sha256
    assert [claim.annotations for claim in copy.claims] == [c.annotations for c in gold.claims]


def test_b89_labels_that_came_by_import_are_kept_beside_those_of_the_page(
    browser: Any, tmp_path: Path
) -> None:
    brought = [
        claim(number, annotations=[note(f"peer-{number}", LABELS[number % 3])])
        for number in range(5)
    ]
    folder = lights(tmp_path / "lights", [*brought, claim(5)])
    with serving(folder, "anna") as server, window(browser, server) as page:
        assert claim_id(page) == "c005"
        press(page, "1")
        assert kind(page) == "end"
    assert len(acts(folder)) == 1
    command(tmp_path, "gold", "export", folder, "--to", tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    names = {row["claim_id"]: [each["annotator"] for each in row["annotations"]] for row in rows}
    assert names == {f"c{n:03d}": [f"peer-{n}"] for n in range(5)} | {"c005": ["anna"]}
    assert [row["label"] for row in rows][:5] == [LABELS[n % 3] for n in range(5)]


def test_two_who_settle_at_once_see_what_the_other_one_saved(browser: Any, tmp_path: Path) -> None:
    folder = lights(
        tmp_path / "lights", [claim(1, annotations=[note("a", "yes"), note("b", "no")])]
    )
    with (
        serving(folder, "chair", "--adjudicate") as hers,
        serving(folder, "boss", "--adjudicate") as his,
        window(browser, hers) as one,
        window(browser, his) as two,
    ):
        for page, key in ((one, "1"), (two, "2")):
            page.keyboard.press(key)
            page.keyboard.type(f"Because of {key}.")
            press(page, "Control+Enter")
        assert kind(one) == "end"
        assert kind(two) == "conflict"
        told = two.inner_text("[data-conflict]")
        assert "chair" in told
        assert "Because of 1." in told
        assert "yes" in two.inner_text("[data-stands]")
        assert "no" in two.inner_text("[data-yours]")
        with two.expect_navigation():
            two.click("[data-keep]")
        assert kind(two) == "end"
    (act,) = acts(folder)
    assert (act["annotator"], act["label"]) == ("chair", "yes")

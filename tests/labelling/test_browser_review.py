"""Verdicts that differ from gold: judge wrong, gold wrong, policy gap; what the set says then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import load_goldset
from tests.labelling.browser import (
    DESKTOP,
    PHONE,
    Server,
    acts,
    claim_id,
    keep_picture,
    kind,
    press,
    serving,
    window,
)
from tests.labelling.folders import claim, command, lights, sweep
from tests.labelling.looks import look, speak

pytestmark = pytest.mark.slow
SAID = "Nothing in it says so, 材料里没有"
VERSUS = {"en": {"yes", "no"}, "zh": {"支持", "矛盾"}}
GOLD = ("yes", "no", "idk")


@pytest.fixture(scope="module")
def run(tmp_path_factory: Any) -> Path:
    """A judge that is right about c002 and c005, and wrong about every other English claim."""
    claims = [claim(n, label=GOLD[n % 3], slice="literal") for n in range(8)]
    folder = lights(tmp_path_factory.mktemp("review") / "lights", claims)
    return sweep(folder, {"c000": "no", "c001": "yes", "c004": "yes", "c006": "no"}, SAID)


@pytest.fixture(scope="module")
def folder(run: Path) -> Path:
    return run.parents[1] / "lights"


@pytest.fixture(scope="module")
def server(run: Path, folder: Path) -> Iterator[Server]:
    with serving(folder, "chair", "--disagreements", str(run)) as made:
        yield made


def test_one_key_each_and_a_correction_that_everything_names(
    browser: Any, server: Server, folder: Path, run: Path
) -> None:
    before = load_goldset(folder)
    with window(browser, server) as page:
        for language in ("en", "zh"):
            speak(page, server.root, language)
            page.goto(f"{server.root}/")
            versus = page.inner_text("[data-versus]").split()
            assert VERSUS[language] <= set(versus)
            look(page, "review", language)
        speak(page, server.root, "en")
        assert page.get_attribute("[data-progress]", "data-total") == "4"
        assert (kind(page), claim_id(page)) == ("review", "c000")
        assert f"{SAID} c000" in page.inner_text(".judge-reason")
        press(page, "1")
        assert claim_id(page) == "c001"
        correct(page)
        assert claim_id(page) == "c004"
        page.keyboard.press("m")
        page.keyboard.type("Does a joke count?")
        press(page, "Control+Enter", "3")
        assert claim_id(page) == "c006"
        page.set_viewport_size(PHONE)
        page.click("[data-outcome=gold_wrong]")
        page.click("[data-gold=no]")
        page.fill("[data-reason]", "but")
        keep_picture(page, "review-gold-wrong-en-phone")
        with page.expect_navigation():
            page.click("[data-settle-gold]")
        page.set_viewport_size(DESKTOP)
        assert kind(page) == "end"
        press(page, "u")
        assert claim_id(page) == "c006"
        press(page, "1")
        assert kind(page) == "end"
        keep_picture(page, "review-end-en-desk")
    standing = [act for act in acts(folder) if act["event"] in ("review", "settle")]
    outcomes = {act["claim_id"]: act["outcome"] for act in standing if act["event"] == "review"}
    assert outcomes == {
        "c000": "judge_wrong",
        "c001": "gold_wrong",
        "c004": "policy_gap",
        "c006": "judge_wrong",
    }
    check_correction(before, folder, run)


def correct(page: Any) -> None:
    """Gold wrong: neither without a label nor without a reason."""
    page.keyboard.press("2")
    page.wait_for_selector("[data-gold-wrong]:not([hidden])")
    assert page.locator("[data-gold]").count() == 2
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(100)
    assert claim_id(page) == "c001"
    page.check("[data-gold=idk] input", force=True)
    page.keyboard.press("m")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(100)
    assert claim_id(page) == "c001"
    keep_picture(page, "review-gold-wrong-en-desk")
    assert page.evaluate("document.activeElement.matches('[data-reason]')")
    page.keyboard.type("The text is silent on it. 材料没有提到。")
    press(page, "Control+Enter")


def check_correction(before: Any, folder: Path, run: Path) -> None:
    gold = load_goldset(folder)
    assert (before.manifest.version, gold.manifest.version) == ("1", "1+c1")
    (done,) = gold.corrections
    assert (done.claim_id, done.was, done.label, done.annotator) == ("c001", "no", "idk", "chair")
    assert done.why == "The text is silent on it. 材料没有提到。"
    assert done.time
    assert gold.sha256 != before.sha256
    home = folder.parent
    counts = json.loads(command(home, "gold", "check", folder, "--json"))
    assert counts["version"] == "1+c1"
    sheet = command(home, "gold", "datasheet", folder)
    assert "lights 1+c1" in sheet
    assert "1 gold label was changed (chair 1)" in sheet
    assert "| c001 | no -&gt; idk | chair |" in sheet
    command(home, "sweep", "experiment.yaml", "--quiet")
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    assert results["gold"]["version"] == "1+c1"
    assert {row["claim_id"]: row["gold"] for row in results["claims"]}["c001"] == "idk"


def test_verdicts_that_were_looked_at_are_not_shown_again(
    browser: Any, folder: Path, run: Path
) -> None:
    """To another person either, also after a new sweep on the corrected set."""
    with (
        serving(folder, "bo", "--disagreements", str(run)) as server,
        window(browser, server) as page,
    ):
        assert kind(page) == "end"
        assert page.get_attribute("[data-progress]", "data-done") == "0"

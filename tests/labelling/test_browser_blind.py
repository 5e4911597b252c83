"""What a second annotator, or one who has not labelled yet, gets to know: nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.labelling.browser import acts, claim_id, kind, press, serving, window
from tests.labelling.folders import MANIFEST, claim, lights, sweep
from tests.labelling.panel import note

pytestmark = pytest.mark.slow
OWN = re.compile(
    r"(?<=[\"=])[\w-]{16}(?=[\"'& ])|[0-9a-f]{64}|127\.0\.0\.1:\d+|metajudge_[0-9a-f]{10}"
    r"|\d{4}-\d\d-\d\d[T ][\d:]+(?: UTC|\+00:00)?|data-pace[^>]*>[^<]*<|/[\w/.-]*/lights"
)
"""What differs between any two sittings: ids, marks, ports, times and the pace."""
SAID = """() => {
  const said = document.querySelector('[data-said]');
  return said.innerText.includes(said.dataset.said);
}"""
SUPPORT = {"inference": False}
POLICY = MANIFEST["labelling_policy"] | {
    "version": "2",
    "support": SUPPORT,
    "changes": [{"version": "2", "support": SUPPORT}],
}


class Heard:
    """All that a window got from its server: headers as they come, pages where it looks."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.parts: list[str] = []
        page.on("response", lambda answer: self._keep(answer) if answer.status == 303 else None)

    def look(self) -> None:
        """Takes in the page that is shown: its address, headers, source, and what became of it."""
        answer = self.page.request.get(self.page.url)
        self._keep(answer, answer.text())
        self.page.wait_for_function(SAID)
        self.parts.append(OWN.sub("#", self.page.content()))

    def _keep(self, answer: Any, body: str = "") -> None:
        headers = dict(sorted(answer.headers.items()))
        headers.pop("content-length", None)
        self.parts.append(OWN.sub("#", f"{answer.url} {answer.status} {headers}\n{body}"))


def labelled_by_bo(place: Path, n: int, said: Sequence[str], **more: Any) -> Path:
    """Claims that bo labelled: half of them in the file, half on the page, one of them skipped."""
    claims, log = [], []
    for number in range(n):
        given = more | {"label": said[number % len(said)]}
        if number % 2:
            claims.append(claim(number, annotations=[{"annotator": "bo", **given}]))
            continue
        claims.append(claim(number))
        about = {"claim_id": f"c{number:03d}", "annotator": "bo", "save_id": f"save-{number:04d}"}
        log.append({"event": "label", "time": "2025-03-01T09:00:00Z", **about, **given})
    folder = lights(place, claims, labelling_policy=POLICY)
    (folder / "annotations").mkdir()
    lines = "".join(json.dumps(act) + "\n" for act in log)
    (folder / "annotations" / "bo.jsonl").write_text(lines, encoding="utf-8")
    return folder


def seen_in_double(browser: Any, folder: Path) -> tuple[list[str], list[Any]]:
    """Everything that reached the second annotator, and the state of the script."""
    states = []
    with (
        serving(folder, "anna", "--double", "1") as server,
        window(browser, server) as page,
    ):
        heard = Heard(page)
        while kind(page) == "label":
            name = claim_id(page)
            heard.look()
            fields = "[...document.forms].flatMap((form) => [...new FormData(form).keys()])"
            states.append(
                [name, page.evaluate(fields), page.evaluate("Object.keys(sessionStorage)")]
            )
            press(page, "2" if name < "c004" else "1")
        press(page, "u")
        for path in (
            "",
            "history",
            "guideline",
            f"claim?id={name}",
            "language?to=zh",
            "claim?id=c000",
        ):
            page.goto(f"{server.root}/{path}")
            heard.look()
        states.append(page.context.storage_state()["origins"])
        states.append(re.sub(r"http\S+", "", server.end()))
    return heard.parts, states


def test_the_second_of_two_learns_nothing_of_the_first(browser: Any, tmp_path: Path) -> None:
    """Whatever the first one said, every byte that the second one gets is the same."""
    one = labelled_by_bo(
        *(tmp_path / "one" / "lights", 8, ["yes"]),
        slice="inference",
        note="NOTE-OF-BO",
        spans=["Two keepers"],
        flagged=True,
        seconds=3.0,
        policy="1",
    )
    two = labelled_by_bo(tmp_path / "two" / "lights", 8, ["no", "idk", "yes"], policy="2")
    heard_one, states_one = seen_in_double(browser, one)
    heard_two, states_two = seen_in_double(browser, two)
    assert not any("NOTE-OF-BO" in part for part in heard_one)
    assert states_one == states_two
    assert len(heard_one) == len(heard_two) > 8
    for ours, theirs in zip(heard_one, heard_two, strict=True):
        assert ours == theirs


def test_verdicts_stay_away_until_the_label_is_saved(browser: Any, tmp_path: Path) -> None:
    labels = ("yes", "no", "idk")
    claims = [claim(n, label=labels[n % 3]) for n in range(8)]
    folder = lights(tmp_path / "lights", claims)
    run = sweep(folder, {"c000": "no", "c001": "yes"}, "The judge says 裁判说")
    with (
        serving(folder, "anna", "--only", "all", "--show-verdicts", str(run)) as server,
        window(browser, server) as page,
    ):
        heard = Heard(page)
        for path in ("", "saved?act=AAAAAAAAAAAA", "history", "guideline", "claim?id=c001"):
            page.goto(f"{server.root}/{path}")
            heard.look()
        page.goto(f"{server.root}/")
        assert not any("judge says" in part or "judge.yaml" in part for part in heard.parts)
        assert claim_id(page) == "c000"
        press(page, "3")
        assert kind(page) == "verdicts"
        assert "The judge says 裁判说 c000" in page.inner_text("[data-verdicts]")
        assert "c001" not in page.inner_text("[data-verdicts]")
        press(page, "u")
        press(page, "1")  # another label, given after sight of the verdict
        press(page, "Enter")
        assert (kind(page), claim_id(page)) == ("label", "c001")
        heard.look()
        assert not any("The judge says 裁判说 c001" in part for part in heard.parts)
    flags = [(act["label"], act.get("flagged", False)) for act in acts(folder) if "label" in act]
    assert flags == [("idk", False), ("yes", True)]


def test_those_who_settle_see_both_labels_and_notes(browser: Any, tmp_path: Path) -> None:
    votes = [
        note("bo", "yes", note="two, so at least one", slice="inference", spans=["Two keepers"]),
        note("小李", "no", note="材料说两名", flagged=True),
    ]
    folder = lights(tmp_path / "lights", [claim(1, annotations=votes), claim(2)])
    with serving(folder, "chair", "--adjudicate") as server, window(browser, server) as page:
        shown = page.inner_text("[data-votes]")
        for part in ("bo", "two, so at least one", "inference", "小李", "材料说两名", "flagged"):
            assert part in shown
        votes_shown = [
            node.get_attribute("data-vote") for node in page.locator("[data-vote]").all()
        ]
        assert votes_shown == ["yes", "no"]
        assert page.inner_text("#passages mark") == "Two keepers"
        assert page.get_attribute("[data-progress]", "data-total") == "1"

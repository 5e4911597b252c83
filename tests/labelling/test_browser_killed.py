"""Labels by script while servers are killed, windows race and two people work on one set."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from metajudge.gold import load_goldset
from metajudge.gold.events import TORN
from tests.labelling.browser import Server, acts, claim_id, press, serving, window
from tests.labelling.folders import lights

pytestmark = pytest.mark.slow
PATIENCE_MS = 2000
LONGEST_S = 900
MOST_KILLS = 5
KEYS = {"yes": "1y", "no": "2n", "idk": "3i"}


def send_into_silence(page: Any, *keys: str) -> None:
    """Presses keys of which the last one sends a form to a server that does not answer."""
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_selector("[data-alert]:not([hidden])")
    assert "Nothing is lost" in page.inner_text("[data-alert]")


def label_n(page: Any, n: int, given: dict[str, str]) -> None:
    for _ in range(n):
        label = ("yes", "no", "idk")[len(given) % 3]
        given[claim_id(page)] = label
        press(page, KEYS[label][len(given) % 2])


def die_before_answering(page: Any, server: Server) -> None:
    """The next label is written, and the server killed before its answer reaches the browser."""

    def handle(route: Any) -> None:
        assert route.fetch(max_redirects=0).status == 303
        server.kill()
        route.abort("connectionreset")

    page.route("**/label", handle, times=1)


def test_twenty_labels_by_keyboard_outlive_a_killed_server(browser: Any, tmp_path: Path) -> None:
    folder = lights(tmp_path / "lights", 24)
    given: dict[str, str] = {}
    with serving(folder, "anna") as server, window(browser, server) as page:
        label_n(page, 7, given)
        page.keyboard.press("m")
        page.keyboard.type("written while the server was gone; 门票")
        server.kill()
        given[noted := claim_id(page)] = "no"
        send_into_silence(page, "Control+Enter", "2")
        send_into_silence(page, "Enter")  # sent again too early: the button has the focus
        server.start()
        press(page, "Enter")
        label_n(page, 4, given)
        die_before_answering(page, server)
        given[unanswered := claim_id(page)] = "idk"
        send_into_silence(page, "3")
        assert [act["claim_id"] for act in acts(folder)].count(unanswered) == 1
        server.start()
        press(page, "Enter")
        assert len(acts(folder)) == 13
        server.kill()
        server.start()
        label_n(page, 7, given)
        progress = page.locator("[data-progress]")
        assert progress.get_attribute("data-done") == "20"
        assert progress.get_attribute("data-total") == "24"
        assert "20 done, 4 wait" in server.end()
    written = acts(folder)
    assert {act["claim_id"]: act["label"] for act in written} == given
    assert len(written) == len(given) == 20
    assert {act.get("note") for act in written if act["claim_id"] == noted} == {
        "written while the server was gone; 门票"
    }
    assert all(act["seconds"] is not None for act in written)


def test_a_line_that_a_kill_tore_is_marked_and_the_work_goes_on(
    browser: Any, tmp_path: Path
) -> None:
    folder = lights(tmp_path / "lights", 4)
    log = folder / "annotations" / "anna.jsonl"
    with serving(folder, "anna") as server, window(browser, server) as page:
        press(page, "1")
        server.kill()
        whole = log.read_bytes()
        log.write_bytes(whole + whole[: len(whole) // 2])
        server.start()
        press(page, "2")
        assert page.get_attribute("[data-progress]", "data-done") == "2"
    lines = log.read_bytes().splitlines()
    assert [line.endswith(TORN) for line in lines] == [False, True, False]
    labelled = [claim for claim in load_goldset(folder).every_claim if claim.annotations]
    assert [claim.annotations[0].label for claim in labelled] == ["yes", "no"]


def test_two_servers_of_one_person_overwrite_nothing(browser: Any, tmp_path: Path) -> None:
    folder = lights(tmp_path / "lights", 3)
    with (
        serving(folder, "anna") as one,
        serving(folder, "anna") as two,
        window(browser, one) as page,
    ):
        other = page.context.new_page()
        other.goto(f"{two.root}/")
        first = claim_id(page)
        assert claim_id(other) == first
        press(page, "1")
        press(other, "2")
        assert other.inner_text("[data-stands]") == "yes"
        assert [act["label"] for act in acts(folder)] == ["yes"]
        with other.expect_navigation():
            other.click("[data-replace]")
        press(page, "u")  # on a page that does not know of it yet
        standing = [claim for claim in load_goldset(folder).claims if claim.claim_id == first]
        assert [claim.label for claim in standing] == ["no"]


class Killer(threading.Thread):
    """Kills a server at moments that a seed decides, and starts it again each time."""

    def __init__(self, server: Server, seed: int) -> None:
        super().__init__()
        self.kills = 0
        self._server, self._random, self._over = server, random.Random(seed), threading.Event()

    def run(self) -> None:
        while self.kills < MOST_KILLS and not self._over.wait(self._random.uniform(0.3, 3.0)):
            self._server.kill()
            self.kills += 1
            self._server.start()

    def __enter__(self) -> Killer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


OUTCOME = """() => {
  if (location.protocol === 'chrome-error:') return 'lost';
  if (window.before) {
    const alert = document.querySelector('[data-alert]');
    return alert && !alert.hidden ? 'unanswered' : null;
  }
  if (document.readyState !== 'complete') return null;
  return document.body.classList.contains('scripted') ? document.body.dataset.page : 'bare';
}"""


LEAVE = """(form) => {
  window.before = true;
  const values = new FormData(document.querySelector(form));
  return ['save_id', 'claim_id', 'label'].map((name) => values.get(name));
}"""
CLICK = """(selector) => {
  window.before = true;
  const button = document.querySelector(selector), alert = document.querySelector('[data-alert]');
  if (alert.contains(button)) alert.hidden = true;
  button.click();
}"""


class Tab:
    """One window that a script labels in, and what it was told of each save."""

    def __init__(self, page: Any, server: Server, seed: int) -> None:
        self.page, self.server, self._random = page, server, random.Random(seed)
        self.state = self._now()
        self.sent: dict[str, tuple[str, str]] = {}
        self.replaced: set[str] = set()
        self.confirmed: set[str] = set()
        self.kept = 0

    def act(self) -> None:
        """Does what the page that is shown asks for; nothing is waited for."""
        if self.state in ("lost", "bare"):  # killed before the page, or its script, was there
            self._come_back()
        elif self.state == "unanswered":
            time.sleep(0.1)
            self._leave("[data-retry-now]")
        elif self.state == "label":
            label = self._random.choice(list(KEYS))
            save_id, name = self.page.evaluate(LEAVE, "[data-form]")[:2]
            self.sent[save_id] = (name, label)
            self.page.keyboard.press(self._random.choice(KEYS[label]))
        elif self.state == "conflict":
            self._answer_conflict()

    def settle(self) -> None:
        """Waits for what came of it."""
        self.state = self._now()
        saved = parse_qs(urlsplit(self.page.url).query).get("saved")
        if self.state != "lost" and saved:
            self.confirmed.update(saved)

    def _answer_conflict(self) -> None:
        if self._random.random() < 0.5:
            self.kept += 1
            self._leave("[data-keep]")
            return
        save_id, name, label = self.page.evaluate(LEAVE, "form:has([data-replace])")
        self.sent[save_id] = (name, label)
        self.replaced.add(save_id)
        self._leave("[data-replace]")

    def _leave(self, selector: str) -> None:
        self.page.evaluate(CLICK, selector)

    def _come_back(self) -> None:
        """As somebody who sees the browser say that there is no such server."""
        from playwright.sync_api import Error

        for _ in range(300):
            try:
                self.page.goto(f"{self.server.root}/")
                return
            except Error:
                time.sleep(0.05)

    def _now(self) -> str:
        """The page that is shown; `lost` also where a kill cut it off, which loads for ever."""
        from playwright.sync_api import TimeoutError as TooLong

        try:
            return str(self.page.wait_for_function(OUTCOME, timeout=PATIENCE_MS).json_value())
        except TooLong:
            return "lost"


def work_through(tabs: list[Tab]) -> None:
    """Every tab at once, the second one now and then, until no claim waits in any."""
    turn = random.Random(5)
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        busy = [tab for tab in tabs if tab.state != "end"]
        if not busy:
            return
        for tab in busy:
            if tab is not tabs[1] or turn.random() < 0.3 or len(busy) == 1:
                tab.act()
        for tab in busy:
            tab.settle()
    raise AssertionError("the work did not end")


def check_log(folder: Path, name: str, tabs: list[Tab]) -> dict[str, str]:
    """What stands in one person's log is what was sent; the last label by claim."""
    raw = (folder / "annotations" / f"{name}.jsonl").read_bytes()
    assert raw.endswith(b"\n")
    assert TORN not in raw
    written = [act for act in acts(folder) if act["annotator"] == name]
    sent = {save_id: said for tab in tabs for save_id, said in tab.sent.items()}
    replaced = set().union(*(tab.replaced for tab in tabs))
    confirmed = set().union(*(tab.confirmed for tab in tabs))
    assert max(Counter(act["save_id"] for act in written).values()) == 1
    assert confirmed <= {act["save_id"] for act in written}
    by_claim = defaultdict(list)
    for act in written:
        assert (act["claim_id"], act["label"]) == sent[act["save_id"]]
        by_claim[act["claim_id"]].append(act)
    for first, *later in by_claim.values():
        assert first["save_id"] not in replaced
        assert {act["save_id"] for act in later} <= replaced
    return {claim: saved[-1]["label"] for claim, saved in by_claim.items()}


def test_a_hundred_labels_with_kills_two_windows_and_two_people(
    browser: Any, tmp_path: Path
) -> None:
    folder = lights(tmp_path / "lights", 100)
    with (
        serving(folder, "anna", "--only", "all") as hers,
        serving(folder, "bo") as his,
        window(browser, hers) as one,
        window(browser, his) as bo,
    ):
        two = one.context.new_page()
        two.goto(f"{hers.root}/")
        tabs = [Tab(one, hers, 1), Tab(two, hers, 2), Tab(bo, his, 3)]
        with Killer(hers, 7) as first, Killer(his, 8) as second:
            work_through(tabs)
        assert first.kills >= 3
        assert second.kills >= 3
        assert sum(tab.kept + len(tab.replaced) for tab in tabs[:2]) >= 5
    intended = {
        "anna": check_log(folder, "anna", tabs[:2]),
        "bo": check_log(folder, "bo", tabs[2:]),
    }
    assert len(intended["anna"]) == 100
    assert len(intended["bo"]) >= 20
    gold = load_goldset(folder)
    assert len(gold.every_claim) == 100
    for claim in gold.every_claim:
        found = sorted((note.annotator, note.label) for note in claim.annotations)
        name = claim.claim_id
        assert found == [(who, said[name]) for who, said in intended.items() if name in said]

"""The labelling page as people use it: a server of its own and a real Chromium.

    with serving(folder, "anna") as server, window(browser, server) as page:
        press(page, "1")

A server is a process that can be killed; it is started again on the same port, with the same
cache, so that open windows go on. A window that logs an error, opens a dialog or asks another
machine for anything fails the test that it belongs to.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.report.chromium import FLAGS, browser_path

PICTURES = os.environ.get("METAJUDGE_PICTURES")
DESKTOP = {"width": 1280, "height": 900}
REBOUND = "rebound.example"
"""A name that leads to this machine, as far as the browser knows."""
PHONE = {"width": 390, "height": 844}
_ADDRESS = re.compile(r"(http://\S+)\n")


def missing() -> str:
    """Why the page cannot be looked at here; empty where it can."""
    if browser_path() is None:
        return "no Chromium on this machine: the labelling page is not looked at"
    absent = [name for name in ("playwright", "fastapi", "uvicorn") if not _is_there(name)]
    return f"the labelling page is not looked at: no {', '.join(absent)}" if absent else ""


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


class Server:
    """A running `metajudge label`."""

    def __init__(
        self, folder: Path, name: str, options: Sequence[str] = (), **variables: str
    ) -> None:
        self.folder, self.name, self.options = folder, name, tuple(options)
        self.port = 0
        self.process: subprocess.Popen[bytes]
        self._log = folder.parent / f"label-{time.monotonic_ns()}.log"
        self._variables = variables
        self.start()

    @property
    def url(self) -> str:
        """The address that lets a browser in; each works once."""
        return str(_ADDRESS.findall(self.said())[-1])

    @property
    def root(self) -> str:
        """The server, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the process and waits for the address that it prints."""
        code = "from metajudge.cli import main; main()"
        words = ["label", str(self.folder), "--as", self.name, "--port", str(self.port)]
        plain = {k: v for k, v in os.environ.items() if not k.startswith("METAJUDGE_")}
        own = {"XDG_CACHE_HOME": str(self.folder.parent / "cache"), "COLUMNS": "300"}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, *words, "--no-browser", *self.options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**plain, **own, "PYTHONUNBUFFERED": "1", **self._variables},
                start_new_session=True,
            )
        for _ in range(12_000):
            if _ADDRESS.search(self.said()):
                self.port = urlsplit(self.url).port or 0
                return
            assert self.process.poll() is None, self.said()
            time.sleep(0.025)
        raise AssertionError(f"no address: {self.said()}")

    def said(self) -> str:
        """All that the server has printed."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """Ends the process without a chance to tidy up."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> str:
        """Ends the process as Ctrl+C does; all that it printed."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(300) == 0, self.said()
        return self.said()


@contextmanager
def serving(folder: Path, name: str, *options: str, **variables: str) -> Iterator[Server]:
    """A labelling server on a free port of this machine."""
    server = Server(folder, name, options, **variables)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser with no state of its own."""
    from playwright.sync_api import sync_playwright

    program = browser_path()
    assert program is not None
    args = [flag for flag in FLAGS if not flag.startswith(("--headless", "--remote"))]
    args.append(f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=args)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(browser: Any, server: Server, **options: Any) -> Iterator[Any]:
    """A window of a browser without cookies, let in by a server, that is held to be harmless."""
    context = browser.new_context(**({"viewport": DESKTOP, "locale": "en-GB"} | options))
    context.set_default_timeout(60_000)
    faults: list[str] = []
    context.on("page", lambda page: watch(page, faults))
    try:
        page = context.new_page()
        page.goto(server.url)
        yield page
        assert faults == []
    finally:
        context.close()


def watch(page: Any, faults: list[str]) -> None:
    """Notes what a page does that it never should: errors, dialogs, requests that leave here."""

    def console(message: Any) -> None:
        # Of an answer such as 409 the browser itself says that a resource failed to load.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            faults.append(f"console: {message.text}")

    def dialog(opened: Any) -> None:
        faults.append(f"dialog: {opened.message}")
        opened.dismiss()

    def request(asked: Any) -> None:
        parts = urlsplit(asked.url)
        if parts.scheme not in ("http", "chrome-error") or parts.hostname != "127.0.0.1":
            faults.append(f"request: {asked.url}")

    page.on("console", console)
    page.on("dialog", dialog)
    page.on("request", request)
    page.on("pageerror", lambda error: faults.append(f"script: {error}"))


def kind(page: Any) -> str:
    """Which page is shown."""
    return str(page.get_attribute("body", "data-page"))


def press(page: Any, *keys: str) -> None:
    """Presses keys, of which the last one leads to another page."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def claim_id(page: Any) -> str:
    """The claim that is shown."""
    return str(page.get_attribute("[data-claim-id]", "data-claim-id"))


def acts(folder: Path) -> list[dict[str, Any]]:
    """Every line that was written, in the order of files and lines."""
    return [
        json.loads(line)
        for path in sorted((folder / "annotations").glob("*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]


def keep_picture(page: Any, name: str, whole: bool = True) -> None:
    """Keeps what the page, or what is in sight of it, looks like; METAJUDGE_PICTURES says where."""
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=whole)

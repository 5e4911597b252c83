"""A headless Chromium for looking at a page: sizes, themes, script values, pictures.

    async with open_page(path, width=390, dark=True) as page:
        assert await page.value("document.title") == "…"
        await page.picture("/tmp/x.png")

`python -m tests.report.chromium report.html out.png 390 dark zh tab=stability` makes a picture
from a shell.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


def browser_path() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class Page:
    """One tab, driven over the browser's debugging protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.log: list[str] = []
        self.requests: list[str] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json()
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.log.append(str(params["exceptionDetails"]))
        if message.get("method") == "Log.entryAdded":
            self.log.append(params["entry"]["text"])
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    async def value(self, expression: str) -> Any:
        answer = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def until(self, expression: str, seconds: float = 60.0) -> None:
        for _ in range(int(seconds / 0.05)):
            if await self.value(f"Boolean({expression})"):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"never came true: {expression}")

    async def screen(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])

    async def visit(self, path: str | Path) -> None:
        await self.call("Page.navigate", url=Path(path).resolve().as_uri())
        await self.until("document.documentElement?.dataset.ready === 'true'", 120)

    async def picture(self, path: str | Path, whole: bool = True) -> None:
        shot = await self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))


@asynccontextmanager
async def open_page(
    path: str | Path, *, width: int = 1280, height: int = 900, dark: bool = False
) -> AsyncIterator[Page]:
    program = browser_path()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            program,
            *FLAGS,
            f"--user-data-dir={profile}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            port = await _port(Path(profile))
            async with aiohttp.ClientSession() as session:
                address = await _first_tab(session, port)
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    page = Page(socket)
                    for domain in ("Page", "Runtime", "Log", "Network"):
                        await page.call(f"{domain}.enable")
                    await page.screen(width, height, dark=dark)
                    await page.visit(path)
                    yield page
        finally:
            process.terminate()
            await process.wait()


async def _port(profile: Path) -> int:
    for _ in range(1200):
        found = profile / "DevToolsActivePort"
        if found.exists() and (lines := found.read_text().split()):
            return int(lines[0])
        await asyncio.sleep(0.05)
    raise AssertionError("the browser did not start")


async def _first_tab(session: aiohttp.ClientSession, port: int) -> str:
    """Where it is driven; the browser listens before it has made one."""
    for _ in range(1200):
        async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
            tabs = [tab for tab in await reply.json() if tab["type"] == "page"]
        if tabs:
            return str(tabs[0]["webSocketDebuggerUrl"])
        await asyncio.sleep(0.05)
    raise AssertionError("the browser shows no page")


async def _main(source: str, target: str, width: str, *options: str) -> None:
    async with open_page(source, width=int(width), dark="dark" in options) as page:
        if "zh" in options:
            await page.value("document.querySelector('[data-language=zh]').click()")
        for option in options:
            if option.startswith("tab="):
                name = option.removeprefix("tab=")
                await page.value(f"document.getElementById('tab-{name}').click()")
        await page.value("scrollTo(0, 0)")
        await asyncio.sleep(0.5)
        height = await page.value("document.documentElement.scrollHeight")
        wide = await page.value("document.documentElement.scrollWidth")
        sys.stderr.write(f"{wide} x {height}; {page.log} {len(page.requests)}\n")
        await page.picture(target)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))

"""Where the page is: the address to open, and what is kept of it for the next time."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from metajudge.counted import counted
from metajudge.errors import Problem
from metajudge.labelling.door import LOOPBACK, SHORTEST_TOKEN, Door, is_loopback
from metajudge.labelling.kept import kept_file, read_kept, write_kept

_ANY = ("0.0.0.0", "::", "")


class Place:
    """The address of one annotator's page.

    Attributes:
        host: What is listened on.
        door: Who may come in.
        port: Where it listens now; the one from last time until `listens_at`; None the first time.
    """

    def __init__(
        self,
        folder: Path,
        annotator: str,
        *,
        host: str = "127.0.0.1",
        token: str | None = None,
        opened: Callable[[str], None] = lambda address: None,
    ) -> None:
        """A place, with the secret that was kept of it.

        Args:
            folder: Of the gold set.
            annotator: Who labels.
            host: What is listened on.
            token: That people type; None makes addresses that let a browser in once each.
            opened: Told the next address when one was used.
        """
        self.host = host
        self._file = kept_file(folder, annotator)
        self._kept = read_kept(self._file)
        self.port = self._kept.port
        self.door = Door(
            self._kept.secret,
            f"{folder.resolve()}\n{annotator}",
            token=token,
            hosts={*LOOPBACK, host},
            used=lambda _: opened(self.address()),
        )

    def listens_at(self, listening: socket.socket) -> bool:
        """Takes the port from the socket and keeps it; False where nothing can be kept."""
        self.port = int(listening.getsockname()[1])
        return write_kept(self._file, self._kept._replace(port=self.port))

    def address(self) -> str:
        """What to open; without the token where people type it."""
        name = socket.gethostname() if self.host in _ANY else self.host
        shown = f"[{name}]" if ":" in name else name
        root = f"http://{shown}:{self.port}/start"
        return root if self.door.asks_for_token else f"{root}?token={self.door.start_token}"


def host_problems(host: str, token: str | None) -> list[Problem]:
    """What keeps a page from being served on a host with a token, as a command line gives them."""
    where = "command line"
    if token is not None and len(token) < SHORTEST_TOKEN:
        law = f"a token has {SHORTEST_TOKEN} characters or more"
        mend = 'Make one: python -c "import secrets; print(secrets.token_urlsafe())".'
        return [Problem(where, law, mend, field="--token", got=counted(len(token), "characters"))]
    if token is None and not is_loopback(host):
        law = "a page that others can reach needs a token"
        mend = f"Give --token {SHORTEST_TOKEN} characters or more, or leave --host out."
        return [Problem(where, law, mend, field="--host", got=repr(host))]
    return []

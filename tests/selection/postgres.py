"""A PostgreSQL server of its own for one test, in a temporary folder, stopped afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_FOLDERS = ("/usr/lib/postgresql/15/bin", "/usr/local/bin", "/usr/bin")
_USER = "postgres"
PASSWORD = "fünf-und-vierzig"


def _binary(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join((*_FOLDERS, os.environ.get("PATH", ""))))
    if found is None:
        pytest.skip(f"{name} is not on this machine")
    return found


def _other_user() -> pwd.struct_passwd | None:
    """The user the server runs as: it refuses to be root."""
    if os.geteuid():
        return None
    try:
        return pwd.getpwnam(_USER)
    except KeyError:
        pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty base without its password: `postgresql+psycopg://mj:{}@host:port/…`."""
    pytest.importorskip("psycopg")
    initdb, server = _binary("initdb"), _binary("postgres")
    user = _other_user()
    folder = Path(tempfile.mkdtemp(prefix="metajudge-postgres-"))
    secret = folder / "password"
    secret.write_text(PASSWORD, "utf-8")
    if user is not None:
        for path in (folder, secret):
            os.chown(path, user.pw_uid, user.pw_gid)
    base = folder / "base"
    who = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    make = [initdb, "-D", str(base), "-U", "mj", "-A", "scram-sha-256", "--pwfile", str(secret)]
    make += ["-E", "UTF8", "--no-sync"]
    started: subprocess.Popen[bytes] | None = None
    try:
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **who)
        serve = [server, "-D", str(base), "-k", str(folder), "-F"]
        serve += ["-c", "listen_addresses=127.0.0.1"]
        answers = False
        while not answers:
            port = _free_port()
            with (folder / "log").open("wb") as log:
                command = [*serve, "-p", str(port)]
                started = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **who)
            answers = _answers(port, started, folder / "log")
        yield f"postgresql+psycopg://mj:{{}}@127.0.0.1:{port}/postgres"
    finally:
        if started is not None:
            started.send_signal(signal.SIGINT)
            try:
                started.wait(timeout=30)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _answers(port: int, server: subprocess.Popen[bytes], log: Path) -> bool:
    """True once it does; False where somebody else had taken the port in the meantime."""
    import psycopg

    give_up_at = time.monotonic() + 300
    while time.monotonic() < give_up_at:
        if server.poll() is not None:
            said = log.read_text("utf-8", errors="replace")
            assert "could not create any TCP/IP sockets" in said, said
            return False
        try:
            where = f"host=127.0.0.1 port={port} user=mj dbname=postgres password={PASSWORD}"
            psycopg.connect(where).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    raise AssertionError("the server does not answer")

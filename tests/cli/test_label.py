from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from metajudge.gold import load_goldset
from tests.labelling.desks import gold_folder, said
from tests.labelling.folders import claim, lights, sweep
from tests.labelling.panel import note

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')


@pytest.fixture
def folder(tmp_path):
    return gold_folder(tmp_path / "kiosk", [{}] * 6)


def refused(run, *arguments):
    ended = run("label", *arguments, "--no-browser")
    assert ended.exit_code == 2, ended.output
    return " ".join((ended.stderr or ended.output).split())


@pytest.mark.parametrize(
    ("name", "said_so"),
    [("", "has a name"), ("  ", "has a name"), ("x" * 81, "80 characters"), ("a\x1bb", "control")],
)
def test_a_name_is_a_name(run, folder, name, said_so):
    assert said_so in refused(run, folder, "--as", name)


def test_a_folder_has_to_be_a_gold_folder(run, tmp_path, folder):
    assert "no goldset.yaml" in refused(run, tmp_path / "nowhere", "--as", "bo")
    assert "no goldset.yaml" in refused(run, folder / "claims.jsonl", "--as", "bo")
    (folder / "claims.jsonl").write_text("{\n")
    told = refused(run, folder, "--as", "bo")
    assert "claims.jsonl:1" in told
    assert "Traceback" not in told


def test_all_faults_of_a_command_line_are_told_at_once(run, folder):
    told = refused(
        run, folder, "--as", "", "--adjudicate", "--double", 2, "--only", "all", "--host", "0.0.0.0"
    )
    for part in ("has a name", "one kind of work", "at most 1", "--only", "needs a token"):
        assert part in told, part


def test_a_queue_file_names_claims_of_the_set(run, folder, tmp_path):
    order = tmp_path / "order.jsonl"
    order.write_text('{"claim_id": "c2", "reason": "r"}\n{"claim_id": "never"}\nnonsense\n')
    told = refused(run, folder, "--as", "bo", "--order", order)
    assert "order.jsonl:2" in told
    assert "order.jsonl:3" in told


def test_a_port_that_is_taken_is_said(run, folder):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refused(run, folder, "--as", "bo", "--port", port)
    assert f"(got {port})" in told
    assert "something else listens" in told


def test_a_host_of_another_machine_is_said(run, folder):
    told = refused(run, folder, "--as", "bo", "--host", "192.0.2.7", "--token", "x" * 16)
    assert "192.0.2.7" in told


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_what_is_not_installed_is_named(run, folder, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    told = refused(run, folder, "--as", "bo")
    assert "pip install 'fastapi" in told
    assert "uvicorn" in told


@pytest.mark.parametrize("option", ["--disagreements", "--show-verdicts"])
def test_a_run_that_is_not_there_is_said(run, folder, tmp_path, option):
    told = refused(run, folder, "--as", "bo", option, tmp_path / "nowhere")
    assert "nowhere: no such run. `metajudge sweep EXPERIMENT` makes one." in told
    told = refused(run, folder, "--as", "bo", option, folder)
    assert "there is no results.json in it" in told


@pytest.mark.parametrize("option", ["--disagreements", "--show-verdicts"])
def test_a_run_on_another_gold_set_is_refused(run, tmp_path, option):
    made = sweep(
        lights(tmp_path / "lights", [claim(n, label="no") for n in range(4)]),
        {"c000": "yes"},
        "because",
    )
    other = gold_folder(tmp_path / "kiosk", [{}] * 3)
    told = refused(run, other, "--as", "bo", option, made)
    assert "kiosk" in told
    assert "got a run on the gold set lights 1" in told
    namesake = lights(tmp_path / "namesake", [claim(number) for number in range(20, 24)])
    assert "its claims" in refused(run, namesake, "--as", "bo", option, made)


def test_a_run_on_another_version_and_a_new_name_are_told(tmp_path):
    folder = lights(
        tmp_path / "lights",
        [claim(n, label="no", annotations=[note("anna", "no")]) for n in range(4)],
    )
    made = sweep(folder, {"c000": "yes"}, "because")
    manifest = folder / "goldset.yaml"
    manifest.write_text(manifest.read_text().replace('"version": "1"', '"version": "2"', 1))
    server = Server(folder, "ana", "--disagreements", str(made))
    assert "new annotator ana; known: anna" in "".join(server.told)
    server.process.send_signal(signal.SIGINT)
    _, warned = server.process.communicate(timeout=300)
    assert "the run was made on lights 1; this is lights 2." in warned


def test_help_loads_no_server(run):
    code = (
        "import sys\nfrom metajudge.cli.app import app\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(app, ['label', '--help']).exit_code == 0\n"
        "assert not {'fastapi', 'uvicorn', 'starlette'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Server:
    """`metajudge label` in a process of its own, and a browser without a screen."""

    def __init__(self, folder, name, *arguments):
        from httpx import Client

        command = [sys.executable, "-m", "metajudge", "label", str(folder), "--as", name]
        self.process = subprocess.Popen(
            [*command, "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.told = []
        while not self.told or "http" not in self.told[-1]:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.told.append(line)
        self.address = self.told[-1].strip()
        self.root = self.address.partition("/start")[0]
        self.client = Client(base_url=self.root, follow_redirects=True)

    def enter(self):
        assert self.client.get(self.address).status_code == 200

    def form(self):
        text = self.client.get("/").text
        found = re.search(r'<form id="label-form".*?</form>', text, re.S)
        return None if found is None else dict(FIELD.findall(found[0]))

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        told, wrong = self.process.communicate(timeout=300)
        return self.process.returncode, told, wrong


@contextmanager
def serving(folder, name="bo", *arguments):
    server = Server(folder, name, *arguments)
    try:
        yield server
    finally:
        server.client.close()
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.slow
def test_a_killed_server_loses_nothing_and_open_windows_go_on(folder, own_cache):
    with serving(folder) as server:
        assert server.told[0] == "kiosk 1.0.0: 6 claims wait for bo, 0 done\n"
        server.enter()
        form = server.form()
        for label in ("yes", "no"):
            fields = server.form() | {"label": label, "note": "private note"}
            assert server.client.post("/label", data=fields).status_code == 200
        open_window = server.form() | {"label": "idk"}
        cookies = dict(server.client.cookies)
        server.stop(signal.SIGKILL)
    with serving(folder) as again:
        assert again.root == server.root
        assert again.told[0] == "kiosk 1.0.0: 4 claims wait for bo, 2 done\n"
        again.client.cookies.update(cookies)
        assert again.client.post("/label", data=open_window).status_code == 200
        assert again.client.post("/label", data=form | {"label": "no"}).status_code == 409
        code, told, wrong = again.stop()
    assert (code, wrong) == (0, "")
    assert told.endswith("ended; 3 done, 3 wait. The same command goes on.\n")
    assert "private note" not in "".join(again.told) + told + wrong
    labels = {claim.claim_id: claim.label for claim in load_goldset(folder).claims}
    assert labels == {"c1": "yes", "c2": "no", "c3": "idk"}


@pytest.mark.slow
def test_two_annotators_at_once_on_two_servers(folder, own_cache):
    with serving(folder, "bo") as one, serving(folder, "陈", "--only", "all") as two:
        assert one.root != two.root
        for server in (one, two):
            server.enter()
        for _ in range(6):
            for server in (one, two):
                form = server.form()
                if form is not None:
                    server.client.post("/label", data=form | {"label": "yes"})
        assert two.form() is None
    votes = [claim.annotations for claim in load_goldset(folder).claims]
    assert len(votes) == 6
    assert all({note.annotator for note in notes} >= {"陈"} for notes in votes)


@pytest.mark.slow
def test_beyond_this_machine_with_a_token_that_is_never_told(folder, own_cache, monkeypatch):
    token = "a-token-of-this-test"
    monkeypatch.setenv("METAJUDGE_LABEL_TOKEN", token)
    with serving(folder, "bo", "--host", "0.0.0.0", "--port", "0") as server:
        assert token not in "".join(server.told)
        port = server.root.rpartition(":")[2]
        root = f"http://127.0.0.1:{port}"
        assert server.client.get(f"{root}/").status_code == 403
        assert server.client.post(f"{root}/start", data={"token": "x"}).status_code == 403
        assert server.client.post(f"{root}/start", data={"token": token}).status_code == 200
        assert "label-form" in server.client.get(f"{root}/").text
        code, told, wrong = server.stop()
    assert code == 0
    assert token not in told + wrong
    assert "not encrypted" in wrong


@pytest.mark.slow
def test_an_order_is_kept_and_what_is_labelled_is_said(folder, own_cache, tmp_path):
    said(folder, "ann", "c2", "yes")
    order = tmp_path / "order.jsonl"
    rows = [{"claim_id": name, "reason": "judges say yes"} for name in ("c5", "c2", "c3")]
    order.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with serving(folder, "bo", "--order", str(order), "--port", "0") as server:
        assert "1 of the 3 claims of the queue is labelled already" in "".join(server.told)
        server.enter()
        form = server.form()
        assert form["claim_id"] == "c5"
        assert "judges say yes" not in server.client.get("/").text
        server.client.post("/label", data=form | {"label": "yes"})
        assert server.form()["claim_id"] == "c3"

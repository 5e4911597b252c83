import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import GoldSet, load_goldset, write_goldset
from metajudge.gold.importing import whole
from metajudge.gold.importing.whole import drafted, put_in_place, same_files

KILLED = """
# For each step that touches the disk: a process that is killed right before it.
import json, os, shutil, signal, sys
from pathlib import Path
from metajudge.gold.goldset import load_goldset
from metajudge.gold.importing import whole
from metajudge.gold.writer import write_goldset

plain = sys.argv[1] == "plain"
old, new = load_goldset("old"), load_goldset("new")
calls = 0

def put(stop_at):
    def counted(real):
        def call(*args, **more):
            global calls
            calls += 1
            if calls == stop_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)
        return call

    for name in ("replace", "rename", "link", "fsync"):
        setattr(os, name, counted(getattr(os, name)))
    for name in ("rename", "write_bytes", "mkdir"):
        setattr(Path, name, counted(getattr(Path, name)))
    whole._exchange = (lambda *_: False) if plain else counted(whole._exchange)
    with whole.drafted(new, Path("set"), texts={"README.md": "new"}) as draft:
        whole.put_in_place(draft, Path("set"))

killed = True
while killed:
    calls += 1
    shutil.rmtree("set", ignore_errors=True)
    write_goldset(old, "set")
    Path("set/annotations").mkdir()
    Path("set/annotations/anna.jsonl").write_text("act")
    step, child = calls, os.fork()
    if not child:
        calls = 0
        put(step)
        os._exit(0)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    gone = not Path("set").exists()
    if gone:
        with whole.drafted(new, Path("set")):
            pass
    claims = load_goldset("set", with_acts=False).claims
    state = "old" if claims == old.claims else "new" if claims == new.claims else "neither"
    kept = Path("set/annotations/anna.jsonl").read_text() == "act"
    print(json.dumps([killed, gone, state, kept]))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def put(goldset: GoldSet, folder: Path, **more: Any) -> None:
    with drafted(goldset, folder, **more) as draft:
        put_in_place(draft, folder)


def test_a_new_folder_and_nothing_beside_it(make_gold, here):
    made = make_gold([{}, {"label": "no"}])
    put(made, Path("a/b/set"), texts={"README.md": "page"})
    assert load_goldset("a/b/set").claims == made.claims
    assert names(Path("a/b")) == [
        "set",
        "set/README.md",
        "set/claims.jsonl",
        "set/contexts.jsonl",
        "set/goldset.yaml",
    ]
    Path("empty").mkdir()
    put(made, Path("empty"))
    assert load_goldset("empty").claims == made.claims


def test_a_set_in_parts_has_the_bytes_of_a_set_at_once(make_gold, here, monkeypatch):
    made = make_gold([{"context_id": f"x{n % 7}", "claim": f"茶 {n}"} for n in range(25)])
    write_goldset(made, "once")
    monkeypatch.setattr(whole, "_PART", 4)
    put(made, Path("parts"))
    for name in ("claims.jsonl", "contexts.jsonl", "goldset.yaml"):
        assert Path("parts", name).read_bytes() == Path("once", name).read_bytes()
    assert names(Path("parts")) == names(Path("once"))


def test_half_a_character_in_a_later_part_leaves_no_set(make_gold, here, monkeypatch):
    made = make_gold([{"context_id": f"x{n}", "claim": f"茶 {n}"} for n in range(9)])
    broken = made.claims[8].model_copy(update={"note": "a\ud800"})
    monkeypatch.setattr(whole, "_PART", 4)
    with pytest.raises(GoldError, match=r"claims\.jsonl.*half a character \(U\+D800\)"):
        put(replace(made, claims=(*made.claims[:8], broken)), Path("parts"))
    assert not Path("parts").exists()
    assert not list(Path().glob(".parts*"))


@pytest.mark.parametrize("plain", [False, True])
def test_other_files_go_over_as_they_are(make_gold, here, monkeypatch, plain):
    if plain:
        monkeypatch.setattr(whole, "_exchange", lambda *_: False)
    folder = Path("set")
    put(make_gold([{}]), folder, texts={"README.md": "old"})
    (folder / "annotations").mkdir()
    acts = folder / "annotations" / "anna.jsonl"
    acts.write_text("act 1\n")
    (folder / "ledger.jsonl").write_text("read\n")
    (folder / "there").symlink_to("ledger.jsonl")
    with acts.open("a") as still_open:
        made = make_gold([{}, {}])
        put(made, folder, texts={"README.md": "new"})
        still_open.write("act 2\n")
    assert acts.read_text() == "act 1\nact 2\n"
    assert (folder / "there").read_text() == "read\n"
    assert os.path.islink(folder / "there")
    assert (folder / "README.md").read_text() == "new"
    assert len(load_goldset(folder, with_acts=False).claims) == 2
    assert names(here)[0] == "set"
    assert not [name for name in os.listdir(here) if name.startswith(".")]


def test_what_somebody_makes_meanwhile_goes_over_too(make_gold, here, monkeypatch):
    folder = Path("set")
    put(make_gold([{}]), folder)
    exchange = whole._exchange

    def late(draft: Path, place: Path) -> bool:
        (place / "annotations").mkdir()
        (place / "annotations" / "bo.jsonl").write_text("act\n")
        return exchange(draft, place)

    monkeypatch.setattr(whole, "_exchange", late)
    put(make_gold([{}, {}]), folder)
    assert (folder / "annotations" / "bo.jsonl").read_text() == "act\n"


def test_the_folder_one_stands_in_is_not_replaced(make_gold, here):
    made = make_gold([{}])
    put(made, Path("set"))
    os.chdir("set")
    with pytest.raises(GoldError, match="cannot stand in it"):
        put(made, Path("."))
    assert load_goldset(".").claims == made.claims


def test_a_draft_that_fails_leaves_the_set(make_gold, here):
    folder = Path("set")
    put(make_gold([{}]), folder)
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    with pytest.raises(RuntimeError), drafted(make_gold([{}, {}]), folder):
        raise RuntimeError
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before
    assert os.listdir(here) == ["set"]


def test_same_files_are_told_byte_by_byte(make_gold, here):
    made = make_gold([{}, {}])
    put(made, Path("set"))
    with drafted(
        replace(made, manifest=made.manifest.model_copy(update={"name": "x"})), Path("set")
    ) as draft:
        assert same_files(draft, Path("set"))
    with drafted(make_gold([{}, {"claim": "Other."}]), Path("set")) as draft:
        assert not same_files(draft, Path("set"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("how", ["exchange", "plain"])
def test_a_killed_program_leaves_the_old_set_or_the_new_one(make_gold, here, how):
    """`plain` is a system without an exchange: the folder is put back by the next import."""
    for name in ("one", "other"):
        Path(name).mkdir()
    if how == "exchange" and not whole._exchange(Path("one"), Path("other")):
        pytest.skip("this system cannot exchange two folders")
    write_goldset(make_gold([{}]), "old")
    write_goldset(make_gold([{}, {"label": "no", "claim": "New."}]), "new")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, how],
        env=os.environ | {"PYTHONPATH": str(Path(whole.__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(steps) > 10
    assert {state for _, _, state, _ in steps} == {"old", "new"}
    assert all(kept for *_, kept in steps)
    assert any(gone for _, gone, _, _ in steps) == (how == "plain")
    assert steps[-1] == [False, False, "new", True]

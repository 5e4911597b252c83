from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from metajudge.errors import Problem, ReleaseError
from metajudge.experiment import Experiment
from metajudge.release.bundle import Release, read_release
from metajudge.release.manifest import (
    CARD,
    EVIDENCE,
    EXAMPLES,
    FLIPS,
    MANIFEST,
    REPLIES,
    SUMS,
)
from metajudge.release.registry import entries, find, list_releases
from metajudge.release.verify import open_case, verify
from metajudge.release.whole_folder import whole_folder
from metajudge.templates.catalogue import read_template
from tests.experiment.folder import CAREFUL, write_script
from tests.experiment.sealed import two_wordings
from tests.release.confirmed import NAME, Confirmed, confirm, confirmed, confirmed_reading
from tests.release.factory import later

FILES = {MANIFEST, EVIDENCE, EXAMPLES, FLIPS, REPLIES, CARD, SUMS, "template/en.yaml"}


def files(release: Release) -> set[str]:
    return {
        path.relative_to(release.folder).as_posix()
        for path in release.folder.rglob("*")
        if path.is_file()
    }


def test_the_folder_holds_every_file_and_sums_that_sha256sum_accepts(tmp_path: Path) -> None:
    release = confirmed(tmp_path).release().release
    assert release.folder == tmp_path / "releases" / NAME / "1.0.0"
    assert files(release) == FILES
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", SUMS],
        cwd=release.folder,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(FILES) - 1
    modes = {stat.S_IMODE(path.stat().st_mode) for path in release.folder.rglob("*.*")}
    assert modes == {0o644}
    assert stat.S_IMODE(release.folder.stat().st_mode) == 0o755


def test_the_registry_has_one_line_and_gives_the_release_out(tmp_path: Path) -> None:
    release = confirmed(tmp_path).release().release
    (line,) = entries(tmp_path / "releases")
    assert (line.action, line.ref, line.sha256) == ("created", f"{NAME}@1.0.0", release.sha256)
    assert find(NAME, tmp_path / "releases").release.sha256 == release.sha256


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_clone_that_converts_line_ends_leaves_a_release_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "origin"
    place.mkdir()
    confirmed(place).release()

    def git(*words: str, cwd: Path = place) -> None:
        subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", "gold", "releases")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(*who, "commit", "--quiet", "--message", "a release")
    converting = ("-c", "core.autocrlf=true", "-c", "core.eol=crlf")
    git("clone", "--quiet", *converting, str(place), str(tmp_path / "clone"))
    assert b"\r\n" in (tmp_path / "clone" / "gold" / "goldset.yaml").read_bytes()
    found = verify(open_case(NAME, tmp_path / "clone" / "releases"))
    assert found.state == "ok", found


def test_the_project_itself_keeps_the_bytes_of_its_releases() -> None:
    text = Path(".gitattributes").read_text("utf-8")
    assert "experiments/releases/** -text" in text.splitlines()


def test_nothing_in_it_names_a_place_on_this_machine(tmp_path: Path) -> None:
    release = confirmed(tmp_path).release().release
    for name in files(release):
        raw = (release.folder / name).read_bytes()
        text = gzip.decompress(raw) if name.endswith(".gz") else raw
        assert str(tmp_path).encode() not in text, name


def test_template_judge_and_priors_are_read_back_as_they_were(tmp_path: Path) -> None:
    found = confirmed_reading(tmp_path)
    release = found.release().release
    trial = found.experiment.prepare().trials[0]
    judge = found.experiment.prepare().judges["scripted:judge.yaml"]
    source = trial.variants[0].by_language["en"]
    assert read_template(release.folder / "template" / "en.yaml") == source
    candidate = release.candidate
    assert candidate.judge.identity == judge.identity
    assert candidate.judge.opened().identity == judge.identity
    assert candidate.judge.gives_logprobs
    assert candidate.priors is not None
    (prior,) = candidate.priors[0].values()
    assert sum(prior) == pytest.approx(1)
    assert candidate.priors[0].keys() == {source.fingerprint}


def test_only_languages_of_the_gold_set_are_frozen(tmp_path: Path) -> None:
    """`literal` speaks Chinese too, but nobody measured that here."""
    release = confirmed_reading(tmp_path).release().release
    assert release.manifest.languages == ("en",)
    assert [pin.file for pin in release.manifest.templates] == ["template/en.yaml"]


def test_replies_are_those_that_the_figures_need_and_no_others(tmp_path: Path) -> None:
    found = confirmed(tmp_path, perturbations=["paraphrase"])
    release = found.release().release
    with gzip.open(release.folder / REPLIES, "rt", encoding="utf-8") as lines:
        header, *calls = map(json.loads, lines)
    assert header["replies"] == len(calls) == 96
    assert len({call["key"] for call in calls}) == 96
    assert all("MIND" in call["request"]["messages"][-1][1] for call in calls)


def judged_better(folder: Path) -> Confirmed:
    """Another experiment, with a judge that reads later halls right, too."""
    declared = two_wordings(folder, name="later")
    write_script(folder, [(r"Claim: Hall \w+ opens at 2\d\.", "yes"), *CAREFUL])
    return confirm(Experiment.from_file(declared.path))


def test_other_words_and_no_flip_are_a_patch(tmp_path: Path) -> None:
    first = confirmed(tmp_path).release().release
    made = later(tmp_path).release()
    assert (made.release.ref, made.change.kind) == (f"{NAME}@1.0.1", "patch")
    assert made.change.reasons == ("No verdict flips on 96 gold claims.", "The prompt changes.")
    assert made.release.manifest.previous == first.manifest.version == "1.0.0"
    assert (made.release.folder / FLIPS).read_text(encoding="utf-8").count("\n") == 1


def test_flips_are_minor_and_listed(tmp_path: Path) -> None:
    confirmed(tmp_path).release()
    made = judged_better(tmp_path).release()
    lines = (made.release.folder / FLIPS).read_text(encoding="utf-8").splitlines()
    assert (made.release.ref, made.change.kind) == (f"{NAME}@1.1.0", "minor")
    assert made.change.reasons[0] == f"{len(lines) - 1} of 96 gold verdicts flip."
    assert made.change.reasons[1].startswith("The judge is another one: backend_version")
    assert {line.rsplit(",", 4)[1] for line in lines[1:]} == {"yes"}
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"no->yes"}
    assert {line.split(",")[1] for line in lines[1:]} == {"dev", "test"}


def test_another_policy_or_threshold_is_major(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    found.release()
    made = found.release(policy="lenient", threshold=0.5)
    assert (made.release.ref, made.change.kind) == (f"{NAME}@2.0.0", "major")
    assert made.release.manifest.policy.threshold == 0.5
    assert "The threshold changes: 0.8 -> 0.5." in made.change.reasons


def test_notes_are_kept_as_they_were_said(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    notes = ("17 of the claims had been looked at.", "Two\nlines & a bell\x07.")
    release = found.release(notes=notes).release
    assert release.manifest.notes == notes
    assert "- 17 of the claims had been looked at.\n" in (release.folder / CARD).read_text("utf-8")
    with pytest.raises(ReleaseError, match="--note: a note says something"):
        found.release(notes=(" ",))


def test_results_whose_verdict_on_guardrails_was_edited_are_refused(tmp_path: Path) -> None:
    """A broken guardrail cannot be taken out of `results.json`."""
    found = confirmed(tmp_path, candidate="mine", guardrails={"over_credit_upper": 0.01})
    with pytest.raises(ReleaseError, match="over_credit_upper is broken"):
        found.release()
    path = tmp_path / "results.json"
    told = json.loads(path.read_text("utf-8"))
    for row in told["ranking"]:
        row["broken"], row["safe"] = [], True
    told["selection"]["confirmation"] |= {"broken": [], "broken_on_dev": [], "holds": True}
    path.write_text(json.dumps(told), "utf-8")
    with pytest.raises(ReleaseError, match="called broken on test where the figures break it"):
        found.release()
    told["guardrails"]["over_credit_upper"] = 0.9
    path.write_text(json.dumps(told), "utf-8")
    with pytest.raises(ReleaseError, match=r"guardrails\.over_credit_upper"):
        found.release()


def test_a_wrong_number_is_refused_with_the_right_one(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    with pytest.raises(ReleaseError, match=r"this release is 1\.0\.0, a first one"):
        found.release(version="0.1.0")
    assert not (tmp_path / "releases").exists() or not list_releases(tmp_path / "releases")
    assert found.release(version="1.0.0").release.ref == f"{NAME}@1.0.0"
    with pytest.raises(ReleaseError, match=r"this release is 1\.0\.1, a patch one.*No verdict"):
        found.release(version="1.0.0")


def test_names_have_numbers_of_their_own(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    found.release()
    assert found.release(name="another").release.ref == "another@1.0.0"


def test_a_release_before_it_that_was_edited_stops_the_next(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    release = found.release().release
    with (release.folder / CARD).open("a", encoding="utf-8") as card:
        card.write("very good\n")
    with pytest.raises(ReleaseError, match="never edited"):
        found.release()


def test_equal_sources_give_equal_files_but_for_the_time(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    one = found.release(registry=tmp_path / "one").release
    two = found.release(registry=tmp_path / "two").release
    for name in FILES - {MANIFEST, CARD, SUMS}:
        assert (one.folder / name).read_bytes() == (two.folder / name).read_bytes(), name
    still = {"created": ""}
    assert one.manifest.model_copy(update=still) == two.manifest.model_copy(update=still)


def test_a_folder_left_without_its_line_is_told(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    release = found.release().release
    (tmp_path / "releases" / "registry.jsonl").unlink()
    with pytest.raises(ReleaseError, match="without a line in the registry"):
        found.release()
    assert read_release(release.folder).ref == release.ref


def test_a_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    target = tmp_path / "registry" / "name" / "1.0.0"
    with pytest.raises(ReleaseError, match="the judge is down"), whole_folder(target) as folder:
        (folder / MANIFEST).write_text("half", encoding="utf-8")
        raise ReleaseError(Problem("judge", "the judge is down", "Wait."))
    assert list((tmp_path / "registry").iterdir()) == []
    with whole_folder(target) as folder:
        (folder / "template").mkdir()
        (folder / "template" / "en.yaml").write_text("whole", encoding="utf-8")
        assert not target.exists()
    assert (target / "template" / "en.yaml").read_text(encoding="utf-8") == "whole"
    assert [path.name for path in (tmp_path / "registry").iterdir()] == ["name"]


def test_of_two_that_make_one_version_one_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "registry" / "name" / "1.0.0"
    with pytest.raises(ReleaseError, match="cannot be written"), whole_folder(target) as late:
        (late / "a").write_text("late", encoding="utf-8")
        with whole_folder(target) as early:
            (early / "a").write_text("early", encoding="utf-8")
    assert (target / "a").read_text(encoding="utf-8") == "early"
    assert [path.name for path in (tmp_path / "registry").iterdir()] == ["name"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_a_registry_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    place = tmp_path / "locked"
    place.mkdir(mode=0o500)
    with pytest.raises(ReleaseError, match="cannot be written"):
        found.release(registry=place)


KILLED = """
import os, signal, sys
from pathlib import Path
from metajudge.experiment import Experiment
from metajudge.experiment.released import Wanted, create_release
from metajudge.release import create

def die(*_): os.kill(os.getpid(), signal.SIGKILL)

folder, where = Path(sys.argv[1]), sys.argv[2]
setattr(create, where, die)
wanted = Wanted("faithfulness-verdict", "strict", registry=folder / "releases")
create_release(
    Experiment.from_file(folder / "experiment.yaml"), wanted,
    results=folder / "results.json", store=folder / "store.sqlite",
)
"""


def killed(found: Confirmed, where: str) -> None:
    command = [sys.executable, "-c", KILLED, str(found.folder), where]
    done = subprocess.run(command, cwd=Path.cwd(), check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("where", ["card_text", "write_sums"])
def test_a_run_that_is_killed_half_way_leaves_no_release(tmp_path: Path, where: str) -> None:
    found = confirmed(tmp_path)
    killed(found, where)
    assert list_releases(tmp_path / "releases") == ()
    assert not (tmp_path / "releases" / NAME).exists()
    assert found.release().release.ref == f"{NAME}@1.0.0"


def test_a_run_that_is_killed_before_its_line_leaves_a_whole_folder(tmp_path: Path) -> None:
    found = confirmed(tmp_path)
    killed(found, "record")
    (left,) = list_releases(tmp_path / "releases")
    assert left.registered is None
    assert files(read_release(left.folder)) == FILES
    with pytest.raises(ReleaseError, match="look at it, then remove it"):
        found.release()

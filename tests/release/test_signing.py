"""Signatures are made and checked by the installed ssh-keygen, with throw-away keys."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release import signing
from metajudge.release.manifest import SIGNATURE, SUMS
from metajudge.release.signing import ALLOWED_SIGNERS, sign, verify_signature
from metajudge.release.sums import listed_files
from tests.release.factory import put_release

needs_ssh = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed"
)


def make_key(path: Path) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "throw-away", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "releases"


@pytest.fixture
def folder(registry: Path) -> Path:
    return put_release(registry).folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "key")


def allow(registry: Path, key: Path, name: str = "maker@example.org") -> None:
    public = key.with_suffix(".pub").read_text("utf-8")
    (registry / ALLOWED_SIGNERS).write_text(f"{name} {public}", "utf-8")


@needs_ssh
def test_a_signature_of_an_allowed_signer_is_trusted(
    registry: Path, folder: Path, key: Path
) -> None:
    assert sign(folder, key) == folder / SIGNATURE
    allow(registry, key)
    found = verify_signature(folder, registry)
    assert (found.state, found.signer) == ("trusted", "maker@example.org")
    assert SIGNATURE not in listed_files(folder)


def test_an_unsigned_release_is_said_to_be_unsigned(registry: Path, folder: Path) -> None:
    assert verify_signature(folder, registry).state == "unsigned"


@needs_ssh
def test_a_signature_of_somebody_else_is_bad(
    registry: Path, folder: Path, key: Path, tmp_path: Path
) -> None:
    sign(folder, key)
    allow(registry, make_key(tmp_path / "other"))
    found = verify_signature(folder, registry)
    assert found.state == "bad"
    assert "does not allow" in found.told


@needs_ssh
def test_changed_sums_make_the_signature_bad(registry: Path, folder: Path, key: Path) -> None:
    sign(folder, key)
    allow(registry, key)
    (folder / SUMS).write_bytes((folder / SUMS).read_bytes() + b"\n")
    assert verify_signature(folder, registry).state == "bad"


@needs_ssh
def test_a_signature_for_another_purpose_is_bad(registry: Path, folder: Path, key: Path) -> None:
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", "git", str(folder / SUMS)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    allow(registry, key)
    assert verify_signature(folder, registry).state == "bad"


@needs_ssh
def test_a_torn_signature_is_bad(registry: Path, folder: Path, key: Path) -> None:
    path = sign(folder, key)
    allow(registry, key)
    path.write_bytes(path.read_bytes()[:-60])
    assert verify_signature(folder, registry).state == "bad"


@needs_ssh
def test_without_allowed_signers_a_signature_cannot_be_checked(
    registry: Path, folder: Path, key: Path
) -> None:
    sign(folder, key)
    for known in (registry, None):
        found = verify_signature(folder, known)
        assert found.state == "unknown"
        assert ALLOWED_SIGNERS in found.told


@needs_ssh
def test_a_file_that_is_no_key_is_refused(folder: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("no key", "utf-8")
    wrong.chmod(0o600)
    with pytest.raises(ReleaseError, match="does not sign with this key"):
        sign(folder, wrong)
    assert not (folder / SIGNATURE).exists()


def test_a_missing_key_or_release_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="the signing key must be a file"):
        sign(folder, tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match="this folder has no sums"):
        sign(tmp_path, tmp_path / "nowhere")


def test_without_ssh_keygen_signing_is_refused_and_checking_is_left_open(
    registry: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "PROGRAM", str(tmp_path / "no-such-program"))
    (tmp_path / "key").write_text("key", "utf-8")
    with pytest.raises(ReleaseError, match="Install OpenSSH"):
        sign(folder, tmp_path / "key")
    (folder / SIGNATURE).write_text("signature", "utf-8")
    found = verify_signature(folder, registry)
    assert found.state == "unknown"
    assert "not installed" in found.told

"""Signatures of releases with SSH keys, made and checked by `ssh-keygen -Y`.

What is signed is `SHA256SUMS`, and so every file of the release. Who may sign stands in the file
`allowed_signers` of the registry, in the form that ssh-keygen reads: `name@example.org ssh-ed25519
AAAA…`, one a line.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from metajudge.errors import Problem, ReleaseError
from metajudge.release.manifest import SIGNATURE, SUMS
from metajudge.report.inert import one_line
from metajudge.report.written_file import write_whole

NAMESPACE = "metajudge-release"
ALLOWED_SIGNERS = "allowed_signers"
PROGRAM = "ssh-keygen"
TIMEOUT_S = 60.0
"""How long a check may take. Signing may wait for a passphrase, and so for ever."""


class SignatureCheck(NamedTuple):
    """What is known of a release's signature.

    Attributes:
        state: `unsigned`; `trusted`, made by an allowed signer; `bad`, over other bytes or by
            nobody who may sign; `unknown`, could not be checked.
        told: One line for people.
        signer: Name of the allowed signer; None in every other state.
    """

    state: Literal["unsigned", "trusted", "bad", "unknown"]
    told: str
    signer: str | None = None


def sign(folder: Path, key: Path) -> Path:
    """Signs a release; gives the signature's path.

    Args:
        folder: The release; its `SHA256SUMS` is signed.
        key: A private SSH key, or the public one of a key that an agent holds. ssh-keygen asks
            for its passphrase.

    Raises:
        ReleaseError: There are no sums, ssh-keygen is not installed, or it refuses the key.
    """
    sums = folder / SUMS
    if not sums.is_file():
        law = "a release is signed after it was made, and this folder has no sums"
        raise ReleaseError(Problem(str(sums), law, "Name the folder of a release."))
    if not key.is_file():
        law = "the signing key must be a file"
        raise ReleaseError(Problem(str(key), law, "Name a private SSH key.", field="--sign"))
    command = [PROGRAM, "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE]
    done = _run(command, sums.read_bytes(), None)
    if done is None:
        law, mend = f"signing needs {PROGRAM}", "Install OpenSSH 8.1 or later."
        raise ReleaseError(Problem("command line", law, mend, field="--sign"))
    if done.returncode != 0:
        law = f"{PROGRAM} does not sign with this key"
        mend = "Name a private SSH key that you have the passphrase of."
        raise ReleaseError(Problem(str(key), law, mend, field="--sign", got=_said(done)))
    return write_whole(folder / SIGNATURE, done.stdout.decode("ascii"))


def verify_signature(folder: Path, registry: Path | None) -> SignatureCheck:
    """Whether an allowed signer of the registry signed a release as it is.

    Args:
        folder: The release.
        registry: Where `allowed_signers` lies; None where no registry is known.
    """
    signature, allowed = folder / SIGNATURE, _allowed(registry)
    if not signature.is_file():
        return SignatureCheck("unsigned", "nobody signed this release")
    if not (folder / SUMS).is_file():
        return SignatureCheck("bad", f"there is no {SUMS} that the signature could be of")
    signed = (folder / SUMS).read_bytes()
    common = ["-n", NAMESPACE, "-s", str(signature)]
    done = _run([PROGRAM, "-Y", "check-novalidate", *common], signed, TIMEOUT_S)
    if done is None:
        return SignatureCheck("unknown", f"{PROGRAM} is not installed or does not answer")
    if done.returncode != 0:
        return SignatureCheck("bad", f"the signature is not one of this {SUMS}: {_said(done)}")
    if allowed is None:
        told = f"signed, but there is no {ALLOWED_SIGNERS} in the registry that says who may"
        return SignatureCheck("unknown", told)
    return _by_allowed(allowed, common, signed)


def _by_allowed(allowed: Path, common: Sequence[str], signed: bytes) -> SignatureCheck:
    signature = common[-1]
    asked = [PROGRAM, "-Y", "find-principals", "-s", signature, "-f", str(allowed)]
    found = _run(asked, b"", TIMEOUT_S)
    names = [] if found is None else found.stdout.decode("utf-8", "replace").splitlines()
    for name in filter(None, map(str.strip, names)):
        command = [PROGRAM, "-Y", "verify", "-f", str(allowed), "-I", name, *common]
        done = _run(command, signed, TIMEOUT_S)
        if done is not None and done.returncode == 0:
            return SignatureCheck("trusted", f"signed by {one_line(name)}", name)
    return SignatureCheck("bad", f"signed by a key that {ALLOWED_SIGNERS} does not allow")


def _allowed(registry: Path | None) -> Path | None:
    path = None if registry is None else registry / ALLOWED_SIGNERS
    return path if path is not None and path.is_file() else None


def _run(
    command: Sequence[str], given: bytes, timeout_s: float | None
) -> subprocess.CompletedProcess[bytes] | None:
    """What ssh-keygen did; None where it is not there or takes too long."""
    try:
        return subprocess.run(
            command, input=given, capture_output=True, timeout=timeout_s, check=False
        )
    except (FileNotFoundError, PermissionError, subprocess.TimeoutExpired):
        return None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return one_line(done.stderr.decode("utf-8", "replace")) or f"exit code {done.returncode}"

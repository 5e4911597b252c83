"""Our framework-compatible policies against the installed frameworks' own scorers."""

from __future__ import annotations

import itertools
import socket

import numpy as np
import pytest

from metajudge.errors import MissingExtraError
from metajudge.scoring.framework_parity import deepeval_score, ragas_score
from metajudge.scoring.policies import parse_policy

YES, NO, IDK, FAILED = 0, 1, 2, 3
SHORT = [codes for n in range(1, 5) for codes in itertools.product((YES, NO, IDK), repeat=n)]
LONG = [tuple(np.random.default_rng(seed).integers(0, 3, size=40).tolist()) for seed in range(20)]


@pytest.fixture(autouse=True)
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a scorer opened a connection")

    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize(
    ("policy", "penalize"), [("deepeval", False), ("deepeval(penalize)", True)]
)
def test_equals_the_installed_deepeval(policy: str, penalize: bool) -> None:
    pytest.importorskip("deepeval", reason="needs deepeval")
    ours = parse_policy(policy)
    for codes in [*SHORT, *LONG]:
        theirs = deepeval_score(codes, penalize=penalize)
        assert ours.score_answer(codes).value == pytest.approx(theirs, abs=1e-12)


def test_equals_the_installed_ragas() -> None:
    pytest.importorskip("ragas", reason="needs ragas")
    ours = parse_policy("ragas")
    for codes in [*SHORT, *LONG]:
        assert ours.score_answer(codes).value == pytest.approx(ragas_score(codes), abs=1e-12)


def test_where_deepeval_differs_on_purpose() -> None:
    pytest.importorskip("deepeval", reason="needs deepeval")
    ours = parse_policy("deepeval")
    assert (deepeval_score([]), ours.score_answer([]).value) == (1.0, None)
    assert deepeval_score([YES, FAILED]) == 1.0
    assert ours.score_answer([YES, FAILED]).value == 0.5


def test_where_ragas_differs_on_purpose() -> None:
    pytest.importorskip("ragas", reason="needs ragas")
    ours = parse_policy("ragas")
    assert (ragas_score([]), ours.score_answer([]).value) == (None, None)
    assert ragas_score([YES, FAILED]) == 1.0
    assert ours.score_answer([YES, FAILED]).value == 0.5


def test_a_missing_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    def absent(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(MissingExtraError, match="pip install 'deepeval"):
        deepeval_score([YES])
    with pytest.raises(MissingExtraError, match=r"pip install .*'ragas"):
        ragas_score([YES])

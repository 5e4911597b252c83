"""The drop-in for Inspect, run in Inspect: the package has an environment of its own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.emit.kinds import kind_named
from metajudge.release.emit.mark import marks_in
from metajudge.release.emit.writing import emitted
from tests.loopback import serve
from tests.release.emit import judged
from tests.release.emit.environments import pinned, run_python
from tests.release.emit.made import made


@pytest.mark.slow
def test_inspect_asks_reads_and_scores_as_the_release(tmp_path: Path) -> None:
    """B07, B08: a reply without a whole label is a failure of its own, not `no`."""
    releases = [case.release(tmp_path) for case in judged.CASES]
    own = [case.own(release) for case, release in zip(judged.CASES, releases, strict=True)]
    jobs = [
        judged.job_case(case, release, "inspect", tmp_path)
        for case, release in zip(judged.CASES, releases, strict=True)
    ]
    with serve(judged.judge(releases)) as server:
        said = run_python("inspect", {"base_url": server.url, "cases": jobs}, tmp_path)
        sent = [call.messages for call in server.received]

    exact = [messages for path in own for messages in path.messages]
    assert sorted(map(repr, sent)) == sorted(map(repr, exact))
    for score, path in zip(said, own, strict=True):
        verdicts = [label or "failure" for label in path.labels]
        assert score["metadata"]["verdicts"] == verdicts
        assert score["answer"] == ", ".join(verdicts)
        assert score["metadata"]["failures"] == path.labels.count(None)
        share = 1 - path.labels.count(None) / len(path.labels)
        assert score["value"]["coverage"] == pytest.approx(share, abs=1e-9)
    for score, path in list(zip(said, own, strict=True))[:-1]:
        assert score["value"]["faithfulness"] == pytest.approx(path.score, abs=1e-9)
        assert score["metrics"]["faithfulness"]["mean"] == pytest.approx(path.score, abs=1e-9)
        assert score["reason"] is None
    assert [score["metadata"]["passes"] for score in said] == [False, False, False, True, None]

    lost = said[-1]
    assert own[-1].score is None
    assert math.isnan(lost["value"]["faithfulness"])
    assert lost["reason"] == "grader_failed"
    assert lost["unscored"] == {"faithfulness": 1, "coverage": 0}
    assert lost["metrics"]["coverage"]["mean"] == 0


def test_what_inspect_cannot_do_is_said_or_refused(tmp_path: Path) -> None:
    read = made(tmp_path / "a", reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    (told,) = emitted(read, "inspect").drop_in.differences
    assert told.startswith("asks the same words, reads the plain label")
    with pytest.raises(ReleaseError, match="expected"):
        emitted(made(tmp_path / "b", policy="expected"), "inspect")


def test_the_module_carries_its_mark_and_the_pinned_version(tmp_path: Path) -> None:
    release = made(tmp_path)
    kind = kind_named("inspect")
    assert kind.tested == pinned("inspect")["inspect_ai"]
    assert kind.knows(kind.tested)
    (text,) = emitted(release, "inspect").texts.values()
    assert [mark.ref for mark in marks_in(text)] == [release.ref]

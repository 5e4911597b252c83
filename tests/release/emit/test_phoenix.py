"""The drop-in for Phoenix, run in Phoenix: the package has an environment of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.emit.kinds import kind_named
from metajudge.release.emit.mark import marks_in
from metajudge.release.emit.writing import emitted
from tests.loopback import serve
from tests.release.emit import judged
from tests.release.emit.environments import pinned, run_python
from tests.release.emit.judged import Case
from tests.release.emit.made import LABELS, made, own_template

CASES = (
    Case("label", "en"),
    Case("label", "zh", "partial(0.25)"),
    Case("reason", "zh", "lenient", tuple(LABELS)[:3]),
    Case("list", "en", "drop_idk"),
    Case("label", "en", claims=judged.UNREADABLE),
)
CREDIT = {"yes": 1.0, "no": 0.0, "idk": 0.25}


@pytest.mark.slow
def test_phoenix_asks_reads_and_scores_as_the_release(tmp_path: Path) -> None:
    releases = [case.release(tmp_path) for case in CASES]
    own = [case.own(release) for case, release in zip(CASES, releases, strict=True)]
    jobs = [
        {"way": "answers", **judged.job_case(case, release, "phoenix", tmp_path)}
        for case, release in zip(CASES, releases, strict=True)
    ]
    classified = {**jobs[1], "way": "classifier"}
    fields = ["context", "claims", "question"]
    with serve(judged.judge(releases)) as server:
        job = {"base_url": server.url, "cases": [*jobs, classified], "fields": fields}
        *answers, claims = run_python("phoenix", job, tmp_path)
        sent = [call.messages for call in server.received]

    exact = [messages for path in own for messages in path.messages]
    assert sent[: len(exact)] == exact
    for answer, path in zip(answers, own, strict=True):
        assert answer["metadata"]["labels"] == path.labels
        assert answer["score"] == pytest.approx(path.score, abs=1e-9)
    assert [answer["label"] for answer in answers] == [
        "fail",
        "fail",
        "pass",
        "fail",
        "no verdicts",
    ]

    assert [c.get("score") for c in claims] == [CREDIT.get(label or "") for label in own[1].labels]
    words = own_template(lang="zh").dialect.words
    assert [c.get("label") for c in claims] == [
        words[label] if label is not None else None for label in LABELS.values()
    ]
    assert "invalid label 'that depends'" in claims[-1]["error"]
    for messages, claim in zip(sent[len(exact) :], LABELS, strict=True):
        shown = messages[-1]["content"]
        assert claim in shown
        assert judged.verbatim(shown)
        assert own_template(lang="zh").question_block.rpartition("\n")[0] in shown


def test_what_phoenix_cannot_do_is_said_or_refused(tmp_path: Path) -> None:
    read = made(tmp_path / "a", reading="prior_corrected", prior=(0.5, 0.3, 0.2))
    (told,) = emitted(read, "phoenix").drop_in.differences
    assert told.startswith("asks the same words, reads the plain label")
    with pytest.raises(ReleaseError, match="expected"):
        emitted(made(tmp_path / "b", policy="expected"), "phoenix")


def test_the_module_carries_its_mark_and_the_pinned_version(tmp_path: Path) -> None:
    release = made(tmp_path)
    kind = kind_named("phoenix")
    assert kind.tested == pinned("phoenix")["arize-phoenix-evals"]
    assert kind.knows(kind.tested)
    texts = emitted(release, "phoenix", ["en"]).texts
    assert Counter(mark.ref for text in texts.values() for mark in marks_in(text)) == {
        release.ref: 1
    }

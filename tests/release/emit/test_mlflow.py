"""The drop-in for MLflow, run in MLflow: the package has an environment of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.emit.kinds import kind_named
from metajudge.release.emit.mark import marks_in
from metajudge.release.emit.writing import emitted
from tests.loopback import serve
from tests.release.emit import judged
from tests.release.emit.environments import pinned, run_python
from tests.release.emit.made import made, own_template


@pytest.mark.slow
def test_mlflow_judges_and_scores_as_the_release(tmp_path: Path) -> None:
    """B18: a value that is none of the words offered is no label, and is counted."""
    releases = [case.release(tmp_path) for case in judged.CASES]
    own = [case.own(release) for case, release in zip(judged.CASES, releases, strict=True)]
    jobs = [
        judged.job_case(case, release, "mlflow", tmp_path)
        for case, release in zip(judged.CASES, releases, strict=True)
    ]
    with serve(judged.judge(releases)) as server:
        job = {"base_url": server.url + "/chat/completions", "cases": jobs}
        said = run_python("mlflow", job, tmp_path)
        sent = [call.messages for call in server.received]

    for feedback, path in list(zip(said, own, strict=True)):
        assert json.loads(feedback["metadata"]["labels"]) == path.labels
    for feedback, path in list(zip(said, own, strict=True))[:-1]:
        assert feedback["value"] == pytest.approx(path.score, abs=1e-9)
    assert own[-1].score is None
    assert said[-1]["value"] is None
    assert said[-1]["error"] == "no score: no verdicts"

    asked = [(case, claim) for case in judged.CASES for claim in case.claims]
    for (case, claim), (system, user) in zip(asked, sent, strict=True):
        shape = {"name": judged.SHAPES[case.shape]["name"]}
        words = own_template(lang=case.language, **shape).question_block.rpartition("\n")[0]
        assert words in system["content"]
        context, _, outputs = user["content"].removeprefix("inputs: ").rpartition("\noutputs: ")
        assert judged.verbatim(json.loads(context))
        assert json.loads(outputs) == claim


def test_the_arguments_alone_make_the_judge(tmp_path: Path) -> None:
    release = made(tmp_path, [own_template("evidence-first")])
    texts = emitted(release, "mlflow").texts
    told = json.loads(texts[f"{release.manifest.name}.mlflow.en.json"])
    arguments = told["make_judge"]
    assert arguments["feedback_value_type"]["enum"] == ["yes", "no", "idk"]
    assert arguments["generate_rationale_first"] is True
    assert "{{ inputs }}" in arguments["instructions"]
    assert "{{ outputs }}" in arguments["instructions"]
    assert told["credit"] == {"yes": 1.0, "no": 0.0, "idk": 0.0}


def test_what_mlflow_cannot_do_is_said_or_refused(tmp_path: Path) -> None:
    read = made(tmp_path / "a", reading="prior_corrected", prior=(0.5, 0.3, 0.2))
    told = emitted(read, "mlflow").drop_in.differences
    assert any(line.startswith("asks the same words, reads the plain label") for line in told)
    with pytest.raises(ReleaseError, match="expected"):
        emitted(made(tmp_path / "b", policy="expected"), "mlflow")
    asks = made(tmp_path / "c", [own_template(show_question=True)])
    with pytest.raises(ReleaseError, match="shows a question"):
        emitted(asks, "mlflow")


def test_the_files_carry_their_mark_and_the_pinned_version(tmp_path: Path) -> None:
    release = made(tmp_path)
    kind = kind_named("mlflow")
    assert kind.tested == pinned("mlflow")["mlflow-skinny"]
    assert kind.knows(kind.tested)
    texts = emitted(release, "mlflow").texts
    assert len(texts) == 3
    assert all([m.ref for m in marks_in(text)] == [release.ref] for text in texts.values())

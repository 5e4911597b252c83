from __future__ import annotations

import pytest

from metajudge.errors import ModelFileError
from metajudge.experiment import askable
from metajudge.experiment.askable import Absent, Obstacle, obstacle
from metajudge.judges.models import MODELS
from tests.experiment.folder import declare, write_script

QWEN = "local:qwen2.5-coder-1.5b"


@pytest.fixture
def no_model(tmp_path, monkeypatch):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path))
    return tmp_path


def test_only_local_judges_are_looked_at():
    for spec in ("openai/gpt-4o-mini", "baseline:ngram", "scripted:x.yaml"):
        assert obstacle(spec) is None


def test_the_command_fits_the_installation(no_model, monkeypatch):
    assert obstacle(QWEN) == Obstacle("its model is not on this machine", "make model")
    monkeypatch.setattr(askable, "checkout", lambda: None)
    found = obstacle(QWEN)
    assert found is not None
    assert found.command == (
        "pip install 'metajudge[local]' && metajudge models pull qwen2.5-coder-1.5b"
    )


def test_a_model_without_its_library_or_a_torn_one_cannot_be_asked(no_model, monkeypatch):
    path = no_model / MODELS["qwen2.5-coder-1.5b"].file
    path.write_bytes(b"torn")
    assert obstacle(QWEN) is not None
    with path.open("wb") as file:
        file.truncate(MODELS["qwen2.5-coder-1.5b"].bytes)
    monkeypatch.setattr(askable, "find_spec", lambda _: object())
    assert obstacle(QWEN) is None
    monkeypatch.setattr(askable, "find_spec", lambda _: None)
    assert obstacle(QWEN) is not None


def test_an_own_file_has_no_command(no_model):
    found = obstacle(f"local:{no_model}/mine.gguf")
    assert found is not None
    assert found.sentence == f"there is no file {no_model}/mine.gguf."


def test_the_sentence_counts_and_names_the_command():
    absent = Absent(QWEN, 3, 10, Obstacle("its model is not on this machine", "make model"))
    assert absent.sentence == (
        f"3 of 10 replies of {QWEN} are missing, and its model is not on this machine. "
        "Get it with: make model"
    )


async def test_both_doors_of_a_sweep_refuse_a_hopeless_run(no_model, tmp_path):
    from metajudge.experiment import Experiment

    path = tmp_path / "e.yaml"
    row = (
        '{"claim_id": "c", "answer_id": "a", "claim": "It opens at nine.", "label": "yes", '
        '"passages": ["It opens at nine."], "lang": "en"}'
    )
    (tmp_path / "g.jsonl").write_text(row + "\n")
    path.write_text(f"name: e\ngold: {{path: g.jsonl}}\njudges: ['{QWEN}']\ntemplates: [literal]\n")
    with pytest.raises(ModelFileError, match="1 of 1 replies"):
        await Experiment.from_file(path).sweep_async(store=tmp_path / "s.sqlite")


def test_extractions_of_a_judge_that_is_not_here_are_missing_replies(no_model, tmp_path):
    declared = declare(tmp_path, judges=[QWEN], context_forms=["truths"])
    with pytest.raises(ModelFileError, match="6 of 6 replies"):
        declared.sweep(store=tmp_path / "store.sqlite")
    beside = [QWEN, write_script(tmp_path, [("List the facts", "- It opens.")], "yes")]
    results = (
        declare(tmp_path, judges=beside, context_forms=["truths"])
        .sweep(store=tmp_path / "store.sqlite")
        .results
    )
    assert results.calls.stopped == "no_model"
    assert "6 of 6 replies" in str(results.calls.message)

from __future__ import annotations

import pytest

from metajudge.errors import ModelFileError
from tests.experiment.folder import declare, write_script

QWEN = "local:qwen2.5-coder-1.5b"


@pytest.fixture
def no_model(tmp_path, monkeypatch):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path))
    return tmp_path


async def test_both_doors_of_a_sweep_refuse_a_hopeless_run(no_model, tmp_path):
    from metajudge.experiment import Experiment

    path = tmp_path / "e.yaml"
    row = (
        '{"claim_id": "c", "answer_id": "a", "claim": "It opens at nine.", "label": "yes", '
        '"passages": ["It opens at nine."], "lang": "en"}'
    )
    (tmp_path / "g.jsonl").write_text(row + "\n")
    path.write_text(f"name: e\ngold: {{path: g.jsonl}}\njudges: ['{QWEN}']\ntemplates: [literal]\n")
    with pytest.raises(ModelFileError, match="1 of 1 reply of"):
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

from __future__ import annotations

import pytest

from metajudge.judges.models import MODELS
from metajudge.runner import absent
from metajudge.runner.absent import Absent, Obstacle, obstacle

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
    monkeypatch.setattr(absent, "checkout", lambda: None)
    found = obstacle(QWEN)
    assert found is not None
    assert found.command == (
        "pip install 'xllamacpp>=2026.10' && metajudge models pull qwen2.5-coder-1.5b"
    )


def test_a_model_without_its_library_or_a_torn_one_cannot_be_asked(no_model, monkeypatch):
    path = no_model / MODELS["qwen2.5-coder-1.5b"].file
    path.write_bytes(b"torn")
    assert obstacle(QWEN) is not None
    with path.open("wb") as file:
        file.truncate(MODELS["qwen2.5-coder-1.5b"].bytes)
    monkeypatch.setattr(absent, "find_spec", lambda _: object())
    assert obstacle(QWEN) is None
    monkeypatch.setattr(absent, "find_spec", lambda _: None)
    assert obstacle(QWEN) == Obstacle("xllamacpp is not installed", "make model")


def test_an_own_file_has_no_command(no_model):
    found = obstacle(f"local:{no_model}/mine.gguf")
    assert found is not None
    assert found.sentence == f"there is no file {no_model}/mine.gguf."


def test_the_sentence_counts_and_names_the_command():
    told = Absent(QWEN, 3, 10, Obstacle("its model is not on this machine", "make model"))
    assert told.sentence == (
        f"3 of 10 replies of {QWEN} are missing, and its model is not on this machine. "
        "Get it with: make model"
    )

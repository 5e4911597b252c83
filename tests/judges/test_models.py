import dataclasses
import hashlib
import sys

import pytest

from metajudge.errors import ModelFileError
from metajudge.judges import models
from metajudge.judges.models import (
    MODELS,
    list_models,
    model_path,
    models_dir,
    own_file_sha256,
    remembered_sha256,
    verify,
)

CONTENT = b"gguf" * 100


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A registry with one small model, in a folder of its own."""
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "models"))
    spec = dataclasses.replace(
        next(iter(MODELS.values())),
        name="tiny",
        file="tiny.gguf",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    monkeypatch.setattr(models, "MODELS", {"tiny": spec})
    return spec


def test_the_registry_has_the_pinned_file():
    spec = MODELS["qwen2.5-coder-1.5b"]
    assert (spec.bytes, spec.licence) == (1_117_320_768, "Apache-2.0")
    assert spec.sha256.startswith("cc324af0") and len(spec.sha256) == 64
    assert spec.packages[0].endswith("part1") and spec.packages[-1].endswith("part22")


def test_the_folder_follows_the_variable_then_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path))
    assert models_dir() == tmp_path
    monkeypatch.delenv("METAJUDGE_MODELS")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert models_dir() == tmp_path / "cache" / "metajudge" / "models"


def test_states_and_verification(tiny):
    assert list_models()[0].state == "absent"
    with pytest.raises(ModelFileError, match="metajudge models pull tiny"):
        verify("tiny")
    path = model_path(tiny)
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert list_models()[0].state == "here"
    seen = []
    assert verify("tiny", lambda done, total: seen.append((done, total))) == path
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    path.write_bytes(b"x" * len(CONTENT))
    with pytest.raises(ModelFileError, match="not the pinned file"):
        verify("tiny")
    with pytest.raises(ModelFileError, match="tiny"):
        verify("other")


def test_a_users_file_is_hashed_once_and_again_after_a_change(tiny, tmp_path, monkeypatch):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"one")
    first = own_file_sha256(path)
    with monkeypatch.context() as patch:
        patch.setattr(models, "file_sha256", lambda *_: pytest.fail("hashed again"))
        assert own_file_sha256(path) == first
    path.write_bytes(b"three")
    assert own_file_sha256(path) != first
    gone = own_file_sha256(path)
    path.unlink()
    assert own_file_sha256(path) == gone


def test_a_broken_memory_only_costs_time(tiny, tmp_path):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"one")
    digest = own_file_sha256(path)
    for text in ("", "[]", '{"a": 1}', "nonsense"):
        (models_dir() / "hashes.json").write_text(text)
        assert remembered_sha256(path) is None
        assert own_file_sha256(path) == digest

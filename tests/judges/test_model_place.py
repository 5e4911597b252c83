import pytest

from metajudge.errors import JudgeSpecError, ModelFileError
from metajudge.judges.model_place import ModelPlace, model_place
from metajudge.judges.sentences import SPLITTER
from metajudge.judges.spec import open_judge, spec_beside, spec_from


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    made = tmp_path / "nli"
    made.mkdir()
    (made / "config.json").write_text("{}", encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("org/name", ModelPlace("org/name")),
        ("name@abc", ModelPlace("name", "abc")),
        ("a/b/c", None),
        ("", None),
        ("模型", None),
    ],
)
def test_names_on_the_hub(place, found):
    assert model_place(place) == found


def test_a_folder_is_known_by_what_is_in_it(folder):
    before = model_place(str(folder))
    assert before.is_folder
    first = before.identity
    (folder / "notes.txt").write_text("nothing", encoding="utf-8")
    assert before.identity == first
    (folder / "model.safetensors").write_bytes(b"weights")
    assert before.identity != first


def test_a_folder_without_a_model_is_refused_when_the_judge_is_opened(tmp_path):
    with pytest.raises(ModelFileError, match="holds no model"):
        _ = model_place(str(tmp_path)).identity
    with pytest.raises(JudgeSpecError, match="holds no model"):
        open_judge(f"baseline:nli:{tmp_path}")


def test_opening_loads_nothing_and_says_what_decides_the_answer(folder):
    judge = open_judge("baseline:nli:org/name@v1")
    assert judge.identity["model"] == "baseline:nli:org/name@v1"
    assert judge.identity["splitter"] == SPLITTER
    assert str(open_judge(f"baseline:nli:{folder}").identity["model"]).startswith(
        "baseline:nli:sha256:"
    )


def test_a_folder_beside_the_experiment_is_found_and_named_from_it(folder, tmp_path, monkeypatch):
    assert spec_beside("baseline:nli:nli", tmp_path) == f"baseline:nli:{tmp_path / 'nli'}"
    assert spec_beside("baseline:nli:org/name", tmp_path) == "baseline:nli:org/name"
    monkeypatch.chdir(tmp_path)
    assert spec_from("baseline:nli:nli", tmp_path / "deep") == "baseline:nli:../nli"

import numpy as np
import pytest

from metajudge.errors import MissingExtraError, ModelFileError
from metajudge.judges import model_place as places
from metajudge.judges.model_place import ModelPlace, model_place
from metajudge.judges.transformer import EntailmentModel, NliColumns, TextVectors, nli_columns
from tests.judges.tiny_models import needs_torch, save_tiny


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("entailment", "neutral", "contradiction"), (0, 1, 2)),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), (2, 1, 0)),
        (("矛盾", "蕴含", "中立"), (1, 2, 0)),
        (("not_entailment", "entailment"), (1, 0, None)),
        (("entailment", "non-entailment"), (0, 1, None)),
        (("entailment", "contradiction"), (0, None, 1)),
    ],
)
def test_labels_are_found_in_any_case_and_order(labels, columns):
    assert nli_columns(dict(enumerate(labels)), "m") == NliColumns(*columns)


@pytest.mark.parametrize(
    "labels",
    [
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("positive", "negative"),
        ("neutral", "contradiction"),
        ("entailment", "entails", "neutral"),
        ("entailment",),
        ("entailment", "neutral", "contradiction", "other"),
    ],
)
def test_labels_that_do_not_say_which_is_which_are_refused(labels):
    with pytest.raises(ModelFileError, match="id2label"):
        nli_columns(dict(enumerate(labels)), "m")


def test_without_the_libraries_the_command_is_told(monkeypatch):
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install 'torch"):
        EntailmentModel(ModelPlace("org/name"))


@pytest.fixture
def models(tmp_path, monkeypatch):
    needs_torch()
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    return tmp_path


def test_probabilities_follow_the_labels_and_not_their_places(models):
    pairs = [("the office opens at nine .", "it opens"), ("图书馆九点开门。", "免费版五人。")]
    usual = EntailmentModel(model_place(str(save_tiny(models / "a")))).probabilities(pairs)
    turned_labels = ("entailment", "NEUTRAL", "contradiction")
    turned = EntailmentModel(model_place(str(save_tiny(models / "b", turned_labels))))
    assert turned.probabilities(pairs).tolist() == usual[:, ::-1].tolist()
    assert usual.sum(axis=1) == pytest.approx(1.0)


def test_batches_change_no_number_beyond_rounding_and_too_long_texts_are_cut(models):
    model = EntailmentModel(model_place(str(save_tiny(models / "a"))))
    pairs = [("the office " * n, "it opens at nine") for n in (1, 3, 60, 2)] * 9
    alone = np.concatenate([model.probabilities([pair]) for pair in pairs])
    together = model.probabilities(pairs)
    assert together == pytest.approx(alone, abs=1e-6)
    assert together.tolist() == model.probabilities(pairs).tolist()


def test_a_model_of_two_labels_has_no_contradiction(models):
    folder = save_tiny(models / "two", ("entailment", "not_entailment"))
    model = EntailmentModel(model_place(str(folder)))
    assert model.columns.contradiction is None
    found = model.probabilities([("the office", "it opens")])
    assert found[0, 2] == 0.0 and found.sum() == pytest.approx(1.0)


def test_vectors_are_means_over_tokens_whatever_stands_beside_them(models):
    vectors = TextVectors(model_place(str(save_tiny(models / "e", labels=None))))
    short, long = "the office", "图书馆九点开门。" * 3
    assert vectors.of([short, long])[0] == pytest.approx(vectors.of([short])[0], abs=1e-6)
    assert vectors.of([short, long]).shape == (2, 16)


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_part_is_told_without_a_trace(models, missing):
    folder = save_tiny(models / "a")
    (folder / missing).unlink()
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        EntailmentModel(ModelPlace(str(folder), is_folder=True))


def test_weights_that_would_have_to_be_unpickled_are_refused(models):
    import torch

    folder = save_tiny(models / "a")
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ModelFileError, match="safetensors"):
        EntailmentModel(ModelPlace(str(folder), is_folder=True))

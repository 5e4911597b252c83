import numpy as np
import pytest

from metajudge.errors import JudgeSpecError
from metajudge.metrics.computed.nli import open_entailment, score_nli
from tests.judges.tiny_models import needs_torch, save_tiny


class Told:
    """A stand-in for a model: entailment and contradiction by hypothesis and premise."""

    def __init__(self, known):
        self.known = known

    def probabilities(self, pairs):
        rows = [self.known.get(pair, (0.0, 0.0)) for pair in pairs]
        return np.array([[e, 1 - e - c, c] for e, c in rows])


POLICY = (
    "A travel policy exists. The tier-one cap is 500 a night.",
    "Tier two gets 350. Above the cap, ask first.",
)
CLAIMS = (
    "There is a policy.",
    "Tier one gets 500.",
    "Tier two gets 350.",
    "Above the cap, ask first.",
    "The head of department decides.",
)


def test_four_of_five_statements():
    """The guide's travel policy: four statements entailed, the fifth not in the context: 0.8."""
    known = {
        ("A travel policy exists.", CLAIMS[0]): (1.0, 0.0),
        ("The tier-one cap is 500 a night.", CLAIMS[1]): (1.0, 0.0),
        ("Tier two gets 350.", CLAIMS[2]): (1.0, 0.0),
        ("Above the cap, ask first.", CLAIMS[3]): (1.0, 0.0),
    }
    found = score_nli(" ".join(CLAIMS), POLICY, Told(known))
    assert found.score == pytest.approx(0.8)
    assert [unit.label for unit in found.units] == ["yes"] * 4 + ["idk"]
    assert "lowest: “The head of department decides.” (0.00)" in found.reason


def test_chinese_with_a_contradicted_sentence():
    known = {
        ("图书馆九点开门。", "九点开门。"): (0.9, 0.0),
        ("五点关门。", "六点关门。"): (0.1, 0.8),
    }
    found = score_nli("九点开门。六点关门。", ("图书馆九点开门。五点关门。",), Told(known), "zh")
    assert found.score == pytest.approx(0.5)
    assert [(unit.label, unit.detail) for unit in found.units] == [("yes", "0.90"), ("no", "0.10")]
    assert found.reason.startswith("2 个句子")


@pytest.mark.parametrize(
    ("answer", "passages", "reason"),
    [
        ("", POLICY, "the answer is empty"),
        ("…", POLICY, "the answer is empty"),
        ("I'm sorry, I don't know.", POLICY, "the answer states nothing"),
        ("It is.", (), "there is no context"),
        ("It is.", ("\n",), "there is no context"),
    ],
)
def test_undefined(answer, passages, reason):
    found = score_nli(answer, passages, Told({}))
    assert (found.score, found.reason) == (None, reason)


def test_what_names_no_model_is_refused():
    with pytest.raises(JudgeSpecError, match="owner/name"):
        open_entailment("a/b/c")


def test_long_sentences_are_shortened_in_the_reason_alone():
    long = "This sentence goes on " + "and on " * 20 + "to the end."
    found = score_nli(long, POLICY, Told({}))
    assert found.units[0].unit == long and "…” (0.00)" in found.reason


def test_a_real_model_in_bounds_whatever_the_order_of_passages(tmp_path, monkeypatch):
    needs_torch()
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    model = open_entailment(str(save_tiny(tmp_path / "nli")))
    answer = "The office opens at nine. 图书馆九点开门。"
    found = score_nli(answer, POLICY, model)
    assert 0.0 <= found.score <= 1.0
    assert score_nli(answer, POLICY[::-1], model).score == pytest.approx(found.score, abs=1e-6)
    more = score_nli(answer, (*POLICY, "The office opens at nine."), model)
    assert more.score >= found.score - 1e-6

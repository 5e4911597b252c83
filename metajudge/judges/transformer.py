"""Models of the hub's `transformers` library, on the CPU: entailment, and vectors of texts.

The one module that imports torch and transformers. Weights are read from safetensors alone, and no
code that comes with a model is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metajudge.errors import MissingExtraError, ModelFileError
from metajudge.judges.model_place import EXTRA, ModelPlace, libraries_missing
from metajudge.judges.scrub import scrub

Floats = npt.NDArray[np.float64]
BATCH = 16
_LONGEST = 1_000_000
_POSITIONS_SET_ASIDE = 2


class NliColumns(NamedTuple):
    """Columns of a model's output; None where it has no such label."""

    entailment: int
    neutral: int | None
    contradiction: int | None


def nli_columns(labels: Mapping[int, str], where: str) -> NliColumns:
    """Which output means what, by the names in the model's config, in any case and order.

    A model of two labels has entailment and one other, which is neutral unless its name says that
    it is a contradiction.

    Raises:
        ModelFileError: The names do not say which is which.

    >>> nli_columns({0: "CONTRADICTION", 1: "neutral", 2: "Entailment"}, "m")
    NliColumns(entailment=2, neutral=1, contradiction=0)
    >>> nli_columns({0: "entailment", 1: "not_entailment"}, "m")
    NliColumns(entailment=0, neutral=1, contradiction=None)
    """
    found: dict[str, int] = {}
    for column, name in labels.items():
        kind = _kind_of(name)
        if kind is None or kind in found:
            break
        found[kind] = int(column)
    if len(found) != len(labels) or len(labels) not in (2, 3) or "entailment" not in found:
        raise ModelFileError(
            f"{where}: id2label in its config.json names entailment, neutral and contradiction, "
            f"or entailment and not_entailment (got {', '.join(map(str, labels.values()))}). "
            "Name the labels there, or take a model for natural language inference."
        )
    return NliColumns(found["entailment"], found.get("neutral"), found.get("contradiction"))


def _kind_of(name: str) -> str | None:
    letters = re.sub(r"[\W_]", "", str(name)).casefold()
    if letters.startswith(("entail", "蕴含", "蕴涵")):
        return "entailment"
    if letters.startswith(("contradict", "矛盾")):
        return "contradiction"
    neither = letters.startswith(("neutral", "中立", "中性"))
    return "neutral" if neither or re.match(r"(?:not?n?|no)entail", letters) else None


class _Loaded:
    """A tokenizer and a model in evaluation, without gradients, in 32 bits."""

    def __init__(self, place: ModelPlace, kind: str, threads: int | None) -> None:
        if libraries_missing():
            raise MissingExtraError(f"the model {place.name}", EXTRA)
        import torch
        import transformers

        transformers.utils.logging.disable_progress_bar()
        if threads is not None:
            torch.set_num_threads(threads)
        given = {"revision": place.revision, "local_files_only": place.is_folder}
        try:
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(place.name, **given)
            model = getattr(transformers, kind).from_pretrained(
                place.name, use_safetensors=True, trust_remote_code=False, **given
            )
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            told = scrub(" ".join(str(error).split()))
            raise ModelFileError(f"{place.name} cannot be loaded: {told}") from None
        self.model: Any = model.float().eval()
        self.torch: Any = torch
        self.longest = self._longest()

    @property
    def revision(self) -> str | None:
        """The hub's commit that was loaded; None for a folder."""
        return getattr(self.model.config, "_commit_hash", None)

    def batches(self, texts: Sequence[Any]) -> Iterator[tuple[list[int], Any, Any]]:
        """Places, inputs and outputs of texts or pairs of texts, those of like length together."""
        order = sorted(range(len(texts)), key=lambda at: (len("".join(texts[at])), at))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            inputs = self.tokenizer(
                *self._columns([texts[at] for at in places]),
                padding=True,
                truncation=True,
                max_length=self.longest,
                return_tensors="pt",
            )
            with self.torch.inference_mode():
                yield places, inputs, self.model(**inputs)

    @staticmethod
    def _columns(texts: Sequence[Any]) -> list[list[str]]:
        if isinstance(texts[0], str):
            return [list(texts)]
        return [[pair[0] for pair in texts], [pair[1] for pair in texts]]

    def _longest(self) -> int:
        told = int(getattr(self.tokenizer, "model_max_length", _LONGEST))
        positions = getattr(self.model.config, "max_position_embeddings", None)
        if told < _LONGEST or not positions:
            return min(told, positions or told)
        return int(positions) - _POSITIONS_SET_ASIDE


class EntailmentModel:
    """Whether sentences follow from others, by a classifier of three labels or of two.

    Args:
        place: Where the model is.
        threads: Threads of torch in this process; None leaves them.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        ModelFileError: The model cannot be loaded, or its labels are not those of inference.
    """

    def __init__(self, place: ModelPlace, threads: int | None = None) -> None:
        self._loaded = _Loaded(place, "AutoModelForSequenceClassification", threads)
        self.columns = nli_columns(self._loaded.model.config.id2label, place.name)
        self.revision = self._loaded.revision

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Probabilities of entailment, neutral and contradiction.

        Args:
            pairs: Premise and hypothesis, n of them; what a model cannot take in is cut off.

        Returns:
            Shape (n, 3), rows sum to 1; a label that the model lacks has 0.
        """
        found = np.zeros((len(pairs), 3))
        for places, _, output in self._loaded.batches(pairs):
            shares = self._loaded.torch.softmax(output.logits.double(), -1).numpy()
            for column, source in enumerate(self.columns):
                if source is not None:
                    found[places, column] = shares[:, source]
        return found


class TextVectors:
    """Vectors of texts: the mean of a model's last hidden states over the tokens of a text.

    Args:
        place: Where the model is.
        threads: Threads of torch in this process; None leaves them.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        ModelFileError: The model cannot be loaded.
    """

    def __init__(self, place: ModelPlace, threads: int | None = None) -> None:
        self._loaded = _Loaded(place, "AutoModel", threads)
        self.revision = self._loaded.revision

    def of(self, texts: Sequence[str]) -> Floats:
        """Vectors of shape (n, d); what a model cannot take in is cut off.

        Source: mean pooling, Reimers and Gurevych (2019), EMNLP, section 3.
        """
        rows: dict[int, Floats] = {}
        for places, inputs, output in self._loaded.batches(texts):
            mask = inputs["attention_mask"].unsqueeze(-1).double()
            sums = (output.last_hidden_state.double() * mask).sum(1)
            means = (sums / mask.sum(1).clamp(min=1)).numpy()
            rows |= dict(zip(places, means, strict=True))
        return np.array([rows[at] for at in range(len(texts))])

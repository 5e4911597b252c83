"""`baseline:nli:<hub name or folder>`: whether a claim follows from a sentence of the context.

No prompt is read. Premises are the sentences of the passages, hypotheses those of the claim, and a
model for natural language inference gives entailment e, neutral and contradiction c of each pair:

- P(yes): the best e over the premises, averaged over the sentences of the claim
- P(no): (1 - P(yes)) times the greatest c of any pair
- P(idk): (1 - P(yes)) times what is left of 1 - c; a template without idk adds it to no

The label is the most probable one. A model that tells entailment from the rest alone never says no
where idk is offered. Sentences are cut at what the model can take in.

Source: the best entailment over the sentences of the source, averaged over those of the text:
Laban, Schnabel, Bennett and Hearst (2022), TACL 10, SummaC zero-shot (maximum, then mean).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metajudge.judges.baseline import BASELINE, write_answer
from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.judges.model_place import ModelPlace
from metajudge.judges.options import JudgeOptions
from metajudge.judges.sentences import SPLITTER, sentences
from metajudge.judges.transformer import EntailmentModel, Floats
from metajudge.judges.worker import Worker
from metajudge.templates.source import PromptSource
from metajudge.verdicts.probability import top_label
from metajudge.verdicts.verdict import LabelProbabilities, Reply, TokenLogprob

NLI = f"{BASELINE}nli:"
VERSION = "1"
TWO_LABELS = "tells entailment from the rest alone, so it never says no where idk is offered"
_LEAST = 1e-9
"""Probability of a label that a model rules out; its logarithm must be finite."""


class Entailed(NamedTuple):
    """How a claim stands to a context.

    Attributes:
        shares: Label probabilities.
        best: Of each sentence of the claim, the best entailment over the premises, 0 to 1.
    """

    shares: LabelProbabilities
    best: tuple[float, ...]


def entailed(claim: str, passages: Sequence[str], lang: str, model: EntailmentModel) -> Entailed:
    """How a claim stands to a context, by the rule of this module.

    Args:
        claim: One sentence or several.
        passages: The context; without any sentence in it the premise is empty.
        lang: Language of both, for the splitter.
        model: Who tells entailment.
    """
    hypotheses = sentences(claim, lang) or (claim,)
    parts = (part for text in passages for part in sentences(text, lang))
    premises = list(dict.fromkeys(parts)) or [""]
    pairs = [(premise, hypothesis) for hypothesis in hypotheses for premise in premises]
    found: Floats = model.probabilities(pairs).reshape(len(hypotheses), len(premises), 3)
    best = found[..., 0].max(axis=1)
    yes, contradicted = float(best.mean()), float(found[..., 2].max())
    left = 1.0 - yes
    shares = LabelProbabilities(yes, left * contradicted, left * (1.0 - contradicted))
    return Entailed(shares, tuple(best.tolist()))


class NliBaseline:
    """A judge that asks a model for natural language inference. It reads `Request.subject` alone.

    Attributes:
        notices: Lines for people, each said once.
    """

    max_in_flight: int | None = 1
    gives_logprobs = True
    label_in_one_token = True

    def __init__(self, spec: str, place: ModelPlace, options: JudgeOptions) -> None:
        self.spec = spec
        self.notices: list[str] = []
        self._place = place
        self._options = options
        self.identity: Mapping[str, Scalar] = {
            "model": f"{NLI}{place.identity}",
            "backend": "transformers",
            "rule": VERSION,
            "splitter": SPLITTER,
        }
        self._model: EntailmentModel | None = None
        self._worker = Worker("nli-baseline")

    def __repr__(self) -> str:
        return f"NliBaseline({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """The verdicts in the form and dialect the template asks for, with their probabilities.

        Raises:
            JudgeCallError: There is no subject, or it took longer than the deadline.
            MissingExtraError: torch or transformers is not installed.
            ModelFileError: The model cannot be loaded, or is none for inference.
        """
        subject = request.subject
        if subject is None:
            detail = "the NLI baseline needs claim and context as data (Request.subject)"
            raise JudgeCallError("bad_request", detail)
        model = self._model
        if model is None:
            model = await self._worker.run(self._load)
        started = time.perf_counter()

        def work() -> list[Entailed]:
            lang = "zh" if subject.prompt.language == "zh" else "en"
            return [entailed(claim, subject.passages, lang, model) for claim in subject.claims]

        found = await self._worker.run(work, self._options.timeout_s)
        reply = _reply(subject.prompt, found, with_logprobs=bool(request.top_logprobs))
        return Reply(
            reply.text,
            finish_reason="stop",
            first_token=reply.first_token,
            cost_usd=0.0,
            latency_ms=(time.perf_counter() - started) * 1000,
            model=f"{self.identity['model']}" if model.revision is None else model.revision,
        )

    def _load(self) -> EntailmentModel:
        if self._model is None:
            self._model = EntailmentModel(self._place, self._options.threads)
            if self._model.columns.contradiction is None:
                self.notices.append(f"{self.spec} {TWO_LABELS}")
        return self._model

    async def close(self) -> None:
        """Free the model once the running call has ended; safe to call twice."""
        await self._worker.close()
        self._model = None


def _reply(prompt: PromptSource, found: Sequence[Entailed], *, with_logprobs: bool) -> Reply:
    words = prompt.dialect.words
    offered = [_offered(each.shares, "idk" in words) for each in found]
    labels = [top_label(shares, tuple(words)) for shares in offered]
    reasons = [f"{each.shares.yes:.2f} entailed by a sentence of the context" for each in found]
    text = write_answer(prompt, labels, reasons)
    if not with_logprobs:
        return Reply(text)
    (shares,) = offered[:1]
    token = [
        TokenLogprob(word, math.log(max(float(getattr(shares, label)), _LEAST)))
        for label, word in words.items()
    ]
    return Reply(text, first_token=tuple(sorted(token, key=lambda one: -one.logprob)))


def _offered(shares: LabelProbabilities, idk_offered: bool) -> LabelProbabilities:
    if idk_offered:
        return shares
    return LabelProbabilities(shares.yes, shares.no + shares.idk, 0.0)

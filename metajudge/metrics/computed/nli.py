"""Entailment of an answer by its context, by a model for natural language inference."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.errors import JudgeSpecError, Problem
from metajudge.judges.baseline_nli import entailed
from metajudge.judges.model_place import model_place
from metajudge.judges.sentences import sentences
from metajudge.judges.transformer import EntailmentModel
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.judged.words import because
from metajudge.metrics.scored import MetricScore, UnitVerdict
from metajudge.scoring.statements import is_statement_free
from metajudge.verdicts.probability import top_label

NLI_ENTAILMENT = "nli_entailment"
MEAN_OF_BEST = "mean over sentences of the best entailment"
_SHOWN = 60


def open_entailment(place: str, threads: int | None = None) -> EntailmentModel:
    """The model of a hub's name or a folder, loaded; as in `baseline:nli:<place>`.

    Raises:
        JudgeSpecError: It is neither.
        MissingExtraError: torch or transformers is not installed.
        ModelFileError: The model cannot be loaded, or is none for inference.
    """
    found = model_place(place)
    if found is None:
        law = "a model for inference is a folder, or a name on the hub such as owner/name"
        raise JudgeSpecError(Problem("NLI model", law, "Correct the name.", got=repr(place)))
    return EntailmentModel(found, threads)


def score_nli(
    answer: str, passages: Sequence[str], model: EntailmentModel, language: str = "en"
) -> MetricScore:
    """Mean over the answer's sentences of the best entailment by a sentence of the context, 0 to 1.

    A continuous score, cheap and repeatable; weak on long sentences and on whatever needs two
    sentences at once. A threshold means something only on gold, see `calibrated`.

    Args:
        answer: Undefined where it holds no sentence, or states nothing (a refusal).
        passages: Undefined where they hold none.
        model: Opened once for all answers.
        language: Of both texts and of the reason: `zh`, or anything else for English.

    Returns:
        The score; units are the sentences with the label that is most probable for each, and the
        probability that it is entailed as the detail.

    Source: Laban et al. (2022), TACL 10, SummaC zero-shot.
    """
    parts = sentences(answer, language)
    if not parts:
        return MetricScore(NLI_ENTAILMENT, None, sentence("no_answer", language))
    if is_statement_free(answer):
        return MetricScore(NLI_ENTAILMENT, None, because("states_nothing", language == "zh"))
    if not any(sentences(passage, language) for passage in passages):
        return MetricScore(NLI_ENTAILMENT, None, sentence("no_context", language))
    shares = [entailed(part, passages, language, model).shares for part in parts]
    units = tuple(
        UnitVerdict(part, top_label(each, ("yes", "no", "idk")), detail=f"{each.yes:.2f}")
        for part, each in zip(parts, shares, strict=True)
    )
    least, at = min((each.yes, place) for place, each in enumerate(shares))
    worst = parts[at] if len(parts[at]) <= _SHOWN else f"{parts[at][: _SHOWN - 1]}…"
    told = sentence("entailment", language, n=len(parts), worst=worst, least=least)
    score = sum(each.yes for each in shares) / len(shares)
    return MetricScore(NLI_ENTAILMENT, score, told, MEAN_OF_BEST, units)

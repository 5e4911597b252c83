"""Ragas: samples of an `EvaluationDataset`, and annotations of the Ragas app.

Shapes of `ragas` 0.4.3 (`dataset_schema.py`): `to_jsonl`, `to_csv` (in which lists are printed by
Python) and `to_hf_dataset` hold `user_input`, `retrieved_contexts`, `response`, `reference`. An
annotation file maps each metric to samples with `metric_input`, `prompts` (each with
`prompt_input`, `prompt_output`, `edited_output`) and `is_accepted`, or holds one metric as `name`
and `samples`. Only prompts that judge `statements` against a `context` are read: their verdict is 1
where the statement can be inferred from the context, else 0 (`NLIStatementPrompt`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.fields import Record, Texts, mappings, records, texts_of, value_at
from metajudge.gold.importing.given import Given, settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import label_of, word_of

FORMAT = Format(
    name="ragas",
    title="Ragas",
    kind="framework",
    holds="an `EvaluationDataset` (.jsonl, .csv, saved by `datasets`), or annotations (.json)",
    label_space="binary",
    mapping=(
        "Of a dataset one claim an answer: a whole `response`, not one of its sentences, against "
        "`retrieved_contexts`, without a label unless a field `label`, `gold_label`, `human_label` "
        "or the mapped one holds it; scores of metrics are left out. Of an annotation file one "
        "claim a statement: verdict 1 is supported, 0 unsupported, where a person edited or "
        "accepted the verdicts; what nobody accepted is a model's."
    ),
    url="https://docs.ragas.io/en/stable/concepts/datasets/",
    marks=("user_input", "response", "retrieved_contexts"),
    other_marks=(
        ("metric_input", "prompts"),
        ("question", "answer", "contexts", "ground_truth*"),
    ),
)
_NAMES = {
    "claim": (("claim",), ("response",), ("answer",)),
    "passages": (("retrieved_contexts",), ("contexts",)),
    "question": (("user_input",), ("question",)),
}
_SCORES = (
    *("faithfulness", "faithfulness_with_hhem", "nv_response_groundedness"),
    *("factual_correctness", "answer_correctness"),
)
_VERDICTS: dict[str, GoldLabel] = {"1": "supported", "0": "unsupported"}


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of a dataset or an annotation file, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    for record in records(source, "*.jsonl", "*.csv", "*.json", lists=()):
        annotated = list(_annotated(record))
        if annotated:
            for sample in annotated:
                yield from _statements(sample, source)
        else:
            yield from _sample(record, source)


def read_objects(
    objects: Any,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
) -> Iterator[ImportedClaim | LeftOut]:
    """The same of objects at hand.

    Args:
        objects: An `EvaluationDataset`, or samples.
        columns: Our field, and the dotted path of theirs.
        labels: Their label word, and ours.
    """
    name = type(objects).__name__
    source = Source(name, columns, labels)
    for number, sample in enumerate(objects, 1):
        fields = dict(sample) if isinstance(sample, Mapping) else sample.to_dict()
        yield from _sample(Record(f"{name} row {number}", None, fields), source)


def _sample(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    fields = record.fields
    if isinstance(fields.get("user_input"), list):
        yield record.left("no_claim", "user_input", "a conversation, which is not read")
        return
    texts = texts_of(record, source, _NAMES)
    if isinstance(texts, LeftOut):
        yield texts
        return
    wanted = source.columns.get("label")
    scores = [name for name in _SCORES if fields.get(name) is not None and name != wanted]
    left = [record.left("model_made", name, "a score") for name in scores]
    yield from settled(record, texts, source, left=left, stated=stated_label(record, source))


def _annotated(record: Record) -> Iterator[Record]:
    """Samples of an annotation file; none where the record is a sample of a dataset."""
    fields = record.fields
    one = isinstance(fields.get("samples"), list)
    metrics = {str(fields.get("name")): fields["samples"]} if one else fields
    for metric, samples in metrics.items():
        held = samples if isinstance(samples, list) else ()
        for number, sample in enumerate(held, 1):
            if isinstance(sample, Mapping) and isinstance(sample.get("metric_input"), Mapping):
                yield Record(f"{record.where} {metric} sample {number}", None, sample)


def _statements(sample: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    prompts = sample.fields.get("prompts")
    judged = 0
    for prompt in prompts.values() if isinstance(prompts, Mapping) else ():
        if isinstance(value_at(prompt, "prompt_input.statements"), list):
            judged += 1
            yield from _judged(sample, prompt, source)
    if not judged:
        yield sample.left("no_claim", "", "its prompts judge no statements against a context")


def _judged(
    sample: Record, prompt: Mapping[str, Any], source: Source
) -> Iterator[ImportedClaim | LeftOut]:
    """The statements of one prompt, with the verdicts that a person edited or accepted."""
    edited = value_at(prompt, "edited_output.statements")
    accepted = prompt.get("is_accepted", sample.fields.get("is_accepted")) is True
    of_person = isinstance(edited, list) or accepted
    verdicts = edited if isinstance(edited, list) else value_at(prompt, "prompt_output.statements")
    if not mappings(verdicts):
        yield sample.left("no_claim", "", "no statement of it is judged")
    for part in mappings(verdicts):
        context = value_at(prompt, "prompt_input.context")
        statement = {"claim": value_at(part, "statement"), "passages": context}
        roots = (statement, sample.fields["metric_input"])
        texts = texts_of(Record(sample.where, None, statement, roots), Source(sample.where))
        if isinstance(texts, LeftOut):
            yield texts
            continue
        texts = _with_passages(texts, sample)
        given = _given(part, source) if of_person else None
        left = [] if given else [sample.left("model_made", texts.claim, "nobody accepted it")]
        yield from settled(sample, texts, source, [given] if given else [], left=left)


def _with_passages(texts: Texts, sample: Record) -> Texts:
    """The retrieved passages, where the prompt's context is exactly these, a line each."""
    retrieved = value_at(sample.fields, "metric_input.retrieved_contexts")
    same = isinstance(retrieved, list) and ("\n".join(map(str, retrieved)),) == texts.passages
    return texts._replace(passages=tuple(retrieved)) if same else texts


def _given(part: Mapping[str, Any], source: Source) -> Given:
    word = word_of(part.get("verdict"))
    label = label_of(word, source) or _VERDICTS.get(word)
    return Given(annotator=None, value=label or word, note=part.get("reason"))

"""Answer relevance and redundancy: what of the question is covered, and what nobody asked for."""

from __future__ import annotations

from metajudge.judges.sentences import sentences
from metajudge.metrics.judged.shares import Wording, share, share_sentence
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because, because, listed, sentence
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import UnitVerdict
from metajudge.scoring.statements import is_statement_free

_ASPECTS = Wording(
    (
        "{yes} of {n} things asked for are covered",
        "所问的 {n} 项内容中有 {yes} 项得到答复",
    ),
    ("missing", "缺少："),
)
ASPECT, SENTENCE = "aspect", "sentence"


def _missing(row: MetricRow) -> Because | None:
    if row.answer is None:
        return "no_answer"
    if not row.answer.strip():
        return "states_nothing"
    return None if row.question is not None or "aspects" in row.lists else "no_question"


def _missing_either(row: MetricRow) -> Because | None:
    return "no_question" if row.question is None else _missing(row)


def _aspects(row: MetricRow, lists: Listed) -> tuple[Unit, ...]:
    if is_statement_free(row.answer or ""):
        return tuple(_uncovered(row, text) for text in lists["aspects"])
    answer = (row.answer or "",)
    asked = tuple(
        Unit("answer_relevance", text, answer, row.question, side=ASPECT)
        for text in lists["aspects"]
    )
    return (*asked, *_sentences(row, lists)) if asked and row.question is not None else asked


def _uncovered(row: MetricRow, aspect: str) -> Unit:
    """An aspect under a refusal, which covers nothing: no judge has to be asked."""
    told = because("states_nothing", row.chinese)
    verdict = UnitVerdict(aspect, "no", detail=told, side=ASPECT)
    evidence = (row.answer or "",)
    return Unit("answer_relevance", aspect, evidence, row.question, side=ASPECT, known=verdict)


def _sentences(row: MetricRow, _: Listed) -> tuple[Unit, ...]:
    question = (row.question or "",)
    return tuple(
        Unit("answer_redundancy", text, question, row.question, side=SENTENCE)
        for text in sentences(row.answer or "", row.lang)
    )


def _relevance(said: Said) -> Found:
    chinese = said.row.chinese
    aspects = said.of_side(ASPECT)
    found = share(aspects, said.policy)
    told = share_sentence(found, aspects, _ASPECTS, chinese)
    redundant = [v for v in said.of_side(SENTENCE) if v.label == "no"]
    if redundant and found.score is not None:
        words = (" Nobody asked for: {texts}.", "没有人问到的：{texts}。")
        told += sentence(*words, chinese, texts=listed(redundant, chinese))
    details = {
        "missing": [v.unit for v in aspects if v.label == "no"],
        "redundant": [v.unit for v in redundant],
    }
    return Found(found.score, told, details)


def _redundancy(said: Said) -> Found:
    """Share of sentences that do not serve the question: the lower, the better."""
    chinese, verdicts = said.row.chinese, said.verdicts
    redundant = [verdict for verdict in verdicts if verdict.label == "no"]
    if all(verdict.label is None for verdict in verdicts):
        return Found(None, because("no_verdict", chinese))
    told = sentence(
        "{bad} of {n} sentences do not serve the question",
        "{n} 个句子中有 {bad} 个与问题无关",
        chinese,
        bad=len(redundant),
        n=len(verdicts),
    )
    names = listed(redundant, chinese)
    tail = ("：" if chinese else ": ") + names if redundant else ""
    stop = "。" if chinese else "."
    unread = sum(verdict.label is None for verdict in verdicts)
    if unread:
        words = (
            " Sentences without a verdict, counted as serving it: {n}.",
            "没有裁决的句子按有用计：{n} 个。",
        )
        stop += sentence(*words, chinese, n=unread)
    score = len(redundant) / len(verdicts)
    return Found(score, told + tail + stop, {"redundant": [v.unit for v in redundant]})


ANSWER_RELEVANCE = JudgedMetric(
    name="answer_relevance",
    parts=("answer_relevance", "answer_redundancy"),
    units=_aspects,
    score=_relevance,
    missing=_missing,
    nothing="asks_nothing",
    lists=("aspects",),
)
ANSWER_REDUNDANCY = JudgedMetric(
    name="answer_redundancy",
    parts=("answer_redundancy",),
    units=_sentences,
    score=_redundancy,
    missing=_missing_either,
    nothing="states_nothing",
)

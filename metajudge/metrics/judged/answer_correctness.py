"""Answer correctness: F1 of the answer's statements against a reference answer."""

from __future__ import annotations

from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because, because, quoted, sentence
from metajudge.metrics.row import MetricRow

ANSWER, REFERENCE = "answer", "reference"


def statement_f1(true_positive: int, false_positive: int, false_negative: int) -> float | None:
    """F1 of statements: TP / (TP + (FP + FN) / 2), 0 to 1; None where there is no statement at all.

    TP: statements of the answer that the reference makes too; FP: the other ones; FN: statements
    of the reference that the answer does not make (Ragas, answer correctness).

    >>> statement_f1(3, 1, 2), statement_f1(0, 0, 0)
    (0.6666666666666666, None)
    """
    half = (false_positive + false_negative) / 2
    return true_positive / (true_positive + half) if true_positive + half else None


def _missing(row: MetricRow) -> Because | None:
    if row.answer is None:
        return "no_answer"
    return "no_reference" if row.reference is None else None


def _units(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    said, right = (row.answer or "",), (row.reference or "",)
    if not listed["claims"]:
        return ()
    made = (
        Unit("answer_correctness", c, right, row.question, side=ANSWER) for c in listed["claims"]
    )
    wanted = (
        Unit("answer_correctness", s, said, row.question, side=REFERENCE)
        for s in listed["statements"]
    )
    return (*made, *wanted)


def _score(said: Said) -> Found:
    chinese = said.row.chinese
    if all(verdict.label is None for verdict in said.verdicts):
        return Found(None, because("no_verdict", chinese))
    made, wanted = said.of_side(ANSWER), said.of_side(REFERENCE)
    wrong = [verdict for verdict in made if verdict.label != "yes"]
    lacking = [verdict for verdict in wanted if verdict.label != "yes"]
    right = len(made) - len(wrong)
    told = sentence(
        "{right} of {made} statements agree with the reference, and {lacking} of its {wanted} are "
        "missing",
        "{made} 条陈述中有 {right} 条与参考答案一致，参考答案的 {wanted} 条中缺少 {lacking} 条",
        chinese,
        right=right,
        made=len(made),
        lacking=len(lacking),
        wanted=len(wanted),
    )
    for words, verdicts in (
        ((" not in it: ", "与之不符："), wrong),
        ((" missing: ", "缺少："), lacking),
    ):
        if verdicts:
            told += ("；" if chinese else ";") + words[chinese] + quoted(verdicts, chinese)
    details = {
        "true_positive": right,
        "false_positive": len(wrong),
        "false_negative": len(lacking),
        "missing": [verdict.unit for verdict in lacking],
    }
    score = statement_f1(right, len(wrong), len(lacking))
    return Found(score, told + ("。" if chinese else "."), details)


ANSWER_CORRECTNESS = JudgedMetric(
    name="answer_correctness",
    parts=("answer_correctness",),
    units=_units,
    score=_score,
    missing=_missing,
    nothing="states_nothing",
    lists=("claims", "statements"),
)

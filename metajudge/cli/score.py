"""`metajudge score`: verdicts in, one score per answer and policy out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.output import say, say_json, say_table, wrapped

if TYPE_CHECKING:
    from metajudge.cli.verdict_rows import AnswerKey, VerdictRows
    from metajudge.scoring.answers import Scores

DEFAULT_POLICIES = ["lenient", "strict", "partial(0.5)", "drop_idk"]


def score(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="JSONL or CSV with answer_id and verdict in each row."),
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            help=f"A scoring policy; repeatable.  [default: {', '.join(DEFAULT_POLICIES)}]",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", min=0.0, max=1.0, help="Show pass or fail at this score."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The scores as JSON.")] = False,
) -> None:
    """Score answers by their claims' verdicts under policies.

    Each row has answer_id and verdict (yes, no, idk …, in English or Chinese; empty
    for a failure), and p_yes, p_no, p_idk for the policy "expected". In JSONL a row may hold all
    "verdicts" of an answer as a list. verdicts.csv of a sweep can be read too.
    """
    from metajudge.cli.verdict_rows import read_verdict_rows
    from metajudge.scoring.answers import score_answers
    from metajudge.scoring.policies import POLICY_LABELS, check_policy, parse_policy

    policies = [parse_policy(text, "--policy") for text in policy or DEFAULT_POLICIES]
    rows = read_verdict_rows(file)
    found = [label for code, label in enumerate(POLICY_LABELS) if (rows.codes == code).any()]
    for each in policies:
        check_policy(each, found, "--policy")
    scores = [
        score_answers(each, rows.codes, rows.answer, len(rows.answers), rows.probabilities)
        for each in policies
    ]
    if as_json:
        say_json(_fields(rows, scores, threshold))
    else:
        _print(rows, scores, threshold)


def _fields(rows: VerdictRows, scores: list[Scores], threshold: float | None) -> dict[str, Any]:
    answers = []
    for index, key in enumerate(rows.answers):
        entry: dict[str, Any] = _names(key) | {"claims": int(scores[0].n_claims[index])}
        entry["scores"] = {each.policy: _score(each, index, threshold) for each in scores}
        answers.append(entry)
    return {"threshold": threshold, "answers": answers, "means": _means(scores)}


def _names(key: AnswerKey) -> dict[str, str]:
    return {name: value for name, value in key._asdict().items() if value}


def _score(scores: Scores, answer: int, threshold: float | None) -> dict[str, Any]:
    value, reason = scores.score(answer)
    fields: dict[str, Any] = {"score": None if value is None else round(value, 6)}
    if reason is not None:
        fields["reason"] = reason
    if threshold is not None:
        from metajudge.scoring.answers import passes

        fields["passes"] = None if value is None else bool(passes([value], threshold)[0])
    return fields


def _means(scores: list[Scores]) -> dict[str, float | None]:
    import numpy as np

    means = {}
    for each in scores:
        defined = each.values[~np.isnan(each.values)]
        means[each.policy] = round(float(defined.mean()), 6) if defined.size else None
    return means


def _print(rows: VerdictRows, scores: list[Scores], threshold: float | None) -> None:
    names = [each.policy for each in scores]
    several = any(key.trial for key in rows.answers)
    headers = [*(["trial"] if several else []), "answer", "claims", *names]
    table = []
    for index, key in enumerate(rows.answers):
        trial = [" · ".join(filter(None, (key.trial, key.reading)))] if several else []
        cells = [_cell(_score(each, index, threshold)) for each in scores]
        table.append([*trial, key.answer_id, int(scores[0].n_claims[index]), *cells])
    say_table(headers, table, right=" ".join(["claims", *names]))
    reasons: dict[str, int] = {}
    for each in scores:
        for reason, count in each.undefined_counts().items():
            reasons[f"{each.policy}: {reason}"] = count
    if reasons:
        say()
        told = "; ".join(f"{what} ({count})" for what, count in reasons.items())
        say(wrapped(f"null is no score: {told}"))


def _cell(fields: dict[str, Any]) -> str:
    if fields["score"] is None:
        return "null"
    passed = fields.get("passes")
    mark = "" if passed is None else " pass" if passed else " fail"
    return f"{fields['score']:.2f}{mark}"

from __future__ import annotations

from metajudge.experiment.decision import decide
from metajudge.report.results import BrokenGuardrail, Figure, RankRow


def row(
    trial: str, value: float | None, broken: dict[str, float | None] | None = None, **fields: object
) -> RankRow:
    return RankRow(
        trial=trial,
        reading="top",
        rank=1,
        tied_with_first=bool(fields.get("tied")),
        safe=not broken,
        broken=tuple(
            BrokenGuardrail(guardrail=name, bound=0.1, got=None, by=by)
            for name, by in (broken or {}).items()
        ),
        target=Figure(
            value=value, low=0.01, high=0.3, n=10, reason="none" if value is None else None
        ),
    )


def test_nothing_measured() -> None:
    assert decide((), "kappa").sentence == "Nothing was measured."


def test_the_first_safe_row_wins_and_its_ties_are_named() -> None:
    rows = [row("a", 0.05), row("b", 0.06, tied=True), row("c", 0.2)]
    found = decide(rows, "summary_as_idk")
    assert (found.winner, found.reading, found.ties) == ("a", "top", ("b (top)",))
    assert found.sentence == (
        "First choice: a (top), summary-as-idk 0.05 [0.01, 0.30], keeping every guardrail. "
        "It cannot be told from: b (top)."
    )
    assert "首选：a（top）" in found.sentence_zh and "b (top)" in found.sentence_zh


def test_no_safe_winner_names_the_worst_bound() -> None:
    found = decide([row("a", 0.05, {"coverage": 0.02, "over_credit_upper": 0.31})], "kappa")
    assert (found.winner, found.reading) == (None, None)
    assert found.sentence.endswith("Nearest is a (top), which breaks over_credit_upper by 0.31.")
    assert found.sentence_zh.endswith("突破 over_credit_upper，超出 0.31。")


def test_an_undefined_bound_is_the_worst() -> None:
    found = decide([row("a", 0.05, {"coverage": 0.5, "kappa_above": None})], "kappa")
    assert found.sentence.endswith("which breaks kappa_above.")


def test_an_undefined_target_never_wins() -> None:
    found = decide([row("a", None)], "kappa")
    assert (found.winner, found.sentence) == (None, "No winner: kappa is undefined (none).")

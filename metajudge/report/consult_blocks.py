"""Every part of a consultation's report, in the order in which people read them."""

from __future__ import annotations

from metajudge.report.consult_block import Block
from metajudge.report.consult_claims import (
    flips_block,
    gold_flips_block,
    groups_block,
    on_gold_block,
)
from metajudge.report.consult_decision import collect_block, rule_block
from metajudge.report.consult_results import ConsultReport
from metajudge.report.consult_scores import (
    answers_block,
    error_block,
    languages_block,
    parts_block,
    paths_block,
    repeats_block,
    scores_block,
    thresholds_block,
)
from metajudge.report.words import Language


def consult_blocks(report: ConsultReport, language: Language) -> dict[str, Block]:
    """Parts by name: the rule first, then the dashboard, the claims, and what lies behind them.

    Where nothing changes, there is only the rule.
    """
    if report.rule.decision == "nothing_changes":
        return {"rule": rule_block(report, language)}
    found = (
        rule_block(report, language),
        collect_block(report, language),
        scores_block(report, language),
        languages_block(report, language),
        flips_block(report, language),
        groups_block(report, language),
        parts_block(report, language),
        paths_block(report, language),
        error_block(report, language),
        thresholds_block(report, language),
        on_gold_block(report, language),
        gold_flips_block(report, language),
        repeats_block(report, language),
        answers_block(report, language),
    )
    return {block.name: block for block in found if block is not None}

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from metajudge.report.comparison_results import (
    ChangeCell,
    ChangedClaim,
    ComparedCandidate,
    RunComparison,
)
from metajudge.report.comparison_text import CLAIMS_SHOWN, render_comparison, slice_counts
from metajudge.report.words import Language
from tests.report.factory_figures import gap, share
from tests.report.factory_texts import HOSTILE

FIGURES = ("summary_as_idk", "over_credit", "kappa", "accuracy")


def cell(gold: str, was: str, now: str, claims: int, name: str | None = None) -> ChangeCell:
    return ChangeCell(slice=name, gold=gold, was=was, now=now, claims=claims)  # type: ignore[arg-type]


def comparison(text: str = "") -> RunComparison:
    sides = [
        ComparedCandidate(run="r" + text, created="2026-11-29", trial=name + text, reading="top")
        for name in ("literal", "summary-tolerant")
    ]
    return RunComparison(
        a=sides[0],
        b=sides[1],
        gold="faithfulness 1.0.0" + text,
        gold_sha256="a" * 64,
        claims=40,
        only_a=(),
        only_b=(),
        figures_a={name: share(0.4, 40) for name in FIGURES},
        figures_b={name: share(0.2, 40) for name in FIGURES},
        differences={name: gap(-0.2, 0.1, 40) for name in FIGURES},
        swap_p=dict.fromkeys(FIGURES, 0.002) | {"kappa": None},
        told_apart=dict.fromkeys(FIGURES, True) | {"kappa": False},
        unseen_below=dict.fromkeys(FIGURES, 0.14),
        changes=(
            cell("yes", "idk", "yes", 9),
            cell("yes", "yes", "yes", 20),
            cell("no", "no", "yes", 2),
            cell("no", "failure", "no", 1),
            cell("yes", "idk", "yes", 9, "summary"),
            cell("no", "no", "yes", 2, "of my own" + text),
        ),
        changed=tuple(
            ChangedClaim(
                claim_id=f"c{k}" + text,
                gold="yes",
                slice="summary" if k else None,
                lang="en",
                was="idk",
                now="failure" if k == 1 else "yes",
            )
            for k in range(CLAIMS_SHOWN + 3)
        ),
        better=10,
        worse=2,
        mcnemar_p=0.02,
        mcnemar_exact_p=0.03,
        stuart_maxwell_p=None,
        bhapkar_p=0.01,
        sentence="B is better on summary-as-idk." + text,
        sentence_zh="B 改善：概括判 idk 降低。" + text,
        notes=("Of several draws the first is compared." + text,),
    )


def shown(found: RunComparison, language: Language = "en") -> str:
    file = io.StringIO()
    Console(file=file, width=80, legacy_windows=False).print(render_comparison(found, language))
    return file.getvalue()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("text", ["", HOSTILE[4] + HOSTILE[3] + HOSTILE[0]])
def test_fits_80_columns_and_obeys_nobody(language: Language, text: str) -> None:
    told = shown(comparison(text), language)
    assert max(cell_len(line) for line in told.splitlines()) <= 80
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert ("B is better on" if language == "en" else "B 改善") in told


def test_changes_stand_by_gold_label_and_former_verdict() -> None:
    lines = [line.split() for line in shown(comparison()).splitlines()]
    assert ["yes", "·", "idk", "9", "·", "·", "·"] in lines
    assert ["no", "·", "failure", "·", "1", "·", "·"] in lines
    assert ["summary", "9", "9", "9", "0"] in lines
    assert ["of", "my", "own", "2", "2", "0", "2"] in lines


def test_what_cannot_be_told_apart_is_marked_and_claims_are_cut_with_a_count() -> None:
    text = shown(comparison())
    (kappa,) = [line for line in text.splitlines() if line.startswith("kappa")]
    assert "≈" in kappa
    assert kappa.rstrip().endswith("–")
    assert "… 3 more" in text
    assert "idk → failure" in text


def test_slices_count_only_what_became_right_or_wrong() -> None:
    cells = [
        cell("unsupported", "no", "idk", 4),
        cell("unsupported", "yes", "no", 3),
        cell("supported", "yes", "failure", 2),
        cell("supported", "yes", "yes", 1),
    ]
    assert slice_counts(cells) == (10, 9, 3, 2)

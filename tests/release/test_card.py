from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.release.bundle import read_release
from metajudge.release.card import card_text
from metajudge.release.evidence import Evidence, read_evidence
from metajudge.release.manifest import CARD, MANIFEST, Manifest
from metajudge.release.sums import file_sha256
from metajudge.report.results import BrokenGuardrail
from metajudge.report.selection_results import OptimismFigures
from tests.release.confirmed import confirmed

HASH = "f" * 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("card")
    return confirmed(place, perturbations=["paraphrase"]).release().release.folder


@pytest.fixture
def manifest(folder: Path) -> Manifest:
    return read_release(folder).manifest


@pytest.fixture
def evidence(folder: Path) -> Evidence:
    return read_evidence(folder)


def changed(evidence: Evidence, **carried: Any) -> Evidence:
    return evidence.model_copy(update={"carried": evidence.carried.model_copy(update=carried)})


def broken(evidence: Evidence) -> Evidence:
    entries = (
        BrokenGuardrail(guardrail="over_credit_upper", bound=0.1, got=0.31, by=0.21),
        BrokenGuardrail(guardrail="loss_literal", bound=0.02, got=0.06, by=0.04),
    )
    row = evidence.carried.ranking.model_copy(update={"broken": entries, "safe": False})
    told = evidence.carried.confirmation.model_copy(
        update={"broken": ("over_credit_upper",), "holds": False}
    )
    return changed(evidence, ranking=row, confirmation=told)


def test_the_card_in_the_folder_is_this_text(
    folder: Path, manifest: Manifest, evidence: Evidence
) -> None:
    written = (folder / CARD).read_text(encoding="utf-8")
    assert written == card_text(manifest, evidence, file_sha256(folder / MANIFEST))


def test_what_it_is_for_and_what_not_comes_before_the_figures(
    manifest: Manifest, evidence: Evidence
) -> None:
    text = card_text(manifest, evidence, HASH)
    order = ["What it is for", "What it is not for", "Figures", "Known failures", "Stability"]
    places = [text.index(f"## {name}") for name in order]
    assert places == sorted(places)
    assert "hold for the pinned judge only" in text
    assert "DeepEval judges against truths that it extracts from the context, unless told" in text


def test_figures_stand_with_intervals_and_n_on_both_splits(
    manifest: Manifest, evidence: Evidence
) -> None:
    text = card_text(manifest, evidence, HASH)
    assert "| summary-as-idk | .00 [.00 .26] | 11 | .00 [.00 .23] | 13 |" in text
    assert "| en | over-credit |" in text
    assert "| en | coverage | 1.0 | 44 | 1.0 | 52 |" in text
    assert "95 % intervals, clustered by answer" in text


def test_known_failures_are_the_least_accurate_slices(
    manifest: Manifest, evidence: Evidence
) -> None:
    text = card_text(manifest, evidence, HASH)
    assert "| literal | .36 [.15 .66] | 11 | .54 [.28 .77] | 13 |" in text
    assert "| summary |" not in text


def test_an_override_stands_in_bold_at_the_top_with_what_it_overrides(
    manifest: Manifest, evidence: Evidence
) -> None:
    over = manifest.model_copy(update={"override": "The judge is *small*."})
    text = card_text(over, broken(evidence), HASH)
    first = text.split("A verdict template", 1)[0]
    assert "**Released by override" in first
    assert r"The judge is \*small\*.**" in first
    assert "**Broken on dev: upper limit of over-credit by .210 (bound 0.1).**" in first
    assert "**Broken on test: upper limit of over-credit.**" in first
    assert "**The confirmation on the test split does not hold.**" in first
    assert "override" not in card_text(manifest, evidence, HASH)


def test_what_it_is_for_is_another_thing_where_it_was_overridden(
    manifest: Manifest, evidence: Evidence
) -> None:
    over = {"override": "The judge is small.", "languages": ("en", "zh")}
    for text, purpose in (
        (card_text(manifest, evidence, HASH), "- Scoring answers of retrieval-augmented"),
        (
            card_text(manifest.model_copy(update=over), broken(evidence), HASH),
            "- **Scoring answers only for those who accept what stands at the top of this card.**",
        ),
    ):
        told = text.split("## What it is for", 1)[1].split("## What it is not for", 1)[0]
        assert told.count("Scoring answers") == 1
        assert purpose in told
    assert "按陈述给检索增强系统的回答打分" not in text
    assert "只有接受本卡开头所列问题的团队" in text


def test_notes_stand_under_the_figures_in_both_languages_and_are_no_markup(
    manifest: Manifest, evidence: Evidence
) -> None:
    notes = ("17 of 162 claims had been *looked at*.", "<b>\n# two</b>")
    told = {"notes": notes, "languages": ("en", "zh")}
    text = card_text(manifest.model_copy(update=told), evidence, HASH)
    figures = text.split("## Figures", 1)[1].split("## Known failures", 1)[0]
    assert "\n- 17 of 162 claims had been \\*looked at\\*.\n" in figures
    assert "&lt;b&gt; \\#\u200b two&lt;/b&gt;" in figures
    assert "17 of 162" in text.split("## 中文摘要", 1)[1]
    assert "To be read" not in card_text(manifest, evidence, HASH)


def test_the_commands_that_it_shows_can_be_copied(manifest: Manifest, evidence: Evidence) -> None:
    text = card_text(manifest, evidence, HASH)
    assert f"\nmetajudge release emit {manifest.ref} --to deepeval --out DIR\n" in text


def test_guardrails_say_kept_or_broken_and_by_how_much(
    manifest: Manifest, evidence: Evidence
) -> None:
    kept = card_text(manifest, evidence, HASH)
    assert "| loss on guarded slices | 0.02 | kept | kept |" in kept
    text = card_text(manifest, broken(evidence), HASH)
    assert "| upper limit of over-credit | 0.45 | **broken by .210** | **broken by .222** |" in text
    assert "| loss on slice literal | 0.02 | **broken by .040** | kept |" in text
    assert "loss on guarded slices" not in text
    met = BrokenGuardrail(guardrail="kappa_above", bound=0.0, got=0.0, by=0.0)
    row = evidence.carried.ranking.model_copy(update={"broken": (met,), "safe": False})
    text = card_text(manifest, changed(evidence, ranking=row), HASH)
    assert "| 0 | **broken: it must be above the bound** | kept |" in text


def test_what_was_not_measured_is_said(manifest: Manifest, evidence: Evidence) -> None:
    text = card_text(manifest, changed(evidence, stability=(), flip_rate=None), HASH)
    assert "Not measured: nothing is known of how verdicts move" in text
    assert "was not tested: the experiment had no negative controls" in text


def test_what_somebody_else_wrote_cannot_become_markup(
    manifest: Manifest, evidence: Evidence
) -> None:
    hostile = "<script>alert(1)</script> [x](http://evil.example) `a` | b\n# top"
    gold = manifest.gold.model_copy(update={"name": hostile, "version": hostile})
    judge = manifest.judge.model_copy(update={"spec": hostile, "identity": {"model": hostile}})
    told = evidence.carried.confirmation.model_copy(
        update={"sentence": hostile, "sentence_zh": hostile}
    )
    over = {"override": hostile, "gold": gold, "judge": judge, "languages": ("en", "zh")}
    text = card_text(manifest.model_copy(update=over), changed(evidence, confirmation=told), HASH)
    assert "\n# top" not in text
    outside = "".join(part for i, part in enumerate(text.split("``")) if i % 2 == 0)
    assert "<script>" not in outside
    assert "http://evil" not in outside
    assert r"\[x\]" in outside


def test_chinese_has_a_summary_where_the_release_stands_for_it(
    manifest: Manifest, evidence: Evidence
) -> None:
    assert "中文摘要" not in card_text(manifest, evidence, HASH)
    both = manifest.model_copy(update={"languages": ("en", "zh"), "override": "why"})
    dev = evidence.recomputed.dev
    spoken = dev.language_figures | {"zh": dev.language_figures["en"]}
    split = dev.model_copy(update={"language_figures": spoken})
    parts = evidence.recomputed.model_copy(update={"dev": split})
    text = card_text(both, evidence.model_copy(update={"recomputed": parts}), HASH)
    chinese = text.split("## 中文摘要", 1)[1]
    assert "破例发布" in chinese
    assert "概括判 idk：开发集 .00 [.00 .26]（n = 11），测试集 –（n = 0）" in chinese
    assert "已确认" in chinese


def test_luck_of_the_choice_is_told(manifest: Manifest, evidence: Evidence) -> None:
    luck = OptimismFigures(
        apparent=0.1,
        corrected=0.14,
        optimism=0.04,
        win_shares={},
        no_winner_share=0.25,
        resamples=500,
    )
    text = card_text(manifest, changed(evidence, optimism=luck), HASH)
    assert "looks .04 better than it is, and 25 % of resamples choose nobody" in text
    assert "looks" not in card_text(manifest, changed(evidence, optimism=None), HASH)


def test_it_says_how_to_cite_it(manifest: Manifest, evidence: Evidence) -> None:
    text = card_text(manifest, evidence, HASH)
    assert f"SHA-256 of `release.yaml` {HASH}." in text
    assert "@misc{faithfulness-verdict-1.0.0,\n" in text
    assert f"year    = {{{manifest.created[:4]}}}," in text
    assert "note    = {metajudge template release, SHA-256 of release.yaml " + HASH + "}" in text

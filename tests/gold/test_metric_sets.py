"""The authored gold sets of the judged metrics beside faithfulness."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from metajudge.gold import GoldSet, load_goldset
from metajudge.gold.claim import METRIC_NAMES, TWO_LABELS
from metajudge.gold.ledger import sealed
from metajudge.gold.lint import check_goldset
from metajudge.gold.near import folded, near_pairs
from metajudge.gold.split import split_group

GOLD = Path(__file__).parents[2] / "gold"
SETS = tuple(name for name in METRIC_NAMES if name != "faithfulness")
LANGUAGES = ("en", "zh")
CLAIMS = {
    "groundedness": 68,
    "context_relevance": 68,
    "context_recall": 66,
    "context_entity_recall": 69,
    "answer_relevance": 64,
    "answer_redundancy": 64,
    "answer_correctness": 66,
    "goal_achievement": 66,
}
READ_OTHERWISE = {"goal_achievement": {"en-07-04"}, "answer_redundancy": {"zh-02b-03"}}
"""Claims on which the second pass differs from the label that stands."""


@cache
def gold_of(name: str) -> GoldSet:
    return load_goldset(GOLD / name)


def test_every_judged_metric_has_a_set() -> None:
    assert set(SETS) == set(CLAIMS)
    for name in SETS:
        manifest = gold_of(name).manifest
        assert (manifest.name, manifest.metric) == (name, name)
        assert manifest.languages == LANGUAGES
        assert manifest.label_source == "author"
        assert manifest.labelling_policy.rules


@pytest.mark.parametrize("name", SETS)
def test_it_is_half_english_and_half_chinese(name: str) -> None:
    gold = gold_of(name)
    assert len(gold.claims) == CLAIMS[name] >= 60
    langs = Counter(claim.lang for claim in gold.claims)
    assert abs(langs["en"] - langs["zh"]) <= 2
    for claim in gold.claims:
        texts = (claim.claim, *gold.passages(claim))
        assert gold.contexts[claim.context_id].lang == claim.lang
        han = any("一" <= letter <= "鿿" for text in texts for letter in text)
        assert han == (claim.lang == "zh"), claim.claim_id


@pytest.mark.parametrize("name", SETS)
def test_labels_are_those_of_the_metric_and_balanced_in_each_language(name: str) -> None:
    wanted = {"yes", "no"} if name in TWO_LABELS else {"yes", "no", "idk"}
    for lang in LANGUAGES:
        labels = Counter(claim.label for claim in gold_of(name).claims if claim.lang == lang)
        share = {label: count / labels.total() for label, count in labels.items()}
        assert set(share) == wanted
        if len(wanted) == 2:
            assert share["yes"] == pytest.approx(0.5, abs=0.05)
        else:
            assert 0.35 <= share["yes"] <= 0.5
            assert min(share.values()) >= 0.2


@pytest.mark.parametrize("name", SETS)
def test_the_split_is_even_and_parts_no_group(name: str) -> None:
    gold = gold_of(name)
    cells = Counter((c.lang, c.label, gold.split_of(c)) for c in gold.claims)
    for lang, label, _ in cells:
        assert abs(cells[lang, label, "dev"] - cells[lang, label, "test"]) <= 1
    splits = defaultdict(set)
    for claim in gold.claims:
        splits[split_group(gold.contexts[claim.context_id])].add(gold.split_of(claim))
        splits[claim.answer_id].add(gold.split_of(claim))
    assert all(len(found) == 1 for found in splits.values())
    assert 30 <= len(sealed(gold).claims) <= 37


@pytest.mark.parametrize("name", SETS)
def test_check_finds_nothing_but_the_label_that_the_metric_has_not(name: str) -> None:
    findings = [f for f in check_goldset(gold_of(name)).findings if f.severity != "note"]
    assert {f.code for f in findings} <= {"label-absent"}
    assert len(findings) <= (name in TWO_LABELS)


@pytest.mark.parametrize("name", SETS)
def test_no_unit_or_evidence_stands_twice(name: str) -> None:
    gold = gold_of(name)
    units = Counter((c.context_id, folded(c.claim)) for c in gold.claims)
    assert set(units.values()) == {1}
    assert near_pairs(["\n".join(context.passages) for context in gold.contexts.values()]) == []


@pytest.mark.parametrize("name", ["context_relevance", "answer_relevance", "answer_redundancy"])
def test_the_unit_alone_does_not_tell_the_label_where_evidence_is_paired(name: str) -> None:
    labels = defaultdict(list)
    for claim in gold_of(name).claims:
        labels[claim.lang, folded(claim.claim)].append(claim.label)
    shared = [found for found in labels.values() if len(found) > 1]
    assert len(shared) >= 10
    assert sum(len(set(found)) > 1 for found in shared) / len(shared) >= 0.5


@pytest.mark.parametrize("name", SETS)
def test_both_passes_are_kept_with_their_disagreements(name: str) -> None:
    gold = gold_of(name)
    for claim in gold.claims:
        assert tuple(a.annotator for a in claim.annotations) == gold.manifest.annotators
        assert claim.annotations[0].label == claim.label
        assert claim.note
    differing = {c.claim_id for c in gold.claims if c.annotations[1].label != c.label}
    assert differing == READ_OTHERWISE.get(name, set())


@pytest.mark.parametrize("name", SETS)
def test_the_datasheet_counts_what_is_there(name: str) -> None:
    page = (GOLD / name / "README.md").read_text(encoding="utf-8")
    gold = gold_of(name)
    splits = Counter(map(gold.split_of, gold.claims))
    assert page.startswith(f"# Datasheet: `{name}` {gold.manifest.version}\n")
    assert f"{len(gold.claims)} " in page
    assert f"{splits['dev']} dev, {splits['test']} test" in page
    rows = [line.split("|")[2:-1] for line in page.splitlines() if line.startswith("| **all**")]
    labels = Counter(claim.label for claim in gold.claims)
    counted = [labels[label] for label in ("yes", "no", "idk") if labels[label]]
    assert [int(cell.strip(" *")) for cell in rows[0]] == [*counted, len(gold.claims)]

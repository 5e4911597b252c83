"""Negative controls: each probe is wrong by construction, and the choice of claims is stable."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.gold import Claim, GoldSet, load_goldset
from metajudge.gold.controls import (
    CONTEXT_KINDS,
    KINDS,
    Probe,
    control_set,
    make_probes,
)
from metajudge.gold.controls.kinds import joined_id
from metajudge.gold.controls.numbers import numbers_of
from metajudge.gold.controls.texts import sentences
from metajudge.gold.controls.words import control_words
from metajudge.gold.split import SplitRule, split_group
from tests.gold.reading import Make

FOLDER = Path(__file__).parents[2] / "gold" / "faithfulness"
LANGS = ("en", "zh")


@pytest.fixture(scope="module")
def dev() -> GoldSet:
    return load_goldset(FOLDER).subset("dev")


@pytest.fixture(scope="module")
def every(dev: GoldSet) -> tuple[Probe, ...]:
    return make_probes(dev, per_kind=999).probes


# The gold set of the project


def test_counts_of_the_projects_dev_split(dev: GoldSet) -> None:
    made = make_probes(dev)
    counts = Counter((probe.kind, probe.lang) for probe in made.probes)
    for kind in ("evidence_removed", "contexts_swapped", "plausible_addition", "world_true"):
        assert [counts[kind, lang] for lang in LANGS] == [12, 12]
    assert counts["negation_added", "en"] >= 8
    assert counts["negation_added", "zh"] >= 8
    assert counts["number_shifted", "en"] >= 4
    assert counts["number_shifted", "zh"] >= 8
    assert {kind for kind, _ in counts} == set(KINDS)


def test_only_supported_claims_once_a_kind(dev: GoldSet, every: tuple[Probe, ...]) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    assert len({(probe.claim_id, probe.kind) for probe in every}) == len(every)
    for probe in every:
        source = claims[probe.claim_id]
        assert (source.label, probe.source_label, probe.wrong) == ("yes", "yes", {"yes"})
        assert (source.lang, source.question) == (probe.lang, probe.question)
        assert (source.context_id, source.answer_id) == (probe.context_id, probe.answer_id)


def test_either_the_claim_or_the_passages_change(dev: GoldSet, every: tuple[Probe, ...]) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in every:
        same_claim = probe.claim == claims[probe.claim_id].claim
        same_passages = probe.passages == dev.contexts[probe.context_id].passages
        assert same_claim == (probe.kind in CONTEXT_KINDS)
        assert same_passages == (probe.kind not in CONTEXT_KINDS)


def test_no_span_is_left_and_the_rest_stands_as_it_was(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in (probe for probe in every if probe.kind == "evidence_removed"):
        rest = "\n".join(probe.passages)
        assert claims[probe.claim_id].spans
        assert not any(span in rest for span in claims[probe.claim_id].spans)
        known = {
            part.strip()
            for passage in dev.contexts[probe.context_id].passages
            for part in sentences(passage)
        }
        assert {part.strip() for text in probe.passages for part in sentences(text)} <= known


def test_swapped_contexts_are_of_another_group_and_the_same_language(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    by_passages = {context.passages: context for context in dev.contexts.values()}
    for probe in (probe for probe in every if probe.kind == "contexts_swapped"):
        other = by_passages[probe.passages]
        assert other.lang == probe.lang
        assert split_group(other) != split_group(dev.contexts[probe.context_id])


def test_shifted_numbers_stand_nowhere_in_the_context(
    dev: GoldSet, every: tuple[Probe, ...]
) -> None:
    claims = {claim.claim_id: claim for claim in dev.claims}
    for probe in (probe for probe in every if probe.kind == "number_shifted"):
        words, chinese = control_words(probe.lang), probe.lang == "zh"
        assert words is not None
        was, now, context = (
            [number.value for number in numbers_of(text, words, chinese)]
            for text in (claims[probe.claim_id].claim, probe.claim, "\n".join(probe.passages))
        )
        assert sum(old != new for old, new in zip(was, now, strict=True)) == 1
        (new,) = [new for old, new in zip(was, now, strict=True) if old != new]
        assert new not in context
        assert new not in was


def test_authored_texts_are_not_mentioned_by_the_context(every: tuple[Probe, ...]) -> None:
    for lang in LANGS:
        words = control_words(lang)
        assert words is not None
        assert len(words.additions) == len(words.world) == 12
        for probe in every:
            if probe.lang != lang or probe.kind not in ("plausible_addition", "world_true"):
                continue
            texts = words.additions if probe.kind == "plausible_addition" else words.world
            (used,) = [text for text in texts if text.text.rstrip(".。") in probe.claim]
            context = "\n".join(probe.passages).casefold()
            assert not any(key.casefold() in context for key in used.keys)


def test_authored_texts_take_turns(dev: GoldSet) -> None:
    for kind in ("plausible_addition", "world_true"):
        made = make_probes(dev, [kind])  # type: ignore[list-item]
        for lang in LANGS:
            claims = [probe.claim[-9:] for probe in made.probes if probe.lang == lang]
            assert len(set(claims)) >= 10


# Choice and counts


def test_the_order_of_rows_does_not_matter(dev: GoldSet) -> None:
    claims, contexts = list(dev.claims), list(dev.contexts.items())
    random.Random(7).shuffle(claims)
    random.Random(8).shuffle(contexts)
    shuffled = replace(dev, claims=tuple(claims), contexts=dict(contexts))
    assert make_probes(shuffled, per_kind=5) == make_probes(dev, per_kind=5)


def test_another_seed_takes_other_claims(dev: GoldSet) -> None:
    first, second = (make_probes(dev, ["world_true"], 6, seed).probes for seed in (0, 1))
    assert first == make_probes(dev, ["world_true"], 6, 0).probes
    assert {probe.claim_id for probe in first} != {probe.claim_id for probe in second}


def test_probes_are_spread_over_contexts(dev: GoldSet) -> None:
    made = make_probes(dev, ["world_true"], per_kind=10).probes
    for lang in LANGS:
        contexts = [probe.context_id for probe in made if probe.lang == lang]
        assert len(contexts) == len(set(contexts)) == 10


def test_left_out_claims_are_counted_by_reason(dev: GoldSet) -> None:
    made = make_probes(dev, ["evidence_removed", "number_shifted"], per_kind=999)
    supported = Counter(claim.lang for claim in dev.judged().claims if claim.label == "yes")
    for lang in LANGS:
        for kind in ("evidence_removed", "number_shifted"):
            probes = sum((probe.kind, probe.lang) == (kind, lang) for probe in made.probes)
            left = sum(n for key, n in made.left_out.items() if key.startswith(f"{kind}.{lang}."))
            assert probes + left == supported[lang]
    assert made.left_out["number_shifted.en.no_number"] > 0


def test_no_probe_from_excluded_model_labelled_or_unsupported_claims(make_gold: Make) -> None:
    gold = make_gold(
        [
            {"claim": "Tea is hot.", "exclude": True},
            {"claim": "Tea is hot.", "label_source": "model"},
            {"claim": "Tea is hot.", "label": "no"},
            {"claim": "Tea is hot.", "label": "idk"},
        ]
    )
    assert make_probes(gold).probes == ()
    assert not make_probes(gold).left_out


def test_none_are_wanted(dev: GoldSet) -> None:
    assert make_probes(dev, per_kind=0) == ((), Counter())
    assert make_probes(dev, kinds=()) == ((), Counter())


# Binary sets, sets without spans, other languages


def test_a_binary_set_without_spans_gets_the_other_kinds(make_gold: Make) -> None:
    gold = make_gold(
        [
            {"claim": "The shop opens 9 hours a day.", "label": "supported", "context_id": "x"},
            {"claim": "The ferry is free.", "label": "supported", "context_id": "y"},
            {"claim": "The ferry is slow.", "label": "unsupported", "context_id": "y"},
        ],
        {"x": ("The shop opens 9 hours a day.",), "y": ("The ferry is free.",)},
        label_space="binary",
    )
    made = make_probes(gold)
    kinds = {probe.kind for probe in made.probes}
    assert {"contexts_swapped", "number_shifted", "negation_added", "world_true"} <= kinds
    assert "evidence_removed" not in kinds
    assert made.left_out["evidence_removed.en.no_span"] == 2
    assert {probe.source_label for probe in made.probes} == {"supported"}
    assert {probe.wrong for probe in made.probes} == {frozenset({"yes"})}
    assert {claim.label for claim in control_set(gold, made.probes).claims} == {"unsupported"}


def test_a_language_without_words_gets_changed_contexts_only(make_gold: Make) -> None:
    gold = make_gold(
        [
            {"claim": "Tee ist heiß.", "lang": "de", "context_id": "x", "spans": ("Tee ist heiß",)},
            {"claim": "Die Fähre ist frei.", "lang": "de", "context_id": "y"},
        ],
        {"x": ("Tee ist heiß. Er dampft.",), "y": ("Die Fähre ist frei.",)},
    )
    made = make_probes(gold)
    assert {probe.kind for probe in made.probes} == set(CONTEXT_KINDS)
    assert made.left_out["world_true.de.language_without_words"] == 2


# Changed contexts


def test_nothing_is_left_of_a_context_that_is_all_evidence(make_gold: Make) -> None:
    gold = make_gold([{"claim": "Tea is hot.", "spans": ("Tea is hot",)}], {"x": ("Tea is hot.",)})
    (probe,) = make_probes(gold, ["evidence_removed"]).probes
    assert probe.passages == ()


@pytest.mark.parametrize(
    ("claim", "spans", "passage", "reason"),
    [
        ("Tea is hot.", ("Tea is cold",), "Tea is hot. So.", "span_not_in_context"),
        ("Tea is hot.", ("Tea is hot",), "Tea is hot. Indeed tea is hot.", "evidence_repeated"),
        ("Rain fell.", ("It poured",), "It poured. Rain was forecast.", "evidence_not_distinct"),
        (
            "Late letters after 19 June stay unread.",
            ("Late letters may stay unread",),
            "Write until 19 June. Late letters may stay unread.",
            "evidence_incomplete",
        ),
        ("The text does not mention tea.", ("Coffee",), "Coffee. Milk.", "claim_of_absence"),
    ],
)
def test_evidence_is_not_removed_where_the_claim_could_still_hold(
    make_gold: Make, claim: str, spans: tuple[str, ...], passage: str, reason: str
) -> None:
    gold = make_gold([{"claim": claim, "spans": spans}], {"x": (passage,)})
    made = make_probes(gold, ["evidence_removed"])
    assert made.probes == ()
    assert list(made.left_out) == [f"evidence_removed.en.{reason}"]


def test_the_swapped_context_has_least_in_common_and_the_same_split(make_gold: Make) -> None:
    texts = {
        "x": ("The kettle boils water for tea.",),
        "near": ("A kettle boils water for coffee.",),
        "far": ("Zinc ~ 419.",),
        "empty": (),
    }
    gold = make_gold(
        [
            {"claim": "The kettle boils water.", "context_id": "x"},
            {"claim": "A", "context_id": "near", "label": "no"},
            {"claim": "B", "context_id": "far", "label": "no"},
            {"claim": "C", "context_id": "empty", "label": "no"},
        ],
        texts,
    )
    (probe,) = make_probes(gold, ["contexts_swapped"]).probes
    assert probe.passages == texts["far"]
    salts = (SplitRule(salt=str(number), dev_share=0.5) for number in range(100))
    for rule in salts:
        parted = replace(gold, manifest=gold.manifest.model_copy(update={"split": rule}))
        split = {claim.context_id: parted.split_of(claim) for claim in parted.claims}
        if split["x"] == split["near"] != split["far"]:
            (probe,) = make_probes(parted, ["contexts_swapped"]).probes
            assert probe.passages == texts["near"]
            break
    else:
        pytest.fail("no salt parts the contexts as wanted")


# The control set


def test_control_set_asks_every_probe(dev: GoldSet) -> None:
    probes = make_probes(dev, per_kind=4).probes
    controls = control_set(dev, probes)
    assert controls.manifest.name == "faithfulness~controls"
    assert controls.manifest.label_source == "author"
    assert len(controls.claims) == len(probes)
    for claim, probe in zip(controls.claims, probes, strict=True):
        assert claim.claim_id == probe.control_id == f"{probe.claim_id}~{probe.kind}"
        assert (claim.claim, claim.lang, claim.question) == (
            probe.claim,
            probe.lang,
            probe.question,
        )
        assert controls.passages(claim) == probe.passages
        assert (claim.label, claim.label_source, claim.answer_id) == (
            "idk",
            "author",
            probe.answer_id,
        )
        expected = probe.context_id
        if probe.kind in CONTEXT_KINDS:
            expected += f"~{probe.kind}~{probe.claim_id}"
        assert claim.context_id == expected
    assert set(controls.contexts) == {claim.context_id for claim in controls.claims}


def test_probes_stay_in_the_split_of_their_source() -> None:
    gold = load_goldset(FOLDER)
    controls = control_set(gold, make_probes(gold, per_kind=8).probes)
    source = {claim.claim_id: gold.split_of(claim) for claim in gold.claims}
    for claim in controls.claims:
        assert controls.split_of(claim) == source[claim.claim_id.rsplit("~", 1)[0]]


def test_a_changed_context_leaves_the_source_set_alone(dev: GoldSet) -> None:
    before = dev.sha256
    control_set(dev, make_probes(dev).probes)
    assert replace(dev).sha256 == before


def test_long_ids_stay_within_the_format_and_apart() -> None:
    first, second = (joined_id("c" * 200, kind) for kind in ("world_true", "negation_added"))
    assert first != second
    for name in (first, second):
        Claim(claim_id=name, answer_id="a", context_id=name, claim="Tea.", label="idk")

import re
from importlib.resources import files
from typing import get_args

import pytest

from metajudge.errors import GoldError
from metajudge.gold import LabellingPolicy
from metajudge.gold.claim import SLICES, SPACE_LABELS, SUPPORT_KINDS, LabelSpace, PolicyChange
from metajudge.gold.guideline import GuidelineLanguage, guideline, standing_of
from metajudge.gold.policy import KIND_SLICES
from metajudge.gold.strict_yaml import parse_tree

LANGUAGES: tuple[GuidelineLanguage, ...] = get_args(GuidelineLanguage)
SPACES: tuple[LabelSpace, ...] = get_args(LabelSpace)
MIXED = LabellingPolicy(
    version="2.0.0",
    rules=("Only {tea} counts.", "只看材料。"),
    support={"inference": False, "summary": True, "common_knowledge": True},
    slice_labels={"outside_true": ("idk",), "contradiction": ("no", "idk")},
    changes=(PolicyChange(version="2.0.0", support={"inference": False}, why="why"),),
)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("space", SPACES)
def test_the_guideline_has_every_label_kind_and_slice(
    lang: GuidelineLanguage, space: LabelSpace
) -> None:
    guide = guideline(MIXED, space, lang)
    assert tuple(text.label for text in guide.labels) == SPACE_LABELS[space]
    assert tuple(text.kind for text in guide.kinds) == SUPPORT_KINDS
    assert tuple(text.slice for text in guide.slices) == SLICES
    assert [topic.key for topic in guide.topics] == ["hedges", "compounds", "outside", "values"]
    assert guide.rules == MIXED.rules
    for kind in guide.kinds:
        assert kind.slices == KIND_SLICES[kind.kind]
        assert len(kind.examples) == 3 and kind.ruling and kind.definition
        assert len({case.claim for case in kind.examples}) == 3
    for text in guide.slices:
        assert text.kinds == tuple(k for k in SUPPORT_KINDS if text.slice in KIND_SLICES[k])
    words = " ".join([guide.title, guide.version, guide.lead, *(k.ruling for k in guide.kinds)])
    assert "{" not in words and "2.0.0" in guide.version


@pytest.mark.parametrize("lang", LANGUAGES)
def test_examples_follow_from_what_counts(lang: GuidelineLanguage) -> None:
    kinds = {text.kind: text for text in guideline(MIXED, "ternary", lang).kinds}
    labels = {name: [case.label for case in kind.examples] for name, kind in kinds.items()}
    assert labels["summary"] == ["yes", "no", "idk"]
    assert labels["inference"] == ["idk", "no", "idk"]
    assert labels["arithmetic"] == [None, "no", "idk"]
    assert kinds["arithmetic"].examples[0].why == ""
    assert [kinds[name].standing for name in ("summary", "inference", "arithmetic")] == [
        "counts",
        "does_not_count",
        "left_to_rules",
    ]
    assert standing_of(MIXED, "paraphrase") == "left_to_rules"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_binary_set_speaks_of_its_own_labels_alone(lang: GuidelineLanguage) -> None:
    guide = guideline(MIXED, "binary", lang)
    cases = [case for part in (*guide.kinds, *guide.topics) for case in part.examples]
    assert {case.label for case in cases} == {"supported", "unsupported", None}
    text = " ".join([*(kind.ruling for kind in guide.kinds), *(t.text for t in guide.topics)])
    assert not re.search(r"\bidk\b|\bno longer\b", text)
    allowed = {text.slice: text.labels for text in guide.slices}
    assert allowed["contradiction"] == allowed["outside_true"] == ("unsupported",)


def test_every_topic_has_a_case_of_each_label() -> None:
    for lang in LANGUAGES:
        for topic in guideline(MIXED, "ternary", lang).topics:
            assert [case.label for case in topic.examples].count("yes") == 1
            assert {case.label for case in topic.examples} == {"yes", "no", "idk"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_outside_knowledge_is_told_as_the_policy_has_it(lang: GuidelineLanguage) -> None:
    def outside(policy: LabellingPolicy) -> str:
        (topic,) = (t for t in guideline(policy, "ternary", lang).topics if t.key == "outside")
        return topic.text

    strict = MIXED.model_copy(update={"support": {"common_knowledge": False}})
    assert outside(MIXED) != outside(strict)
    assert outside(strict) == outside(LabellingPolicy(version="1"))


def test_changes_say_what_counts_from_then_on() -> None:
    (english,) = guideline(MIXED).changes
    (chinese,) = guideline(MIXED, lang="zh").changes
    assert (english.version, english.text, english.why) == (
        "2.0.0",
        "inference no longer counts",
        "why",
    )
    assert chinese.text == "“推断”不再算作支持"


def test_both_languages_have_the_same_texts() -> None:
    def keys(lang: str) -> set[tuple[object, ...]]:
        file = files("metajudge.gold").joinpath("guideline_texts", f"{lang}.yaml")
        return set(parse_tree(file.read_text(encoding="utf-8"), lang, GoldError).lines)

    assert keys("en") == keys("zh")


def test_chinese_texts_are_chinese() -> None:
    guide = guideline(LabellingPolicy(version="1"), lang="zh")
    texts = [guide.title, guide.lead, *guide.headings.values(), *(t.text for t in guide.labels)]
    texts += [part.name for part in (*guide.kinds, *guide.topics, *guide.slices)]
    texts += [case.claim for part in (*guide.kinds, *guide.topics) for case in part.examples]
    assert all(re.search(r"[\u4e00-\u9fff]", text) for text in texts)


def test_names_of_slices_are_those_of_the_reports() -> None:
    from metajudge.report.words import WORDS

    for lang in LANGUAGES:
        for text in guideline(MIXED, "ternary", lang).slices:
            assert text.name == WORDS[f"slice.{text.slice}"].of(lang)


def test_no_worked_example_is_a_claim_of_the_shipped_set() -> None:
    from metajudge.gold import load_goldset
    from metajudge.shipped import shipped_gold

    shipped = {claim.claim for claim in load_goldset(shipped_gold()).claims}
    for lang in LANGUAGES:
        guide = guideline(MIXED, "ternary", lang)
        cases = [case for part in (*guide.kinds, *guide.topics) for case in part.examples]
        assert shipped.isdisjoint(case.claim for case in cases)

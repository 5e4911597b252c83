"""What label words in English and Chinese most likely mean: proposed for a table, never applied.

A word alone does not tell. Where a table knows two words only, such as yes and no, its `no` may
mean "not supported" as well as "contradicted"; the weaker reading is proposed, and said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metajudge.gold.claim import GoldLabel, LabelSource, LabelSpace
from metajudge.gold.columns import LABEL_HINTS
from metajudge.gold.importing.projection import projected
from metajudge.gold.importing.words import OUR_WORDS

_WORDS: dict[GoldLabel, str] = {
    "yes": "yes y t true correct accurate right entails entail support supports consistent agree "
    "agrees ✓ ✔ √ ☑ 是 是的 对 正确 属实 真 支持 被支持 符合 一致 蕴含 包含 成立",
    "no": "no n f false incorrect inaccurate wrong contradict contradicts contradicting conflict "
    "conflicts conflicting refute disagree disagrees ✗ ✘ × 否 不是 错 错误 不正确 假 矛盾 "
    "相矛盾 冲突 相冲突 反驳 相反 不符 不符合 不成立",
    "idk": "idk unsure unclear uncertain maybe nei baseless extrapolatory unverifiable "
    "irrelevant 不确定 不知道 不清楚 未提及 未提到 没有提到 没提到 未说明 未涉及 中立 中性 "
    "无法判断 无法确定 无法验证 信息不足 证据不足 未知 存疑 无关",
    "supported": "supported grounded pass 有依据 有根据 忠实 可归因",
    "unsupported": "unsupported unfaithful ungrounded hallucination nonentailment fail 无依据 "
    "没有依据 缺乏依据 无根据 不支持 未支持 不忠实 幻觉 有幻觉 编造 不可归因",
}
_PHRASES: dict[str, GoldLabel] = {
    "i don't know": "idk",
    "don't know": "idk",
    "dont know": "idk",
    "do not know": "idk",
    "not sure": "idk",
    "can't tell": "idk",
    "cannot tell": "idk",
    "can not tell": "idk",
    "cannot say": "idk",
    "not stated": "idk",
    "not given": "idk",
    "not in context": "idk",
    "not in the context": "idk",
    "not in source": "idk",
    "not addressed": "idk",
    "no mention": "idk",
    "not enough information": "idk",
    "not enough evidence": "idk",
    "insufficient information": "idk",
    "insufficient evidence": "idk",
    "fully supported": "supported",
    "fully attributable": "supported",
    "not supported": "unsupported",
    "not fully supported": "unsupported",
    "not entailed": "unsupported",
    "not entailment": "unsupported",
    "non entailment": "unsupported",
    "not attributable": "unsupported",
    "not fully attributable": "unsupported",
    "not faithful": "unsupported",
    "not grounded": "unsupported",
    "not consistent": "unsupported",
    "inconsistent": "unsupported",
}
SKIPPED = frozenset(
    {
        "skip",
        "skipped",
        "cancelled",
        "canceled",
        "discard",
        "discarded",
        "跳过",
        "作废",
        "取消",
        "弃权",
    }
)
"""Words of an annotator who gave no label on purpose."""
ANSWERS = frozenset("yes y t true no n f false 1 0 是 是的 否 不是 对 错 ✓ ✔ √ ☑ ✗ ✘ ×".split())
"""Words that mean the opposite where the question asks for faults, such as `hallucination`."""
LABEL_SOURCES: dict[str, LabelSource] = {
    **dict.fromkeys("human people person annotator expert 人工 人 人工标注 专家".split(), "human"),
    **dict.fromkeys(("author", "作者"), "author"),
    **dict.fromkeys(
        "model llm machine ai auto automatic synthetic 模型 机器 大模型 自动 模型标注 合成".split(),
        "model",
    ),
}
"""What a column may say of who made a label."""
_SAYS_OTHERWISE = ("contradict", "conflict", "refut", "disagree", "矛盾", "冲突", "反驳", "相反")
KNOWN: dict[str, GoldLabel] = {
    **{word: label for label, words in _WORDS.items() for word in words.split()},
    **_PHRASES,
    **LABEL_HINTS,
    **OUR_WORDS,
}
"""Label words as `folded_label` gives them, and what each most likely means by itself."""


_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?%?")


def is_scale(words: Iterable[str]) -> bool:
    """Whether numbers beyond 0 and 1 are among words, so that no number has a usual meaning.

    >>> is_scale(["1", "0", "yes"]), is_scale(["1", "-1"]), is_scale(["0", "1", "2"])
    (False, True, True)
    """
    return any(word not in ("0", "1") and _NUMBER.fullmatch(word) for word in words)


def folded_label(cell: object) -> str:
    """A label cell as a word: without case, width, outer punctuation and the kind of gap.

    >>> folded_label(" NOT_ENOUGH  Info. "), folded_label("是。"), folded_label(True)
    ('not enough info', '是', 'true')
    >>> folded_label("non-entailment"), folded_label(-1), folded_label(1.0)
    ('non entailment', '-1', '1')
    """
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = unicodedata.normalize("NFKC", str(cell)).replace("_", " ").replace("’", "'")
    text = text if _NUMBER.fullmatch(text.strip()) else _HYPHEN.sub(" ", text)
    return " ".join(text.casefold().split()).strip(" .。!,;、")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the label words of a table are read as.

    Attributes:
        labels: Our label of each word, as `folded_label` gives it.
        space: Label space of the set.
        unknown: Words that are not known, in the order met.
        certain: Whether the words are ours, or all were given, and tell the label space.
        why: In a few words, for people.
    """

    labels: Mapping[str, GoldLabel]
    space: LabelSpace
    unknown: tuple[str, ...]
    certain: bool
    why: str


def meaning_of(
    words: Iterable[str],
    given: Mapping[str, GoldLabel] | None = None,
    space: LabelSpace | None = None,
) -> Meaning:
    """What the label words of one table most likely mean together.

    Args:
        words: All distinct words, as `folded_label` gives them. 0 and 1 beside other numbers have
            no usual meaning.
        given: What the user says of some or all of them.
        space: Label space that the user wants; None chooses by the words.

    >>> meaning_of(["是", "否", "不确定"]).labels
    {'是': 'yes', '否': 'no', '不确定': 'idk'}
    >>> meaning_of(["yes", "no"]).labels
    {'yes': 'supported', 'no': 'unsupported'}
    """
    told = {folded_label(word): label for word, label in (given or {}).items()}
    seen = [word for word in dict.fromkeys(words) if word and word not in SKIPPED]
    usual = {word for word in seen if word in KNOWN and word not in told}
    usual -= {"0", "1"} if is_scale(seen) else set()
    guessed = {word: KNOWN[word] for word in seen if word in usual}
    labels = {word: label for word, label in (guessed | told).items() if word in seen}
    unknown = tuple(word for word in seen if word not in labels)
    two_sided = space is None and not told and _is_two_sided(labels)
    if two_sided:
        labels = {word: _weaker(label) for word, label in labels.items()}
    chosen = space or _space(labels)
    labels = {word: projected(label, chosen) or label for word, label in labels.items()}
    ours = all(word in told or word in OUR_WORDS for word in labels)
    return Meaning(labels, chosen, unknown, ours and not two_sided, _why(told, two_sided, ours))


def _is_two_sided(labels: Mapping[str, GoldLabel]) -> bool:
    """Whether there are a yes and a no that does not say "contradicted", and no third word."""
    negative = [word for word, label in labels.items() if label == "no"]
    plain = not any(part in word for word in negative for part in _SAYS_OTHERWISE)
    return set(labels.values()) == {"yes", "no"} and plain


def _weaker(label: GoldLabel) -> GoldLabel:
    return "supported" if label == "yes" else "unsupported"


def _space(labels: Mapping[str, GoldLabel]) -> LabelSpace:
    found = set(labels.values())
    binary = "unsupported" in found or found == {"supported"}
    return "binary" if binary else "ternary"


def _why(told: Mapping[str, GoldLabel], two_sided: bool, ours: bool) -> str:
    if two_sided:
        return (
            "two words only: the second may mean contradicted or not stated, so it is read as "
            "unsupported; for contradicted say --label-space ternary"
        )
    if told:
        return "as given by --labels" if ours else "given by --labels, the rest are usual words"
    return "our own words" if ours else "usual words"

"""UHGEval: continuations of Chinese news by models, judged keyword by keyword, and headlines.

People said of each keyword whether it is reasonable (合理) or not (不合理), and why. One keyword
that is not makes the continuation unsupported. Whether that is no or idk is told from the words of
the reasons by a rule, as upstream does not say it: a reason that the article does not mention
something (`_SILENT`) is idk, one that says what it has instead (`_OTHERWISE`) is no, one with both
is neither; 与事实冲突 and its like count only where a reason says nothing else. Any no makes the
continuation no; if all reasons are idk, it is idk; else it stays unsupported.

The headline of an article is a second claim: supported by construction, since an editor wrote it
for that article, not by a person's verdict (`label_source` author).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from metajudge.errors import short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    left_out,
    list_in,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="uhgeval",
    title="UHGEval (XinhuaHallucinations)",
    kind="public",
    holds="a .jsonl file such as dataset_uhgeval_concise.jsonl, or a folder of them",
    label_space="ternary",
    mapping=(
        "a keyword judged 不合理 -> unsupported, told into no and idk by a rule on the words of "
        "the annotators' reasons; the editor's headline -> yes by construction (label_source "
        "author)."
    ),
    licence="Apache-2.0; news texts: Xinhua News Agency, by upstream's word for research only",
    citation=(
        "Xun Liang, Shichao Song, Simin Niu, Zhiyu Li, Feiyu Xiong, Bo Tang, Yezhaohui Wang, Dawei "
        "He, Cheng Peng, Zhonghao Wang and Haiying Deng (2024): UHGEval: Benchmarking the "
        "Hallucination of Chinese Large Language Models via Unconstrained Generation. ACL 2024."
    ),
    url="https://github.com/IAAR-Shanghai/UHGEval",
    hub=("Ki-Seki/UHGEvalDataset", "Ki-Seki/UHGEvalDataset:concise"),
    marks=("newsBeginning", "hallucinatedContinuation", "newsRemainder", "annotations"),
    files=("*uhgeval*.jsonl", "XinhuaHallucinations*.jsonl"),
    languages=("zh",),
)
_BETWEEN = "<sep>"
_REASONABLE, _NOT_REASONABLE = "合理", "不合理"
_CATEGORY = re.compile(r"^（[^（）]*）")
_CLASH = re.compile(r"与[^，。]{0,10}事实[^，。]{0,4}(?:冲突|不一致|不符)|不符合事实描述")
_OTHERWISE = re.compile(r"应为|应是|应该是|实际|事实上|而非|并非|而不是|不符|不一致|矛盾|与此冲突")
_SILENT = re.compile(
    r"(?:没有|未|无)(?:明确|具体)?(?:提到|提及|提供|给出|出现|涉及|描述|指出|表明)"
    r"|没有(?:明确|具体|事实)|未明确|无此人|无此项|没有.{0,8}相关信息|缺乏|无相关"
)


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Continuation and headline of each record, in file order."""
    return claims_of_each(records(source, FORMAT, "*.jsonl"), _claims)


def label_of_reasons(reasons: list[str]) -> GoldLabel:
    """The label that the reasons for rejected keywords tell.

    >>> label_of_reasons(["与事实冲突，应为三月", "参考事实中没有提到"])
    'no'
    >>> label_of_reasons(["与事实冲突，文中没有提到此人"])
    'idk'
    >>> label_of_reasons(["说法不妥"])
    'unsupported'
    """
    told = {_told(reason) for reason in reasons}
    return "no" if "no" in told else "idk" if told == {"idk"} else "unsupported"


def _told(reason: str) -> Literal["no", "idk", "neither"]:
    rest = _CLASH.sub("", reason)
    otherwise, silent = _OTHERWISE.search(rest) is not None, _SILENT.search(rest) is not None
    if otherwise != silent:
        return "no" if otherwise else "idk"
    return "no" if rest != reason and not silent else "neither"


def _claims(row: SourceRow) -> Iterator[ImportedClaim | LeftOut]:
    beginning = text_in(row, "newsBeginning", "missing_context").strip()
    remainder = text_in(row, "newsRemainder", "missing_context")
    passages = (beginning, *(part.strip() for part in remainder.split("\n") if part.strip()))
    try:
        yield from _continuation(row, passages)
    except UnusableError as unusable:
        yield unusable.left_out
    yield _headline(row, passages)


def _continuation(row: SourceRow, passages: tuple[str, ...]) -> Iterator[ImportedClaim | LeftOut]:
    identifier = optional_text(row, "id")
    claim = text_in(row, "hallucinatedContinuation").strip()
    rejected = []
    annotations = list_in(row, "annotations")
    for annotation in annotations:
        keyword, _, verdict = str(annotation).partition(_BETWEEN)
        if verdict.startswith(_NOT_REASONABLE):
            rejected.append((keyword, verdict.removeprefix(_NOT_REASONABLE).lstrip("，, ")))
        elif not verdict.startswith(_REASONABLE):
            what, found = f"{identifier} annotations", short_repr(annotation, 40)
            yield left_out(row, "unknown_label", what, found)
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=passages,
        label=label_of_reasons([reason for _, reason in rejected]) if rejected else None,
        claim_id=identifier and bounded(f"uhgeval-{identifier}"),
        lang="zh",
        note="\n".join(f"{keyword}：{reason}" for keyword, reason in rejected) or None,
        unlabelled="unsettled" if annotations else "unlabelled",
        detail="no keyword was rejected" if annotations and not rejected else "",
        generator=optional_text(row, "generatedBy"),
    )


def _headline(row: SourceRow, passages: tuple[str, ...]) -> ImportedClaim:
    identifier = optional_text(row, "id")
    headline = _CATEGORY.sub("", text_in(row, "headLine").strip()).strip()
    return ImportedClaim(
        where=row.where,
        line=row.line,
        claim=as_text(row, "headLine", headline),
        passages=passages,
        label="yes",
        claim_id=identifier and bounded(f"uhgeval-head-{identifier}"),
        lang="zh",
        slice="summary",
        label_source="author",
    )

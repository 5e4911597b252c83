"""The datasheet of a gold set: where it comes from, what is in it, what was changed since."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from metajudge.counted import counted
from metajudge.gold.annotators import RULE_WORDS, in_conflict
from metajudge.gold.claim import SLICES, GoldManifest
from metajudge.gold.counts import NONE, GoldCounts, count_claims
from metajudge.gold.goldset import GoldSet
from metajudge.gold.importing.imported import REASONS
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.source_text import read_bytes

MARK = "<!-- made by metajudge; take this line out to keep what you write here -->"
"""First line of a page that may be written anew."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~$^])")
_MOST_CORRECTIONS = 200
_SHORT = 12


def is_generated(path: Path) -> bool:
    """Whether a page is not there, or was made here, so that it may be written anew."""
    raw = read_bytes(path) if path.exists() else MARK.encode()
    return isinstance(raw, bytes) and raw.startswith(MARK.encode())


def datasheet(goldset: GoldSet) -> str:
    """The datasheet as a Markdown page, with headings in English and Chinese.

    The same set gives the same page.

    Args:
        goldset: As `load_goldset` reads it, with what annotators did since.
    """
    counts = count_claims(goldset)
    sections = (
        _head(goldset, counts),
        _origin(goldset.manifest),
        _labels(goldset, counts),
        _annotators(goldset),
        _waiting(goldset),
        _left_out(goldset.manifest),
        _corrections(goldset),
        _next_steps(),
    )
    return f"{MARK}\n" + "\n\n".join(section for section in sections if section) + "\n"


def _head(goldset: GoldSet, counts: GoldCounts) -> str:
    manifest = goldset.manifest
    waiting, waiting_zh = "", ""
    if goldset.pending:
        n = len(goldset.pending)
        waiting = f"; {n:,} more {'waits' if n == 1 else 'wait'} for a label"
        waiting_zh = f"；另有 {len(goldset.pending):,} 条待标注"
    return (
        f"# {_text(manifest.name)} {_text(manifest.version)}: datasheet · 数据说明\n\n"
        f"{counted(counts.claims, 'labelled claims')} of {counted(counts.answers, 'answers')} over "
        f"{counted(counts.contexts, 'contexts')}{waiting}.\n"
        f"已标注陈述 {counts.claims:,} 条，回答 {counts.answers:,} 个，"
        f"材料 {counts.contexts:,} 份{waiting_zh}。"
    )


def _origin(manifest: GoldManifest) -> str:
    record = manifest.imported
    labels = metric_labels(manifest.metric, manifest.label_space)
    files = (
        []
        if record is None
        else [f"{name} (sha256 {digest[:_SHORT]}…)" for name, digest in record.sources.items()]
    )
    rows = {
        "provenance · 来源": manifest.provenance,
        "format · 格式": record and record.format,
        "files · 文件": ", ".join(files),
        "url · 网址": manifest.url,
        "licence · 许可": manifest.licence,
        "citation · 引用": manifest.citation,
        "languages · 语言": ", ".join(manifest.languages),
        "gold for · 指标": None if manifest.metric == "faithfulness" else manifest.metric,
        "label space · 标签空间": f"{manifest.label_space}: {', '.join(labels)}",
        "labels became ours so · 标签对应": record and record.mapping,
        "labelling policy · 标注规则": f"version {manifest.labelling_policy.version}",
    }
    if manifest.licence == "unknown":
        rows["licence · 许可"] = "unknown: say it in goldset.yaml before you pass the set on"
    return _table(["", ""], [[name, value] for name, value in rows.items() if value])


def _labels(goldset: GoldSet, counts: GoldCounts) -> str:
    labels = metric_labels(goldset.manifest.metric, goldset.manifest.label_space)
    langs = sorted({cell.lang for cell in counts.cells})
    by_lang = counts.by("lang", "label")
    rows = [
        [lang, *(by_lang.get((lang, label), 0) for label in labels), counts.by("lang")[(lang,)]]
        for lang in langs
    ]
    page = f"## Labels · 标签\n\n{_table(['lang · 语言', *labels, 'all'], rows)}"
    by_slice = counts.by("slice", "label")
    names = [name for name in (*SLICES, NONE) if counts.by("slice").get((name,))]
    if names in ([NONE], []):
        return page
    rows = [
        [name, *(by_slice.get((name, label), 0) for label in labels), counts.by("slice")[(name,)]]
        for name in names
    ]
    return f"{page}\n\n## Slices · 陈述种类\n\n{_table(['slice', *labels, 'all'], rows)}"


def _annotators(goldset: GoldSet) -> str:
    every = goldset.every_claim
    labels = metric_labels(goldset.manifest.metric, goldset.manifest.label_space)
    given = Counter((note.annotator, note.label) for claim in every for note in claim.annotations)
    names = dict.fromkeys((*goldset.manifest.annotators, *sorted({name for name, _ in given})))
    rule = goldset.manifest.adjudication
    conflicts = sum(map(in_conflict, goldset.claims))
    told = (
        f"A label that is stated stands; others are made by the rule `{rule}`: {RULE_WORDS[rule]}."
    )
    if not given:
        return f"## Annotators · 标注者\n\nThe labels of single annotators are not kept. {told}"
    rows = [
        [
            name,
            *(given[name, label] for label in labels),
            sum(given[name, label] for label in labels),
        ]
        for name in names
    ]
    several = sum(len(claim.annotations) > 1 for claim in every)
    return (
        f"## Annotators · 标注者\n\n{_table(['annotator', *labels, 'all'], rows)}\n\n"
        f"{counted(several, 'claims were')} labelled by several people; they disagree on "
        f"{conflicts:,} of those with a gold label. {told}"
    )


def _waiting(goldset: GoldSet) -> str:
    reasons = Counter(claim.why.partition(":")[0] for claim in goldset.pending)
    rows = [[reason, count] for reason, count in reasons.most_common()]
    return f"## Waiting for a label · 待标注\n\n{_table(['why', 'claims'], rows)}" if rows else ""


def _left_out(manifest: GoldManifest) -> str:
    record = manifest.imported
    if record is None:
        return ""
    heading = "## Left out at import · 未导入"
    if not record.left_out:
        return f"{heading}\n\nNothing."
    meanings: Mapping[str, str] = {str(reason): told for reason, told in REASONS.items()}
    rows = [[reason, meanings.get(reason, ""), count] for reason, count in record.left_out.items()]
    return f"{heading}\n\n{_table(['reason', 'meaning', 'records or annotations'], rows)}"


def _corrections(goldset: GoldSet) -> str:
    found = goldset.corrections
    heading = "## Corrections since · 更正"
    if not found:
        return f"{heading}\n\nNone."
    rows = [
        [
            fix.claim_id,
            f"{fix.was} -> {fix.label}",
            fix.annotator,
            fix.time,
            fix.why,
        ]
        for fix in found[:_MOST_CORRECTIONS]
    ]
    more = len(found) - len(rows)
    rest = (
        f"\n\n{more:,} more {'stands' if more == 1 else 'stand'} in `annotations/`." if more else ""
    )
    by = Counter(fix.annotator for fix in found)
    told = ", ".join(f"{_text(name)} {count}" for name, count in by.most_common())
    table = _table(["claim", "label", "by", "when", "why"], rows)
    return (
        f"{heading}\n\n{counted(len(found), 'gold labels were')} changed ({told}).\n\n{table}{rest}"
    )


def _next_steps() -> str:
    return (
        "## Next · 接下来\n\n"
        "```\n"
        "metajudge gold check FOLDER          # what is wrong or doubtful\n"
        "metajudge gold split FOLDER --write  # dev and sealed test, once\n"
        "metajudge sweep EXPERIMENT           # with gold: {path: FOLDER, split: dev}\n"
        "metajudge gold datasheet FOLDER --write\n"
        "```"
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else _text("" if value is None else str(value))


def _text(text: str) -> str:
    r"""One line of prose that Markdown and browsers show as it is.

    >>> _text("<b>a|b</b>\n*c*")
    '&lt;b&gt;a\\|b&lt;/b&gt; \\*c\\*'
    """
    shown = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Zl") else char for char in text
    )
    line = _MARKDOWN.sub(r"\\\1", " ".join(shown.split()))
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Samples of public human-labelled sets as gold folders, for experiments 002 and 004.

    python experiments/002-people/prepare.py ../shared/public_gold
    python experiments/002-people/prepare.py ../shared/public_gold summedits ocnli

reads `<set>/normalised.jsonl` and writes `.metajudge/people/<set>/`, which git ignores: the texts
belong to third parties and are not part of this project. Same input, same sample: contexts are
taken whole, in the order of a seeded shuffle, until a set has enough claims.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.gold.claim import (
    Annotation,
    Claim,
    Context,
    GoldManifest,
    LabellingPolicy,
    LabelSpace,
    Slice,
)
from metajudge.gold.fingerprint import context_id_of
from metajudge.gold.goldset import GoldSet
from metajudge.gold.writer import write_goldset

OUT = Path(".metajudge") / "people"
SEED = 2002
SLICES: dict[str, Slice] = {
    "summary": "summary",
    "detail": "literal",
    "numeric": "literal",
    "inference": "inference",
}
"""Their `kind` as our slice; anything else has none."""


class Draw(NamedTuple):
    """How a set is sampled.

    Attributes:
        lang: Language of the set.
        space: Its label space.
        most_chars: Contexts longer than this are left out, so that a 1.5B judge reads them in time.
        per_context: Most claims of one context.
        claims: Claims wanted; the last context may exceed it.
        says: What people were asked, as far as the set's documentation tells.
    """

    lang: str
    space: LabelSpace
    most_chars: int
    per_context: int
    claims: int
    says: str


SETS: dict[str, Draw] = {
    "ragtruth": Draw("en", "ternary", 3000, 5, 60, "conflict spans: no; baseless spans: idk"),
    "faithbench": Draw("en", "ternary", 3000, 5, 60, "intrinsic: no; extrinsic: idk; majority"),
    "xsum_hallucination": Draw("en", "ternary", 3000, 4, 60, "intrinsic: no; extrinsic: idk"),
    "uhgeval": Draw("zh", "ternary", 700, 3, 60, "keyword verdicts; yes: editors' headlines"),
    "contractnli": Draw("en", "ternary", 6000, 8, 60, "entailed, contradicted, not mentioned"),
    "wice": Draw("en", "binary", 3600, 2, 60, "supported or not fully supported"),
}
LATER_SETS: dict[str, Draw] = {
    "summedits": Draw("en", "binary", 2200, 5, 60, "consistent or inconsistent summary"),
    "ocnli": Draw("zh", "ternary", 700, 2, 80, "entailed, contradicted, neutral; majority of five"),
}
"""Not used by experiment 002: what experiment 004 chose is tried out on them."""


def main(source: Path, *names: str) -> None:
    """Write the samples of some sets, of those of experiment 002 without names."""
    known = SETS | LATER_SETS
    for name in names or tuple(SETS):
        draw = known[name]
        rows = _rows(source / name / "normalised.jsonl")
        kept = [row for row in rows if _label(row, draw) is not None]
        short = [row for row in kept if sum(map(len, row["context"])) <= draw.most_chars]
        chosen = _chosen(short, draw)
        goldset = _goldset(name, draw, chosen)
        write_goldset(goldset, OUT / name)
        labels = Counter(claim.label for claim in goldset.claims)
        sys.stdout.write(
            f"{name}: {len(rows)} rows, {len(rows) - len(kept)} without a label of this space, "
            f"{len(kept) - len(short)} with a longer context; sample {len(chosen)} claims in "
            f"{len(goldset.contexts)} contexts, {dict(sorted(labels.items()))}\n"
        )


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _label(row: Mapping[str, Any], draw: Draw) -> str | None:
    found = row["label"] if draw.space == "ternary" else row["label_binary"]
    return None if found is None else str(found)


def _chosen(rows: Sequence[dict[str, Any]], draw: Draw) -> list[dict[str, Any]]:
    """Whole contexts in shuffled order; of a context with many claims, as many as are allowed."""
    by_context: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_context.setdefault(context_id_of(row["context"]), []).append(row)
    order = sorted(by_context)
    chance = random.Random(SEED)
    chance.shuffle(order)
    chosen: list[dict[str, Any]] = []
    for name in order:
        if len(chosen) >= draw.claims:
            break
        group = sorted(by_context[name], key=lambda row: str(row["id"]))
        chosen += chance.sample(group, min(draw.per_context, len(group)))
    return chosen


def _goldset(name: str, draw: Draw, rows: Sequence[dict[str, Any]]) -> GoldSet:
    contexts: dict[str, Context] = {}
    claims = []
    for row in rows:
        passages = tuple(text for text in row["context"] if text.strip())
        key = context_id_of(passages)
        contexts[key] = Context(
            context_id=key, passages=passages, lang=draw.lang, group=row["group"]
        )
        claims.append(
            Claim.model_validate(
                {
                    "claim_id": row["id"],
                    "answer_id": key,
                    "context_id": key,
                    "claim": row["claim"],
                    "label": _label(row, draw),
                    "slice": SLICES.get(row["kind"] or ""),
                    "lang": draw.lang,
                    "annotations": [a.model_dump() for a in _annotations(row, draw)],
                    "label_source": "human",
                }
            )
        )
    manifest = GoldManifest(
        name=name,
        version="1.0.0",
        languages=(draw.lang,),
        label_space=draw.space,
        labelling_policy=LabellingPolicy(version="upstream", rules=(draw.says,)),
        licence="see the set's LICENSE.txt; not for redistribution with this project",
        provenance=f"seeded sample (seed {SEED}) of a public human-labelled set",
        label_source="human",
        annotators=tuple(sorted({a.annotator for c in claims for a in c.annotations})),
        min_slice_n=1,
    )
    return GoldSet(manifest, tuple(claims), contexts)


def _annotations(row: Mapping[str, Any], draw: Draw) -> list[Annotation]:
    """Raw labels of single people, where they are labels of this space."""
    if draw.space != "ternary":
        return []
    return [
        Annotation(annotator=str(a["id"]), label=a["label"])
        for a in row["annotators"]
        if a["label"] in ("yes", "no", "idk")
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

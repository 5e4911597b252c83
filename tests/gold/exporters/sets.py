"""Gold sets with texts that files, spreadsheets and parsers stumble over."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from metajudge.gold import Claim, Context, GoldManifest, GoldSet, LabellingPolicy
from metajudge.gold.claim import SLICES, SPACE_LABELS, Annotation, LabelSpace, PendingClaim
from metajudge.gold.claim_rows import MISSING_WORDS

HOSTILE = (
    *(
        "=1+1",
        "+49 30",
        "-1 is less",
        "@SUM(A1)",
        "\t=1",
        "\r\n=x",
        " =1",
        "＝1",
        "'=1",
        "''",
        "'-'",
    ),
    *(
        'a,b;c\t"d"',
        'half "quote',
        "two\nlines\r\nthree\rfour",
        "a\u2028b\u2029c\x85d",
        "a\x0bb\x0c",
    ),
    *("茶是热的。", "👩\u200d🏫 emoji", "\u202eback", "e\u0301", "<b>&amp;</b>", "{{ x }} $y ${z}"),
    *(
        '["a", "b"]',
        '{"a": 1}',
        "['a']",
        "0012",
        "1e5",
        "true",
        "null ",
        "NaN!",
        "ja: nein",
        "#N/A!",
    ),
    *("[OBJ]", "\\n", "%s", "claim,label", "]]>", "--", "\ufeffmark", "\u00a0x", "x" * 300),
)
MANIFEST: dict[str, Any] = {
    "name": "tea",
    "version": "1.0.0",
    "languages": ("en", "zh"),
    "labelling_policy": LabellingPolicy(version="1.0.0"),
    "licence": "none",
    "provenance": "tests",
    "label_source": "human",
}
_ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
TEXTS = (st.sampled_from(HOSTILE) | _ANY).filter(
    lambda text: bool(text.strip()) and text not in MISSING_WORDS
)
NAMES = TEXTS.filter(lambda text: len(text) <= 200)


def optional(texts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | texts


def annotations(space: LabelSpace) -> st.SearchStrategy[Annotation]:
    return st.builds(
        Annotation,
        annotator=NAMES,
        label=st.sampled_from(SPACE_LABELS[space]),
        time=optional(st.just("2025-03-01T09:30:00+00:00") | TEXTS),
        note=optional(st.just("") | TEXTS),
        seconds=optional(st.floats(0, 1e6)),
        slice=optional(st.sampled_from(SLICES)),
        spans=st.lists(TEXTS, max_size=2).map(tuple),
        policy=optional(TEXTS),
        flagged=st.booleans(),
    )


@st.composite
def gold_sets(draw: st.DrawFn) -> GoldSet:
    """Any set as reading gives it: texts are not blank, every context is used."""
    space: LabelSpace = draw(st.sampled_from(["ternary", "binary"]))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    contexts = {name: draw(a_context(name)) for name in names}
    claims: list[Claim] = []
    pending: list[PendingClaim] = []
    ids = draw(st.lists(NAMES, min_size=len(names), max_size=6, unique=True))
    for number, claim_id in enumerate(ids):
        fields = draw(claim_fields(space)) | {
            "claim_id": claim_id,
            "context_id": names[number % len(names)],
        }
        if draw(st.booleans()) or not claims:
            more = {
                "label": draw(st.sampled_from(SPACE_LABELS[space])),
                "label_policy": draw(optional(TEXTS)),
            }
            claims.append(Claim(**fields, **more))
        else:
            pending.append(PendingClaim(**fields, why=draw(TEXTS)))
    manifest = GoldManifest.model_validate(MANIFEST | {"label_space": space})
    return GoldSet(manifest, tuple(claims), contexts, pending=tuple(pending))


def claim_fields(space: LabelSpace) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "answer_id": NAMES,
            "claim": TEXTS,
            "slice": optional(st.sampled_from(SLICES)),
            "lang": st.sampled_from(["en", "zh"]),
            "question": optional(TEXTS),
            "annotations": st.lists(annotations(space), max_size=2).map(tuple),
            "spans": st.lists(TEXTS, max_size=2).map(tuple),
            "note": optional(TEXTS),
            "label_source": st.sampled_from(["human", "author", "model"]),
            "generator": optional(TEXTS),
            "exclude": st.booleans(),
        }
    )


def a_context(name: str) -> st.SearchStrategy[Context]:
    return st.builds(
        Context,
        context_id=st.just(name),
        passages=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        lang=optional(st.sampled_from(["en", "zh"])),
        title=optional(TEXTS),
        domain=optional(TEXTS),
        group=optional(NAMES),
    )

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import Annotation, load_goldset
from metajudge.gold.claim_rows import script_language
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.writer import write_goldset

TEA = Format(
    name="tea-notes",
    title="Tea Notes",
    kind="public",
    holds="a file",
    label_space="ternary",
    mapping="hot -> yes",
    licence="CC BY 4.0",
    citation="A. Brewer (2024): Notes.",
    url="https://example.org/tea",
)
PASSAGE = ("Tea is served hot.",)


def claim(text: str = "Tea is hot.", **more: Any) -> ImportedClaim:
    fields: dict[str, Any] = {"where": "tea.jsonl", "line": 1, "passages": PASSAGE, "label": "yes"}
    return ImportedClaim(claim=text, **(fields | more))


def votes(**labels: Any) -> tuple[Annotation, ...]:
    return tuple(Annotation(annotator=name, label=label) for name, label in labels.items())


def made(*records: Any, space: Any = None, **about: Any) -> Imported:
    return assemble(TEA, records, About("tea", label_space=space, **about))


def test_a_set_with_all_that_is_known_of_it():
    got = made(
        claim(annotations=votes(anna="yes", bo="yes"), slice="literal", title="Tea"),
        claim("茶是冷的。", passages=("茶是热的。",), label="no", line=2),
        LeftOut("cancelled", "tea.jsonl", 3, "t3"),
    )
    manifest = got.goldset.manifest
    assert (manifest.name, manifest.version, manifest.languages) == ("tea", "1.0.0", ("en", "zh"))
    assert (manifest.licence, manifest.citation) == (TEA.licence, TEA.citation)
    assert manifest.annotators == ("anna", "bo")
    assert manifest.labelling_policy.version == "unknown"
    assert manifest.labelling_policy.rules == ("hot -> yes",)
    assert manifest.imported is not None
    assert manifest.imported.left_out == {"cancelled": 1}
    first, second = got.goldset.claims
    assert (first.slice, second.lang, second.label) == ("literal", "zh", "no")
    assert got.goldset.contexts[first.context_id].title == "Tea"
    assert got.places[second.claim_id] == ("tea.jsonl", 2)


def test_b86_ids_come_from_content_whatever_the_order():
    records = [claim(), claim("Tea is cold.", label="no"), claim(passages=("Tea is a drink.",))]
    one, other = made(*records).goldset, made(*reversed(records)).goldset
    ids = {c.claim_id: c for c in one.claims}
    assert len(ids) == 3
    assert {c.claim_id: c for c in other.claims} == ids
    assert len({c.answer_id for c in one.claims}) == len(one.contexts) == 2


def test_one_context_for_each_text_and_one_text_for_each_id():
    got = made(
        claim(context_id="x1"),
        claim("Tea is served.", context_id=None),
        claim("It is served.", context_id="x2"),
    )
    assert [c.context_id for c in got.goldset.claims] == ["x1", "x1", "x2"]
    with pytest.raises(GoldError) as caught:
        made(
            claim(context_id="x"),
            claim("b", context_id="x", passages=("Other.",), line=2),
            claim("c", context_id="x", passages=("Third.",), line=3),
        )
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (2, "context_id"),
        (3, "context_id"),
    ]
    assert "first at tea.jsonl:1" in caught.value.problems[0].law


def test_groups_that_share_a_context_are_one_group():
    got = made(
        claim(group="news-1"),
        claim("b", group="news-2"),
        claim("c", group="news-2", passages=("Other.",)),
        claim("d", group="news-3", passages=("Third.",)),
    )
    assert [c.group for c in got.goldset.contexts.values()] == ["news-1", "news-1", "news-3"]


@pytest.mark.parametrize(
    ("space", "label", "expected"),
    [
        ("ternary", "supported", "yes"),
        ("ternary", "unsupported", None),
        ("binary", "yes", "supported"),
        ("binary", "no", "unsupported"),
        ("binary", "idk", "unsupported"),
        ("binary", "unsupported", "unsupported"),
    ],
)
def test_labels_are_projected_into_one_space(space, label, expected):
    got = made(claim("Always.", label="yes"), claim("b", label=label, line=2), space=space)
    labels = [c.label for c in got.goldset.claims[1:]]
    assert labels == ([expected] if expected else [])
    assert got.left_out_counts == ({} if expected else {"not_ternary": 1})
    assert got.goldset.manifest.label_space == space


def test_annotations_are_projected_and_counted_where_they_cannot_be():
    got = made(claim(annotations=votes(anna="supported", bo="unsupported")))
    assert got.goldset.claims[0].annotations == votes(anna="yes")
    assert got.left_out[0].detail == "bo: unsupported"
    binary = made(claim(annotations=votes(anna="idk")), space="binary").goldset.claims[0]
    assert binary.annotations == votes(anna="unsupported")


def test_b91_annotations_decide_by_majority_and_ties_wait():
    got = made(
        claim("a", label=None, annotations=votes(anna="yes", bo="yes", cy="no")),
        claim("b", label=None, annotations=votes(anna="yes", bo="no")),
        claim("c", label=None),
    )
    assert [c.label for c in got.goldset.claims] == ["yes"]
    assert [c.why for c in got.goldset.pending] == [
        "a tie: 1 yes, 1 no",
        "nobody has labelled it",
    ]
    assert got.waiting == {"tied": 1, "unlabelled": 1}


def test_what_people_did_not_settle_waits_even_where_votes_would_decide(tmp_path):
    got = made(
        claim(),
        claim(
            "b",
            label=None,
            unlabelled="policy_gap",
            detail="1 benign",
            annotations=votes(anna="yes"),
        ),
    )
    assert [c.why for c in got.goldset.pending] == [
        "its label depends on a rule that the labelling policy has to give: 1 benign"
    ]
    write_goldset(got.goldset, tmp_path / "tea")
    again = load_goldset(tmp_path / "tea")
    assert (again.claims, again.pending) == (got.goldset.claims, got.goldset.pending)


def test_b92_a_label_that_a_model_made_never_becomes_gold():
    by_model = claim("b", label="no", label_source="model")
    got = made(claim(), by_model)
    assert [c.claim for c in got.goldset.claims] == ["Tea is hot."]
    assert [(c.why, c.label_source) for c in got.goldset.pending] == [
        ("a model made the label", "human")
    ]
    assert got.waiting == {"model_made": 1}
    dropped = made(claim(), by_model, drop=frozenset({"model_made"}))
    assert (dropped.goldset.pending, dropped.left_out_counts) == ((), {"model_made": 1})


def test_of_several_labels_by_one_person_the_last_stands():
    notes = (
        Annotation(annotator="anna", label="no", time="2025-03-02T10:00:00+08:00"),
        Annotation(annotator="anna", label="yes", time="2025-03-02T01:00:00Z"),
        Annotation(annotator="bo", label="yes", time="2025-03-02T01:00:00Z"),
        Annotation(annotator="bo", label="idk"),
    )
    got = made(claim(label=None, annotations=notes))
    kept = got.goldset.every_claim[0].annotations
    assert [(note.annotator, note.label) for note in kept] == [("anna", "no"), ("bo", "idk")]
    assert [out.detail for out in got.left_out] == ["anna: yes", "bo: yes"]
    assert got.left_out_counts == {"superseded": 2}


def test_a_claim_that_stands_twice_is_counted_and_two_labels_settle_nothing():
    got = made(
        claim(),
        claim(line=2),
        claim("b", label="no", line=3),
        claim("b", label="idk", line=4),
        claim("c", claim_id="c1", line=5),
        claim("c", claim_id="c1", line=6),
    )
    assert [c.claim for c in got.goldset.claims] == ["Tea is hot.", "c"]
    assert got.goldset.pending[0].why == "it stands there twice, as no and as idk"
    assert got.waiting == {"unsettled": 1}
    assert [(out.reason, out.line) for out in got.left_out] == [
        ("duplicate", 2),
        ("duplicate", 4),
        ("duplicate", 6),
    ]
    assert "neither stands" in got.left_out[1].detail


def test_one_id_for_two_claims_is_a_fault_and_all_are_told():
    with pytest.raises(GoldError) as caught:
        made(claim("a", claim_id="c"), claim("b", claim_id="c", line=2), claim("d", claim_id="c"))
    assert len(caught.value.problems) == 2
    assert "first at tea.jsonl:1" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"claim": "  "}, "missing_text"),
        ({"claim": "nan"}, "missing_text"),
        ({"passages": ()}, "missing_context"),
        ({"passages": (" ", "None")}, "missing_context"),
        ({"claim": "half \ud83d"}, "malformed"),
        ({"passages": ("half \ud83d",)}, "malformed"),
    ],
)
def test_missing_and_broken_texts_are_left_out(change, reason):
    got = made(claim("Always."), claim(line=9)._replace(**change))
    assert [(out.reason, out.line) for out in got.left_out] == [(reason, 9)]


def test_blank_passages_do_not_count():
    got = made(claim(passages=("One.", " ", "Two.")))
    assert next(iter(got.goldset.contexts.values())).passages == ("One.", "Two.")


def test_language_by_option_record_format_and_script():
    mixed = ("5G 核心网", "Thé — 茶", "café", "……", "茶 is hot, and it is served in a cup.")
    langs = [c.lang for c in made(*map(claim, mixed)).goldset.claims]
    assert langs == list(map(script_language, mixed))
    records = [claim("茶。"), claim("Thé.", lang="fr")]
    assert [c.lang for c in made(*records).goldset.claims] == ["zh", "fr"]
    assert made(*records, lang="en").goldset.manifest.languages == ("en",)
    french = assemble(replace(TEA, languages=("fr",)), records, About("tea")).goldset
    assert french.manifest.languages == ("fr",)


def test_ids_that_are_too_long_are_made_anew():
    got = made(claim(claim_id="x" * 300, answer_id=" ", context_id="y" * 300, group="g" * 300))
    first = got.goldset.claims[0]
    assert first.claim_id.startswith("c-")
    assert first.context_id.startswith("x-")
    assert got.goldset.contexts[first.context_id].group is None


def test_what_cannot_be_read_stops_the_import_with_every_fault(tmp_path: Path):
    path = tmp_path / "tea.jsonl"
    path.write_text('{"a": 1}\n{"a": \n[]\n', encoding="utf-8")
    source = Source(path)

    def read() -> Any:
        for row in source.rows():
            yield claim(f"{row.line}", context_id="x")
            yield claim("b", context_id="x", passages=("Other.",))

    with pytest.raises(GoldError) as caught:
        assemble(TEA, read(), About("tea"), source)
    assert [p.line for p in caught.value.problems] == [2, 3, 1]


def test_an_import_of_nothing_says_why():
    with pytest.raises(GoldError, match="left out are 2 cancelled, 1 tied"):
        made(
            *[LeftOut("cancelled", "a", 1, "")] * 2,
            LeftOut("tied", "a", 3, ""),
        )
    with pytest.raises(GoldError, match="there is no claim in it"):
        made()


def test_the_set_is_written_and_read_back_equal(tmp_path):
    got = made(
        claim(annotations=votes(anna="yes", bo="no"), note="n", spans=("served hot",)),
        claim("茶？", label=None, generator="m", question="q"),
    )
    write_goldset(got.goldset, tmp_path / "tea")
    again = load_goldset(tmp_path / "tea", with_acts=False)
    assert again == got.goldset
    lines = (tmp_path / "tea" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    assert "label" not in json.loads(lines[1])

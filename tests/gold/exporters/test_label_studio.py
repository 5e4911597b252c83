from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, assume, given, settings

from metajudge.gold import Claim, GoldSet, load_goldset, write_goldset
from metajudge.gold.claim import SLICES, SPACE_LABELS, Annotation, LabelSpace, PendingClaim
from metajudge.gold.claim_rows import MISSING_WORDS
from metajudge.gold.exporters.export import export_goldset
from metajudge.gold.exporters.form import Wishes
from metajudge.gold.exporters.label_studio import SHOWN, labelling_config, tasks
from metajudge.gold.importers import label_studio
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.source import Source
from tests.gold.exporters.sets import gold_sets
from tests.gold.reading import Make, Tea

TIME = "2025-03-01T09:30:00+00:00"


def imported(path: Path, space: LabelSpace = "ternary") -> Imported:
    source = Source(path)
    about = About("tea", label_space=space)
    return assemble(label_studio.FORMAT, label_studio.read(source), about, source)


def note(who: str, label: str, **more: Any) -> Annotation:
    return Annotation.model_validate({"annotator": who, "label": label} | more)


def test_labels_annotators_and_texts_come_back_by_the_importer(
    make_gold: Make, tmp_path: Path
) -> None:
    full = note(
        "bo@example.org",
        "yes",
        time=TIME,
        note='a "note"\n=1 茶',
        seconds=4.5,
        slice="summary",
        spans=("hot", "茶"),
    )
    rows: list[dict[str, Any]] = [
        {"annotations": (full, note("小明", "yes"), note("cy", "no"))},
        {"label": "no", "annotations": (note("bo@example.org", "yes"), note("cy", "no"))},
        {"label": "idk", "annotations": (note("cy", "yes"), note("bo@example.org", "idk"))},
        {"label": "no", "question": "Is it?", "note": "said", "generator": "m", "slice": "hedged"},
    ]
    gold = make_gold(rows, {"x": ("Tea is hot.", "茶是热的。")})
    pending = PendingClaim(
        claim_id="p",
        answer_id="a",
        context_id="x",
        claim="Waits.",
        annotations=(note("cy", "yes"), note("小明", "no")),
        why="a tie: 1 yes, 1 no",
    )
    gold = replace(gold, pending=(pending,))
    export_goldset(gold, tmp_path / "tasks.json")
    found = imported(tmp_path / "tasks.json")
    claims = {claim.claim_id: claim for claim in found.goldset.claims}
    for claim in gold.claims:
        same = claims[claim.claim_id]
        assert (same.label, same.claim, same.question) == (claim.label, claim.claim, claim.question)
        assert found.goldset.passages(same) == gold.passages(claim)
        named = [one for one in same.annotations if one.annotator != "unnamed"]
        assert tuple(named) == claim.annotations
        assert (same.slice, same.note, same.lang) == (claim.slice, claim.note, claim.lang)
        assert (same.answer_id, same.context_id) == (claim.answer_id, claim.context_id)
    assert [claim.claim_id for claim in found.goldset.pending] == ["p"]
    assert found.goldset.pending[0].annotations == pending.annotations


def test_b89_labels_brought_in_by_an_import_are_in_the_export(tea: Tea, tmp_path: Path) -> None:
    rows = [
        {
            "claim_id": f"c{n}",
            "answer_id": "a",
            "context_id": "x1",
            "claim": f"Tea {n}.",
            "lang": "en",
            "annotations": [{"annotator": f"person-{n}", "label": label}],
        }
        for n, label in enumerate(["yes", "no", "idk", "yes", "no"])
    ]
    gold = load_goldset(tea(rows))
    export_goldset(gold, tmp_path / "tasks.json")
    found = imported(tmp_path / "tasks.json").goldset
    write_goldset(found, tmp_path / "again")
    again = load_goldset(tmp_path / "again")
    export_goldset(again, tmp_path / "twice.json")
    for place in ("tasks.json", "twice.json"):
        claims = imported(tmp_path / place).goldset.claims
        assert [(c.label, c.annotations[0].annotator) for c in claims] == [
            (c.label, f"person-{n}") for n, c in enumerate(gold.claims)
        ]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(gold_sets())
def test_any_texts_and_labels_come_back(tmp_path_factory: Any, gold: GoldSet) -> None:
    """Ids lose outer blanks on the way; two that differ by these alone are refused."""
    gold = replace(gold, claims=tuple(map(plain, gold.claims)), pending=())
    for ids in ([claim.claim_id for claim in gold.claims], list(gold.contexts)):
        assume(len({name.strip() for name in ids}) == len(ids))
    texts = [text for claim in gold.claims for text in (claim.claim, *gold.passages(claim))]
    if any(text.strip() in MISSING_WORDS for text in texts):
        return
    path = tmp_path_factory.mktemp("ls") / "tasks.json"
    export_goldset(gold, path)
    found = imported(path, gold.manifest.label_space).goldset
    assert {(c.claim, found.passages(c), c.label) for c in found.claims} == {
        (claim.claim, gold.passages(claim), claim.label) for claim in gold.claims
    }


def plain(claim: Claim) -> Claim:
    """A claim with what Label Studio keeps, annotators apart."""
    notes = tuple(
        note.model_copy(update={"time": None, "annotator": f"p{n}"})
        for n, note in enumerate(claim.annotations)
    )
    return claim.model_copy(update={"annotations": notes, "label_source": "human"})


def test_the_gold_label_is_a_ground_truth_where_the_votes_do_not_say_it(make_gold: Make) -> None:
    rows: list[dict[str, Any]] = [
        {"annotations": (note("a", "yes"), note("b", "yes"), note("c", "no"))},
        {"label": "no", "annotations": (note("a", "yes"), note("b", "yes"), note("c", "no"))},
        {"label": "idk", "annotations": (note("a", "yes"),)},
        {"label": "no", "annotations": (note("a", "no"), note("b", "no"), note("c", "yes"))},
        {},
    ]
    truths = [
        [(a.get("completed_by", {}).get("email"), a["ground_truth"]) for a in task["annotations"]]
        for task in tasks(make_gold(rows))
    ]
    assert truths == [
        [("a", False), ("b", False), ("c", False)],
        [("a", False), ("b", False), ("c", True)],
        [("a", False), (None, True)],
        [("a", False), ("b", False), ("c", False)],
        [(None, True)],
    ]


def test_tasks_are_in_the_shape_of_label_studio(make_gold: Make) -> None:
    given = note("bo", "no", time=TIME, seconds=3, note="n", spans=("b.",), flagged=True)
    (task,) = tasks(make_gold([{"label": "no", "annotations": (given,)}], {"x": ("a.", "b.")}))
    assert task["data"][SHOWN] == "a.\n\nb." and task["data"]["passages"] == ["a.", "b."]
    (annotation,) = task["annotations"]
    assert annotation["completed_by"] == {"email": "bo"}
    assert (annotation["created_at"], annotation["lead_time"]) == (TIME, 3)
    regions = {region["from_name"]: region for region in annotation["result"]}
    assert regions["label"] == {
        "from_name": "label",
        "to_name": "claim",
        "type": "choices",
        "value": {"choices": ["no"]},
    }
    assert regions["flag"]["value"] == {"choices": ["flagged"]}
    place = regions["evidence"]["value"]
    assert task["data"][SHOWN][place["start"] : place["end"]] == place["text"] == "b."


@pytest.mark.parametrize("space", SPACE_LABELS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_configuration_has_every_control_that_the_tasks_name(
    make_gold: Make, space: LabelSpace, lang: Any
) -> None:
    given = note("bo", SPACE_LABELS[space][0], slice="hedged", note="n", spans=("T",), flagged=True)
    row = {"label": SPACE_LABELS[space][0], "annotations": (given,)}
    gold = make_gold([row], label_space=space)
    root = ElementTree.fromstring(labelling_config(gold, Wishes(lang=lang)))
    controls = {node.get("name"): node for node in root.iter() if node.get("name")}
    (task,) = tasks(gold)
    for region in task["annotations"][0]["result"]:
        control = controls[region["from_name"]]
        assert control.tag.casefold() == region["type"]
        assert control.get("toName") == region["to_name"] and region["to_name"] in controls
    shown = {node.get("value") for node in root.iter("Text")}
    assert {value[1:] for value in shown if value} <= task["data"].keys()
    labels = [choice.get("alias") for choice in controls["label"]]
    assert tuple(labels) == SPACE_LABELS[space]
    assert tuple(choice.get("alias") for choice in controls["slice"]) == SLICES
    assert ("材料" in labelling_config(gold, Wishes(lang=lang))) == (lang == "zh")


def test_what_does_not_come_back_is_said(make_gold: Make, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"annotations": (note("bo", "yes", policy="2"),), "label_policy": "2", "exclude": True},
        {},
    ]
    told = " ".join(export_goldset(make_gold(rows), tmp_path / "t.json").notes)
    assert "2 labels lose the version of the policy" in told
    assert "1 claim loses the mark exclude" in told
    assert "e-mail address" in told and "ground truths of nobody" in told


def test_a_set_without_claims_is_an_empty_list(make_gold: Make, tmp_path: Path) -> None:
    gold = replace(make_gold([{}]), claims=())
    done = export_goldset(gold, tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8")) == []
    assert [file.name for file in done.files] == ["t.json", "t.xml"]

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metajudge.errors import GoldError
from metajudge.gold import (
    Annotation,
    Claim,
    Context,
    GoldManifest,
    GoldSet,
    LabellingPolicy,
    load_goldset,
)
from metajudge.gold.claim import SLICES
from metajudge.gold.rows import read_jsonl
from metajudge.gold.split import freeze_split
from metajudge.gold.strict_yaml import parse_yaml
from metajudge.gold.writer import record_split, write_goldset

AWKWARD = st.sampled_from(
    [
        "comma, \"quote\" and 'single'",
        "line\nbreak",
        "crlf\r\nend",
        "lone\rreturn",
        "tab\there",
        "茶 😀",
        "U+2028\u2028 2029\u2029 85\x85",
        "=1+1",
        "[1, 2]",
        '["a"]x',
        "\ufeffmark",
        "a;b|c",
        "\\u2028 as typed",
        "e\u0301",
    ]
)
WORD_FREE = ("nan", "NaN", "None", "null", "<NA>", "NaT")
TEXT = (
    AWKWARD
    | st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30
    )
).filter(lambda text: bool(text.strip()) and text not in WORD_FREE)
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
    str.strip
)
LABEL = st.sampled_from(["yes", "no", "idk"])


@st.composite
def goldsets(draw: Any) -> GoldSet:
    contexts = {
        name: Context(
            context_id=name,
            passages=tuple(draw(st.lists(TEXT, min_size=1, max_size=3))),
            lang=draw(st.sampled_from([None, "en", "zh"])),
            title=draw(st.none() | TEXT),
            group=draw(st.none() | NAME),
        )
        for name in draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    }
    notes = st.builds(
        Annotation, annotator=NAME, label=LABEL, time=st.none() | TEXT, note=st.none() | TEXT
    )
    claims = tuple(
        Claim(
            claim_id=name,
            answer_id=draw(NAME),
            context_id=draw(st.sampled_from(sorted(contexts))),
            claim=draw(TEXT),
            label=draw(LABEL),
            slice=draw(st.none() | st.sampled_from(SLICES)),
            lang=draw(st.sampled_from(["en", "zh"])),
            question=draw(st.none() | TEXT),
            annotations=tuple(draw(st.lists(notes, max_size=2))),
            spans=tuple(draw(st.lists(TEXT, max_size=2))),
            note=draw(st.none() | TEXT),
            label_source=draw(st.sampled_from(["human", "author", "model"])),
            exclude=draw(st.booleans()),
        )
        for name in draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    )
    manifest = GoldManifest(
        name=draw(NAME),
        version=draw(st.sampled_from(["1", "1.0", "1e3", "2026-01-01", "yes"])),
        languages=("en", "zh"),
        labelling_policy=LabellingPolicy(
            version=draw(TEXT),
            rules=tuple(draw(st.lists(TEXT, max_size=2))),
            slice_labels={"outside_false": ("no", "idk")},
        ),
        licence=draw(TEXT),
        provenance=draw(TEXT),
        label_source=draw(st.sampled_from(["human", "author"])),
    )
    return GoldSet(manifest, claims, contexts)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(gold=goldsets())
def test_round_trip(form: Any, gold: GoldSet, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("gold")
    write_goldset(gold, folder, form)
    read = load_goldset(folder)
    assert read == gold
    assert list(read.contexts) == list(gold.contexts)
    assert read.sha256 == gold.sha256
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    write_goldset(read, folder, form)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.fixture
def gold(make_gold: Callable[..., GoldSet]) -> GoldSet:
    return make_gold(
        [{"context_id": f"x{n}", "claim": f'Say "{n}",\n\tthen 茶\u2028.'} for n in range(3)]
    )


def test_b88_csv_keeps_quotes_commas_tabs_and_line_breaks(gold: GoldSet, tmp_path: Path) -> None:
    write_goldset(gold, tmp_path, "csv")
    with (tmp_path / "claims.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["claim"] for row in rows] == [claim.claim for claim in gold.claims]
    assert load_goldset(tmp_path) == gold


def test_b86_b89_exports_carry_ids_and_annotators(
    make_gold: Callable[..., GoldSet], tmp_path: Path
) -> None:
    notes = ({"annotator": "ann", "label": "yes"}, {"annotator": "bo", "label": "no"})
    gold = make_gold([{"annotations": notes}] * 5)
    write_goldset(gold, tmp_path)
    rows = read_jsonl(tmp_path / "claims.jsonl").rows
    assert len({row.fields["claim_id"] for row in rows}) == 5
    assert [note["annotator"] for note in rows[4].fields["annotations"]] == ["ann", "bo"]


def test_b117_characters_stay_but_hidden_line_ends_are_escaped(
    gold: GoldSet, tmp_path: Path
) -> None:
    write_goldset(gold, tmp_path)
    raw = (tmp_path / "claims.jsonl").read_bytes()
    assert "茶".encode() in raw and b"\\u2028" in raw
    assert len(raw.decode().splitlines()) == 3


def test_half_characters_are_refused_before_a_file_is_touched(
    gold: GoldSet, tmp_path: Path
) -> None:
    broken = gold.claims[0].model_copy(update={"note": "a\ud800"})
    with pytest.raises(GoldError, match=r"half a character \(U\+D800\)"):
        write_goldset(replace(gold, claims=(broken,)), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_two_forms_in_one_folder_are_refused(gold: GoldSet, tmp_path: Path) -> None:
    write_goldset(gold, tmp_path)
    with pytest.raises(GoldError, match="the set in another form"):
        write_goldset(gold, tmp_path, "csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "claims.jsonl",
        "contexts.jsonl",
        "goldset.yaml",
    ]


def test_record_split_keeps_comments_and_is_idempotent(gold: GoldSet, tmp_path: Path) -> None:
    write_goldset(gold, tmp_path)
    manifest = tmp_path / "goldset.yaml"
    manifest.write_text(
        "# about tea\n" + manifest.read_text(encoding="utf-8").rstrip(), encoding="utf-8"
    )
    frozen = freeze_split(load_goldset(tmp_path), candidates=5).goldset
    changed = record_split(frozen, tmp_path)
    assert manifest in changed
    assert manifest.read_text(encoding="utf-8").startswith("# about tea\n")
    assert load_goldset(tmp_path) == frozen
    assert record_split(frozen, tmp_path) == ()


def test_record_split_in_a_one_line_manifest(gold: GoldSet, tmp_path: Path) -> None:
    write_goldset(gold, tmp_path)
    manifest = tmp_path / "goldset.yaml"
    line = (
        "{name: tea, version: '1', languages: [en], labelling_policy: {version: '1'}, licence: none"
        ", provenance: tests, label_source: human}"
    )
    manifest.write_text(line, encoding="utf-8")
    frozen = freeze_split(load_goldset(tmp_path), candidates=5).goldset
    record_split(frozen, tmp_path)
    assert (
        parse_yaml(manifest.read_text(encoding="utf-8"), "g", GoldManifest, GoldError)
        == frozen.manifest
    )


def test_groups_need_a_contexts_file(make_gold: Callable[..., GoldSet], tmp_path: Path) -> None:
    gold = make_gold(
        [{"context_id": "x"}, {"context_id": "y"}], {"x": ("Tea is hot.",), "y": ("Tea  is hot.",)}
    )
    with pytest.raises(GoldError, match="there is no split to record"):
        record_split(gold, tmp_path)
    frozen = freeze_split(gold, candidates=2).goldset
    assert frozen.contexts["y"].group == "x"
    with pytest.raises(GoldError, match="they stand inside the claim rows"):
        record_split(frozen, tmp_path)


def test_a_split_written_to_one_line_does_not_take_corrections_along(
    gold: GoldSet, tmp_path: Path
) -> None:
    write_goldset(gold, tmp_path)
    path = tmp_path / "goldset.yaml"
    manifest = gold.manifest.model_dump(mode="json", exclude_defaults=True)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    corrected = gold.manifest.model_copy(update={"version": f"{gold.manifest.version}+c1"})
    frozen = freeze_split(replace(gold, manifest=corrected)).goldset
    record_split(frozen, tmp_path)
    stated = load_goldset(tmp_path).manifest
    assert (stated.version, stated.split) == (gold.manifest.version, frozen.manifest.split)

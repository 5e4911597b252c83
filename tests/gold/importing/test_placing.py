import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import load_goldset
from metajudge.gold.events import LabelEvent, SettleEvent, append_event
from metajudge.gold.importers.table import FORMAT, read
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.placing import carry_out, placing
from metajudge.gold.importing.source import Source

MAP = {"claim": "claim", "context": "context", "label": "label", "claim_id": "id", "note": "note"}
ROWS = [
    {"id": "c1", "claim": "Tea is hot.", "context": "Tea is served hot.", "label": "yes"},
    {"id": "c2", "claim": "茶是冷的。", "context": "茶是热的。", "label": "no"},
    {"id": "c3", "claim": "Tea is old.", "context": "Tea is served hot.", "label": ""},
]
NEW = {"id": "c4", "claim": "Tea is sweet.", "context": "Some like it sweet.", "label": "idk"}


@pytest.fixture
def source(tmp_path, monkeypatch) -> Callable[..., Imported]:
    """An import of rows that are written to a file first."""
    monkeypatch.chdir(tmp_path)

    def make(rows: Any = ROWS, name: str = "rows.jsonl", **about: Any) -> Imported:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        Path(name).write_text(text, encoding="utf-8")
        place = Source(name, MAP)
        return assemble(FORMAT, read(place), About("tea", **about), place)

    return make


@pytest.fixture
def placed(source):
    """A set in `set`, made of `ROWS`."""
    carry_out(placing(Path("set"), source()))
    return Path("set")


def state(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def act(folder: Path, claim_id: str, kind: str = "label", **more: Any) -> None:
    fields = {"claim_id": claim_id, "annotator": "anna", "time": "2025-03-01T10:00:00Z"}
    fields |= {"save_id": f"save-{claim_id}-{kind}", "label": "no"} | more
    append_event(folder, LabelEvent(**fields) if kind == "label" else SettleEvent(**fields))


def test_a_new_set(source):
    plan = placing(Path("set"), source())
    assert plan.action == "new"
    assert not Path("set").exists()
    written = carry_out(plan)
    assert [path.name for path in written] == [
        "README.md",
        "claims.jsonl",
        "contexts.jsonl",
        "goldset.yaml",
    ]
    made = load_goldset("set")
    assert ([c.claim_id for c in made.claims], len(made.pending)) == (["c1", "c2"], 1)


def test_the_same_source_again_changes_no_byte(source, placed):
    before = state(placed)
    for mode in (None, "add", "replace"):
        plan = placing(placed, source(), mode)
        assert plan.action == "same"
        assert carry_out(plan) == ()
    assert state(placed) == before
    moved = placing(placed, source(name="other-name.jsonl"))
    assert moved.action == "same"
    assert moved.difference is not None and moved.difference.same == 3


def test_what_people_did_since_is_no_difference(source, placed):
    """Neither acts, nor a frozen split, nor words in goldset.yaml."""
    from metajudge.gold.split import freeze_split
    from metajudge.gold.writer import record_split

    act(placed, "c3")
    record_split(freeze_split(load_goldset(placed, with_acts=False)).goldset, placed)
    with (placed / "goldset.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("# ours\n")
    before = state(placed)
    carry_out(placing(placed, source()))
    assert state(placed) == before


def test_another_set_is_refused_with_counts(source, placed):
    rows = [ROWS[0] | {"label": "idk"}, ROWS[1], NEW]
    with pytest.raises(GoldError, match="1 claim the same, 1 new, 1 with a difference, 1 not in"):
        placing(placed, source(rows))


def test_new_claims_join_and_known_ones_stay(source, placed):
    (placed / "goldset.yaml").write_text(
        (placed / "goldset.yaml")
        .read_text(encoding="utf-8")
        .replace("version: 1.0.0", "version: 1.0.0  # first"),
        encoding="utf-8",
    )
    act(placed, "c3")
    acts = state(placed / "annotations")
    rows = [ROWS[0] | {"label": "idk"}, ROWS[1] | {"claim": "茶是凉的。"}, ROWS[2], NEW]
    plan = placing(placed, source(rows, "more.jsonl"), "add")
    assert plan.difference is not None
    assert [(c.claim_id, c.field, c.line) for c in plan.difference.conflicts] == [
        ("c1", "label", 1),
        ("c2", "claim", 2),
    ]
    before = (placed / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    carry_out(plan)
    made = load_goldset(placed, with_acts=False)
    assert {c.claim_id: getattr(c, "label", None) for c in made.every_claim} == {
        **{"c1": "yes", "c2": "no", "c4": "idk"},
        "c3": None,
    }
    assert set(before) < set((placed / "claims.jsonl").read_text(encoding="utf-8").splitlines())
    assert made.manifest.version == "1.1.0"
    assert made.manifest.imported is not None
    assert list(made.manifest.imported.sources) == ["rows.jsonl", "more.jsonl"]
    assert "version: 1.1.0  # first" in (placed / "goldset.yaml").read_text(encoding="utf-8")
    assert state(placed / "annotations") == acts, "acts are not folded into the files"
    assert "label" not in (placed / "claims.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    again = state(placed)
    carry_out(placing(placed, source(rows, "more.jsonl"), "add"))
    assert state(placed) == again


def test_added_claims_fit_the_set(source, placed):
    with pytest.raises(GoldError, match="Add --label-space ternary"):
        placing(placed, source([NEW], "b.jsonl", label_space="binary"), "add")
    taken = next(iter(load_goldset(placed).contexts))
    other = [NEW | {"context": "Another text."}]
    made = source(other, "c.jsonl")
    clash = made.goldset.claims[0].model_copy(update={"context_id": taken})
    context = next(iter(made.goldset.contexts.values())).model_copy(update={"context_id": taken})
    from dataclasses import replace

    broken = replace(
        made, goldset=replace(made.goldset, claims=(clash,), contexts={taken: context})
    )
    with pytest.raises(GoldError, match="the context id has another text"):
        placing(placed, broken, "add")


def test_a_set_is_replaced_under_what_people_decided(source, placed):
    text = (placed / "goldset.yaml").read_text(encoding="utf-8")
    text = (
        text.replace("  version: unknown", "  version: '2'") + "min_slice_n: 3\nsplit: {salt: s}\n"
    )
    (placed / "goldset.yaml").write_text(text, encoding="utf-8")
    carry_out(placing(placed, source([ROWS[0] | {"label": "idk"}, NEW], "b.jsonl"), "replace"))
    made = load_goldset(placed)
    assert [(c.claim_id, c.label) for c in made.claims] == [("c1", "idk"), ("c4", "idk")]
    assert (made.manifest.version, made.manifest.min_slice_n) == ("2.0.0", 3)
    assert made.manifest.split is not None and made.manifest.split.salt == "s"
    assert made.manifest.labelling_policy.version == "2"


def test_labels_by_people_are_not_lost_to_a_replacement(source, placed):
    act(placed, "c1")
    act(placed, "c3")
    act(placed, "c3", "settle", why="looked again", annotator="bo")
    with pytest.raises(GoldError, match=r"2 labels would lose their claim \(anna 1, bo 1\)"):
        placing(placed, source(ROWS[:2]), "replace")
    changed = [ROWS[0] | {"context": "Another text."}, *ROWS[1:]]
    with pytest.raises(GoldError, match=r"1 label would lose their claim \(anna 1\)"):
        placing(placed, source(changed), "replace")
    carry_out(placing(placed, source([*ROWS, NEW]), "replace"))
    made = load_goldset(placed)
    assert {c.claim_id: c.label for c in made.claims}["c3"] == "no"


def test_places_where_no_set_can_go(source, tmp_path):
    made = source()
    Path("full").mkdir()
    Path("full/other.txt").write_text("x")
    with pytest.raises(GoldError, match="the folder holds other things"):
        placing(Path("full"), made)
    Path("file").write_text("x")
    with pytest.raises(GoldError, match="a file is in the way"):
        placing(Path("file"), made)
    with pytest.raises(GoldError, match="cannot stand in it"):
        placing(tmp_path, made)


def test_a_page_that_people_wrote_stays(source, placed):
    page = (placed / "README.md").read_text(encoding="utf-8")
    assert page.startswith("<!-- made by metajudge")
    carry_out(placing(placed, source([*ROWS, NEW]), "add"))
    assert (placed / "README.md").read_text(encoding="utf-8") != page
    (placed / "README.md").write_text("ours", encoding="utf-8")
    carry_out(placing(placed, source([*ROWS, NEW, NEW | {"id": "c5", "claim": "x"}]), "add"))
    assert (placed / "README.md").read_text(encoding="utf-8") == "ours"


def test_a_set_in_csv_stays_one(source, tmp_path):
    from metajudge.gold import write_goldset

    write_goldset(source().goldset, "set", "csv")
    carry_out(placing(Path("set"), source([*ROWS, NEW]), "add"))
    assert sorted(path.name for path in Path("set").iterdir()) == [
        "README.md",
        "claims.csv",
        "contexts.csv",
        "goldset.yaml",
    ]
    assert len(load_goldset("set").every_claim) == 4

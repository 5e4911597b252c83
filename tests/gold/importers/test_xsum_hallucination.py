import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError

HEADER = [
    *("bbcid", "system", "summary", "hallucination_type", "hallucinated_span"),
    *("hallucinated_span_start", "hallucinated_span_end", "worker_id"),
]
SUMMARY = "the pier in hull isn\\'t ``long\\'\\', it is said ."
Row = tuple[str, str, str]


@pytest.fixture
def annotations(tmp_path: Path) -> Any:
    """Writes rows of (type, span, worker) about one summary, with its article beside it."""

    def write(rows: Sequence[Row], article: str | None = "It is 300 m long.") -> Path:
        folder = tmp_path / "xsum"
        folder.mkdir(exist_ok=True)
        path = folder / "hallucination_annotations_xsum_summaries.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(HEADER)
            for kind, span, worker in rows:
                at = -1 if kind == "NULL" else 5
                out.writerow(["1207", "PtGen", SUMMARY, kind, span, at, at, worker])
        if article is not None:
            line = json.dumps({"bbcid": "1207", "article": article}) + "\n"
            (folder / "articles.jsonl").write_text(line, encoding="utf-8")
        (folder / "factuality_annotations_xsum_summaries.csv").write_text("bbcid,is_factual\n")
        return folder

    return write


def votes(*kinds: str) -> list[Row]:
    words = {"yes": "NULL", "no": "intrinsic", "idk": "extrinsic"}
    return [(words[kind], "long", f"wid_{number}") for number, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("given", "label", "detail"),
    [
        (["yes", "yes", "yes"], "yes", ""),
        (["no", "no", "yes"], "no", ""),
        (["idk", "yes", "idk"], "idk", ""),
        (["no", "idk", "yes"], "unsupported", ""),
        (["no", "idk"], "unsupported", ""),
        (["yes", "no"], None, "1 yes, 1 no"),
        (["idk"], "idk", ""),
    ],
)
def test_majority_of_workers(
    imported: Any, annotations: Any, given: list[str], label: str | None, detail: str
) -> None:
    got = imported("xsum-hallucination", annotations(votes(*given)))
    assert got.labels == [label] and got.left == [] and got.problems == []
    assert got.votes() == {f"wid_{number}": vote for number, vote in enumerate(given)}
    claim = got.claims[0]
    assert claim.detail == detail
    assert claim.unlabelled == ("unlabelled" if label else "tied")


def test_a_claim(imported: Any, annotations: Any) -> None:
    claim = imported("xsum-hallucination", annotations(votes("yes"))).claims[0]
    assert claim.claim == 'the pier in hull isn\'t "long", it is said .'
    assert claim.claim_id == claim.answer_id == "xsumhal-1207-PtGen"
    assert (claim.slice, claim.generator, claim.line, claim.lang) == ("summary", "PtGen", 2, "en")
    assert claim.passages == ("It is 300 m long.",)


def test_spans_of_one_worker(imported: Any, annotations: Any) -> None:
    rows = [
        ("extrinsic", "in hull", "wid_0"),
        ("intrinsic", "isn\\'t", "wid_0"),
        ("NULL", "NULL", "wid_1"),
        ("extrinsic", "in hull", "wid_1"),
    ]
    got = imported("xsum-hallucination", annotations(rows))
    assert got.votes() == {"wid_0": "no", "wid_1": "idk"} and got.labels == ["unsupported"]
    first, second = got.claims[0].annotations
    assert first.note == "extrinsic “in hull”\nintrinsic “isn't”"
    assert second.note == "extrinsic “in hull”"


def test_an_unknown_type_takes_the_vote_of_its_worker(imported: Any, annotations: Any) -> None:
    rows = [*votes("no", "no"), ("strange", "long", "wid_1"), ("intrinsic", "long", "")]
    got = imported("xsum-hallucination", annotations(rows))
    assert got.votes() == {"wid_0": "no"} and got.labels == ["no"]
    assert [(left.reason, left.line) for left in got.left] == [
        ("unknown_label", 4),
        ("malformed", 5),
    ]
    got = imported("xsum-hallucination", annotations([("strange", "long", "wid_0")]))
    assert got.labels == [None] and got.claims[0].unlabelled == "unlabelled"


def test_articles_are_needed(imported: Any, annotations: Any) -> None:
    with pytest.raises(GoldError, match=r"no articles\.jsonl beside"):
        imported("xsum-hallucination", annotations(votes("yes"), None))
    folder = annotations(votes("yes"), "text")
    (folder / "articles.jsonl").write_text('{"bbcid": "3", "article": "x"}\n{"id": 1207}\n')
    got = imported("xsum-hallucination", folder)
    assert got.reasons == ["missing_context"] and got.left[0].detail == "no article of this bbcid"
    assert [fault.line for fault in got.problems] == [2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("articles.json", '[{"id": 1207, "document": "It is 300 m long.", "summary": "x"}]'),
        ("articles.csv", 'document,summary,id\n"It is 300 m long.",x,1207\n'),
    ],
)
def test_rows_of_xsum_itself_as_articles(
    imported: Any, annotations: Any, name: str, text: str
) -> None:
    folder = annotations(votes("yes"), None)
    (folder / name).write_text(text, encoding="utf-8")
    for place in (folder, folder / "hallucination_annotations_xsum_summaries.csv"):
        got = imported("xsum-hallucination", place)
        assert got.labels == ["yes"] and got.claims[0].passages == ("It is 300 m long.",)


def test_rows_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    """As the hub has them: types as classes, no span at all where nothing was marked."""
    import datasets

    rows = [
        {
            **{"bbcid": 1207, "system": "Gold", "summary": "it is long .", "article": "300 m."},
            **{"hallucination_type": kind, "hallucinated_span_start": at, "worker_id": worker},
        }
        for kind, at, worker in [(-1, -1, "wid_0"), (1, 4, "wid_1"), (-1, 4, "wid_2")]
    ]
    table = datasets.Dataset.from_list(rows).cast_column(
        "hallucination_type", datasets.ClassLabel(names=["intrinsic", "extrinsic"])
    )
    table.save_to_disk(str(tmp_path / "saved"))
    got = imported("xsum-hallucination", tmp_path / "saved")
    assert got.votes() == {"wid_0": "yes", "wid_1": "idk"}
    assert got.reasons == ["unknown_label"] and got.claims[0].generator is None
    bare = datasets.Dataset.from_list([rows[1] | {"article": None}])
    bare.save_to_disk(str(tmp_path / "bare"))
    with pytest.raises(GoldError, match="no articles"):
        imported("xsum-hallucination", tmp_path / "bare")

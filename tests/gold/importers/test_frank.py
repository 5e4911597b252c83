from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError

HASH = "0123456789abcdef0123456789abcdef01234567"


def scores(**errors: float) -> dict[str, Any]:
    """An annotation without errors but those named; `Factuality` is the least of them."""
    names = (
        *("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors"),
        *("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other"),
    )
    every = dict.fromkeys(names, 1.0) | errors
    return {"Factuality": min(every.values()), **every, "Flip_OutE": 0.0}


def annotation(model: str = "bart", document: str = HASH, **errors: float) -> dict[str, Any]:
    return {"hash": document, "model_name": model, "dataset": "cnndm", **scores(**errors)}


@pytest.fixture
def benchmark(saved: Any, tmp_path: Path) -> Any:
    def write(annotations: list[Any], texts: list[Any] | None = None) -> Path:
        rows = [
            {
                **{"hash": row["hash"], "model_name": row["model_name"], "article": "It is long."},
                **{"summary": f"{row['model_name']} isn\\'t long .", "reference": "x"},
            }
            for row in annotations
        ]
        saved(annotations, "frank/human_annotations.json")
        saved(rows if texts is None else texts, "frank/benchmark_data.json")
        return tmp_path / "frank"

    return write


@pytest.mark.parametrize(
    ("errors", "label"),
    [
        ({}, "yes"),
        ({"Semantic_Frame_Errors": 0.5, "EntE": 0.5}, "no"),
        ({"Discourse_Errors": 0.9, "CorefE": 0.9}, "no"),
        ({"OutE": 0.0, "Content_Verifiability_Errors": 0.0}, "idk"),
        ({"OutE": 0.5, "Semantic_Frame_Errors": 0.5}, "unsupported"),
        ({"GramE": 0.5, "Content_Verifiability_Errors": 0.5}, None),
        ({"GramE": 0.5, "Discourse_Errors": 0.5}, "no"),
        ({"Other": 0.5}, None),
    ],
)
def test_one_means_no_error(
    imported: Any, benchmark: Any, errors: dict[str, float], label: str | None
) -> None:
    got = imported("frank", benchmark([annotation(**errors)]))
    assert got.labels == [label] and got.left == [] and got.problems == []
    assert got.claims[0].unlabelled == ("unlabelled" if label else "policy_gap")


def test_a_claim(imported: Any, benchmark: Any) -> None:
    got = imported("frank", benchmark([annotation(EntE=0.5, Semantic_Frame_Errors=0.5)]))
    claim = got.claims[0]
    assert claim.claim == "bart isn't long ." and claim.passages == ("It is long.",)
    assert claim.claim_id == claim.answer_id == "frank-0123456789ab-bart"
    assert (claim.slice, claim.generator, claim.note) == ("summary", "bart", "errors: EntE")
    assert claim.where.endswith("human_annotations.json row 1")


def test_why_a_claim_waits(imported: Any, benchmark: Any) -> None:
    got = imported("frank", benchmark([annotation(GramE=0.5), annotation("s2s") | {"OutE": 1}]))
    assert got.claims[0].detail == "only GramE"
    blank = annotation("pgn") | {"Factuality": 0.5}
    assert (
        imported("frank", benchmark([blank])).claims[0].detail == "only an error outside the types"
    )


def test_what_does_not_come_in(imported: Any, benchmark: Any) -> None:
    rows = [
        annotation("a"),
        annotation("b", Factuality=1.5),
        annotation("c", OutE=True),
        annotation("d") | {"Discourse_Errors": None},
        annotation("e") | {"hash": None},
        annotation("f"),
        annotation("g"),
    ]
    texts = [
        {"hash": HASH, "model_name": "f", "article": "", "summary": "x"},
        {"hash": HASH, "model_name": "g", "article": "x", "summary": None},
    ]
    got = imported("frank", benchmark(rows, texts))
    assert got.claims == []
    assert got.reasons == [
        *("missing_context", "malformed", "malformed", "malformed", "malformed"),
        *("missing_context", "missing_text"),
    ]
    assert got.left[0].what == f"{HASH}-a" and got.left[1].detail == "Factuality is 1.5"


def test_the_texts_are_needed(imported: Any, saved: Any) -> None:
    path = saved([annotation()], "alone/human_annotations.json")
    for place in (path, path.parent):
        with pytest.raises(GoldError, match=r"no benchmark_data\.json beside"):
            imported("frank", place)


def test_joined_rows_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    row = annotation(document="28391") | {"article": "It is long.", "summary": "it is long ."}
    write_with_datasets([row], tmp_path / "saved")
    got = imported("frank", tmp_path / "saved")
    assert got.labels == ["yes"] and got.claims[0].claim_id == "frank-28391-bart"

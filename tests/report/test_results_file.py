import json
import os
from pathlib import Path

import jsonschema
import pytest

from metajudge.errors import InputError
from metajudge.report.results_file import read_results, results_schema, results_text, write_results
from tests.report.factory import make_sweep


def test_written_and_read_are_equal_and_bytes_are_stable(tmp_path: Path) -> None:
    made = make_sweep(40, 3, hostile=True).results
    first = write_results(made, tmp_path / "new" / "results.json").read_bytes()
    back = read_results(tmp_path / "new" / "results.json")
    assert back == made
    assert write_results(back, tmp_path / "again.json").read_bytes() == first
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["results.json"]


def test_the_schema_accepts_what_is_written() -> None:
    schema = results_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(results_text(make_sweep(30, 2).results)), schema)


def test_b34_undefined_is_null_with_a_reason() -> None:
    raw = json.loads(results_text(make_sweep(60, 3).results))
    kappa = next(
        t["figures"]["kappa"] for t in raw["trials"] if t["figures"]["kappa"]["value"] is None
    )
    assert kappa["reason"]


def test_b34_nan_is_refused_with_its_place(tmp_path: Path) -> None:
    made = make_sweep(20, 1).results
    figure = made.ranking[0].target.model_copy(update={"value": float("nan")})
    row = made.ranking[0].model_copy(update={"target": figure})
    with pytest.raises(InputError, match=r"ranking\[0\]\.target\.value"):
        write_results(made.model_copy(update={"ranking": (row,)}), tmp_path / "r.json")
    assert not list(tmp_path.iterdir())


def test_nan_in_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"schema_version": "1.0", "seed": NaN}', encoding="utf-8")
    with pytest.raises(InputError, match="finite"):
        read_results(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must be JSON"),
        ('{"a":\n 1,', "r.json:2"),
        ("[]", "one JSON object"),
        ("{}", "schema 1.x"),
        ('{"schema_version": "2.0"}', "schema 1.x"),
        ('{"schema_version": "1.0", "colour": 1}', "colour"),
        ('{"schema_version": "1.0"}', "name"),
    ],
)
def test_faults_name_their_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_results(path)


def test_missing_file_and_bad_bytes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="readable"):
        read_results(tmp_path / "none.json")
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="UTF-8"):
        read_results(tmp_path / "bad.json")


def test_what_does_not_join_is_named(tmp_path: Path) -> None:
    made = make_sweep(20, 2).results
    row = made.ranking[0].model_copy(update={"trial": "nobody"})
    short = made.verdicts[0].model_copy(update={"verdicts": ("yes",)})
    broken = made.model_copy(update={"ranking": (row,), "verdicts": (short,)})
    path = tmp_path / "r.json"
    path.write_text(results_text(broken), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert len(caught.value.problems) == 2


def test_b125_a_place_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    made = make_sweep(10, 1).results
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="writable"):
        write_results(made, tmp_path / "file" / "results.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="writable"):
        write_results(made, tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]

import gzip
from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.packed import refuse_packed


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.jsonl", "rows.csv"])
def test_packed_files_are_told_by_their_ending_or_their_beginning(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(GoldError, match="Unpack it, and name the file or folder"):
        refuse_packed(path)


def test_all_else_is_passed_over(tmp_path):
    path = tmp_path / "PK.csv"
    path.write_text("PK,claim")
    book = tmp_path / "rows.xlsx"
    book.write_bytes(b"PK\x03\x04")
    for place in (path, book, tmp_path, tmp_path / "none.zip", Path("hf:a/b")):
        refuse_packed(place)

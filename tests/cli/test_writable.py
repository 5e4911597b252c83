from pathlib import Path

import pytest

from metajudge.cli.writable import check_folder
from metajudge.errors import InputError


@pytest.mark.parametrize("name", ["there", "there/new/deep", "new"])
def test_a_folder_that_can_be_made_is_tried_out_and_not_left_behind(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    for folder in (Path(name), tmp_path / name):
        check_folder(folder, ["report.md"])
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("file", "a file is in the way"),
        ("file/new", "a file is in the way"),
        ("dangling/new", "must be a folder that can be written"),
        ("there/" + 300 * "x", "must be a folder that can be written"),
    ],
)
def test_b125_a_folder_that_cannot_be_made_is_refused(tmp_path, name, law):
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match=law):
        check_folder(tmp_path / name)

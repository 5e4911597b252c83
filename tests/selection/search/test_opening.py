"""Storages that cannot be opened: said with a mend, without secrets, before a study is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import StoreError
from metajudge.selection.search.storage import check_storage
from metajudge.selection.search.study import TemplateStudy
from tests.selection.searched import spec


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'search.db'}"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:////no/such/folder/search.db", "folder is there"),
        ("search.db", "is no URL"),
        ("oracle8://me:hunter22@host/base", "No storage of this kind"),
        ("mysql://me:hunter22@host/base", "pip install PyMySQL, and write mysql+pymysql://."),
        ("oracle://me:hunter22@host/base", "install it with pip"),
        ("postgresql+psycopg://me:hunter22@127.0.0.1:1/base", "server runs"),
        ("postgresql+psycopg://127.0.0.1:1/base?user=me&password=hunter22", "server runs"),
        ("postgresql+psycopg://me:hunter22@127.0.0.1:port/base", "is no URL"),
    ],
)
def test_a_storage_that_cannot_be_opened_is_told_without_its_password(url: str, told: str) -> None:
    if "psycopg" in url:
        pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as caught:
        TemplateStudy.open(spec(url))
    assert told in str(caught.value)
    assert "hunter22" not in str(caught.value)
    assert caught.value.__cause__ is None
    with pytest.raises(StoreError) as checked:
        check_storage(url)
    assert str(checked.value) == str(caught.value)
    assert checked.value.__cause__ is None


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "search.db").write_text("学习" * 500, "utf-8")
    with pytest.raises(StoreError, match="not a database"):
        TemplateStudy.open(spec(url_of(tmp_path)))
    with pytest.raises(StoreError, match="not a database"):
        check_storage(url_of(tmp_path))


def test_checking_a_storage_makes_nothing(tmp_path: Path) -> None:
    check_storage(url_of(tmp_path))
    check_storage("sqlite://")
    assert list(tmp_path.iterdir()) == []
    TemplateStudy.open(spec(url_of(tmp_path))).close()
    check_storage(url_of(tmp_path))

"""What is told of a database that is named by a URL holds no secret."""

from __future__ import annotations

import pytest

from metajudge.runner.opening import parsed_url, shown_url, told_without_secrets

URL = "postgresql+psycopg://me:geheim@host/base?sslpassword=auch"


def test_neither_the_password_nor_what_the_query_holds_is_told():
    said = ConnectionError("geheim was refused\n for auch.")
    assert told_without_secrets(said, parsed_url(URL)) == "[hidden] was refused for [hidden]"


def test_the_driver_s_own_words_are_told_where_it_is_the_cause():
    outer = RuntimeError("something")
    outer.__cause__ = OSError("the disk is full")
    assert told_without_secrets(outer, None) == "the disk is full"


@pytest.mark.parametrize(
    ("url", "shown"),
    [(URL, "postgresql+psycopg://me@host/base"), ("ftp://[a:b", "ftp://…"), ("库", "…")],
)
def test_a_url_is_shown_without_secrets(url, shown):
    assert shown_url(url) == shown

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import InputError, StoreError
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.table import FORMAT, ScoreTable
from tests.metrics.monitor.simulated import series
from tests.selection.postgres import PASSWORD, postgres

ROW = MonitorRow(
    "回答 1",
    "m@1.0.0",
    "faithfulness",
    "2026-11-30T01:30:00Z",
    0.5,
    stratum="lang=zh",
    unit="会话",
    weight=9.75,
    yes=1,
    no=0,
    idk=1,
    passed=True,
    slices={"model": "甲"},
    judge="scripted:x",
    judge_is_pinned=True,
    ref="trace/span",
    texts={"answer": "九点开放。\u2028", "claims": [{"claim": "九点开放。"}]},
)
WRITER = """
import sys
from dataclasses import replace
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.table import ScoreTable
database, name, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
rows = (
    MonitorRow(f"{name} {k}", "m@1", "faithfulness", "2026-11-30T01:30:00Z", 0.5) for k in range(n)
)
shared = [MonitorRow(f"both {k}", "m@1", "faithfulness", "2026-11-30T01:30:00Z", 0.5)
          for k in range(50)]
with ScoreTable(database) as table:
    print("open", flush=True)
    table.write(shared)
    table.write(rows)
"""


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "folder" / "scores.sqlite")


def test_a_row_comes_back_as_it_was_written(database):
    with ScoreTable(database) as table:
        assert table.write([ROW]) == 1
    with ScoreTable(database) as table:
        assert table.rows() == (ROW,)
        assert table.rows(texts=False) == (replace(ROW, texts=None),)
        assert table.rows(metric="other") == table.rows(release="m@2.0.0") == ()
        assert table.rows(since="2026-12-01") == ()
        assert table.known("m@1.0.0", "faithfulness") == {ROW.answer_id}


def test_a_row_is_written_once_and_replaced_only_where_fewer_claims_failed(database):
    down = replace(ROW, score=None, failures=2, reason="no readable verdict")
    with ScoreTable(database) as table:
        assert [table.write([row]) for row in (down, down, ROW, replace(ROW, score=0.1))] == [
            1, 0, 1, 0,
        ]  # fmt: skip
        assert table.rows() == (ROW,)
        assert table.write([replace(ROW, release="m@2.0.0"), replace(ROW, metric="other")]) == 2


def test_rows_of_every_order_come_back_by_time(database):
    rows = series(1, 3, 20)
    with ScoreTable(database) as table:
        table.write(rows[::-1])
        assert [row.time for row in table.rows()] == sorted(row.time for row in rows)


def test_b73_several_processes_write_at_once(database):
    names = ("a", "b", "c")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, database, name, "300"]) for name in names
    ]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0]
    with ScoreTable(database) as table:
        assert len(table.rows()) == 3 * 300 + 50


def test_b70_a_killed_process_leaves_whole_batches_and_a_table_that_opens(database):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, database, "a", "2000000"], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    log = Path(f"{database}-wal")
    for _ in range(6000):
        if log.exists() and log.stat().st_size > 500_000:
            break
        time.sleep(0.01)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with ScoreTable(database) as table:
        kept = len(table.rows())
        assert kept >= 50
        assert (kept - 50) % 200 == 0
        assert table.write([ROW]) == 1


def test_another_format_and_another_file_are_refused(database, tmp_path):
    with ScoreTable(database):
        pass
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("UPDATE monitor_facts SET value = '99'")
        raw.commit()
    with pytest.raises(StoreError, match=f"format '99'.*reads '{FORMAT}'"):
        ScoreTable(database)
    (tmp_path / "text.sqlite").write_text("no database at all, but a text of some length" * 20)
    with pytest.raises(StoreError, match="See that it can be written"):
        ScoreTable(str(tmp_path / "text.sqlite"))
    with pytest.raises(StoreError, match="SQLite or PostgreSQL"):
        ScoreTable("mysql://me@host/base")


def test_b122_no_secret_of_a_url_is_in_a_message():
    url = "postgresql+psycopg://me:geheim-1@127.0.0.1:1/base?sslkey=schluessel"
    with pytest.raises(StoreError) as caught:
        ScoreTable(url)
    assert "geheim-1" not in str(caught.value)
    assert "schluessel" not in str(caught.value)
    assert "me@127.0.0.1" in str(caught.value)


def test_a_damaged_row_is_named(database):
    with ScoreTable(database) as table:
        table.write([ROW])
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("UPDATE monitor_scores SET slices = '{'")
        raw.commit()
    with ScoreTable(database) as table, pytest.raises(StoreError, match=r"回答 1.*damaged"):
        table.rows()


def test_what_was_noted_first_stays(database):
    with ScoreTable(database) as table:
        table.note("acknowledged:x", "why")
        table.note("acknowledged:x", "another")
        assert table.facts("acknowledged:") == {"acknowledged:x": "why"}


def test_postgresql_holds_the_same_rows_from_several_processes():
    with postgres() as place:
        url = place.format(PASSWORD)
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, url, name, "60"]) for name in "ab"
        ]
        assert [writer.wait(300) for writer in writers] == [0, 0]
        with ScoreTable(url) as table:
            assert len(table.rows()) == 170
            down = replace(ROW, score=None, failures=2)
            assert [table.write([row]) for row in (down, ROW, ROW)] == [1, 1, 0]
            assert ROW in table.rows()
            assert PASSWORD not in table.shown
            long = replace(ROW, answer_id="甲" * 500)
            assert table.write([long]) == 1
            assert long in table.rows()
            table._connection.exec_driver_sql(
                "DELETE FROM monitor_scores WHERE length(answer_id) > 200"
            )
            table._connection.exec_driver_sql(
                "ALTER TABLE monitor_scores ALTER COLUMN answer_id TYPE varchar(200)"
            )
            table._connection.commit()
            with pytest.raises(StoreError, match="TYPE text"):
                table.write([long])


def test_halves_of_surrogate_pairs_and_nul_are_replaced(database):
    row = replace(ROW, answer_id="a\ud83d", stratum="\x00b", slices={"model": "\ud800"})
    with ScoreTable(database) as table:
        table.write([row])
        (found,) = table.rows()
    assert (found.answer_id, found.stratum) == ("a\ufffd", "\ufffdb")


def test_a_name_that_is_too_long_for_a_database_is_named_before_anything_is_written(database):
    with ScoreTable(database) as table:
        assert table.write([replace(ROW, answer_id="a" * 500)]) == 1
        long = {"answer_id": "a" * 501, "release": "r" * 301, "metric": "m" * 101}
        with pytest.raises(InputError) as caught:
            table.write([ROW, replace(ROW, **long)])
        assert [problem.field for problem in caught.value.problems] == list(long)
        assert len(table.rows()) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time", "yesterday"),
        ("time", "2026-11-30"),
        ("weight", float("inf")),
        ("weight", 0.0),
        ("score", float("nan")),
        ("score", 7.0),
    ],
)
def test_a_row_that_would_break_a_report_is_not_written(database, name, value):
    with ScoreTable(database) as table:
        with pytest.raises(InputError, match=f"the {name} of answer"):
            table.write([ROW, replace(ROW, answer_id="b", **{name: value})])
        assert table.rows() == ()

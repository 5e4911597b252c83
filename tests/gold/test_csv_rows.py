import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold import read_table

Table = Callable[..., Path]


def test_b85_spreadsheet_csv_with_mark_semicolons_and_crlf(table: Table) -> None:
    text = '\ufeffclaim;context;label\r\n"Tea; hot";Tea is hot.;yes\r\nMilk;Tea is hot.;idk\r\n'
    gold = read_table(table(text, "rows.csv"))
    assert [claim.claim for claim in gold.claims] == ["Tea; hot", "Milk"]
    assert [claim.label for claim in gold.claims] == ["yes", "idk"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_b85_separators_are_found_from_the_header(table: Table, mark: str) -> None:
    header, row = ("claim", "context", "label"), ("A, b; c", "Tea | milk\there", "no")
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=mark).writerows([header, row])
    gold = read_table(table(text.getvalue(), "rows.csv"))
    assert gold.claims[0].claim == "A, b; c"
    assert gold.passages(gold.claims[0]) == ("Tea | milk\there",)


def test_b85_message_names_the_separators(table: Table) -> None:
    with pytest.raises(GoldError, match="separated by comma, semicolon, tab or bar"):
        read_table(table("claim:context:label\na:b:yes\n", "rows.csv"))
    with pytest.raises(GoldError, match="the first line must name columns"):
        read_table(table("", "rows.csv"))


def test_cells_are_never_guessed(table: Table) -> None:
    text = "claim_id,claim,context,label,question\n007,1.0,2026-01-01,yes,true\n"
    claim = read_table(table(text, "rows.csv")).claims[0]
    assert (claim.claim_id, claim.claim, claim.question) == ("007", "1.0", "true")


def test_list_cells_are_json(table: Table) -> None:
    text = (
        'claim,context,label,spans\nA.,"[""One."", ""Two.""]",yes,"[""One.""]"\n'
        "B.,[1] is a mark.,no,\n"
    )
    gold = read_table(table(text, "rows.csv"))
    assert gold.passages(gold.claims[0]) == ("One.", "Two.")
    assert gold.claims[0].spans == ("One.",)
    assert gold.passages(gold.claims[1]) == ("[1] is a mark.",)


def test_printed_python_lists_are_refused(table: Table) -> None:
    with pytest.raises(GoldError, match="a printed Python list") as caught:
        read_table(table("claim,context,label\nA.,['One.' 'Two.'],yes\n", "rows.csv"))
    assert caught.value.problems[0].line == 2


def test_rows_of_other_length_torn_quotes_and_lines(table: Table) -> None:
    text = 'claim,context,label\n"A\nb",Tea,yes\nC,Tea\nD,Tea,no,more\n"E,Tea,no\n'
    with pytest.raises(GoldError) as caught:
        read_table(table(text, "rows.csv"))
    laws = [(problem.line, problem.law) for problem in caught.value.problems]
    assert laws[0] == (4, "a row must have the header's 3 cells, this one has 2")
    assert laws[1] == (5, "a row must have the header's 3 cells, this one has 4")
    assert laws[2][0] == 6 and "cannot be read from here" in laws[2][1]


def test_header_faults(table: Table) -> None:
    with pytest.raises(GoldError) as caught:
        read_table(table("claim,context,label,claim,\nA.,Tea,yes,B.,\n", "rows.csv"))
    laws = [problem.law for problem in caught.value.problems]
    assert laws[:2] == ["the column stands twice", "column 5 has no name"]


def test_empty_cells_are_missing_values_and_flags_are_read(table: Table) -> None:
    text = "claim,context,label,question,exclude\nA.,Tea,yes,,true\nB.,Tea,yes,What?,\nC.,,yes,,\n"
    with pytest.raises(GoldError, match=r":4: passages: the context is empty"):
        read_table(table(text, "rows.csv"))
    gold = read_table(table(text.replace("C.,,", "C.,Milk,"), "rows.csv"))
    assert [claim.exclude for claim in gold.claims] == [True, False, False]
    assert [claim.question for claim in gold.claims] == [None, "What?", None]


def test_long_cells(table: Table) -> None:
    text = "claim,context,label\nA.," + "x" * 300_000 + ",yes\n"
    gold = read_table(table(text, "rows.csv"))
    assert len(gold.passages(gold.claims[0])[0]) == 300_000

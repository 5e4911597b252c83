from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError

HEAD = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label"
KNOWN = "the lighthouse of ferrow , built in 1802 , is 41 metres high ."


def line(label: str, response: str = "it is 41 metres high", knowledge: str = KNOWN) -> str:
    return f"t5\twow\t{knowledge}\thow high is it ?\t{response}\t{label}"


@pytest.fixture
def table(tmp_path: Path) -> Any:
    def write(*lines: str, name: str = "begin_dev_wow.tsv", end: str = "\n") -> Path:
        path = tmp_path / name
        path.write_bytes((end.join(lines) + end).encode())
        return path

    return write


def test_labels_and_texts(imported: Any, table: Any) -> None:
    path = table(
        HEAD,
        line("Fully attributable"),
        line("Not fully attributable", " it has a red lamp "),
        line("Generic", "oh i see"),
    )
    got = imported("begin", path)
    assert got.labels == ["yes", "unsupported"]
    assert [(left.reason, left.line, left.detail) for left in got.left] == [
        ("no_claim", 4, "Generic")
    ]
    first, second = got.claims
    assert first.passages == (KNOWN,) and first.question == "how high is it ?"
    assert (first.line, first.generator, first.claim_id) == (2, "t5", None)
    assert second.claim == " it has a red lamp "


def test_spellings_of_one_snippet_are_one_group(imported: Any, table: Any) -> None:
    spelt = "The lighthouse of Ferrow, built in 1802, is 41 metres high."
    path = table(
        HEAD,
        line("Fully attributable"),
        line("Fully attributable", "41 m", spelt),
        line("Fully attributable", "41 m", "another snippet"),
    )
    first, second, third = (claim.group for claim in imported("begin", path).claims)
    assert first == second != third


def test_there_is_no_quoting(imported: Any, table: Any) -> None:
    path = table(HEAD, line("Fully attributable", '"high , they say'), line("Generic", '"hm'))
    got = imported("begin", path)
    assert [claim.claim for claim in got.claims] == ['"high , they say']
    assert got.reasons == ["no_claim"] and not got.problems


def test_windows_line_ends(imported: Any, table: Any) -> None:
    got = imported("begin", table(HEAD, line("Fully attributable"), end="\r\n"))
    assert got.labels == ["yes"] and not got.problems


def test_rows_of_another_length_and_unknown_words(imported: Any, table: Any) -> None:
    path = table(
        HEAD, "t5\twow\tonly three", line("Attributable"), line("Generic", ""), "", line("", "x")
    )
    got = imported("begin", path)
    assert [fault.line for fault in got.problems] == [2]
    assert "6 cells, this one has 3" in got.problems[0].law
    assert [(left.reason, left.line) for left in got.left] == [
        ("unknown_label", 3),
        ("missing_text", 4),
    ]
    assert [(claim.label, claim.unlabelled) for claim in got.claims] == [(None, "unlabelled")]


def test_a_table_without_the_columns(imported: Any, table: Any) -> None:
    with pytest.raises(GoldError, match="must name begin_label, knowledge, response"):
        imported("begin", table("premise\thypothesis\tlabel"))


def test_a_folder_of_parts(imported: Any, table: Any, tmp_path: Path) -> None:
    table(HEAD, line("Fully attributable"))
    table(HEAD, line("Generic"), name="begin_dev_cmu.tsv")
    got = imported("begin", tmp_path)
    assert got.labels == ["yes"] and got.reasons == ["no_claim"]


def test_the_same_fields_as_json_lines(imported: Any, saved: Any) -> None:
    fields = dict(zip(HEAD.split("\t"), line("Fully attributable").split("\t"), strict=True))
    assert imported("begin", saved([fields], "begin.jsonl")).labels == ["yes"]

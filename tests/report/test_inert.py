import csv
import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.report.inert import (
    csv_cell,
    markdown_code,
    markdown_text,
    one_line,
    script_json,
    visible,
)
from tests.report.factory_texts import HOSTILE

TEXTS = st.text(st.characters(codec=None), max_size=80)


@given(TEXTS)
def test_visible_text_has_no_control_and_encodes(text: str) -> None:
    shown = visible(text, keep="")
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in shown)


@pytest.mark.parametrize("text", ["ภาษาไทย", "概括 idk", "👩🏽‍🔬 ok", "क्‍ष", "עברית"])
def test_b117_letters_of_every_script_stay(text: str) -> None:
    assert visible(text) == text
    assert json.loads(script_json(text)) == text


def test_bidi_overrides_are_spelled_out() -> None:
    assert visible("a\u202eb") == "a⟨202E⟩b"


@given(TEXTS)
def test_script_json_cannot_end_its_element(text: str) -> None:
    shown = script_json({"t": visible(text)})
    assert not set(shown) & set("<>&\u2028\u2029")
    assert json.loads(shown) == {"t": visible(text)}


def test_script_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        script_json([float("nan")])


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_text_has_no_live_html(text: str) -> None:
    shown = markdown_text(text)
    assert "<" not in shown
    assert "\n" not in shown
    assert "://" not in shown


@given(TEXTS)
def test_code_span_is_closed_by_its_own_fence_alone(text: str) -> None:
    shown = markdown_code(text)
    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    inside = shown[len(fence) : -len(fence)]
    assert shown.endswith(fence)
    assert fence not in inside.replace(" ", "")
    assert "\n" not in shown


def test_a_pipe_ends_no_table_cell() -> None:
    assert "|" not in markdown_code("a|b", in_table=True).replace("\\|", "")
    assert "|" not in markdown_text("a|b").replace("\\|", "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1+1"])
def test_formulas_are_defused(text: str) -> None:
    assert csv_cell(text).startswith("'")


@given(TEXTS)
def test_no_cell_starts_as_a_formula(text: str) -> None:
    sheet = io.StringIO()
    csv.writer(sheet).writerow([csv_cell(text), "x"])
    (row,) = list(csv.reader(io.StringIO(sheet.getvalue(), newline="")))
    assert not row[0].lstrip().startswith(("=", "+", "-", "@"))


def test_one_line() -> None:
    assert one_line(" a\r\n b\u2028c ") == "a b⟨2028⟩c"

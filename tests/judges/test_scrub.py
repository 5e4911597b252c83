import pytest

from metajudge.judges.scrub import scrub

KEY = "zq9-abcdefghijklmnop"


@pytest.mark.parametrize(
    "text",
    [
        f"key {KEY} refused",
        f"key {KEY[:9]} refused",
        f"key {KEY[:6]}****** refused",
        f"Authorization: Bearer {KEY}",
        f"https://me:{KEY}@host/v1",
        f"https://host/v1?api_key={KEY}&x=1",
        f"https://host/v1#{KEY}",
    ],
)
def test_b122_no_part_of_a_key_survives(monkeypatch, text):
    monkeypatch.setenv("SOME_API_KEY", KEY)
    shown = scrub(text)
    assert KEY[:6] not in shown
    assert "api_key" not in shown


def test_common_key_shapes_are_hidden_without_the_environment():
    assert "abc" not in scrub("Incorrect API key provided: sk-proj-abc***xyz.")


def test_text_becomes_one_short_line():
    assert scrub("a\n\n b\tc") == "a b c"
    assert len(scrub("x" * 900, 50)) == 50

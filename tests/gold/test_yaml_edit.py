import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import GoldError
from metajudge.gold.strict_yaml import dump_yaml, parse_tree
from metajudge.gold.yaml_edit import with_fields

TEXT = """\
# head
name: tea   # the name
policy:     # what counts
  # before the version
  version: 1.0.0   # first
  rules:
    # about tea
    - Tea.  # one
    - >-
      Two
      lines.
  # after the rules
# before split
split: {salt: x}  # end
# tail
"""


def content(text: str) -> dict[str, object]:
    parsed = parse_tree(text, "x", GoldError).content
    assert isinstance(parsed, dict)
    return parsed


def test_a_field_is_replaced_where_it_stands_and_comments_stay() -> None:
    changed = with_fields(TEXT, "policy", {"version": "2.0.0"})
    assert changed == TEXT.replace("version: 1.0.0", "version: 2.0.0")


def test_new_fields_stand_at_the_end_of_the_mapping() -> None:
    changed = with_fields(TEXT, "policy", {"support": {"a": True}, "changes": ["b"]})
    assert changed == TEXT.replace(
        "      lines.\n", "      lines.\n  support:\n    a: true\n  changes:\n  - b\n"
    )


def test_blocks_are_replaced_without_the_comments_after_them() -> None:
    changed = with_fields(TEXT, "policy", {"rules": ["Three."]})
    assert changed is not None
    assert "  rules:\n  - Three.\n  # after the rules\n# before split\n" in changed
    assert "about tea" not in changed


@pytest.mark.parametrize(
    "text",
    [
        "policy:\n    version: '1'\n    rules: [a, b]  # c\n",
        "policy:\n    version: '1'\n    rules:\n    - a\n    -\n",
        "policy:\n    version: '1'\n    rules:\n",
        "policy:\n    version: '1'\n    rules: |\n      a\n\n      b\n\n\nnext: 1\n",
        "policy:\n    version: '1'\n    rules: |+\n      a\n\n\nnext: 1\n",
        "policy: {version: '1', rules: [a]}  # c\nnext: 1\n",
        "policy:\n    version: '1'",
        "policy:\n    version: '1'\n\n# c\n\n\nnext: 1",
        "'policy' :\n    'version' : '1'\nnext: 1",
        "policy:\n    version: '茶\U0001f375'\n    rules: [茶]  # \U0001f375\nnext: \U0001f375\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_rest_of_the_content_stays(text: str, ends: str) -> None:
    text = text.replace("\n", ends)
    before = content(text)
    policy = before["policy"]
    assert isinstance(policy, dict)
    new = {"version": "2", "support": {"b": False}, "changes": [{"why": "茶: # x"}]}
    changed = with_fields(text, "policy", new)
    assert changed is not None
    wanted = before | {"policy": policy | new}
    if "|+" in text:
        wanted["policy"] = {**policy, **new, "rules": str(policy["rules"]).rstrip() + "\n"}
    assert content(changed) == wanted
    assert ends == "\n" or "\n" not in changed.replace("\r\n", "")


@pytest.mark.parametrize("text", ["{policy: {version: 1}}", "other: 1\n", "policy: 3\n", "- a\n"])
def test_what_is_no_block_that_holds_the_mapping_is_written_anew(text: str) -> None:
    assert with_fields(text, "policy", {"version": "2"}) is None


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
FIELDS = st.dictionaries(
    st.sampled_from("abcd"),
    TEXTS | st.booleans() | st.lists(TEXTS, max_size=3) | st.dictionaries(TEXTS, TEXTS, max_size=2),
)


@given(FIELDS.filter(bool), FIELDS, TEXTS)
def test_any_content_is_set_and_nothing_else(
    old: dict[str, object], new: dict[str, object], other: str
) -> None:
    text = dump_yaml({"first": other, "policy": old, "last": [other]})
    changed = with_fields(text, "policy", new)
    assert changed is not None
    assert content(changed) == {"first": other, "policy": old | new, "last": [other]}

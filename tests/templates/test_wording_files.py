from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import TemplateError
from metajudge.templates import Dialect, Template, Wording, catalogue, read_template, read_wordings
from metajudge.templates.dialect import named_dialect
from metajudge.templates.parentage import Parent, parent_of
from metajudge.templates.peers import PeerTemplate
from metajudge.templates.wording_files import with_parentage, write_wording
from tests.templates.made import make
from tests.templates.test_parentage import parentage

SAID = st.text(min_size=1).map(lambda text: text.replace("{", "(").replace("}", ")"))


def one(template: Template) -> Wording:
    return Wording(template.name, {template.language: template})


@pytest.mark.parametrize("name", list(catalogue()))
def test_a_shipped_wording_is_read_back_equal(name: str, tmp_path: Path) -> None:
    wording = catalogue()[name]
    paths = write_wording(wording, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [f"{name}.en.yaml", f"{name}.zh.yaml"]
    assert read_wordings(paths)[name] == wording


@pytest.mark.parametrize(
    "labels",
    [
        "words",
        "relation+1",
        "letters+2",
        {"yes": "so", "no": "否", "idk": "?"},
        {"yes": "true", "no": "false"},
        {"name": "mine", "words": {"yes": "1", "no": "0"}, "spellings": {"yes": ["one"]}},
        {"name": "words+x", "kind": "letters", "words": {"no": "A", "yes": "B"}},
    ],
    ids=str,
)
def test_labels_are_read_back_in_their_order(labels: Any, tmp_path: Path) -> None:
    template = make(labels=labels)
    if len(template.dialect.words) == 2:
        template = make(labels=labels, definitions={"yes": "a", "no": "b"})
    (path,) = write_wording(one(template), tmp_path)
    found = read_template(path)
    assert found == template
    assert list(found.dialect.words) == list(template.dialect.words)
    assert found.fingerprint == template.fingerprint


def test_labels_are_written_as_people_write_them(tmp_path: Path) -> None:
    (path,) = write_wording(one(make(labels="letters+1")), tmp_path)
    assert "labels: letters+1\n" in path.read_text(encoding="utf-8")
    own = make(labels={"yes": "是的", "no": "不", "idk": "未知"})
    (path,) = write_wording(one(own), tmp_path)
    assert "labels:\n  'yes': 是的\n  'no': 不\n  idk: 未知\n" in path.read_text(encoding="utf-8")


def test_a_named_dialect_that_was_changed_is_written_out(tmp_path: Path) -> None:
    shuffled = named_dialect("words", "en").model_copy(
        update={"words": {"no": "no", "yes": "yes", "idk": "idk"}}
    )
    (path,) = write_wording(one(make(labels=shuffled)), tmp_path)
    assert list(read_template(path).dialect.words) == ["no", "yes", "idk"]
    assert isinstance(shuffled, Dialect)


@settings(max_examples=40, deadline=None)
@given(ask=SAID, idk=SAID, rules=st.lists(SAID, max_size=3), reason=SAID)
def test_any_text_is_read_back_equal(
    ask: str, idk: str, rules: list[str], reason: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    template = make(
        ask=ask,
        definitions={"yes": "材料支持。", "no": "n: #", "idk": idk},
        rules=rules,
        examples=[{"context": idk, "claim": ask, "label": "no", "reason": reason}],
        parentage=parentage(source=reason),
        answer={"form": "reason_first", "json": True},
        claims_per_call=3,
        show_question=True,
    )
    (path,) = write_wording(one(template), tmp_path_factory.mktemp("any"))
    assert read_template(path) == template


def test_usual_values_are_left_out_and_the_structure_is_not(tmp_path: Path) -> None:
    (path,) = write_wording(one(make()), tmp_path)
    fields = [line.partition(":")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert [field for field in fields if not field.startswith(" ")] == [
        "name",
        "version",
        "family",
        "language",
        "labels",
        "definitions",
        "answer",
        "layout",
    ]


def test_an_older_file_is_replaced(tmp_path: Path) -> None:
    write_wording(one(make(rules=["Old."])), tmp_path)
    (path,) = write_wording(one(make(rules=["New."])), tmp_path)
    assert read_template(path).rules == ("New.",)
    assert [file.name for file in tmp_path.iterdir()] == ["plain.en.yaml"]


def test_a_name_with_a_colon_makes_a_file_name_that_every_system_takes(tmp_path: Path) -> None:
    (path,) = write_wording(one(make(name="team:plain")), tmp_path)
    assert path.name == "team-plain.en.yaml"
    assert read_template(path).name == "team:plain"


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(TemplateError, match="Choose another folder"):
        write_wording(one(make()), tmp_path / "file")


def test_a_peers_prompt_is_not_proposed(tmp_path: Path) -> None:
    peer = PeerTemplate(
        "ragas:faithfulness", "ragas", "1", "en", make().dialect, "0", "in_order", 1, lambda *_: ""
    )
    wording = Wording("peer", {"en": peer})
    with pytest.raises(TemplateError, match="only templates of ours"):
        write_wording(wording, tmp_path)
    with pytest.raises(TemplateError, match="only templates of ours"):
        with_parentage(wording, parentage(), wording)
    assert list(tmp_path.iterdir()) == []


def test_each_language_has_the_parent_of_its_own(tmp_path: Path) -> None:
    wording = catalogue()["literal"]
    base = catalogue()["summary-tolerant"]
    told = with_parentage(wording, parentage(parents=()), base)
    for language in ("en", "zh"):
        template = told.by_language[language]
        assert isinstance(template, Template) and template.parentage is not None
        assert template.parentage.parents == (parent_of(base.by_language[language]),)
        assert template.parentage.run == "004-search"
        assert template.fingerprint == wording.by_language[language].fingerprint
    assert read_wordings(write_wording(told, tmp_path))["literal"] == told


def test_parents_that_were_named_before_stay() -> None:
    earlier = Parent(label="old@1.0.0/en", fingerprint="a" * 64)
    template = make()
    base = one(template)
    told = with_parentage(base, parentage(parents=(earlier, parent_of(template))), base)
    found = told.by_language["en"]
    assert isinstance(found, Template) and found.parentage is not None
    assert found.parentage.parents == (earlier, parent_of(template))

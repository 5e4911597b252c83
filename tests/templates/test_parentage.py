from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from metajudge.gold.strict_yaml import dump_yaml
from metajudge.templates import Template, catalogue, changed, read_template
from metajudge.templates.parentage import Parentage, parent_of
from tests.templates.made import make

HEX = "0123456789abcdef" * 4
PARENTAGE: dict[str, Any] = {
    "method": "search",
    "tool": "optuna",
    "tool_version": "5.0.0",
    "run": "004-search",
    "trial": 17,
    "setting": {"base": "literal", "en.rule.0": True, "examples.n": 3, "threshold": 1.0},
    "parents": ({"label": "literal@1.0.0/en", "fingerprint": HEX},),
    "experiment": "004-search",
    "experiment_sha256": HEX,
    "created": "2026-11-30",
}


def parentage(**changes: Any) -> Parentage:
    return Parentage.model_validate({**PARENTAGE, **changes})


def test_a_template_that_somebody_wrote_is_written_as_before() -> None:
    template = make()
    fields = list(Template.model_fields)
    assert fields[-1] == "parentage"
    assert list(template.model_dump()) == [f for f in fields[:-1] if f != "frame"]
    assert list(template.model_dump(mode="json", by_alias=True))[-1] == "show_question"
    assert "parentage" not in template.model_dump_json()
    assert "parentage" not in dump_yaml(template.model_dump(mode="json", by_alias=True))


def test_parentage_shapes_no_prompt() -> None:
    plain, told = make(), make(parentage=PARENTAGE)
    assert told.parentage == parentage()
    assert told.fingerprint == plain.fingerprint
    assert told.render(["a"], ["b"]) == plain.render(["a"], ["b"])


def test_the_shipped_templates_have_none() -> None:
    for wording in catalogue().values():
        for source in wording.by_language.values():
            assert isinstance(source, Template) and source.parentage is None


def test_a_copy_on_other_axes_keeps_it() -> None:
    told = make(parentage=PARENTAGE)
    assert changed(told, "test", layout="claim_last").parentage == told.parentage


def test_it_is_read_back_with_the_types_of_its_setting(tmp_path: Any) -> None:
    path = tmp_path / "plain.en.yaml"
    fields = make(parentage=PARENTAGE).model_dump(mode="json", by_alias=True)
    path.write_text(dump_yaml(fields), encoding="utf-8")
    found = read_template(path).parentage
    assert found == parentage()
    assert found is not None
    kinds = [type(value) for value in found.setting.values()]
    assert kinds == [str, bool, int, float]


@pytest.mark.parametrize(
    "changes",
    [
        {"created": "2026-11-31"},
        {"created": "20261130"},
        {"created": "2026-11-30T21:00:00"},
        {"created": "2026-W49-1"},
        {"method": "guess"},
        {"tool": ""},
        {"experiment_sha256": "0"},
        {"parents": [{"label": "a", "fingerprint": "zz"}]},
        {"setting": {"x": float("nan")}},
        {"setting": {"x": None}},
        {"trial": -1},
        {"author": "x"},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_a_faulty_parentage_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        parentage(**changes)


def test_the_parent_is_named_by_label_and_fingerprint() -> None:
    template = make()
    parent = parent_of(template)
    assert (parent.label, parent.fingerprint) == ("plain@1.0.0/en", template.fingerprint)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, InputError, JudgeSpecError
from metajudge.experiment import Experiment, ExperimentConfig, read_experiment
from metajudge.gold.strict_yaml import dump_yaml
from tests.experiment.folder import declare

TEXT = """\
name: small
gold: {path: gold}
judges: [baseline:ngram]
templates:
  - literal
policies: [lenient, strict]
"""


def faults(folder: Path, text: str) -> list[tuple[str | None, int | None, str]]:
    path = folder / "experiment.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    assert all(p.where == str(path) for p in caught.value.problems)
    return [(p.field, p.line, str(p)) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "place", "told"),
    [
        ("policies:", "polices:", ("polices", 6), "Did you mean 'policies'?"),
        ("gold: {path: gold", "gold: {path: gold, splt: dev", ("gold.splt", 2), "'split'?"),
        ("name: small", "name: a small one", ("name", 1), "pattern"),
        ("judges: [baseline:ngram]", "judges: []", ("judges", 3), "at least one is needed"),
        ("  - literal", "  - {labels: letters}", ("templates[0]", 5), "a name or a path"),
        ("  - literal", "  - {name: a, path: b}", ("templates[0]", 5), "a name or a path"),
        ("  - literal", "  - {name: a, layout: up}", ("templates[0].layout", 5), "claim_last"),
        ("name: small", "name: small\nalpha: 0.7", ("alpha", 2), "less than 0.5"),
        ("name: small", "name: small\ntarget: f1", ("target", 2), "summary_as_idk"),
        ("name: small", "name: small\nrepeats: 0", ("repeats", 2), "greater than or equal to 1"),
        ("name: small", "name: small\nreadings: [top, top]", (None, 1), "readings holds top more"),
        ("name: small", "name: small\nreadings: [tops]", ("readings[0]", 2), "mean 'top'?"),
        ("name: small", "name: small\nreadings: [top@2]", ("readings[0]", 2), "at most 1, with"),
        ("name: small", "name: small\nreadings: [top@.6, top@0.60]", (None, 1), "top@0.60 more"),
        ("[baseline:ngram]", "[a/b, {spec: a/b}]", (None, 1), "judges holds a/b more than once"),
        ("name: small", "name: [small", (None, 2), "not the YAML"),
    ],
)
def test_every_fault_has_file_line_field_and_mend(
    tmp_path: Path, old: str, new: str, place: tuple[str | None, int], told: str
) -> None:
    found = faults(tmp_path, TEXT.replace(old, new))
    assert [(field, line) for field, line, _ in found] == [place]
    assert told in found[0][2]


def test_all_faults_of_a_file_come_at_once(tmp_path: Path) -> None:
    text = TEXT.replace("name: small", "nam: small").replace("{path: gold}", "{split: deva}")
    found = faults(tmp_path, text)
    assert {field for field, _, _ in found} == {"name", "nam", "gold.path", "gold.split"}


def test_names_paths_and_globs_are_told_apart(tmp_path: Path) -> None:
    config = ExperimentConfig.model_validate(
        {"name": "a", "gold": {"path": "g"}, "judges": ["baseline:ngram"],
         "templates": ["literal", "mine.yaml", "templates/*.yml", "more/*"]}
    )  # fmt: skip
    assert [(t.name, t.path) for t in config.templates] == [
        ("literal", None),
        (None, "mine.yaml"),
        (None, "templates/*.yml"),
        (None, "more/*"),
    ]


def test_a_file_or_its_folder_can_be_named(tmp_path: Path) -> None:
    declared = declare(tmp_path)
    assert Experiment.from_file(tmp_path) == declared
    with pytest.raises(ExperimentError, match=r"nowhere"):
        Experiment.from_file(tmp_path / "nowhere")


def test_changed_settings_are_checked_like_a_file(tmp_path: Path) -> None:
    declared = declare(tmp_path)
    assert declared.changed(repeats=3).config.repeats == 3
    with pytest.raises(ExperimentError) as caught:
        declared.changed(repeats=0, treshold=0.5)
    assert {p.field for p in caught.value.problems} == {"repeats", "treshold"}
    assert "Did you mean 'threshold'?" in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"templates": ["litteral"]}, "Did you mean 'literal'?"),
        ({"templates": ["absent.yaml", "litteral"]}, "absent.yaml"),
        ({"templates": ["literal", "literal"]}, "'literal' stands twice"),
        ({"templates": ["none/*.yaml"]}, "at least one template"),
        ({"policies": ["lenient", "strct"]}, "Did you mean 'strict'?"),
        ({"policies": ["partial(0.5)", "partial(0.50)"]}, "every policy stands once"),
        ({"policies": ["partial(2)"]}, "from 0 to 1"),
        ({"baseline": "litteral"}, "Did you mean 'literal'?"),
        ({"judges": ["baseline:ngrm", "scripted:absent.yaml"]}, "absent.yaml"),
        ({"gold": {"path": "gold", "split": "dev"}}, "declares no split"),
        ({"gold": {"path": "gold", "languages": ["fr"]}}, "at least one claim"),
        ({"templates": [{"name": "literal", "claims_per_call": 3}]}, "answered as JSON"),
        ({"templates": [{"name": "literal", "labels": "lettres"}]}, "words, relation, letters"),
        ({"perturbations": [{"axis": "paraphrase", "levels": ["1", "1"]}]}, "1 stands more than"),
        ({"perturbations": [{"axis": "repeats", "levels": ["1"]}]}, "repeats has draws"),
        ({"perturbations": [{"axis": "layout", "draws": 5}]}, "only repeats has draws"),
        ({"perturbations": [{"axis": "layout", "temperatures": [1]}]}, "only repeats has draws"),
        ({"controls": {"kinds": ["world_true", "world_true"]}}, "world_true stands more than once"),
        ({"factors": {"trials": ["literal"], "context_forms": ["raw", "raw"]}}, "raw stands more"),
        ({"factors": {"trials": ["literal"], "claims_per_call": [1, 1]}}, "1 stands more than"),
    ],
)
def test_what_an_experiment_names_is_checked_before_any_call(
    tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError) as caught:
        declare(tmp_path, **fields).sweep(store=tmp_path / "store.sqlite")
    assert told in str(caught.value)
    assert not (tmp_path / "store.sqlite").exists()


def test_every_bad_policy_and_judge_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        declare(tmp_path, policies=["strct", "lenint", "strict"]).prepare()
    assert len(caught.value.problems) == 2
    with pytest.raises(JudgeSpecError) as refused:
        declare(tmp_path, judges=["baseline:x", "scripted:absent.yaml"]).prepare()
    assert len(refused.value.problems) == 2


def test_b25_a_policy_without_a_value_for_a_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="has none for 'idk'"):
        declare(tmp_path, policies=["map(yes=1,no=0)"]).prepare()
    binary = tmp_path / "binary.yaml"
    binary.write_text(
        "{name: binary, version: 1.0.0, family: own, language: en, labels: {yes: yes, no: no},"
        " definitions: {yes: it follows., no: it does not.}}"
    )
    # The template offers no idk, but gold holds it, and gold is scored by the same policy.
    with pytest.raises(ExperimentError, match="has none for 'idk'"):
        declare(tmp_path, templates=["binary.yaml"], policies=["map(yes=1,no=0)"]).prepare()
    declare(tmp_path, templates=["binary.yaml"], policies=["map(yes=1,no=0,idk=0)"]).prepare()


def test_a_dumped_config_reads_back_equal(tmp_path: Path) -> None:
    declared = declare(tmp_path, readings=["top", "prior_corrected"], seed=4)
    path = tmp_path / "again.yaml"
    path.write_text(dump_yaml(declared.config.model_dump(mode="json", by_alias=True)))
    assert read_experiment(path) == declared.config


def test_a_changed_setting_keeps_the_perturbations_as_they_were(tmp_path: Path) -> None:
    axes = ["paraphrase", {"axis": "repeats", "draws": 2, "temperatures": [0.7]}]
    declared = declare(tmp_path, perturbations=axes)
    assert declared.changed(repeats=2).config.perturbations == declared.config.perturbations

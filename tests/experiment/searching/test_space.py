"""What is wrong with a declared search is told before any call, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import ExperimentError, StoreError, TemplateError
from metajudge.experiment.searching.plan import most_asked
from metajudge.experiment.searching.search import changed_search, open_search, search
from tests.experiment.folder import write_template
from tests.experiment.searched import SPACE, searchable


def test_faults_of_the_space_come_before_any_call(tmp_path: Path) -> None:
    bad = {**SPACE, "definitions": {"en": {"yes": ["{{ maybe }} it is."]}}}
    with pytest.raises(TemplateError):
        open_search(searchable(tmp_path, search={"template": bad}))
    experiment = searchable(tmp_path, search={"judges": ["nobody"]})
    with pytest.raises(ExperimentError, match=r"search\.judges"):
        open_search(experiment)
    bare = experiment.changed(search=None)
    with pytest.raises(ExperimentError, match=r"search\.template"):
        open_search(bare)


def test_faults_of_the_parts_name_the_file_and_the_whole_field(tmp_path: Path) -> None:
    experiment = searchable(tmp_path, search={"template": SPACE | {"bases": ["literall"]}})
    with pytest.raises(TemplateError) as caught:
        open_search(experiment)
    (problem,) = caught.value.problems
    assert problem.where == str(experiment.path)
    assert problem.field == "search.template.bases[0]"
    lines = experiment.path.read_text("utf-8").splitlines()
    assert problem.line is not None and "literall" in lines[problem.line - 1]


def test_every_fault_of_a_search_has_its_line(tmp_path: Path) -> None:
    texts = {"definitions": {"en": {"yes": ["it follows.", "{{ maybe }} it is."]}}}
    experiment = searchable(tmp_path, search={"template": SPACE | texts | {"labels": ["wrods"]}})
    lines = experiment.path.read_text("utf-8").splitlines()
    with pytest.raises(TemplateError) as caught:
        open_search(experiment)
    told = {p.field: lines[p.line - 1] for p in caught.value.problems if p.line is not None}
    assert set(told) == {"search.template.definitions.en.yes[1]", "search.template.labels[0]"}
    assert "maybe" in told["search.template.definitions.en.yes[1]"]
    assert "wrods" in told["search.template.labels[0]"]
    experiment = searchable(tmp_path, search={"judges": ["nobody"], "objectives": ["kappa"]})
    with pytest.raises(ExperimentError) as raised:
        open_search(experiment)
    assert all(problem.line for problem in raised.value.problems)
    # What the command line has changed stands nowhere: the nearest field's line is told.
    changed = changed_search(searchable(tmp_path), sampler="nsga2")
    assert changed.config.search is not None
    ref = changed.config.search.model_dump(mode="json", by_alias=True) | {"judges": ["nobody"]}
    with pytest.raises(ExperimentError) as raised:
        open_search(changed.changed(search=ref))
    assert [problem.line for problem in raised.value.problems] == [
        1 + next(i for i, line in enumerate(lines) if line.startswith("search:"))
    ]


def test_texts_in_a_language_that_no_claim_has_are_told(tmp_path: Path) -> None:
    beside = SPACE | {"asks": {"zh": ["材料支持这条陈述吗？"]}}
    ready = open_search(searchable(tmp_path, search={"template": beside}))
    told = "Texts of the search in zh are not used: the claims are in en."
    assert told in ready.notes
    assert told in most_asked(ready, tmp_path / "r.sqlite").notes
    results = search(
        searchable(tmp_path, search={"template": beside, "trials": 2}),
        store=tmp_path / "r.sqlite",
        out=tmp_path / "out",
    )
    assert told in results.notes
    alone = {
        "bases": SPACE["bases"],
        "labels": ["words", "letters"],
        "rules": {"zh": ["只看材料。"]},
    }
    with pytest.raises(ExperimentError, match=r"search\.template\.rules\.zh: some of the texts"):
        open_search(searchable(tmp_path, search={"template": alone}))


def test_a_study_without_a_name_is_refused(tmp_path: Path) -> None:
    for field in ("study", "storage"):
        with pytest.raises(ExperimentError, match=rf"search\.{field}"):
            searchable(tmp_path, search={field: " "})


def test_a_space_without_a_choice_is_refused(tmp_path: Path) -> None:
    experiment = searchable(tmp_path, search={"template": {"bases": SPACE["bases"]}})
    with pytest.raises(
        ExperimentError, match=r"search\.template: a search has something to choose"
    ):
        open_search(experiment)


def test_blocks_of_single_claims_are_refused_before_a_call_where_calls_hold_several(
    tmp_path: Path,
) -> None:
    template = SPACE | {"claims_per_call": [1, 3]}
    racing = {"unit": "claim"}
    experiment = searchable(tmp_path, search={"template": template, "racing": racing})
    with pytest.raises(ExperimentError, match="whole contexts where a call holds several claims"):
        open_search(experiment)


def test_a_wrong_storage_is_told_before_anything_is_made(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'none' / 'study.sqlite'}"
    experiment = searchable(tmp_path, search={"storage": url})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError, match="See that its folder is there"):
        open_search(experiment, store=tmp_path / "r.sqlite")
    open_search(
        searchable(tmp_path, search={"storage": f"sqlite:///{tmp_path / 'study.sqlite'}"}),
        store=tmp_path / "r.sqlite",
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_choice_that_makes_a_faulty_template_names_its_base(tmp_path: Path) -> None:
    definitions = {"en": {"idk": ["nothing is said of it."]}}
    template = SPACE | {"bases": ["templates/two.en.yaml"], "definitions": definitions}
    experiment = searchable(tmp_path, search={"template": template})
    base = write_template(tmp_path, "two", labels="{yes: yes, no: no}")
    kept = [line for line in base.read_text("utf-8").splitlines() if " idk:" not in line]
    base.write_text("\n".join(kept) + "\n", "utf-8")
    with pytest.raises(TemplateError) as caught:
        open_search(experiment)
    problem = caught.value.problems[0]
    assert (problem.where, problem.field) == (str(experiment.path), "search.template")
    assert "two@1.0.0/en" in problem.law and problem.line is not None

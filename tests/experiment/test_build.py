from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.errors import ExperimentError, TemplateError
from metajudge.templates import Template
from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)


def trial_names(folder: Path, *templates: object, **fields: object) -> list[str]:
    prepared = declare(folder, templates=list(templates), **fields).prepare()
    return [trial.name for trial in prepared.trials]


def test_a_trial_is_named_by_what_its_reference_changes(tmp_path: Path) -> None:
    json_form = {"form": "reason_first", "json": True}
    assert trial_names(
        tmp_path,
        "literal",
        {"name": "literal", "labels": "relation"},
        {"name": "literal", "labels": "letters"},
        {"name": "literal", "labels": "letters", "rotations": "all"},
        {"name": "literal", "labels": "letters+1"},
        {"name": "literal", "rotations": "all"},
        {"name": "literal", "layout": "claim_last"},
        {"name": "literal", "answer": json_form},
        {"name": "literal", "answer": json_form, "claims_per_call": 4},
        {"name": "literal", "answer": {"form": "label_first"}},
    ) == [
        "literal",
        "literal · relation",
        "literal · letters",
        "literal · letters*",
        "literal · letters+1",
        "literal · words*",
        "literal · claim-last",
        "literal · reason-first json",
        "literal · reason-first json · x4",
        "literal · label-first",
    ]


def test_an_axis_set_to_what_it_is_anyway_is_the_same_trial(tmp_path: Path) -> None:
    same = {"name": "literal", "layout": "context_first", "claims_per_call": 1}
    with pytest.raises(ExperimentError, match="stands twice"):
        trial_names(tmp_path, "literal", same)


def test_several_judges_stand_in_the_trials_names(tmp_path: Path) -> None:
    script = write_script(tmp_path, CAREFUL)
    assert trial_names(tmp_path, "literal", judges=["baseline:ngram", script]) == [
        "baseline:ngram | literal",
        f"{script} | literal",
    ]


def test_all_rotations_are_variants_of_one_trial(tmp_path: Path) -> None:
    (trial,) = (
        declare(tmp_path, templates=[{"name": "literal", "labels": "letters", "rotations": "all"}])
        .prepare()
        .trials
    )
    sources = [wording.by_language["en"] for wording in trial.variants]
    assert [list(s.dialect.words) for s in sources] == [
        ["yes", "no", "idk"],
        ["no", "idk", "yes"],
        ["idk", "yes", "no"],
    ]
    first = [next(iter(s.dialect.words.items())) for s in sources]
    assert first == [("yes", "A"), ("no", "A"), ("idk", "A")]
    for source in sources:
        assert isinstance(source, Template)
        for label, word in source.dialect.words.items():
            assert f"- {word}: {source.definitions[label]}" in source.question_block


def test_files_and_globs_start_from_the_experiments_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_template(tmp_path, "b")
    write_template(tmp_path, "a")
    write_template(tmp_path, "a", language="zh")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert trial_names(tmp_path, "templates/*.yaml") == ["a", "b"]
    assert trial_names(tmp_path, "templates/b.en.yaml") == ["b"]
    assert trial_names(tmp_path, {"path": "templates/*.yaml", "labels": "letters"}) == [
        "a · letters",
        "b · letters",
    ]


def test_a_scripted_judge_lies_beside_the_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = write_script(tmp_path, CAREFUL)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    prepared = declare(tmp_path, judges=[spec]).prepare()
    assert list(prepared.judges) == [spec]


def test_the_user_is_told_what_was_decided(tmp_path: Path) -> None:
    english, contexts = halls(2)
    chinese, more = halls(1, "zh")
    russian, rest = halls(1, "ru")
    english[0]["exclude"] = True
    write_gold(tmp_path, english + chinese + russian, contexts + more + rest)
    write_template(tmp_path, "own")
    notes = (
        declare(tmp_path, templates=["literal", "templates/*.yaml", "none/*.yaml"]).prepare().notes
    )
    assert set(notes) >= {
        "literal has no ru template: ru claims are judged in en.",
        "own has no zh template: zh claims are judged in en.",
        "own has no ru template: ru claims are judged in en.",
        "1 claim is marked exclude or labelled by a model: not judged.",
        "none/*.yaml: no such folder, so no template of your own takes part.",
    }


def test_rotations_need_the_same_labels_in_all_languages(tmp_path: Path) -> None:
    write_template(tmp_path, "own", labels="letters")
    write_template(tmp_path, "own", language="zh", labels="{yes: 是, no: 否}")
    path = tmp_path / "templates" / "own.zh.yaml"
    path.write_text(path.read_text().replace('  idk: "it is not there."\n', ""))
    with pytest.raises(TemplateError, match="each offers the same labels"):
        trial_names(tmp_path, {"path": "templates/*.yaml", "rotations": "all"})


def test_a_peer_is_used_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="a peer's prompt is one of"):
        trial_names(tmp_path, "deepval:faithfulness")


def shows_question(folder: Path) -> str:
    path = write_template(folder, "asks")
    path.write_text(path.read_text() + "show_question: true\n")
    return "templates/asks.en.yaml"


def test_b39_claims_without_the_question_their_template_shows_are_named(tmp_path: Path) -> None:
    claims, contexts = halls(2)
    for claim in claims:
        claim["question"] = "What do we know about the hall?"
    claims[1]["question"] = " "
    del claims[5]["question"]
    write_gold(tmp_path, claims, contexts)
    with pytest.raises(TemplateError) as caught:
        declare(tmp_path, templates=["literal", shows_question(tmp_path)]).prepare()
    assert [p.got for p in caught.value.problems] == [
        "claim_id 'en0-summary'",
        "claim_id 'en1-summary'",
    ]
    declare(tmp_path, templates=["literal"]).prepare()


def with_example(folder: Path, **example: str) -> str:
    path = write_template(folder, "taught")
    text = json.dumps([{"context": "Trams run.", "claim": "Trams fly.", "label": "no", **example}])
    path.write_text(path.read_text() + f"examples: {text}\nanswer: {{form: reason_first}}\n")
    return "templates/taught.en.yaml"


def test_b105_an_example_must_not_come_from_what_is_judged(tmp_path: Path) -> None:
    declare(tmp_path, templates=[with_example(tmp_path)]).prepare()
    leaks = with_example(
        tmp_path,
        claim="hall en0  opens at 9.",
        context="Hall en1 opens at 10. Hall en1 lends 21 books.",
    )
    with pytest.raises(TemplateError) as caught:
        declare(tmp_path, templates=[leaks]).prepare()
    assert [p.field for p in caught.value.problems] == ["examples[0].claim", "examples[0].context"]
    assert "'en0-literal'" in caught.value.problems[0].law
    assert "'x-en1'" in caught.value.problems[1].law


def test_b41_an_answer_that_reads_as_another_label_is_refused(tmp_path: Path) -> None:
    taught = with_example(tmp_path, reason="the context says: always answer yes")
    declare(tmp_path, templates=[taught]).prepare()
    path = tmp_path / taught
    words = 'labels: {yes: yes, no: "<think>no</think>", idk: idk}'
    path.write_text(path.read_text().replace("labels: words", words))
    with pytest.raises(TemplateError) as caught:
        declare(tmp_path, templates=[taught]).prepare()
    assert [p.field for p in caught.value.problems] == ["labels.no", "examples[0]"]


def test_an_absolute_pattern_of_templates_is_read(tmp_path: Path) -> None:
    from metajudge.experiment.build import _matches

    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "one.yaml").write_text("name: one\n", encoding="utf-8")
    assert _matches(Path("elsewhere"), str(tmp_path / "t" / "*.yaml")) == [
        tmp_path / "t" / "one.yaml"
    ]

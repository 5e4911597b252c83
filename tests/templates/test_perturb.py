from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import ExperimentError
from metajudge.templates import (
    AXES,
    DEFAULT_LEVELS,
    Axis,
    Message,
    PeerTemplate,
    Perturbation,
    Template,
    Wording,
    catalogue,
    changed,
    named_dialect,
    parse_perturbation,
)
from metajudge.templates.perturb import LEVELS
from tests.templates.made import make

DEFAULTS = [Perturbation(axis, level) for axis in AXES for level in DEFAULT_LEVELS[axis]]
ALL = [Perturbation(axis, level) for axis in AXES for level in LEVELS[axis]]
PASSAGES = {
    "en": ("The well-known unit sends 8 packets. It's on.", "Then it stops."),
    "zh": ("网元UPF转发8个包，然后停止。", "SMF（会话管理）随后更新。"),
}
CLAIMS = {"en": "It's the well-known unit.", "zh": "网元UPF转发8个包。"}
TEXTS = st.lists(st.text(max_size=20), max_size=5)


def only(wording: Wording, language: str = "en") -> Template:
    source = wording.by_language[language]
    assert isinstance(source, Template)
    return source


def own(template: Template) -> Wording:
    return Wording(template.name, {template.language: template})


def applied(axis: Axis, level: str, template: Template) -> Template:
    found = Perturbation(axis, level).wording(own(template), "test").wording
    assert found is not None
    return only(found, template.language)


def reason(axis: Axis, level: str, template: Template) -> str:
    found = Perturbation(axis, level).wording(own(template), "test")
    assert found.wording is None
    return found.reason or ""


def shown(change: Perturbation | None, wording: Wording, language: str) -> tuple[Message, ...]:
    source = wording.source_for(language)
    passages: tuple[str, ...] = PASSAGES[language]
    claim = CLAIMS[language]
    if change is not None:
        passages, claim = change.passages(passages), change.claim(claim)
    return source.render(passages, [claim])


@pytest.mark.parametrize("change", ALL, ids=lambda change: change.name)
@pytest.mark.parametrize("name", catalogue())
def test_a_level_changes_the_prompt_in_every_language_or_says_why_not(
    name: str, change: Perturbation
) -> None:
    wording = catalogue()[name]
    found = change.wording(wording, "test")
    assert (found.wording is None) == (found.reason is not None)
    if found.wording is None:
        return
    assert list(found.wording.by_language) == ["en", "zh"]
    for language in ("en", "zh"):
        before, after = shown(None, wording, language), shown(change, found.wording, language)
        assert before != after
        assert before[0] == after[0]


def test_the_catalogue_has_every_default_level_but_the_words_it_has_already() -> None:
    missing = {
        (wording.name, change.name)
        for wording in catalogue().values()
        for change in DEFAULTS
        if change.wording(wording, "test").wording is None
    }
    assert missing == {(name, "dialect=words") for name in catalogue()}


def test_every_axis_has_levels_and_defaults_among_them() -> None:
    assert tuple(LEVELS) == tuple(DEFAULT_LEVELS) == AXES
    assert all(set(DEFAULT_LEVELS[axis]) <= set(LEVELS[axis]) for axis in AXES)


@given(TEXTS)
def test_order_of_passages(texts: list[str]) -> None:
    reversed_, rotated = (Perturbation("passage_order", level) for level in ("reversed", "rotated"))
    assert reversed_.passages(reversed_.passages(texts)) == tuple(texts)
    turned: tuple[str, ...] = tuple(texts)
    for _ in texts:
        turned = rotated.passages(turned)
    assert turned == tuple(texts)


@given(TEXTS)
def test_only_two_axes_touch_what_the_gold_set_says(texts: list[str]) -> None:
    for change in DEFAULTS:
        if change.axis not in ("passage_order", "typography"):
            assert change.passages(texts) == tuple(texts)
        if change.axis != "typography":
            assert [change.claim(text) for text in texts] == texts


def test_spaced_passages_end_in_a_line_break_and_empty_ones_stay_empty() -> None:
    change = Perturbation("typography", "spaces")
    assert change.passages(["It runs. It ends.", ""]) == ("It runs.  It ends.\n", "")
    assert change.claim("It runs. It ends.") == "It runs.  It ends."


def test_the_axes_of_wording_change_one_thing() -> None:
    plain = make()
    assert list(applied("label_order", "+1", plain).dialect.words) == ["no", "idk", "yes"]
    assert applied("claims_per_call", "all", plain).claims_per_call == 100
    batch = applied("claims_per_call", "5", plain)
    assert (batch.claims_per_call, batch.answer.json_, batch.answer.form) == (5, True, "label_only")
    assert applied("answer_form", "json", plain).answer.json_
    assert applied("answer_form", "reason_first", plain).answer.form == "reason_first"
    assert applied("layout", "claim_last", plain).layout == "claim_last"
    assert applied("dialect", "letters", plain).dialect == named_dialect("letters", "en")


def test_json_still_asks_for_the_quotes_that_definitions_speak_of() -> None:
    evidence = only(catalogue()["evidence-first"])
    answer = applied("answer_form", "json", evidence).answer
    assert (answer.form, answer.json_) == ("reason_first", True)


def test_a_batch_stays_json_in_every_form() -> None:
    batch = make(claims_per_call=5, answer={"json": True})
    answer = applied("answer_form", "label_first", batch).answer
    assert (answer.form, answer.json_) == ("label_first", True)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_other_words_keep_the_order_of_the_labels(steps: int) -> None:
    turned = make(labels=named_dialect("words", "en").rotated(steps).model_dump())
    for level in ("relation", "letters"):
        found = applied("dialect", level, turned).dialect
        assert found == named_dialect(level, "en").rotated(steps)


def test_two_labels_get_two_words_in_their_order() -> None:
    texts = {"yes": "it says so.", "no": "it does not."}
    two = make(labels={"no": "unsupported", "yes": "supported"}, definitions=texts)
    assert applied("dialect", "letters", two).dialect.words == {"no": "A", "yes": "B"}
    words = applied("dialect", "words", two).dialect
    assert (words.words, words.spellings) == ({"no": "no", "yes": "yes"}, {})
    assert "label_order=+2 leaves plain@1.0.0/en as it is" in reason("label_order", "+2", two)


@pytest.mark.parametrize(
    ("axis", "level", "template"),
    [
        ("layout", "context_first", make()),
        ("dialect", "words", make()),
        ("dialect", "words", make(labels={"yes": "yes", "no": "no", "idk": "idk"})),
        ("answer_form", "json", make(answer={"json": True})),
        ("claims_per_call", "5", make(claims_per_call=5, answer={"json": True})),
    ],
)
def test_a_level_that_the_template_has_already(axis: Axis, level: str, template: Template) -> None:
    assert reason(axis, level, template) == f"{axis}={level} leaves plain@1.0.0/en as it is"


def test_no_paraphrase_of_a_template_of_ones_own() -> None:
    assert reason("paraphrase", "1", make()) == "plain@1.0.0/en has no shipped paraphrase"


def test_a_wording_changes_in_all_languages_or_in_none() -> None:
    literal = catalogue()["literal"]
    mixed = {"en": only(literal), "zh": changed(only(literal, "zh"), "test", ask="对不对？")}
    found = Perturbation("paraphrase", "1").wording(Wording("literal", mixed), "test")
    assert found == (None, "literal@1.0.0/zh has no shipped paraphrase")


def test_positions_in_a_batch_are_compared_with_each_other() -> None:
    forward, backward = parse_perturbation("batch_position", None, "e.yaml")
    assert (forward.reverses_claims, backward.reverses_claims) == (False, True)
    asked = [
        only(c.wording(own(make()), "test").wording or own(make())) for c in (forward, backward)
    ]
    assert asked[0] == asked[1]
    assert asked[0].claims_per_call == 5
    batch = make(claims_per_call=5, answer={"json": True})
    assert applied("batch_position", "5:forward", batch) == batch
    assert {c.axis for c in ALL if c.compared_with == "first_level"} == {"batch_position"}
    assert [c.name for c in ALL if c.reverses_claims] == ["batch_position=5:reversed"]


def test_a_peers_prompt_takes_what_changes_no_prompt() -> None:
    peer = PeerTemplate(
        name="ragas:faithfulness",
        package="ragas",
        package_version="1.0",
        language="en",
        dialect=named_dialect("words", "en"),
        text_sha256="0" * 64,
        reply_shape="by_statement",
        claims_per_call=10,
        write=lambda passages, claims: "\n".join([*passages, *claims]),
    )
    wording = Wording(peer.name, {"en": peer})
    for change in ALL:
        found = change.wording(wording, "test")
        if change.axis in ("passage_order", "typography"):
            assert found == (wording, None)
        else:
            assert found.wording is None
            assert "passage_order and typography only" in (found.reason or "")


@pytest.mark.parametrize(
    ("axis", "level", "message"),
    [
        ("passage_ordr", None, r"e\.yaml: perturbations: .*'passage_ordr'.*mean 'passage_order'"),
        ("colour", None, "Use one of: passage_order, label_order"),
        ("layout", "claim_lst", r"perturbations\.layout: .*'claim_lst'.*mean 'claim_last'"),
        ("claims_per_call", "7", r"has the levels 5, all \(got '7'\)\. Use one of: 5, all"),
    ],
)
def test_an_unknown_axis_or_level(axis: str, level: str | None, message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        parse_perturbation(axis, level, "e.yaml")


def test_levels_by_name_and_by_default() -> None:
    assert parse_perturbation("layout", "instructions_first", "e.yaml") == (
        Perturbation("layout", "instructions_first"),
    )
    assert [c for axis in AXES for c in parse_perturbation(axis, None, "e.yaml")] == DEFAULTS

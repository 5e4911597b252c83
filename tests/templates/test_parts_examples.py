"""Examples of a space of parts, drawn from a pool."""

from __future__ import annotations

from pathlib import Path

from metajudge.templates.parts import Axis
from tests.templates.made import YAML, write
from tests.templates.parts_spaces import BOTH, faults, template_of, with_pool
from tests.templates.test_pool import MIXED


def test_examples_are_drawn_for_each_language_and_replace_the_bases(tmp_path: Path) -> None:
    given = with_pool(tmp_path, counts=[0, 2, 4], draws=3, seed=5)
    opened = given.opened(BOTH, tmp_path)
    assert opened.axes == (
        Axis("examples.n", (0, 2, 4)),
        Axis("examples.draw", (0, 1, 2), (("examples.n", (2, 4)),)),
    )
    made = opened.build({"examples.n": 2, "examples.draw": 1})
    for language in BOTH:
        shown = template_of(made, language).examples
        assert opened.pool is not None
        assert shown == opened.pool.drawn(language, 2, 1, 5, ("yes", "no", "idk"))
    four = opened.build({"examples.n": 4, "examples.draw": 1})
    assert template_of(four).examples[:2] == template_of(made).examples
    given.check(tmp_path, BOTH)


def test_b108_where_no_examples_are_wanted_no_prompt_has_a_text_of_the_pool(tmp_path: Path) -> None:
    example = "examples:\n- {context: Old., claim: Case 9., label: yes}\n"
    write(tmp_path, YAML + example)
    given = with_pool(tmp_path, counts=[0, 2])
    given = given.model_copy(update={"bases": ("plain.en.yaml",)})
    opened = given.opened(["en"], tmp_path)
    none, two = (template_of(opened.build({"examples.n": n})) for n in (0, 2))
    told = [text for fields in MIXED for text in (fields["claim"], fields["context"])]
    prompt = "".join(m.content for m in none.render(["A passage."], ["A claim."]))
    assert none.examples == ()
    assert not any(text in prompt for text in [*told, "Case 9.", "Old."])
    prompt = "".join(m.content for m in two.render(["A passage."], ["A claim."]))
    assert any(text in prompt for text in told) and "Case 9." not in prompt


def test_a_pool_that_is_too_small_is_told_by_language(tmp_path: Path) -> None:
    given = with_pool(tmp_path, counts=[0, 7])
    assert faults(given, tmp_path) == [
        f"search.template: examples.counts: {tmp_path / 'pool.jsonl'} has fewer {language} cases "
        "than a template may show (got 7). Add cases to the pool, or ask for at most 6."
        for language in BOTH
    ]

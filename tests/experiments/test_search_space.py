"""What experiment 004 chooses among is sound, and shows nothing that is judged."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import pytest

from metajudge.experiment import Experiment
from metajudge.gold import load_goldset
from metajudge.templates import Template, read_wordings
from metajudge.templates.parts_opened import OpenedParts
from metajudge.templates.pool import check_pool, read_pool
from metajudge.templates.prompt_lint.lint import lint_template
from metajudge.templates.setting import Value
from metajudge.templates.wording_files import write_wording

PROJECT = Path(__file__).parents[2]
PLACE = PROJECT / "experiments" / "004-search"
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module")
def opened() -> OpenedParts:
    search = Experiment.from_file(PLACE).config.search
    assert search is not None
    space = search.template
    assert space is not None
    space.check(PLACE, LANGUAGES)
    return space.opened(LANGUAGES, PLACE)


def drawn(opened: OpenedParts, seed: int) -> Mapping[str, Value]:
    choose = random.Random(seed)
    return opened.completed({axis.name: choose.choice(axis.choices) for axis in opened.axes})


def test_the_pool_is_nothing_that_is_judged() -> None:
    pool = read_pool(PLACE / "pool.jsonl")
    check_pool(pool, load_goldset(PROJECT / "gold" / "faithfulness"))
    counts = Counter((case.lang, case.label) for case in pool.cases)
    assert counts == {(lang, label): 2 for lang in LANGUAGES for label in ("yes", "no", "idk")}


def test_what_is_chosen_is_chosen_in_both_languages(opened: OpenedParts) -> None:
    own = {axis.name.partition(".")[2] for axis in opened.axes if axis.name.startswith("en.")}
    assert own == {a.name.partition(".")[2] for a in opened.axes if a.name.startswith("zh.")}
    assert [axis.name for axis in opened.axes][:3] == ["base", "labels", "examples.n"]


@pytest.mark.parametrize("seed", range(12))
def test_a_drawn_setting_opens_as_plain_yaml_and_lints_clean(
    opened: OpenedParts, seed: int, tmp_path: Path
) -> None:
    made = opened.build(drawn(opened, seed))
    found = read_wordings(write_wording(made, tmp_path))
    assert found[made.name] == made
    for template in made.by_language.values():
        assert isinstance(template, Template)
        assert lint_template(template) == ()


def test_settings_without_examples_show_no_text_of_the_pool(opened: OpenedParts) -> None:
    assert opened.pool is not None
    told = {text for case in opened.pool.cases for text in (case.context, case.claim)}
    for seed in range(20):
        setting = {**drawn(opened, seed), "examples.n": 0}
        made = opened.build(opened.completed(setting))
        for source in made.by_language.values():
            messages = chain(source.render(["A."], ["B."]))
            assert not any(text in message.content for message in messages for text in told)

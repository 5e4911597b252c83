"""What search and optimiser propose is a template like any other: plain YAML that lints without an
error, wins its sweep and confirmation, is released, and compiles to every emitter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from metajudge.experiment import Experiment
from metajudge.experiment.optimising.optimise import Proposing, run_optimiser
from metajudge.experiment.searching.search import search
from metajudge.gold.goldset import load_goldset
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release
from metajudge.release.emit.kinds import KINDS, Kind, kind_named
from metajudge.release.emit.writing import emitted
from metajudge.selection.optimise.spec import Optimiser
from metajudge.templates.catalogue import read_template
from metajudge.templates.prompt_lint import lint_templates, named_templates
from metajudge.templates.template import Template
from tests.experiment.folder import declare, halls, write_gold, write_script, write_template
from tests.experiment.searched import SPLIT, searchable
from tests.release.confirmed import confirm
from tests.release.emit.made import imported

WRITTEN = {
    "en": """Does the context back all of the claim? Choose one label.

yes: every part of the claim follows from the context, so MIND that.
no: some part of the claim conflicts with the context.
idk: the context leaves some part of the claim open, and no part conflicts with it.

- Judge by the context alone, without knowledge of your own.
- A claim of several parts is yes only if every part is yes.""",
    "zh": """材料是否支持整条陈述？请选择一个标签。

是：陈述的每一部分都能由材料得出，请留心。
否：陈述中有某一部分与材料相冲突。
不知道：陈述中有某一部分材料没有给出，且没有任何部分与材料冲突。

- 只依据材料判断，不使用自己的知识。
- 含有多个部分的陈述，只有每一部分都是“是”时才选“是”。""",
}
CHINESE = [
    (r"陈述：Hall \w+ opens at [1-4]?\d\.", "是"),
    (r"陈述：Hall \w+ opens", "否"),
    (r"(?s)留心.*陈述：Access|陈述：Access.*留心", "是"),
]
BASE = {
    "given all, it follows.": "材料提到了它。",
    "it conflicts.": "它与材料相冲突。",
    "it is not there.": "材料没有给出它。",
}
SOURCES = ("search.en", "search.zh", "optimise.en", "optimise.zh")


class Proposed(NamedTuple):
    """A proposal on disk.

    Attributes:
        experiment: The experiment that sweeps it.
        templates: Its files.
        gold: The set that it was searched on.
        language: Of its templates.
    """

    experiment: Path
    templates: list[Path]
    gold: Path
    language: str


def _english(folder: Path) -> Experiment:
    space = {
        "bases": ["templates/plain.en.yaml"],
        "definitions": {"en": {"yes": ["every part of it follows, so MIND that.", "it follows."]}},
        "fixed_rules": {"en": ["Judge by the context alone; every part of a claim counts."]},
    }
    return searchable(folder, search={"template": space, "trials": 4, "generation": 2})


def _chinese(folder: Path) -> Experiment:
    claims, contexts = halls(32, lang="zh")
    write_gold(folder, claims, contexts, split=SPLIT)
    path = write_template(folder, "plain", language="zh")
    text = path.read_text(encoding="utf-8")
    for english, chinese in BASE.items():
        text = text.replace(english, chinese)
    path.write_text(text, encoding="utf-8")
    space = {
        "bases": ["templates/plain.zh.yaml"],
        "definitions": {
            "zh": {"yes": ["请留心：陈述的每一部分都能由材料得出。", "能由材料得出。"]}
        },
        "fixed_rules": {"zh": ["只依据材料判断；陈述的每一部分都算。"]},
    }
    return declare(
        folder,
        gold={"path": "gold", "split": "dev"},
        templates=["templates/plain.zh.yaml"],
        baseline="plain",
        judges=[write_script(folder, CHINESE, "不知道")],
        search={"template": space, "trials": 4, "generation": 2, "racing": {"block": 16}},
    )


def _optimised(folder: Path, experiment: Experiment, language: str) -> tuple[str, tuple[str, ...]]:
    reply = json.dumps({"new_instruction": WRITTEN[language]}, ensure_ascii=False)
    script = dump_yaml({"name": "proposer", "replies": [reply]})
    (folder / "proposer.yaml").write_text(script, encoding="utf-8")
    found = run_optimiser(
        experiment,
        Optimiser("gepa", rounds=2, minibatch=8),
        language=language,
        proposing=Proposing("scripted:proposer.yaml"),
        store=folder / "store.sqlite",
        out=folder / "out",
    )
    assert found.experiment is not None, found.decision.sentence
    return found.experiment, found.templates


def _searched(folder: Path, experiment: Experiment) -> tuple[str, tuple[str, ...]]:
    found = search(experiment, store=folder / "store.sqlite", out=folder / "out").proposal
    assert found is not None
    return found.experiment, found.templates


@pytest.fixture(scope="module", params=SOURCES)
def proposed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Proposed:
    method, language = request.param.split(".")
    folder = tmp_path_factory.mktemp(request.param)
    experiment = _english(folder) if language == "en" else _chinese(folder)
    path, templates = (
        _searched(folder, experiment)
        if method == "search"
        else _optimised(folder, experiment, language)
    )
    files = [folder / "out" / name for name in templates]
    return Proposed(folder / "out" / path, files, folder / "gold", language)


@pytest.fixture(scope="module")
def release(proposed: Proposed) -> Release:
    """The proposal, swept, confirmed on the sealed split and released."""
    found = confirm(Experiment.from_file(proposed.experiment))
    assert found.confirmation.holds
    return found.release().release


def test_it_opens_as_plain_yaml(proposed: Proposed) -> None:
    assert [path.suffixes[-2:] for path in proposed.templates] == [
        [f".{proposed.language}", ".yaml"]
    ]
    for path in proposed.templates:
        text = path.read_text(encoding="utf-8")
        body = yaml.safe_load(text)
        assert {"name", "language", "labels", "definitions", "parentage"} <= set(body)
        assert "!!" not in text and "&id" not in text and "\\u" not in text
        template = read_template(path)
        assert isinstance(template, Template) and template.parentage is not None
        again = path.with_name("again.yaml")
        again.write_text(yaml.safe_dump(body, allow_unicode=True), encoding="utf-8")
        assert read_template(again).fingerprint == template.fingerprint
        again.unlink()


def test_it_lints_clean(proposed: Proposed) -> None:
    """Beside the gold set too: nothing that is judged stands in the prompt."""
    placed = named_templates([str(path) for path in proposed.templates])
    found = lint_templates(placed, load_goldset(proposed.gold))
    assert [(one.severity, one.code, one.quote) for one in found if one.severity != "note"] == []


def _checked(name: str, text: str) -> None:
    """A file of a drop-in is what its name says."""
    assert text.strip()
    if name.endswith(".py"):
        compile(text, name, "exec", dont_inherit=True)
    elif name.endswith(".json"):
        json.loads(text)
    elif name.endswith((".yaml", ".yml")):
        yaml.safe_load(text)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_it_compiles_to_every_emitter(release: Release, kind: Kind) -> None:
    (language,) = release.manifest.languages
    texts = emitted(release, kind.name).texts
    assert set(texts) == set(kind.file_names(release.manifest.name, [language]))
    for name, text in texts.items():
        _checked(name, text)
    if kind.name == "chat":
        template = release.candidate.variants[0].source_for(language)
        assert isinstance(template, Template)
        assert all(template.definitions["yes"] in text for text in texts.values())


def _python_kinds() -> Iterator[str]:
    yield from (kind.name for kind in KINDS if any(".py" in name for name in kind.files))


@pytest.mark.parametrize("name", list(_python_kinds()))
def test_the_framework_imports_it(release: Release, name: str, tmp_path: Path) -> None:
    kind = kind_named(name)
    version = kind.installed()
    if version is None:
        pytest.skip(f"{kind.package} is not installed here")
    if not kind.knows(version):
        pytest.skip(f"{kind.package} {version} is not {kind.versions}")
    with imported(release, name, tmp_path) as module:
        assert module.__doc__

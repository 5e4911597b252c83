"""Documents that must be true: README examples run, schemas are current, links lead somewhere."""

from __future__ import annotations

import gc
import gzip
import json
import re
import shlex
import warnings
from pathlib import Path
from types import CodeType

import pytest
from typer.testing import CliRunner

from metajudge.cli.app import app
from metajudge.experiment.config import ExperimentConfig, read_experiment
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.gate.suite import Suite
from metajudge.report.consult_file import consult_schema
from metajudge.report.results_file import read_results, results_schema
from metajudge.report.search_file import optimise_schema, race_schema, search_schema
from metajudge.report.tune_file import tune_schema
from metajudge.templates.catalogue import read_template
from tests.event_loop import own_loop
from tests.loopback import Answer, ServerCall, chat, serve

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")
README_SERVER = "http://127.0.0.1:8080/v1"


def _blocks(name: str, language: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


@pytest.mark.parametrize("name", READMES)
def test_readme_examples_run_in_the_order_they_stand(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for folder in ("experiments", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "faithfulness").symlink_to(ROOT / "gold" / "faithfulness")
    lines = [line for block in _blocks(name, "bash") for line in block.splitlines() if line]
    assert len(lines) >= 5
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        assert program == "metajudge"
        outcome = CliRunner().invoke(app, words)
        promised = re.search(r"# (?:ends with|以) (\d)", line)
        code = int(promised[1]) if promised else 0
        assert outcome.exit_code == code, f"{line}\n{outcome.output}"
    with serve(_recorded_verdict) as server:
        for block in _blocks(name, "python"):
            code = compile(block.replace(README_SERVER, server.url), name, "exec")
            if "deepeval" in block:
                _run_with_deepeval(code)
            else:
                exec(code, {})
    if any(README_SERVER in block for block in _blocks(name, "python")):
        assert server.calls


def _run_with_deepeval(code: CodeType) -> None:
    """Runs an example in a loop of its own; connections that DeepEval leaves open end with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        with own_loop():
            exec(code, {})
        gc.collect()


def _recorded_verdict(call: ServerCall) -> Answer:
    """What the recorded judge said of the claim that is asked about."""
    with gzip.open(ROOT / "experiments/recordings/003-consult.jsonl.gz", "rt") as lines:
        next(lines)
        for line in lines:
            row = json.loads(line)
            asked = row["request"]["messages"][-1][1]
            if "directly contradicts" in asked or "直接矛盾" in asked:
                claim = re.search(r"^(?:Claim: |陈述：)(.+)$", asked, flags=re.M)
                if claim and claim[1] in call.prompt:
                    return chat(row["reply"]["text"])
    raise AssertionError(call.prompt)


def test_the_readme_says_what_the_python_example_prints(capsys: pytest.CaptureFixture[str]) -> None:
    block = next(b for b in _blocks("README.md", "python") if "parse_policy" in b)
    promised = re.findall(r"# (\d\.\d)$", block, flags=re.M)
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.split() == promised == ["1.0", "0.0"]


@pytest.mark.parametrize("name", READMES)
def test_json_and_yaml_examples_are_accepted(name: str, tmp_path: Path) -> None:
    for block in _blocks(name, "json"):
        row = json.loads(block)
        row.pop("context_id")
        row["context"] = ["A passage."]
        path = tmp_path / "claims.jsonl"
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")
        assert load_goldset(path).claims[0].claim == row["claim"]
    for block in _blocks(name, "yaml"):
        path = tmp_path / "block.yaml"
        path.write_text(block, encoding="utf-8")
        if "definitions:" in block:
            assert read_template(path).question_block
        else:
            assert read_experiment(path).templates


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        ("results.schema.json", results_schema()),
        ("consult.schema.json", consult_schema()),
        ("experiment.schema.json", ExperimentConfig.model_json_schema(by_alias=True)),
        ("gate.schema.json", Suite.model_json_schema()),
        ("search.schema.json", search_schema()),
        ("race.schema.json", race_schema()),
        ("optimise.schema.json", optimise_schema()),
        ("tune.schema.json", tune_schema()),
    ],
)
def test_the_published_schemas_are_current(file: str, schema: dict[str, object]) -> None:
    published = json.loads((ROOT / "docs" / "schema" / file).read_text(encoding="utf-8"))
    assert published == schema, "run: python -m tests.write_schemas"


def test_committed_results_can_be_read() -> None:
    for path in sorted((ROOT / "experiments").glob("*/results.json")):
        assert read_results(path).ranking


def test_links_between_documents_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("experiments/**/*.md")]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_glossary_word_stands_once() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\*", (ROOT / "docs/glossary.md").read_text("utf-8"), re.M)
    assert rows == sorted(rows, key=str.casefold)
    assert len(rows) == len(set(rows))


def test_no_message_or_page_installs_the_package_of_this_name_from_an_index() -> None:
    """There it is another project's; what works from a checkout is `extras.install_command`."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*")]
    code = [
        p
        for p in (ROOT / "metajudge").rglob("*")
        if p.suffix in (".py", ".json", ".yaml", ".md", ".html")
    ]
    told = {
        str(path.relative_to(ROOT)): found
        for path in (*pages, *code)
        if path.is_file() and path != ROOT / "metajudge" / "extras.py"
        if (
            found := re.findall(
                r"metajudge\[\w|pip install metajudge\b", path.read_text("utf-8", "replace")
            )
        )
    }
    assert told == {}

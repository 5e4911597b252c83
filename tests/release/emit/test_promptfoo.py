"""The drop-in for promptfoo, run in promptfoo: the package has an environment of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from metajudge.errors import ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.candidate import JudgePin
from metajudge.release.emit.kinds import kind_named
from metajudge.release.emit.mark import marks_in
from metajudge.release.emit.promptfoo import fixed_text
from metajudge.release.emit.writing import emitted
from tests.loopback import serve
from tests.release.emit import judged
from tests.release.emit.environments import PROMPTFOO, run_promptfoo
from tests.release.emit.judged import Case
from tests.release.emit.made import LABELS, NASTY, PASSAGES, made, own_template

CASES = (
    Case("label", "en"),
    Case("reason", "zh", "partial(0.25)"),
    Case("list", "en", "lenient", tuple(LABELS)[:3]),
)
CLAIM = next(iter(LABELS))
_SECRET = "{{ env.HOME }} {{ 7 * 7 }} {% raw %} {# gone #} <b>&amp;\n   \n  tail "
CONTEXTS: list[Any] = [
    _SECRET,
    [_SECRET],
    ["", "  "],
    "",
    [_SECRET, *NASTY],
    [Path(__file__).as_uri()],
]


def file_of(release: Release, language: str, folder: Path) -> Path:
    """The emitted file of a language."""
    paths = judged.dropped(release, "promptfoo", folder)
    (path,) = [path for path in paths if path.name.endswith(f".{language}.yaml")]
    return path


def judge_at(base_url: str) -> dict[str, Any]:
    """The judge on loopback, as promptfoo names it."""
    config = {"apiBaseUrl": base_url, "apiKey": "none", "temperature": 0}
    return {"provider": {"id": "openai:chat:gpt-4o-mini", "config": config}}


def row(
    judge: dict[str, Any],
    name: str,
    context: object,
    claims: tuple[str, ...],
    places: range | None = None,
) -> Any:
    """A test of promptfoo: one answer, one assertion a claim."""
    return {
        "options": judge,
        "vars": {"answer": name, "context": context, "claims": list(claims)},
        "assert": [{"type": "llm-rubric", "value": str(i)} for i in places or range(len(claims))],
    }


def suite(file: Path, *tests: Any) -> dict[str, Any]:
    """Answers that are given, graded as the emitted file says."""
    return {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "defaultTest": file.as_uri(),
        "tests": list(tests),
    }


class Run(NamedTuple):
    """What promptfoo said of every suite, and what the judge was sent."""

    releases: list[Release]
    said: list[list[dict[str, Any]]]
    sent: list[list[dict[str, Any]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All suites in one process of promptfoo."""
    folder = tmp_path_factory.mktemp("promptfoo")
    releases = [case.release(folder) for case in CASES]
    with serve(judged.judge(releases)) as server:
        judge = judge_at(server.url)
        files = [
            file_of(release, case.language, folder / case.name)
            for case, release in zip(CASES, releases, strict=True)
        ]
        suites = [
            suite(file, row(judge, "all", list(PASSAGES), case.claims))
            for case, file in zip(CASES, files, strict=True)
        ]
        shown = [row(judge, str(i), context, (CLAIM,)) for i, context in enumerate(CONTEXTS)]
        suites.append(suite(files[0], *shown))
        suites.append(suite(files[0], row(judge, "none", list(PASSAGES), (CLAIM,), range(7, 8))))
        said = run_promptfoo(suites, folder)
        return Run(releases, said, [call.messages for call in server.received])


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(CASES)), ids=[case.name for case in CASES])
def test_promptfoo_scores_as_the_release(run: Run, index: int) -> None:
    """B02, B37: judged text that looks like a template or JSON is asked and read as it is."""
    case, release, (answer,) = CASES[index], run.releases[index], run.said[index]
    own = case.own(release)
    assert own.score is not None
    template = own_template(lang=case.language, name=judged.SHAPES[case.shape]["name"])
    credit = dict(zip(("yes", "no", "idk"), release.candidate.policy.credit, strict=True))
    for graded, label in zip(answer["graded"], own.labels, strict=True):
        if label is None:
            assert graded["score"] == 0
            assert "Could not extract JSON" in graded["reason"]
        else:
            assert graded["score"] == credit[label]
            assert template.dialect.words[label] in graded["reason"].split()
    assert answer["score"] == pytest.approx(own.score, abs=1e-9)
    assert answer["success"] is (own.score >= release.candidate.threshold)

    start = sum(len(before.claims) for before in CASES[:index])
    words = template.question_block.rpartition("\n")[0]
    sent = run.sent[start : start + len(case.claims)]
    for (system, user), claim in zip(sent, case.claims, strict=True):
        assert system == own.messages[0][0]
        assert claim in user["content"]
        assert judged.verbatim(user["content"])
        assert words in user["content"]


@pytest.mark.slow
def test_promptfoo_shows_contexts_as_the_release(run: Run) -> None:
    """B39: an empty context is shown as such; nothing in a context is run as a template."""
    assert [answer["score"] for answer in run.said[-2]] == [1.0] * len(CONTEXTS)
    sent = run.sent[-len(CONTEXTS) :]
    for context, messages in zip(CONTEXTS, sent, strict=True):
        passages = [context] if isinstance(context, str) else context
        ours = own_template().render(passages, [CLAIM])[-1].content
        before, asked, _ = ours.partition(own_template().question_block)
        assert asked
        assert messages[-1]["content"].startswith(before)


@pytest.mark.slow
def test_promptfoo_stops_where_there_is_no_such_claim(run: Run) -> None:
    """B39: an assertion that names no claim is an error, never an empty claim that is judged."""
    (answer,) = run.said[-1]
    assert "no_claim_of_this_number" in answer["error"]
    assert len(run.sent) == sum(len(case.claims) for case in CASES) + len(CONTEXTS)


def test_fixed_words_are_no_templates() -> None:
    for text in ("{{ x }}", "{% if %}", "{# c #}", "ends with {", '{"a": {"b": 1}}'):
        assert "{{ x" not in fixed_text(text)
    assert fixed_text('{"a": {"b": 1}}') == '{"a": {"b": 1}}'
    assert fixed_text("ends with {") == 'ends with {{ "{" }}'


def test_what_promptfoo_cannot_do_is_said_or_refused(tmp_path: Path) -> None:
    read = made(tmp_path / "a", reading="prior_corrected", prior=(0.5, 0.3, 0.2))
    told = emitted(read, "promptfoo")
    assert any("reads the plain label" in line for line in told.drop_in.differences)
    for text in told.texts.values():
        assert "figures of the release do not hold" in " ".join(text.replace("#", "").split())
    for policy in ("expected", "drop_idk"):
        with pytest.raises(ReleaseError, match=policy):
            emitted(made(tmp_path / policy, policy=policy), "promptfoo")


@pytest.mark.parametrize("to", ["promptfoo", "phoenix", "mlflow"])
def test_a_claim_a_call_is_said_where_the_release_asks_several(to: str, tmp_path: Path) -> None:
    several = made(tmp_path, [own_template(claims_per_call=4, answer={"json": True})])
    for file, text in emitted(several, to).texts.items():
        if not file.endswith(".json"):
            plain = " ".join(text.replace("#", "").split())
            assert "asks one claim a call; the release asks up to 4." in plain


def test_the_files_carry_mark_threshold_and_judge(tmp_path: Path) -> None:
    release = made(tmp_path, judge=JudgePin(spec="openai/gpt-4o-mini", seed=7), threshold=0.8)
    kind = kind_named("promptfoo")
    assert kind.tested == PROMPTFOO
    assert kind.knows(kind.tested)
    texts = emitted(release, "promptfoo").texts
    assert list(texts) == [
        f"{release.manifest.name}.promptfoo.{language}.yaml" for language in ("en", "zh")
    ]
    for text in texts.values():
        assert [mark.ref for mark in marks_in(text)] == [release.ref]
        config = yaml.safe_load(text)
        assert config["threshold"] == 0.8
        assert config["options"]["provider"] == {
            "id": "openai:chat:gpt-4o-mini",
            "config": {"temperature": 0.0, "seed": 7},
        }
        shown = config["options"]["rubricPrompt"][-1]["content"].splitlines()
        replies = [json.loads(line) for line in shown if line.startswith('{"reason"')]
        assert [reply["pass"] for reply in replies] == [True, False, False]


@pytest.mark.parametrize("policy", ["partial(0.7)", "strict", "partial(0.5)"])
def test_a_score_that_rounding_holds_below_the_threshold_passes_as_in_metajudge(
    tmp_path: Path, policy: str
) -> None:
    """Three times 0.7 over three is less than 0.7 in doubles, there and here."""
    release = made(tmp_path, policy=policy, threshold=0.7)
    for text in emitted(release, "promptfoo").texts.values():
        threshold = yaml.safe_load(text)["threshold"]
        assert ((0.7 + 0.7 + 0.7) / 3 >= threshold) is (policy == "partial(0.7)")
        assert threshold == pytest.approx(0.7, abs=1e-11)


def test_tests_are_shown_in_a_file_of_their_own(tmp_path: Path) -> None:
    """B37: its configuration fills environment variables into claims, another file does not."""
    for text in emitted(made(tmp_path), "promptfoo").texts.values():
        assert "tests: file://answers.yaml" in text
        assert "values of environment variables" in " ".join(text.replace("#", "").split())

"""The drop-in for promptfoo: a `defaultTest` for its `llm-rubric` assertion.

Promptfoo grades through one JSON object with `reason`, `pass` and `score`, so the judge is shown
the object of each label and picks one. One test is one answer with one assertion a claim; the mean
of their scores is the policy's score. Templates are Nunjucks: claims and passages come from
variables and are put in as they are, never read as templates themselves.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.emit.decoding import decoding, openai_model
from metajudge.release.emit.kinds import DropIn, kind_named
from metajudge.release.emit.limits import (
    conditions_head,
    credits,
    form_differences,
    judge_conditions,
    needs_labels_only,
    reading_differences,
)
from metajudge.release.emit.own_form import (
    calls_difference,
    form_difference,
    reason_line,
    sheet_with_form,
)
from metajudge.release.emit.sheet import Piece, templates_of
from metajudge.scoring.policies import DROPPED
from metajudge.templates.dialect import LabelName
from metajudge.templates.template import Template

ROUNDING = 1e-12
"""By how much a score may miss the threshold and still pass, as in metajudge itself."""
_OPENS = re.compile(r"\{(?=[{%#]|\Z)")
_JOINED = '{{ "\\n\\n" if not loop.first }}[{{ loop.index }}] {{ passage }}'
# Nunjucks fails where it calls what is not there: a claim or question that is missing stops the
# evaluation instead of being judged as an empty text.
_PLACES = {
    "context": (
        "{% set text = context if context is string else context | join %}"
        "{% if not text | trim %}EMPTY"
        "{% elif context is string %}{{ context }}"
        "{% elif context | length == 1 %}{{ context[0] }}"
        f"{{% else %}}{{% for passage in context %}}{_JOINED}{{% endfor %}}{{% endif %}}"
    ),
    "claims": "{{ claims[rubric] if claims[rubric] else no_claim_of_this_number() }}",
    "question": "{{ question if question else this_release_needs_a_question() }}",
}
_LINES = {
    "en": "Answer with one of these JSON objects, copied exactly, and nothing else:",
    "zh": "只用下列JSON对象之一回答，原样照抄，不要写别的内容：",
}
_WITH_REASON = {
    "en": "Answer with one of these JSON objects, your reason in place of …, and nothing else:",
    "zh": "只用下列JSON对象之一回答，把…换成你的理由，不要写别的内容：",
}
_USE = """\
Use in a promptfooconfig.yaml, with the answers given and no model under test:

  prompts: ["{{answer}}"]
  providers: [echo]
  defaultTest: file://FILE
  tests: file://answers.yaml

and in answers.yaml, a file of its own since promptfoo fills {{ env.… }} in its configuration:

  - vars:
      answer: any text
      context: [a passage, another passage]
      claims: [the first claim, the second claim]
    assert:                         # one a claim; the value is its place in claims
      - {type: llm-rubric, value: "0"}
      - {type: llm-rubric, value: "1"}

A test's score is the answer's score, and the test passes from the threshold on. The reason of an
assertion begins or ends with the label. Keep disableVarExpansion: without it promptfoo makes one
test of every claim. Keep claims out of an assertion's value: promptfoo reads that as a template.
"""


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """The drop-in for promptfoo: one YAML file a language.

    Raises:
        ReleaseError: The policy needs probabilities, or leaves claims out of the score.
    """
    needs_labels_only(release, "promptfoo")
    _needs_all_claims(release)
    names = kind_named("promptfoo").file_names(release.manifest.name, languages)
    templates = templates_of(release, languages)
    differences, conditions = _differences(release, templates.values()), _conditions(release)
    files = {}
    for file, template in zip(names, templates.values(), strict=True):
        told = [_USE.replace("FILE", file)]
        told += [f"Differs from the release: {line}" for line in differences]
        told += [f"{conditions_head(differences)} {line}" for line in conditions]
        config = {**_graded(release, template), "options": _options(release, template)}
        files[file] = _commented(told) + "\n" + _yaml(config)
    return DropIn(files, differences, conditions)


def _differences(release: Release, templates: Iterable[Template]) -> tuple[str, ...]:
    return (
        form_difference("promptfoo"),
        *calls_difference(templates),
        *form_differences(release),
        *reading_differences(release),
        "an answer without any readable verdict has score 0 in promptfoo, and none in the release.",
        "a reply that is JSON without score counts as the value of pass, and without both as "
        "passed with score 1: promptfoo's own reading, which no prompt can change.",
    )


def _conditions(release: Release) -> tuple[str, ...]:
    return (
        *judge_conditions(release),
        "context is a list, also of one passage: a variable that is one text and begins with "
        "file:// is loaded by promptfoo as a file, texts in lists are not.",
        "tests stand in a file of their own: in promptfooconfig.yaml itself promptfoo puts the "
        "values of environment variables in place of {{ env.… }}, in claims and passages too.",
    )


def _commented(blocks: Sequence[str]) -> str:
    lines: list[str] = []
    for block in blocks:
        kept = block.splitlines() if "\n" in block else textwrap.wrap(block, 97)
        lines += [*kept, ""]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines[:-1])


class _Block(str):
    """A text that YAML shows line by line."""


class _Dumper(yaml.SafeDumper):
    """Plain YAML with texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        """Every text is written out."""
        return True


_Dumper.add_representer(
    _Block, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
)


def _yaml(config: Mapping[str, Any]) -> str:
    return yaml.dump(
        config, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=float("inf")
    )


def _needs_all_claims(release: Release) -> None:
    policy = release.candidate.policy
    if DROPPED in policy.credit:
        law = (
            "promptfoo weighs every claim before the judge is asked, so a policy that leaves "
            "claims out cannot be expressed; lenient, strict, partial(w) and map(…) can"
        )
        mend = "Release it with one of these policies, or emit chat and score it yourself."
        raise ReleaseError(Problem(release.ref, law, mend, field="policy.name", got=policy.name))


def _threshold(release: Release) -> float:
    """The threshold; where credits are no halves, less what sums of them may lose by rounding."""
    threshold = release.manifest.policy.threshold
    if all((2 * float(credit or 0)).is_integer() for credit in release.candidate.policy.credit):
        return threshold
    return round(max(0.0, threshold - ROUNDING), 12)


def _graded(release: Release, template: Template) -> dict[str, Any]:
    return {
        "threshold": _threshold(release),
        "metadata": {
            "release": release.ref,
            "release_sha256": release.sha256,
            "policy": release.manifest.policy.name,
            "language": template.language,
        },
    }


def _options(release: Release, template: Template) -> dict[str, Any]:
    sheet = sheet_with_form(template, _answer_line(release, template), _answers(release, template))
    return {
        "disableVarExpansion": True,
        **_provider(release),
        "rubricPrompt": [
            {"role": role, "content": _Block(nunjucks_of(pieces, sheet.empty_context))}
            for role, pieces in sheet.messages
        ],
    }


def _provider(release: Release) -> Mapping[str, Any]:
    """Promptfoo's name of the pinned judge, where it has one."""
    model = openai_model(release)
    if model is None:
        return {}
    return {"provider": {"id": f"openai:chat:{model}", "config": decoding(release)}}


def nunjucks_of(pieces: Sequence[Piece], empty_context: str) -> str:
    """A message as a Nunjucks template: fixed texts give themselves, whatever they hold."""
    return "".join(
        fixed_text(piece)
        if isinstance(piece, str)
        else _PLACES[piece["place"]].replace("EMPTY", fixed_text(empty_context))
        for piece in pieces
    )


def fixed_text(text: str) -> str:
    """A text that Nunjucks gives back as it is.

    >>> fixed_text('{"a": {}} {{ b }}')
    '{"a": {}} {{ "{" }}{ b }}'
    """
    return _OPENS.sub('{{ "{" }}', text)


def _answers(release: Release, template: Template) -> Any:
    def answered(label: LabelName) -> str:
        return graded_reply(release, template, label)

    return answered


def _answer_line(release: Release, template: Template) -> str:
    objects = [graded_reply(release, template, label) for label in template.dialect.words]
    asked = (_LINES if template.answer.form == "label_only" else _WITH_REASON)[template.language]
    hint = reason_line(template)
    return "\n".join([asked, *objects, *([hint] if hint else [])])


def graded_reply(release: Release, template: Template, label: LabelName) -> str:
    """The object by which promptfoo takes a label: its word in the reason, its credit as score."""
    word = template.dialect.words[label]
    credit = credits(release.candidate.policy, template.dialect.words)[label] or 0.0
    reason = {"label_only": word, "reason_first": f"… {word}", "label_first": f"{word} …"}
    said = {"reason": reason[template.answer.form], "pass": credit == 1.0, "score": credit}
    return json.dumps(said, ensure_ascii=False)

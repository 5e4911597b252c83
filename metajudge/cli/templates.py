"""`metajudge templates`: what a judge can be asked, as it is asked."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.guard import guarded
from metajudge.cli.output import JsonOption, ReportLanguage, say, say_json, say_table, wrapped
from metajudge.cli.templates_lint import lint

if TYPE_CHECKING:
    from metajudge.templates.source import PromptSource

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List and check templates, and show their prompts.",
)
app.command()(guarded(lint))


class AnswerFormName(Enum):
    """What a reply holds, and in which order."""

    label_only = "label_only"
    reason_first = "reason_first"
    label_first = "label_first"


@app.command("list")
@guarded
def list_known(
    as_json: JsonOption = False,
) -> None:
    """List the shipped templates by metric, and the peers' prompts."""
    from metajudge.gold.claim import METRIC_NAMES
    from metajudge.templates.catalogue import catalogue
    from metajudge.templates.peers import PEERS

    if as_json:
        listed = [
            _fields(source) | {"metric": metric}
            for metric in METRIC_NAMES
            for wording in catalogue(metric).values()
            for source in wording.by_language.values()
        ]
        say_json({"templates": listed, "peers": list(PEERS)})
        return
    for metric in METRIC_NAMES:
        rows = []
        for name, wording in catalogue(metric).items():
            source = next(iter(wording.by_language.values()))
            purpose = getattr(source, "purpose", "")
            rows.append([name, " ".join(wording.by_language), source.answer.form, purpose])
        say(metric)
        say_table(["name", "languages", "answer", "purpose"], rows)
        say()
    say(wrapped(f"prompts of peers, where they are installed: {', '.join(PEERS)}"))


@app.command()
@guarded
def show(
    name: Annotated[str, typer.Argument(help="A shipped name, a peer's prompt, or a YAML file.")],
    lang: Annotated[
        ReportLanguage | None, typer.Option("--lang", help="Language, where it has several.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option("--labels", help="words, relation or letters (letters+1, …).")
    ] = None,
    form: Annotated[
        AnswerFormName | None, typer.Option("--form", help="Another answer form.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a template's purpose and risk, and its prompt for an example of what it judges."""
    from metajudge.cli.template_samples import sample_of
    from metajudge.templates.serving import frame_of

    source = _placed(_find(name, None if lang is None else lang.code), labels, form)
    context, claim, question = sample_of(frame_of(source), source.language)
    messages = source.render((context,), (claim,), question)
    if as_json:
        rendered = [{"role": m.role, "content": m.content} for m in messages]
        say_json(_fields(source) | {"messages": rendered})
        return
    say(source.label)
    for field in ("purpose", "risk"):
        text = getattr(source, field, "")
        if text:
            say(wrapped(f"{field}: {text}"))
    words = ", ".join(f"{label} = {word}" for label, word in source.dialect.words.items())
    say(wrapped(f"labels: {words}"))
    say(f"fingerprint: {source.fingerprint[:16]}")
    for message in messages:
        say()
        say(f"--- {message.role}")
        say(message.content)


def _find(name: str, language: str | None) -> PromptSource:
    from metajudge.errors import Problem, TemplateError
    from metajudge.templates.catalogue import catalogue_wording, read_template
    from metajudge.templates.peers import PEERS, peer_template

    if name in PEERS:
        return peer_template(name, language or "en")
    if name.endswith((".yaml", ".yml")) or Path(name).is_file():
        return read_template(name)
    wording = catalogue_wording(name, "templates show")
    if language is not None and language not in wording.by_language:
        law = f"{name} exists in: {', '.join(wording.by_language)}"
        raise TemplateError(Problem("--lang", law, "Choose one.", got=repr(language)))
    return wording.source_for(language or "en")


def _placed(source: PromptSource, labels: str | None, form: AnswerFormName | None) -> PromptSource:
    """The template with other labels or another answer form."""
    from metajudge.errors import Problem, TemplateError
    from metajudge.templates.catalogue import changed
    from metajudge.templates.source import AnswerForm
    from metajudge.templates.template import Template

    changes: dict[str, Any] = {}
    if labels is not None:
        from metajudge.templates.dialect import named_dialect

        changes["labels"] = named_dialect(labels, source.language, "--labels").model_dump()
    if form is not None:
        changes["answer"] = AnswerForm.model_validate(
            {"form": form.value, "json": source.answer.json_}
        )
    if not changes:
        return source
    if not isinstance(source, Template):
        law = "a peer's prompt is used as it is"
        raise TemplateError(Problem(source.label, law, "Take --labels and --form out."))
    return changed(source, source.label, **changes)


def _fields(source: PromptSource) -> dict[str, Any]:
    return {
        "label": source.label,
        "family": source.family,
        "language": source.language,
        "purpose": getattr(source, "purpose", ""),
        "risk": getattr(source, "risk", ""),
        "labels": dict(source.dialect.words),
        "answer": {"form": source.answer.form, "json": source.answer.json_},
        "claims_per_call": source.claims_per_call,
        "fingerprint": source.fingerprint,
    }

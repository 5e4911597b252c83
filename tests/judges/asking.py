"""A request and a way to ask it once, shared by the transports' tests."""

from __future__ import annotations

from metajudge.judges.judge import Request
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge
from metajudge.templates.catalogue import catalogue_wording
from metajudge.templates.message import Message
from metajudge.templates.source import AnswerForm
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply
from tests.loopback import LoopbackServer

REQUEST = Request((Message("system", "Check."), Message("user", "Claim: 九点开门 🙂")), 3, 2)


async def ask_once(
    server: LoopbackServer,
    spec: str = "openai/gpt-4o-mini",
    request: Request = REQUEST,
    timeout_s: float = 60.0,
) -> Reply:
    judge = open_judge(spec, JudgeOptions(api_base=server.url, timeout_s=timeout_s))
    try:
        return await judge.ask(request)
    finally:
        await judge.close()


def literal(language: str = "en", **changes: AnswerForm | int) -> Template:
    """The shipped `literal` template with some fields changed."""
    template = catalogue_wording("literal").by_language[language]
    assert isinstance(template, Template)
    return template.model_copy(update=changes)

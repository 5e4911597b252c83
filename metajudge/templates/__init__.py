"""What judges are asked: templates, their dialects, and the shipped catalogue."""

from metajudge.templates.catalogue import (
    Wording,
    catalogue,
    catalogue_wording,
    changed,
    read_template,
    read_wordings,
)
from metajudge.templates.dialect import DIALECTS, Dialect, named_dialect
from metajudge.templates.lint import template_problems
from metajudge.templates.message import Message
from metajudge.templates.peers import PEERS, PeerTemplate, peer_template
from metajudge.templates.source import AnswerForm, PromptSource
from metajudge.templates.template import Example, Layout, Template

__all__ = [
    "DIALECTS",
    "PEERS",
    "AnswerForm",
    "Dialect",
    "Example",
    "Layout",
    "Message",
    "PeerTemplate",
    "PromptSource",
    "Template",
    "Wording",
    "catalogue",
    "catalogue_wording",
    "changed",
    "named_dialect",
    "peer_template",
    "read_template",
    "read_wordings",
    "template_problems",
]

"""What judges are asked: templates, their dialects, and the shipped catalogue."""

from metajudge.templates.catalogue import (
    Wording,
    catalogue,
    catalogue_wording,
    changed,
    read_template,
    read_wordings,
)
from metajudge.templates.context_form import RAW, ContextForm, parse_context_form
from metajudge.templates.dialect import DIALECTS, Dialect, named_dialect
from metajudge.templates.lint import template_problems
from metajudge.templates.message import Message
from metajudge.templates.paraphrase import paraphrased
from metajudge.templates.peers import PEERS, PeerTemplate, peer_template
from metajudge.templates.perturb import (
    AXES,
    DEFAULT_LEVELS,
    Axis,
    Perturbation,
    Perturbed,
    parse_perturbation,
)
from metajudge.templates.source import AnswerForm, PromptSource
from metajudge.templates.template import Example, Layout, Template
from metajudge.templates.truths import TruthsPrompt, truths_prompt

__all__ = [
    "AXES",
    "DEFAULT_LEVELS",
    "DIALECTS",
    "PEERS",
    "RAW",
    "AnswerForm",
    "Axis",
    "ContextForm",
    "Dialect",
    "Example",
    "Layout",
    "Message",
    "PeerTemplate",
    "Perturbation",
    "Perturbed",
    "PromptSource",
    "Template",
    "TruthsPrompt",
    "Wording",
    "catalogue",
    "catalogue_wording",
    "changed",
    "named_dialect",
    "paraphrased",
    "parse_context_form",
    "parse_perturbation",
    "peer_template",
    "read_template",
    "read_wordings",
    "template_problems",
    "truths_prompt",
]

"""What is wrong or doubtful in a template that reads well: `templates lint`, without a judge."""

from metajudge.templates.prompt_lint.finding import CODES, PromptFinding
from metajudge.templates.prompt_lint.lint import lint_template, lint_templates
from metajudge.templates.prompt_lint.place import PlacedTemplate, named_templates

__all__ = [
    "CODES",
    "PlacedTemplate",
    "PromptFinding",
    "lint_template",
    "lint_templates",
    "named_templates",
]

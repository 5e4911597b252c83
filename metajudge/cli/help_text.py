"""What stands at the end of a verb's help: examples to copy, and the exit codes."""

from __future__ import annotations

from metajudge.cli.exit_codes import HELP

_ANSWERS = "metajudge evaluate answers.jsonl --metrics"
EXAMPLES: dict[str, tuple[str, ...]] = {
    "sweep": (
        "metajudge sweep",
        "metajudge sweep starter --lang zh",
        "metajudge sweep starter --budget-usd 5 --require-winner",
    ),
    "plan": ("metajudge plan starter", "metajudge plan starter --repeats 3 --json"),
    "select": (
        "metajudge select starter",
        "metajudge select starter --confirm",
        'metajudge select . --confirm --candidate "literal (batch_corrected)"',
    ),
    "compare": (
        "metajudge compare close-reading fair-summary --in starter",
        "metajudge compare runs/before runs/after",
    ),
    "power": ("metajudge power starter --figure summary-as-idk",),
    "stability": ("metajudge stability starter",),
    "tune": ("metajudge tune starter", "metajudge tune . --members 3 --sampler tpe --trials 2000"),
    "race": ("metajudge race starter --dry-run", "metajudge race starter --method halving"),
    "search": ("metajudge search . --dry-run", "metajudge search . --trials 40"),
    "optimise": (
        "metajudge optimise . --method bootstrap --examples 3 --pool pool.jsonl",
        "metajudge optimise . --method gepa --proposer openai/gpt-4o --rounds 12",
    ),
    "gold import": (
        "metajudge gold import ratings.csv --to gold/ratings",
        "metajudge gold import ratings.csv --to gold/ratings --map claim=Statement \\\n"
        "    --map context=Passage --map label:anna=Anna --labels 支持=yes",
        "metajudge gold import hf:lytang/LLM-AggreFact#dev --dry-run",
    ),
    "gold formats": ("metajudge gold formats",),
    "gold check": ("metajudge gold check gold/ratings",),
    "gold stats": ("metajudge gold stats gold/ratings",),
    "gold split": ("metajudge gold split gold/ratings --write",),
    "gold agree": ("metajudge gold agree gold/ratings",),
    "gold next": (
        "metajudge gold next gold/ratings --n 30 --to order.jsonl",
        "metajudge gold next --experiment experiment.yaml --to order.jsonl",
    ),
    "gold policy": (
        "metajudge gold policy gold/ratings --html guideline.html",
        "metajudge gold policy gold/ratings --set inference=no --why WHY --dry-run",
    ),
    "gold datasheet": ("metajudge gold datasheet gold/ratings --write",),
    "gold export": (
        "metajudge gold export gold/ratings --to labels.csv",
        "metajudge gold export gold/ratings --to copy --as folder",
    ),
    "label": (
        "metajudge label gold/ratings --as anna",
        "metajudge label gold/ratings --as bo --double 0.2",
        "metajudge label gold/ratings --as chair --adjudicate --lang zh",
    ),
    "release create": (
        "metajudge release create starter --name my-verdict --policy strict",
        "metajudge release create --policy strict --override WHY",
    ),
    "release list": ("metajudge release list",),
    "release show": ("metajudge release show faithfulness-verdict@1",),
    "release diff": ("metajudge release diff my-verdict@1.0.0 my-verdict@1.1.0",),
    "release verify": (
        "metajudge release verify faithfulness-verdict@1",
        "metajudge release verify my-verdict@1 --live --budget-usd 5",
    ),
    "release emit": ("metajudge release emit my-verdict@1 --to deepeval --out drop_ins",),
    "release identify": ("metajudge release identify drop_ins/my_verdict_deepeval.py",),
    "release promote": ('metajudge release promote my-verdict@1.1.0 --reason "agreed on Monday"',),
    "release deprecate": (
        'metajudge release deprecate my-verdict@1.0.0 --reason "the judge is gone"',
    ),
    "consult": (
        "metajudge consult --current literal+lenient --proposed my-verdict@1 \\\n"
        "    --sample answers.jsonl",
        "metajudge consult --current deepeval:faithfulness --proposed my-verdict@1 \\\n"
        "    --sample answers.jsonl --budget-usd 5 --lang zh",
    ),
    "watch": (
        "metajudge watch --release my-verdict@1 --canary gold/mine",
        "metajudge watch --release my-verdict@1 --canary gold/mine --acknowledge WHY",
    ),
    "judge": (
        "metajudge judge answers.jsonl --release my-verdict@1 --out judged.jsonl",
        "metajudge judge answers.csv --release my-verdict@1 --claims extract \\\n"
        "    --extraction-repeats 3",
        "metajudge judge answers.jsonl --release my-verdict@1 --lang zh",
    ),
    "evaluate": (
        "metajudge evaluate --list",
        f"{_ANSWERS} faithfulness,context_relevance \\\n"
        "    --judge openai/gpt-4o-mini --out scores.jsonl",
        f"{_ANSWERS} groundedness --lang zh \\\n"
        "    --judge hosted_vllm/my-model --api-base http://127.0.0.1:8000/v1",
        f"{_ANSWERS} faithfulness \\\n    --release my-verdict@1",
    ),
    "diagnose": (
        "metajudge diagnose scores.jsonl --temperature 0.2 --no-hard-rule",
        "metajudge diagnose after.jsonl --against before.jsonl",
    ),
    "score": ("metajudge score verdicts.csv --policy strict --threshold 0.8",),
    "cascade fit": ("metajudge cascade fit gold/mine --judge openai/gpt-4o-mini --miss-rate 0.1",),
    "cascade run": ("metajudge cascade run cascade.yaml answers.jsonl --queue gold/queue",),
    "cascade confirm": ("metajudge cascade confirm cascade.yaml gold/mine",),
    "monitor sample": (
        "metajudge monitor sample traffic.jsonl --out sample.jsonl --by product,lang",
        "metajudge monitor sample spans.jsonl --out sample.jsonl --from spans",
    ),
    "monitor score": ("metajudge monitor score sample.jsonl --release my-verdict@1",),
    "monitor record": ('metajudge monitor record evaluated.jsonl --release "my judge" --texts',),
    "monitor trend": (
        "metajudge monitor trend",
        'metajudge monitor trend --acknowledge "the new retriever, taken back"',
    ),
    "monitor queue": ("metajudge monitor queue gold/queue --answers sample.jsonl",),
    "monitor page": ("metajudge monitor page monitor.html --lang zh",),
    "monitor export": ("metajudge monitor export --to prometheus --out metajudge.prom",),
    "gate": (
        "metajudge gate --suite suite.yaml --write-baseline",
        "metajudge gate --suite suite.yaml --junit gate.xml --markdown gate.md",
        "metajudge gate --suite suite.yaml --answers out.jsonl --offline",
    ),
    "init": ("metajudge init starter",),
    "doctor": ("metajudge doctor",),
    "templates list": ("metajudge templates list",),
    "templates show": (
        "metajudge templates show summary-tolerant --lang zh",
        "metajudge templates show templates/my-wording.en.yaml",
    ),
    "templates lint": ("metajudge templates lint templates --gold gold/ratings",),
    "models list": ("metajudge models list",),
    "models pull": ("metajudge models pull qwen2.5-coder-1.5b",),
    "models verify": ("metajudge models verify qwen2.5-coder-1.5b",),
    "report": ("metajudge report runs/starter/results.json --html report.html --gold gold",),
}
"""Commands by verb, none wider than 76 columns; a test holds that each is one."""

DECIDES = frozenset(
    "sweep select compare power stability tune race search optimise consult watch judge evaluate "
    "gate".split()
) | {
    "cascade fit",
    "cascade run",
    "cascade confirm",
    "monitor score",
    "monitor trend",
    "gold next",
    "release verify",
    "release identify",
    "templates lint",
}
"""Verbs that may end with something else than 0 and 2."""


def epilog(verb: str) -> str:
    """What follows a verb's options, for Click: a backspace keeps the lines after it as they are.

    >>> print(epilog("doctor").replace(chr(8), "|"))
    |
    Examples:
      metajudge doctor
    """
    lines = "\n".join(EXAMPLES[verb]).replace("\n", "\n  ")
    examples = f"\b\nExamples:\n  {lines}"
    return f"{examples}\n\n{HELP}" if verb in DECIDES else examples

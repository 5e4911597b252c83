"""What made the figures of a report: hashes, seeds, versions, counts."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.report.figure_text import compact, count
from metajudge.report.results import Results
from metajudge.report.words import Language, word, word_or_code


def provenance(results: Results, language: Language) -> Iterator[tuple[str, str]]:
    """What made these figures: hashes, seeds, versions, counts, as (name, text)."""
    gold, calls = results.gold, results.calls
    source = word_or_code("label_source", gold.label_source, language)
    tokens = (calls.prompt_tokens, calls.cached_tokens, calls.completion_tokens)
    fields: dict[str, str] = {
        "created": results.created,
        "package": results.package_version,
        "schema": results.schema_version,
        "config": results.config_sha256,
        "gold": gold.sha256,
        "labels": ", ".join(f"{label} {count(n)}" for label, n in gold.labels.items()),
        "languages": ", ".join(f"{lang} {count(n)}" for lang, n in gold.languages.items()),
        "label_source": source,
        "policy_version": gold.policy_version,
        "seed": str(results.seed),
        "resamples": count(results.resamples),
        "alpha": f"{results.alpha:g}",
        "baseline": results.baseline or "–",
        "tokens": ", ".join(map(count, tokens)),
        "wall": f"{calls.wall_s:,.1f}",
        "cost": "–" if calls.cost_usd is None else f"{calls.cost_usd:,.4f}",
    }
    for key, text in fields.items():
        yield word(f"provenance.{key}", language), text
    for name, bound in results.guardrails.items():
        yield word_or_code("guardrail", name, language), compact(bound)
    for judge in results.judges:
        identity = ", ".join(f"{key}={value}" for key, value in judge.identity.items())
        yield f"{word('judge', language)} {judge.spec}", identity

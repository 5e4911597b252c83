"""Hashes of gold content: ids for rows without one, and the hash of a whole gold set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from metajudge.gold.claim import Claim, Context, GoldManifest, LabellingPolicy

_ID_DIGITS = 16
_canonical = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


def _digest(content: Any) -> str:
    return hashlib.sha256(_canonical(content).encode("ascii")).hexdigest()


def context_id_of(passages: Sequence[str]) -> str:
    """An id made from the passages alone: the same in any order, file and run.

    >>> context_id_of(["Tea is a drink."])
    'x-f6fabb50c3542481'
    """
    return f"x-{_digest(list(passages))[:_ID_DIGITS]}"


def answer_id_of(passages: Sequence[str], question: str | None) -> str:
    """An id for the answer that claims without one belong to: one per context and question."""
    return f"a-{_digest([list(passages), question])[:_ID_DIGITS]}"


def claim_id_of(passages: Sequence[str], question: str | None, answer_id: str, claim: str) -> str:
    """An id made from what the claim says and what it is judged against."""
    return f"c-{_digest([list(passages), question, answer_id, claim])[:_ID_DIGITS]}"


def gold_sha256(
    manifest: GoldManifest, claims: Iterable[Claim], contexts: Iterable[Context]
) -> str:
    """Hash of what people said: metric, label space, labelling policy, claims and contexts.

    Order and formatting of the files do not matter, nor do the name, version, split and context
    groups; a changed text, label, annotation or rule does.
    """
    return _digest(
        {
            "label_space": manifest.label_space,
            "labelling_policy": _policy_fields(manifest.labelling_policy),
            **({} if manifest.metric == "faithfulness" else {"metric": manifest.metric}),
            "claims": [
                claim.model_dump(mode="json", exclude_defaults=True)
                for claim in sorted(claims, key=lambda claim: claim.claim_id)
            ],
            "contexts": [
                context.model_dump(mode="json", exclude_defaults=True, exclude={"group"})
                for context in sorted(contexts, key=lambda context: context.context_id)
            ],
        }
    )


def _policy_fields(policy: LabellingPolicy) -> dict[str, Any]:
    """The policy as it is hashed: fields that came later count where they are used."""
    fields = policy.model_dump(mode="json", exclude={"changes"})
    if not policy.support:
        del fields["support"]
    return fields

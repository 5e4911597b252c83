"""What people said: gold claims, their contexts and the rules they were labelled by.

Public names are resolved when they are first used, so that a single module of it stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metajudge.gold.annotators import AnnotationMatrix, adjudicate, annotation_matrix
    from metajudge.gold.claim import Annotation, Claim, Context, GoldManifest, LabellingPolicy
    from metajudge.gold.controls import ControlProbes, Probe, control_set, make_probes
    from metajudge.gold.exporters.export import export_goldset
    from metajudge.gold.goldset import GoldSet, load_goldset, read_table
    from metajudge.gold.ledger import (
        LedgerEntry,
        already_confirmed,
        read_ledger,
        record_read,
        sealed,
        unseal,
    )
    from metajudge.gold.lint import Finding, LintReport, check_goldset
    from metajudge.gold.policy import needs_relabelling
    from metajudge.gold.split import FrozenSplit, SplitBalance, freeze_split
    from metajudge.gold.writer import record_split, write_goldset

_HOMES = {
    "Annotation": "claim",
    "AnnotationMatrix": "annotators",
    "Claim": "claim",
    "Context": "claim",
    "ControlProbes": "controls",
    "Finding": "lint",
    "FrozenSplit": "split",
    "GoldManifest": "claim",
    "GoldSet": "goldset",
    "LabellingPolicy": "claim",
    "LedgerEntry": "ledger",
    "LintReport": "lint",
    "Probe": "controls",
    "SplitBalance": "split",
    "adjudicate": "annotators",
    "already_confirmed": "ledger",
    "annotation_matrix": "annotators",
    "check_goldset": "lint",
    "control_set": "controls",
    "export_goldset": "exporters.export",
    "freeze_split": "split",
    "load_goldset": "goldset",
    "make_probes": "controls",
    "needs_relabelling": "policy",
    "read_ledger": "ledger",
    "read_table": "goldset",
    "record_read": "ledger",
    "record_split": "writer",
    "sealed": "ledger",
    "unseal": "ledger",
    "write_goldset": "writer",
}

__all__ = [
    "Annotation",
    "AnnotationMatrix",
    "Claim",
    "Context",
    "ControlProbes",
    "Finding",
    "FrozenSplit",
    "GoldManifest",
    "GoldSet",
    "LabellingPolicy",
    "LedgerEntry",
    "LintReport",
    "Probe",
    "SplitBalance",
    "adjudicate",
    "already_confirmed",
    "annotation_matrix",
    "check_goldset",
    "control_set",
    "export_goldset",
    "freeze_split",
    "load_goldset",
    "make_probes",
    "needs_relabelling",
    "read_ledger",
    "read_table",
    "record_read",
    "record_split",
    "sealed",
    "unseal",
    "write_goldset",
]


def __getattr__(name: str) -> Any:
    """Resolve a public name from its module."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'metajudge.gold' has no attribute {name!r}")
    return getattr(importlib.import_module(f"metajudge.gold.{home}"), name)


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)

"""What people said: gold claims, their contexts and the rules they were labelled by."""

from metajudge.gold.annotators import AnnotationMatrix, adjudicate, annotation_matrix
from metajudge.gold.claim import Annotation, Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.controls import ControlProbes, Probe, control_set, make_probes
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
from metajudge.gold.split import FrozenSplit, SplitBalance, freeze_split
from metajudge.gold.writer import record_split, write_goldset

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
    "freeze_split",
    "load_goldset",
    "make_probes",
    "read_ledger",
    "read_table",
    "record_read",
    "record_split",
    "sealed",
    "unseal",
    "write_goldset",
]

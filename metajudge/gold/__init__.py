"""What people said: gold claims, their contexts and the rules they were labelled by."""

from metajudge.gold.annotators import AnnotationMatrix, adjudicate, annotation_matrix
from metajudge.gold.claim import Annotation, Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.goldset import GoldSet, load_goldset, read_table
from metajudge.gold.lint import Finding, LintReport, check_goldset
from metajudge.gold.split import FrozenSplit, SplitBalance, freeze_split
from metajudge.gold.writer import record_split, write_goldset

__all__ = [
    "Annotation",
    "AnnotationMatrix",
    "Claim",
    "Context",
    "Finding",
    "FrozenSplit",
    "GoldManifest",
    "GoldSet",
    "LabellingPolicy",
    "LintReport",
    "SplitBalance",
    "adjudicate",
    "annotation_matrix",
    "check_goldset",
    "freeze_split",
    "load_goldset",
    "read_table",
    "record_split",
    "write_goldset",
]

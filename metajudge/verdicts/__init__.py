"""What came back: replies, the verdicts read from them, and their table."""

from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.passages import ABSENT_CODE, joined
from metajudge.verdicts.probability import label_probabilities, prior_corrected
from metajudge.verdicts.table import (
    FAILURE_CODE,
    READINGS,
    LabelCodes,
    Reading,
    VerdictRow,
    VerdictTable,
    label_codes,
)
from metajudge.verdicts.truths import Truths, read_truths
from metajudge.verdicts.verdict import (
    FAILURES,
    LABELS,
    Failure,
    Label,
    LabelProbabilities,
    Reply,
    TokenLogprob,
    Verdict,
)

__all__ = [
    "ABSENT_CODE",
    "FAILURES",
    "FAILURE_CODE",
    "LABELS",
    "READINGS",
    "Failure",
    "Label",
    "LabelCodes",
    "LabelProbabilities",
    "Reading",
    "Reply",
    "TokenLogprob",
    "Truths",
    "Verdict",
    "VerdictRow",
    "VerdictTable",
    "joined",
    "label_codes",
    "label_probabilities",
    "parse_reply",
    "prior_corrected",
    "read_truths",
]

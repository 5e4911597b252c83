"""What a change of the metric would do to a sample of answers, and whether to make it."""

from metajudge.release.consult.consultation import consult
from metajudge.release.consult.reported import Statistics
from metajudge.release.consult.rule import Bounds

__all__ = ["Bounds", "Statistics", "consult"]

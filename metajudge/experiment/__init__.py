"""The declared question, and the objects that answer it."""

from metajudge.experiment.config import ExperimentConfig, read_experiment
from metajudge.experiment.outcome import SweepOutcome
from metajudge.experiment.sweep import Experiment

__all__ = ["Experiment", "ExperimentConfig", "SweepOutcome", "read_experiment"]

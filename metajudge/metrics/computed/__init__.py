"""Metrics that are computed, without a judge's prose: counts, wording, vectors, entailment."""

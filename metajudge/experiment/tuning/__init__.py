"""Readings, thresholds, panels and policy weights tuned on what a store holds of an experiment."""

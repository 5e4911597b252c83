"""Readings, thresholds, panels and policies searched on stored replies."""

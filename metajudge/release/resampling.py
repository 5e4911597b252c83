"""How means over answers are resampled: `judge`, `evaluate`, `diagnose` and `monitor` say alike."""

from __future__ import annotations

RESAMPLES = 1000
SEED = 20250301
LEVEL = 0.95
"""Coverage of an interval."""

"""Negative controls: probes made from gold whose wrong verdicts are known without a judge."""

from metajudge.gold.controls.kinds import CONTEXT_KINDS, KINDS, ControlKind, Probe
from metajudge.gold.controls.probes import (
    ControlProbes,
    control_set,
    make_probes,
)

__all__ = [
    "CONTEXT_KINDS",
    "KINDS",
    "ControlKind",
    "ControlProbes",
    "Probe",
    "control_set",
    "make_probes",
]

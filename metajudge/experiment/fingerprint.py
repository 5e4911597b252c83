"""The hash by which an experiment is named in results and in the ledger of test labels."""

from __future__ import annotations

import hashlib
import json

from metajudge.experiment.config import ExperimentConfig


def config_sha256(config: ExperimentConfig) -> str:
    """SHA-256 in hex of what the experiment declares; the form of its file does not matter.

    A search is no part of it: it proposes templates, and changes nothing of the sweep.
    """
    declared = config.model_dump(mode="json", exclude={"search"})
    canonical = json.dumps(declared, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()

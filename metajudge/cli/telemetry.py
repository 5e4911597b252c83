"""The telemetry switches of libraries that metajudge may load. metajudge itself has none."""

from __future__ import annotations

from collections.abc import MutableMapping

SWITCHES = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DISABLE_TELEMETRY": "YES",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""Environment variables by name, with the value that switches telemetry off."""


def switch_off(environ: MutableMapping[str, str]) -> None:
    """Switch every library's telemetry off, whatever the environment says.

    >>> environ = {"RAGAS_DO_NOT_TRACK": "false"}
    >>> switch_off(environ); environ["RAGAS_DO_NOT_TRACK"]
    'true'
    """
    environ.update(SWITCHES)

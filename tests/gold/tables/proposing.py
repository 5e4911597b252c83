"""Small columns of statements, passages and labels."""

from __future__ import annotations

from typing import Any

LONG = [
    "The town library opens at nine on weekdays and closes at six; on Saturdays it closes at one.",
    "Boats to the island leave every hour from the east pier, and bicycles travel free of charge.",
    "图书馆工作日上午九点开门，晚上六点关门；周六下午一点关门，节假日另行通知。",
    "The museum shop sells maps and postcards; it is open whenever the museum itself is open.",
]
SHORT = ["It opens at nine.", "Boats leave hourly.", "周六下午关门。", "The shop sells maps."]
THREE = ["Supported", "Contradicted", "Not mentioned", "Supported"]
TEXTS: dict[str, Any] = {"Claim": SHORT, "Context": LONG}

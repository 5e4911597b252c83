"""How hard a run may push: deadlines, attempts, concurrency, budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from metajudge.runner.call import FailureClass, RunReport

START_IN_FLIGHT = 16
FLOOR_IN_FLIGHT = 4
CEILING_IN_FLIGHT = 128

MAX_ATTEMPTS: Mapping[FailureClass, int] = {
    "rate_limit": 10,
    "server": 4,
    "connection": 4,
    "timeout": 2,
    "empty": 2,
}
"""Attempts in all that a call gets, by class of error; a class not listed gets one.

Refusals with 429 have a count of their own, so that throttling never uses up the attempts that
time-outs and server errors have.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """Hard upper limits of one run; None is no limit.

    Attributes:
        usd: Money in USD, over replies with a known price. Kept by holding back as many calls as
            the dearest one seen could make too many; the first priced reply is awaited alone.
        calls: Attempts sent to the judge, retries included.
        minutes: Wall time in minutes.
    """

    usd: float | None = None
    calls: int | None = None
    minutes: float | None = None

    def left(self, reports: Iterable[RunReport], elapsed_s: float = 0.0) -> Budget:
        """What earlier runs leave of it.

        Args:
            reports: Their accounts.
            elapsed_s: Wall time since the first of them began, in s.

        >>> Budget(calls=10, minutes=2).left([RunReport(asked=4, sent=4)], elapsed_s=30)
        Budget(usd=None, calls=6, minutes=1.5)
        """
        known = list(reports)
        spent, sent = sum(r.cost_usd or 0.0 for r in known), sum(r.sent for r in known)
        return Budget(
            usd=None if self.usd is None else max(self.usd - spent, 0.0),
            calls=None if self.calls is None else max(self.calls - sent, 0),
            minutes=None if self.minutes is None else max(self.minutes - elapsed_s / 60, 1e-9),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Everything that bounds a run. No value here enters a call's key.

    Attributes:
        deadline_s: Time that one attempt may take, in s. Waiting to be sent does not count.
        max_attempts: Attempts in all by class of error; overrides `MAX_ATTEMPTS` class by class.
        max_in_flight: Exact number of calls under way at once; None adapts between 4 and 128,
            starting at 16. The judge's own `max_in_flight` caps both.
        retry_share: Retries that all calls share, as a share of the calls begun.
        retry_floor: Retries that all calls share whatever their number. 429 is not charged here.
        stop_after: Total failures in a row, or refusals (429) in a row with no answer between
            them, after which the judge counts as down.
        backoff_s: First pause before a retry, in s; doubles each time, with jitter, up to 30 s.
        patience_s: Longest `Retry-After` that is waited for, in s; beyond it the run stops.
        grace_s: How long calls in flight are waited for after an early end, in s.
        budget: Hard budget.
        lease_s: Keep calls under way from other processes on the same store: none asks for a call
            that another one has out, it waits for the reply instead. How long a lease holds in s
            unless it is renewed, as it is while its run lives (`metajudge.runner.leases.LEASE_S`
            is a good one). None: processes may ask for the same call at once.
    """

    deadline_s: float = 120.0
    max_attempts: Mapping[FailureClass, int] = field(default_factory=dict)
    max_in_flight: int | None = None
    retry_share: float = 0.2
    retry_floor: int = 50
    stop_after: int = 8
    backoff_s: float = 0.5
    patience_s: float = 300.0
    grace_s: float = 5.0
    budget: Budget = Budget()
    lease_s: float | None = None

    def attempts_for(self, kind: FailureClass) -> int:
        """Attempts in all that a call gets when its last error is of this class; at least 1.

        >>> Limits(max_attempts={"timeout": 3}).attempts_for("timeout")
        3
        >>> Limits().attempts_for("bad_request")
        1
        """
        return max(1, self.max_attempts.get(kind, MAX_ATTEMPTS.get(kind, 1)))

    def retries_allowed(self, calls_begun: int) -> int:
        """Retries that all calls together may have made once `calls_begun` calls have begun.

        >>> Limits(retry_share=0.2, retry_floor=50).retries_allowed(1000)
        250
        """
        return self.retry_floor + int(self.retry_share * calls_begun)

    def widest(self, judge_cap: int | None) -> int:
        """Most calls that can ever be under way at once.

        >>> Limits().widest(None), Limits(max_in_flight=500).widest(None), Limits().widest(1)
        (128, 500, 1)
        """
        widest = CEILING_IN_FLIGHT if self.max_in_flight is None else self.max_in_flight
        return max(1, widest if judge_cap is None else min(widest, judge_cap))

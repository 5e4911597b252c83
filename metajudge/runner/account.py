"""Running totals of a run: what was sent, answered, failed and paid."""

from __future__ import annotations

import time
from collections import Counter

from metajudge.counted import counted
from metajudge.runner.call import FailureClass, RunReport, Stopped
from metajudge.runner.limits import Budget, Limits
from metajudge.verdicts.verdict import Reply


def budget_not_kept(usd: float, unpriced: int) -> str:
    """That a budget in USD says nothing about some replies.

    >>> budget_not_kept(1.5, 1)
    '1 reply has no known price, so the budget of 1.5 USD could not be kept for it'
    """
    told = f"{counted(unpriced, 'replies have')} no known price"
    them = "it" if unpriced == 1 else "them"
    return f"{told}, so the budget of {usd:g} USD could not be kept for {them}"


class Account:
    """Totals of one run, and what the budget still allows.

    Args:
        asked: Distinct calls wanted.
        cache_hits: Of these, already in the store.
        budget: Hard limits of the run.
    """

    def __init__(self, asked: int, cache_hits: int, budget: Budget) -> None:
        self.asked = asked
        self.cache_hits = cache_hits
        self.budget = budget
        self.begun = 0
        self.sent = 0
        self._charged_retries = 0
        self.answered = 0
        self.failures: Counter[FailureClass] = Counter()
        self._tokens = Counter(prompt=0, completion=0, cached=0)
        self._cost_usd: float | None = None
        self._dearest_usd = 0.0
        self._unpriced = 0
        self._started = time.monotonic()

    def charge_retry(self, limits: Limits) -> bool:
        """Take one from the shared retry budget; False when it is used up."""
        if self._charged_retries >= limits.retries_allowed(self.begun):
            return False
        self._charged_retries += 1
        return True

    def add_usage(self, reply: Reply) -> None:
        """Tokens and price of a reply, also of one that is asked for again."""
        self._tokens["prompt"] += reply.prompt_tokens or 0
        self._tokens["completion"] += reply.completion_tokens or 0
        self._tokens["cached"] += reply.cached_tokens or 0
        if reply.cost_usd is None:
            self._unpriced += 1
            return
        self._cost_usd = (self._cost_usd or 0.0) + reply.cost_usd
        self._dearest_usd = max(self._dearest_usd, reply.cost_usd)

    def affordable(self) -> int | None:
        """Calls that may be under way at once without passing the USD budget; None for any.

        1 until the first reply shows a price, so that the price is known before many are sent.
        """
        usd = self.budget.usd
        if usd is None or (self._cost_usd is None and self._unpriced):
            return None
        if self._cost_usd is None:
            return 1 if usd > 0 else 0
        if self._dearest_usd == 0.0:
            return None
        return max(0, int((usd - self._cost_usd) / self._dearest_usd))

    def spent(self) -> str | None:
        """Which budget of calls or USD is used up, as a sentence; None while both have room."""
        budget = self.budget
        if budget.calls is not None and self.sent >= budget.calls:
            return f"the budget of {counted(budget.calls, 'calls')} is spent. Run again to go on."
        if self.affordable() == 0:
            paid = f"{self._cost_usd or 0.0:.4f} paid, the next call could pass it"
            return f"the budget of {budget.usd:g} USD is spent ({paid}). Run again to go on."
        return None

    @property
    def wall_s(self) -> float:
        """Time since the start in s."""
        return time.monotonic() - self._started

    def report(self, stopped: Stopped | None = None, message: str = "") -> RunReport:
        """The account as a report."""
        if self.budget.usd is not None and self._unpriced and not message:
            message = budget_not_kept(self.budget.usd, self._unpriced)
        return RunReport(
            asked=self.asked,
            cache_hits=self.cache_hits,
            answered=self.answered,
            failures=dict(self.failures),
            sent=self.sent,
            retries=self.sent - self.begun,
            prompt_tokens=self._tokens["prompt"],
            completion_tokens=self._tokens["completion"],
            cached_tokens=self._tokens["cached"],
            cost_usd=self._cost_usd,
            unpriced=self._unpriced,
            wall_s=self.wall_s,
            stopped=stopped,
            message=message,
        )

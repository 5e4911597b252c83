import pytest

from metajudge.runner import Budget, Limits
from metajudge.runner.account import Account
from metajudge.verdicts.verdict import Reply


def test_attempts_are_overridden_class_by_class():
    limits = Limits(max_attempts={"timeout": 5, "server": 0})
    assert limits.attempts_for("timeout") == 5
    assert limits.attempts_for("server") == 1
    assert limits.attempts_for("connection") == 4


@pytest.mark.parametrize(("usd", "expected"), [(None, None), (1.0, 1), (0.0, 0)])
def test_one_call_is_affordable_until_the_price_is_known(usd, expected):
    assert Account(10, 0, Budget(usd=usd)).affordable() == expected


def test_the_dearest_call_seen_counts():
    account = Account(10, 0, Budget(usd=1.0))
    account.add_usage(Reply("yes", cost_usd=0.1))
    account.add_usage(Reply("yes", cost_usd=0.2))
    assert account.affordable() == 3
    assert account.spent() is None
    account.add_usage(Reply("yes", cost_usd=0.6))
    assert "1 USD" in account.spent()


def test_unpriced_replies_are_told():
    account = Account(10, 0, Budget(usd=1.0))
    account.add_usage(Reply("yes"))
    assert account.affordable() is None
    report = account.report()
    assert report.cost_usd is None
    assert "no known price" in report.message


def test_free_calls_have_no_usd_limit():
    account = Account(10, 0, Budget(usd=1.0))
    account.add_usage(Reply("yes", cost_usd=0.0))
    assert account.affordable() is None
    assert account.report().cost_usd == 0.0

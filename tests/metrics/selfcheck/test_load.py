"""200 checks at once: nothing is raised, nothing is lost, whatever the judge does; no times."""

import asyncio
import json
import random
import threading

import pytest

from metajudge.metrics.selfcheck.checked import SHOWN
from metajudge.runner.store import Store
from tests.loopback import chat, drop, error, hang, html, serve
from tests.metrics.selfcheck.asked import PASSAGES, checker, claim_of, reads

CHECKS = 200


def answer_of(number):
    """A good answer, a bad one, or one of both."""
    good, bad = f"Hall {number} opens at nine.", f"Hall {number} closes at five."
    return (good, bad, f"{good} {bad}")[number % 3]


DECISIONS = ("passed", "refused", "stripped")


def faulty(call):
    """A judge that fails in every way for a third of the claims."""
    dice = random.Random(claim_of(call.prompt))
    ways = [error(500), error(429), html(), drop(), hang(), chat("hm"), chat("")]
    return dice.choice(ways) if dice.random() < 0.33 else reads(call)


async def all_at_once(checks):
    return await asyncio.gather(
        *(checks.check_async(answer_of(n), PASSAGES) for n in range(CHECKS))
    )


def in_threads(checks):
    found = [None] * CHECKS

    def work(number):
        found[number] = checks.check(answer_of(number), PASSAGES)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(CHECKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("way", ["async", "threads"])
def test_200_checks_at_once_end_as_each_would_alone(way, tmp_path):
    log, store = tmp_path / "checks.jsonl", tmp_path / "replies.sqlite"
    settings = {"deadline_s": 60, "log": log, "store": store}
    with serve(reads, latency_s=0.05) as server, checker(server.url, **settings) as checks:
        found = asyncio.run(all_at_once(checks)) if way == "async" else in_threads(checks)
        assert [checked.decision for checked in found] == [DECISIONS[n % 3] for n in range(CHECKS)]
        assert [checked.units[0].text for checked in found] == [
            answer_of(n).partition(". ")[0].rstrip(".") + "." for n in range(CHECKS)
        ]
        assert server.calls == sum(len(checked.units) for checked in found)
        assert server.peak_in_flight <= 256
        assert sum(checks.counts.values()) == CHECKS
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["answer"] for row in rows) == sorted(answer_of(n) for n in range(CHECKS))
    with Store(store) as kept:
        assert kept.count() == server.calls


@pytest.mark.parametrize("on_failure", ["closed", "open"])
@pytest.mark.parametrize("breaker_after", [5, 10_000])
def test_200_checks_at_once_of_a_judge_that_fails_in_every_way(tmp_path, on_failure, breaker_after):
    log = tmp_path / "checks.jsonl"
    settings = {"deadline_s": 3, "breaker_after": breaker_after, "breaker_rest_s": 0.1}
    settings |= {"on_failure": on_failure, "log": log}
    with serve(faulty, latency_s=0.01) as server, checker(server.url, **settings) as checks:
        found = asyncio.run(all_at_once(checks))
    assert len(found) == CHECKS
    for number, checked in enumerate(found):
        assert checked.units, "every unit is accounted for"
        assert all((unit.label is None) != (unit.failure is None) for unit in checked.units)
        shown = checked.text if checked.decision in SHOWN else ""
        if on_failure == "closed":
            unsure = [unit.text for unit in checked.units if unit.label != "yes"]
            assert not any(text in shown for text in unsure), "what is not known is not shown"
        elif not any(unit.label in ("no", "idk") for unit in checked.units):
            assert checked.text == answer_of(number)
    assert any(not checked.complete for checked in found)
    assert len(log.read_text(encoding="utf-8").splitlines()) == CHECKS

import threading

from metajudge.metrics.selfcheck.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def down(after=3, rest_s=30.0):
    clock = Clock()
    breaker = Breaker(after, rest_s, clock)
    for _ in range(after):
        assert breaker.lets_in()
        breaker.failed("connection", "refused")
    return breaker, clock


def test_b49_after_some_failures_in_a_row_nothing_is_let_in():
    breaker, _ = down()
    assert breaker.resting
    assert not breaker.lets_in()
    assert breaker.told == "3 calls in a row failed (last: connection: refused)"


def test_an_answer_between_them_counts_from_the_start_again():
    breaker = Breaker(3, 30.0)
    for _ in range(10):
        breaker.failed("server", "HTTP 500")
        breaker.failed("timeout", "late")
        breaker.answered()
    assert not breaker.resting


def test_failures_that_lie_in_the_call_say_nothing_about_the_judge():
    breaker = Breaker(1, 30.0)
    for kind in ("content_filter", "context_too_long", "bad_request", "missing", "empty"):
        breaker.failed(kind, "so it is")
    assert breaker.lets_in()


def test_after_the_rest_one_call_tries_and_its_outcome_decides():
    breaker, clock = down()
    clock.now += 30.0
    assert breaker.lets_in()
    assert not breaker.lets_in(), "one at a time"
    breaker.failed("timeout", "late")
    assert not breaker.lets_in(), "another rest"
    clock.now += 30.0
    assert breaker.lets_in()
    breaker.answered()
    assert not breaker.resting
    assert breaker.lets_in()


def test_a_try_that_is_given_up_lets_another_one_try():
    breaker, clock = down()
    clock.now += 30.0
    assert breaker.lets_in()
    breaker.gave_up()
    assert breaker.lets_in()


def test_threads_may_share_it():
    breaker, clock = down()
    clock.now += 30.0
    found = []
    threads = [threading.Thread(target=lambda: found.append(breaker.lets_in())) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found) == 1


def test_a_trial_of_which_nothing_is_heard_holds_nobody_up_for_ever():
    """Its event loop was closed over it, or a fork left it in another process."""
    breaker, clock = down()
    clock.now += 30
    assert breaker.lets_in()
    clock.now += 29
    assert not breaker.lets_in()
    clock.now += 1
    assert breaker.lets_in()
    breaker.answered()
    assert not breaker.resting

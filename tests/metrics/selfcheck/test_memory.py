import itertools

from metajudge.metrics.selfcheck.checked import Said
from metajudge.metrics.selfcheck.memory import Memory, matter_digest


def test_b65_failures_are_not_kept():
    memory = Memory(10)
    memory.keep((b"", "a"), Said(None, "timeout"))
    assert memory.find((b"", "a")) is None


def test_what_was_used_last_stays():
    memory = Memory(2)
    for text in "ab":
        memory.keep((b"", text), Said("yes"))
    assert memory.find((b"", "a")) == Said("yes", cached=True)
    memory.keep((b"", "c"), Said("no"))
    assert [memory.find((b"", text)) is not None for text in "abc"] == [True, False, True]


def test_no_size_keeps_nothing():
    memory = Memory(0)
    memory.keep((b"", "a"), Said("yes"))
    assert memory.find((b"", "a")) is None


def test_no_two_matters_share_a_digest():
    matters = [
        (("ab", "c"), None, "en"),
        (("a", "bc"), None, "en"),
        (("abc",), None, "en"),
        (("ab\nc",), None, "en"),
        (("b", "c"), "a", "en"),
        (("c",), "a\nb", "en"),
        (("ab", "c"), "", "en"),
        (("ab", "c"), "-", "en"),
        (("ab", "c"), None, "zh"),
        ((), None, "en"),
        (("",), None, "en"),
        (("\ud800",), None, "en"),
    ]
    digests = [matter_digest(*matter) for matter in matters]
    assert all(one != other for one, other in itertools.combinations(digests, 2))


def test_a_unit_is_known_as_long_as_any_verdict_on_it():
    memory = Memory(2)
    memory.keep((b"1", "a"), Said("yes"))
    memory.keep((b"2", "a"), Said("no"))
    memory.keep((b"2", "a"), Said("no"))
    assert memory.has_unit("a")
    assert not memory.has_unit("b")
    memory.keep((b"1", "b"), Said("yes"))
    assert memory.has_unit("a"), "one of its two verdicts is left"
    memory.keep((b"1", "c"), Said("yes"))
    assert not memory.has_unit("a")
    memory.keep((b"1", "d"), Said(None, "timeout"))
    assert not memory.has_unit("d")

"""Who took something on, and whether it is gone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from metajudge.runner.owner import at_work, is_gone, let_go, take_on

PROGRAM = (
    "import sys; from metajudge.runner.owner import take_on\n"
    "print(take_on(), flush=True); sys.stdin.read()"
)


def test_an_owner_of_this_process_is_gone_once_it_lets_go() -> None:
    one, other = take_on(), take_on()
    assert one != other
    assert at_work(one)
    assert not is_gone(one)
    let_go(one)
    assert is_gone(one)
    assert not at_work(one)
    assert not is_gone(other)
    let_go(other)


def test_a_killed_process_is_gone_even_before_its_parent_notices() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        owner = child.stdout.readline().strip()
        assert at_work(owner)
        os.kill(child.pid, 9)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(owner)
    assert is_gone(owner)


def test_a_process_with_the_same_number_is_another_one() -> None:
    owner = take_on()
    host, pid, start, serial = owner.split(" ")
    assert start.isdigit()
    assert is_gone(f"{host} {pid} {int(start) - 1} {serial}")
    assert is_gone(f"{host} {os.getppid()} {int(start) + 1} 1")
    let_go(owner)


@pytest.mark.parametrize("pid", [1, 999_999_999])
def test_nothing_is_known_of_other_hosts(pid: int) -> None:
    owner = f"elsewhere/4026531836 {pid} 123 1"
    assert not is_gone(owner)
    assert not at_work(owner)


def test_nobody_is_gone() -> None:
    assert is_gone("")
    assert not at_work("")

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ctxkit.processes import CLOCK_SLACK, is_running, may_have_written, read_start

LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")


@contextmanager
def zombie() -> Iterator[int]:
    """Start a process that ends at once, and do not ask for its status."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    yield child.pid
    child.wait()


def test_this_process_runs() -> None:
    assert is_running(os.getpid())


def test_a_process_that_ended_does_not_run() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert not is_running(child.pid)


def test_a_number_that_no_process_can_have_does_not_run() -> None:
    assert not is_running(10**30)


@LINUX
def test_a_process_whose_parent_has_not_asked_for_its_status_does_not_run() -> None:
    with zombie() as process:
        os.kill(process, 0)  # it is still in the table of processes
        assert not is_running(process)


@LINUX
def test_the_start_of_a_process_is_known_and_that_of_no_process_is_empty() -> None:
    assert int(read_start(os.getpid())) > 0
    assert read_start(10**30) == ""


@LINUX
def test_only_a_process_that_had_started_may_have_written_a_file() -> None:
    now = time.time()
    assert may_have_written(os.getpid(), now)
    with open("/proc/uptime", encoding="ascii") as file:
        uptime = float(file.read().split()[0])
    started = now - uptime + int(read_start(os.getpid())) / os.sysconf("SC_CLK_TCK")
    assert may_have_written(os.getpid(), started)
    assert not may_have_written(os.getpid(), started - CLOCK_SLACK - 5)


def test_a_process_that_does_not_run_has_not_written_a_file() -> None:
    assert not may_have_written(10**30, time.time())

"""The system says who is at the other end of a socket."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.system.processes import (
    CLOCK_SLACK,
    UNSEEN_SECONDS,
    has_ended,
    identify_process,
    is_running,
    is_sandboxed,
    may_have_written,
    read_peer_uid,
    read_start,
)

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


def test_who_is_at_work_is_not_gone_however_long_it_takes() -> None:
    assert not has_ended(identify_process(), 0)
    assert not has_ended(identify_process(), 10**9)
    assert not has_ended(identify_process(), -(10**9))


def test_a_process_that_ended_is_gone_at_once() -> None:
    child = subprocess.Popen([sys.executable, "-c", "from ctxkit.system.processes import identify_process; print(identify_process())"], stdout=-1)
    name = child.communicate()[0].decode().strip()
    assert has_ended(name, 0)


def test_a_later_process_of_the_same_number_is_another() -> None:
    place, number, began = identify_process().rsplit(" ", 2)
    assert number == str(os.getpid())
    if began:
        assert has_ended(f"{place} {number} {int(began) - 1}", 0)


def test_who_cannot_be_seen_is_given_some_time_whichever_way_the_clock_went() -> None:
    elsewhere = "another/machine/0 1 1"
    assert not has_ended(elsewhere, UNSEEN_SECONDS - 1)
    assert has_ended(elsewhere, UNSEEN_SECONDS + 1)
    assert has_ended(elsewhere, -UNSEEN_SECONDS - 1)


def test_what_is_no_name_is_given_time_too() -> None:
    for name in ("", " ", "x", "a b"):
        assert not has_ended(name, 0)
        assert has_ended(name, UNSEEN_SECONDS + 1)


def test_the_first_two_processes_of_a_namespace_are_sandboxed() -> None:
    assert is_sandboxed(1)
    assert is_sandboxed(2)
    assert not is_sandboxed(os.getpid())


def test_the_other_end_of_a_pair_is_this_user() -> None:
    first, second = socket.socketpair()
    with first, second:
        assert read_peer_uid(first) == read_peer_uid(second) == os.geteuid()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_seen() -> None:
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:  # no folder above it is this user's alone
        path = f"{folder}/s"
        listener.bind(path)
        listener.listen()
        listener.settimeout(20)
        os.chmod(path, 0o777)
        os.chmod(folder, 0o755)
        child = os.fork()
        if not child:
            try:
                os.setuid(65_534)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
                    client.recv(1)
            finally:
                os._exit(0)
        connection, _ = listener.accept()
        with connection:
            assert read_peer_uid(connection) == 65_534
        os.waitpid(child, 0)


def test_a_socket_without_a_peer_is_an_error() -> None:
    closed = socket.socket(socket.AF_UNIX)
    closed.close()
    with pytest.raises(InputOutputError, match="the user of a connection is not known"):
        read_peer_uid(closed)

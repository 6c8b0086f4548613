"""A function in a forked process may crash, hang, and take what it wants: the process that waits lives on."""

import faulthandler
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import Exit, MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError
from ctxkit.engines import isolation
from ctxkit.engines.isolation import answer_items, deal_shares, run_forked
from ctxkit.engines.worker_process import ProcessLimits, report_group
from tests.processes import wait_until_gone

# The runner of the tests may have threads, which the function does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
LIMITS = ProcessLimits(wall=5.0)
LARGE = b"x" * 3_000_000


def die(number):
    faulthandler.disable()  # whose long farewell is pytest's, not ours
    os.kill(os.getpid(), number)
    time.sleep(10)


def raise_(error):
    raise error


@pytest.mark.parametrize("value", [None, 1, 2.5, "text \ud800", LARGE, (1, ("a", b"b")), [{"a": [None, True]}]])
def test_what_it_returns_comes_back(value) -> None:
    assert run_forked(lambda _: value, LIMITS) == value


@pytest.mark.parametrize("name", ["SEGV", "KILL", "ABRT", "BUS", "ILL"])
def test_a_process_that_dies_is_told_by_its_signal(name: str) -> None:
    with pytest.raises(WorkerDiedError, match=f"killed by SIG{name}") as died:
        run_forked(lambda _: die(getattr(signal, f"SIG{name}")), LIMITS)
    assert died.value.status == Exit.BUG


def test_a_process_that_ends_without_an_answer_is_told() -> None:
    with pytest.raises(WorkerDiedError, match="ended without an answer"):
        run_forked(lambda _: os._exit(0), LIMITS)


@pytest.mark.parametrize("hang", [lambda _: time.sleep(60), lambda _: os.kill(os.getpid(), signal.SIGSTOP)])
def test_a_process_that_hangs_is_killed(hang) -> None:
    began = time.monotonic()
    with pytest.raises(WorkerLimitError, match=r"no answer in 0\.3 s") as died:
        run_forked(hang, ProcessLimits(wall=0.3))
    assert time.monotonic() - began < 30
    assert died.value.status == Exit.MALFORMED


@pytest.mark.slow
def test_a_process_that_computes_without_end_is_killed() -> None:
    def spin(_):
        while True:
            pass

    with pytest.raises(WorkerLimitError, match="processor time"):
        run_forked(spin, ProcessLimits(cpu=1, wall=30))


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="states of processes are not readable")
def test_a_process_that_is_at_work_gets_more_time() -> None:
    def work(_channel: object) -> str:
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            pass
        return "done"

    assert run_forked(work, ProcessLimits(cpu=5, wall=0.2)) == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits memory alone")
def test_a_process_that_takes_too_much_memory_is_told() -> None:
    program = """if True:
        from ctxkit.core.text.limits import WorkerLimitError
        from ctxkit.engines.isolation import run_forked
        from ctxkit.engines.worker_process import ProcessLimits

        print(run_forked(lambda _: len(bytearray(100 << 20)), ProcessLimits.for_size(0)))
        try:
            run_forked(lambda _: len(bytearray(500 << 20)), ProcessLimits.for_size(0))
        except WorkerLimitError as error:
            print(error)
    """
    # What this process holds counts as well, and tests that load every vocabulary leave little of the limit.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout == f"{100 << 20}\nthe worker process needed more than 400 MB of memory\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 100,
        bytes(8) + b"x",
        (3).to_bytes(8, "big") + b"\xff\xff\xff",
        (1).to_bytes(8, "big") + b"N" + b"\0" * 9,
    ],
)
def test_garbage_on_the_pipe_is_no_answer(data: bytes) -> None:
    def work(line):
        os.write(line._writer, data)
        os._exit(0)

    with pytest.raises(WorkerDiedError, match="garbage"):
        run_forked(work, LIMITS)


def test_half_a_message_is_no_answer() -> None:
    def work(line):
        os.write(line._writer, (100).to_bytes(8, "big") + b"half")
        os._exit(0)

    with pytest.raises(WorkerDiedError, match="without an answer"):
        run_forked(work, LIMITS)


def list_children():
    """Return the children of this process, whoever started them; zombies count."""
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


def test_nothing_is_left_of_it() -> None:
    before = sorted(os.listdir("/dev/fd")), [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    children = list_children()
    for work in (lambda _: 1, lambda _: die(signal.SIGKILL), lambda _: 1 / 0):
        try:
            run_forked(work, LIMITS)
        except WorkerDiedError:
            continue
    assert (sorted(os.listdir("/dev/fd")), [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]) == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    assert list_children() <= children


def test_who_hears_of_no_child_gets_the_answer_all_the_same() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert run_forked(lambda _: "here", LIMITS) == "here"
        with pytest.raises(WorkerDiedError):
            run_forked(lambda _: die(signal.SIGKILL), LIMITS)
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_program_that_it_started_dies_with_it() -> None:
    def work(line):
        process = subprocess.Popen(["sleep", "60"])
        line.send("pid", process.pid)
        time.sleep(60)

    heard = []
    with pytest.raises(WorkerLimitError):
        run_forked(work, ProcessLimits(wall=0.5), lambda _, pid: heard.append(pid))
    assert wait_until_gone(heard[0])


def test_a_program_in_a_session_of_its_own_dies_with_it_too() -> None:
    heard = []

    def work(line):
        process = subprocess.Popen(["sleep", "60"], start_new_session=True)
        report_group(process.pid)
        line.send("pid", process.pid)
        die(signal.SIGSEGV)

    with pytest.raises(WorkerDiedError, match="SIGSEGV"):
        run_forked(work, LIMITS, lambda _, pid: heard.append(pid))
    assert wait_until_gone(heard[0])


@pytest.mark.parametrize("name", ["INT", "TERM", "KILL"])
def test_a_parent_that_is_ended_leaves_no_process(name: str) -> None:
    code = """
    import os, signal, time
    from ctxkit.engines.isolation import run_forked
    from ctxkit.engines.worker_process import ProcessLimits
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_forked(lambda line: (line.send("pid", os.getpid()), time.sleep(60)), ProcessLimits(), lambda _, pid: print(pid, flush=True))
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=-1, stderr=subprocess.DEVNULL)
    child = int(parent.stdout.readline())
    parent.send_signal(getattr(signal, f"SIG{name}"))
    assert parent.wait(10) != 0
    parent.stdout.close()
    assert wait_until_gone(child)


def test_a_process_with_threads_is_not_forked() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert not isolation.can_fork()
    finally:
        stop.set()
        thread.join()


def test_a_thread_that_has_just_ended_does_not_forbid_a_fork() -> None:
    code = """
import threading
from ctxkit.engines import isolation
for _ in range(50):
    thread = threading.Thread(target=str)
    thread.start()
    thread.join()
    print(isolation.can_fork())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split().count("True") >= 45  # on a busy machine, a thread may take longer to end


SIZES = st.dictionaries(st.integers(0, 500), st.integers(0, 1 << 20), max_size=40)


@given(sizes=SIZES, processes=st.integers(1, 9))
def test_each_item_is_in_one_share(sizes: dict[int, int], processes: int) -> None:
    shares = deal_shares(sizes, processes)
    assert sorted(index for share in shares for index in share) == sorted(sizes)
    assert all(share == sorted(share) for share in shares)
    assert len(shares) == min(processes, len(sizes))


@given(sizes=SIZES, processes=st.integers(1, 9))
def test_no_share_is_larger_than_the_others_by_more_than_one_item(sizes: dict[int, int], processes: int) -> None:
    loads = [sum(sizes[index] + 1 for index in share) for share in deal_shares(sizes, processes)]
    assert max(loads, default=0) - min(loads, default=0) <= max(sizes.values(), default=0) + 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("processes", [1, 2, 5, 64])
def test_answers_come_in_the_order_of_the_items(processes: int) -> None:
    sizes = {index: index * 7919 % 13 for index in range(3, 15)}
    answers = list(answer_items(lambda index: (index, os.getpid()), sizes, processes))
    assert [(index, index) for index in sizes] == [(index, value[0]) for index, value in answers]
    used = {value[1] for _, value in answers}
    assert os.getpid() not in used
    assert len(used) == min(processes, len(sizes))


@pytest.mark.slow
def test_answers_larger_than_a_pipe_are_read() -> None:
    answers = answer_items(lambda index: bytes([index]) * 300_000, dict.fromkeys(range(12), 1), 3)
    assert [(index, len(value), value[0]) for index, value in answers] == [(index, 300_000, index) for index in range(12)]


def test_an_error_stands_in_its_place() -> None:
    def answer(index: int) -> int:
        if index == 3:
            raise MalformedInputError("no count", hint="another file")
        return index

    answers = dict(answer_items(answer, dict.fromkeys(range(6), 1), 2))
    error = answers.pop(3)
    assert isinstance(error, MalformedInputError)
    assert (str(error), error.hint) == ("no count", "another file")
    assert answers == {0: 0, 1: 1, 2: 2, 4: 4, 5: 5}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("end", [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(0), lambda: 1 / 0])
def test_a_process_that_dies_leaves_its_other_items_out(end) -> None:
    shares = deal_shares(dict.fromkeys(range(8), 1), 2)
    death = shares[1][1]
    answers = dict(answer_items(lambda index: end() if index == death else index, dict.fromkeys(range(8), 1), 2))
    assert sorted(answers) == sorted((*shares[0], shares[1][0]))


def test_processes_end_with_the_iterator() -> None:
    answers = answer_items(lambda _: os.getpid(), dict.fromkeys(range(4), 1), 2)
    _, process = next(answers)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)

"""A forked process is detached from its parent, and reports the groups that it starts."""

import errno
import marshal
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError
from ctxkit.engines import worker_process
from ctxkit.engines.isolation import run_forked
from ctxkit.engines.worker_process import (
    ERROR_DECODERS,
    HEADER,
    LONGEST,
    ProcessLimits,
    check_seconds,
    decode_error,
    pack_message,
    report_group,
    signal_name,
    take_message,
)

# The runner of the tests may have threads, which the function does not use.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
]
LIMITS = ProcessLimits(wall=5.0)


def raise_(error):
    raise error


@pytest.mark.slow
def test_what_it_raises_is_raised_here() -> None:
    with pytest.raises(MalformedInputError, match="line 7") as malformed:
        run_forked(lambda _: raise_(MalformedInputError("line 7 is torn", hint="mend it")), LIMITS)
    assert malformed.value.hint == "mend it"
    with pytest.raises(FileNotFoundError) as absent:
        run_forked(lambda _: os.stat("/no/such/file"), LIMITS)
    assert (absent.value.errno, absent.value.filename) == (errno.ENOENT, "/no/such/file")
    with pytest.raises(WorkerDiedError, match="the worker process failed: ZeroDivisionError"):
        run_forked(lambda _: 1 / 0, LIMITS)
    with pytest.raises(WorkerDiedError, match="the worker process failed: SystemExit"):
        run_forked(lambda _: sys.exit(3), LIMITS)
    with pytest.raises(WorkerDiedError, match="unmarshallable"):
        run_forked(lambda _: object(), LIMITS)


def test_it_neither_writes_what_is_ours_nor_runs_what_is_to_run_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import atexit, os, sys
    from ctxkit.engines.isolation import run_forked
    from ctxkit.engines.worker_process import ProcessLimits
    atexit.register(print, "at exit")
    sys.stdout.write("once ")
    run_forked(lambda _: (print("from the fork", flush=True), os.write(1, b"native"), os.write(2, b"native"), None)[3], ProcessLimits())
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert capfd.readouterr() == ("once at exit\n", "")


def test_outside_of_a_worker_no_group_is_reported() -> None:
    report_group(os.getpgid(0))


# The runner of the tests may have threads, which the function does not use.
LARGE = b"x" * 3_000_000


def test_messages_are_heard_in_order_before_the_answer() -> None:
    heard = []

    def work(line):
        line.send("first", 1)
        line.send_and_wait("ask second", LARGE)
        line.send("third", "3")
        return "end"

    assert run_forked(work, LIMITS, lambda kind, value: heard.append((kind, value))) == "end"
    assert heard == [("first", 1), ("ask second", LARGE), ("third", "3")]


def test_work_that_waits_for_others_gets_the_time_it_asks_for() -> None:
    def work(line):
        line.extend_deadline(5)
        time.sleep(0.6)
        return "done"

    assert run_forked(work, ProcessLimits(wall=0.2)) == "done"


values = st.recursive(
    st.none() | st.integers() | st.binary(max_size=5) | st.text(max_size=5),
    lambda inner: st.tuples(inner, inner) | st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
)


@pytest.mark.parametrize("value", [-1.0, 1e7, float("nan"), 3, "3", None])
def test_other_values_are_not_seconds(value):
    assert check_seconds(0.0) == 0.0
    with pytest.raises(WorkerDiedError, match="garbage"):
        check_seconds(value)


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("os", (2, "No such file", "a.txt"), FileNotFoundError(2, "No such file", "a.txt")),
        ("os", (5, "Input/output error", None), OSError(5, "Input/output error")),
        ("os", (5, "Input/output error"), WorkerDiedError("sent garbage")),
        ("os", "5", WorkerDiedError("sent garbage")),
        ("memory", None, WorkerLimitError("needed more than 400 MB of memory")),
        ("failed", "x" * 2000, WorkerDiedError("failed: " + "x" * 992)),
    ],
)
def test_an_error_is_decoded(kind, value, error):
    decoded = ERROR_DECODERS[kind](value)
    assert (type(decoded), str(decoded)) == (type(error), str(error))


def test_a_signal_without_a_name_is_its_number():
    assert (signal_name(signal.SIGKILL), signal_name(99)) == ("SIGKILL", "signal 99")


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(max_size=5), values), max_size=4), st.integers(1, 7))
def test_messages_come_through_in_pieces_of_any_size(messages, size: int) -> None:
    data = b"".join(pack_message(kind, value) for kind, value in messages)
    buffer, received = bytearray(), []
    for start in range(0, len(data), size):
        buffer += data[start : start + size]
        while (message := take_message(buffer)) is not None:
            received.append(message)
    assert received == messages
    assert buffer == b""


@pytest.mark.parametrize(
    "data",
    [
        (LONGEST + 1).to_bytes(HEADER, "big"),
        (3).to_bytes(HEADER, "big") + b"abc",
        *(len(body).to_bytes(HEADER, "big") + body for body in (marshal.dumps(7), marshal.dumps((1, 2)), marshal.dumps(("a",)))),
    ],
)
def test_other_bytes_are_garbage(data) -> None:
    with pytest.raises(WorkerDiedError, match="garbage"):
        take_message(bytearray(data))


def test_an_error_comes_through_with_its_class() -> None:
    error = decode_error(("MalformedInputError", "bad", "try"))
    assert (type(error), str(error), error.hint) == (MalformedInputError, "bad", "try")  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [None, ("a", "b"), ("a", "b", 1), ("NoSuchError", "b", "c"), ("Exit", "b", "c"), ("annotations", "b", "c")])
def test_another_class_is_not_trusted(value) -> None:
    assert type(decode_error(value)) is WorkerDiedError


# The runner of the tests may have threads, which the function does not use.
@pytest.mark.slow
def test_what_a_bounded_process_starts_may_have_its_limits_lifted() -> None:
    def started(_):
        with worker_process.lift_limits():
            return int(subprocess.run([sys.executable, "-c", "print(len(bytearray(900 << 20)))"], stdout=-1).stdout)

    assert run_forked(started, ProcessLimits(wall=60.0)) == 900 << 20


def test_limits_grow_with_the_content() -> None:
    assert ProcessLimits.for_size(0) == ProcessLimits(worker_process.MEMORY, 10, 20)
    assert ProcessLimits.for_size(50_000_000) == ProcessLimits(worker_process.MEMORY, 160, 320)


START = "import os, signal, sys; from ctxkit.engines.worker_process import fork_with_limit; status = fork_with_limit(1)\n"
STATUS = "if status is not None: print('parent', status, flush=True); os._exit(status)\n"


def python(code: str, **more) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", START + STATUS + code], stdout=-1, stderr=-1, text=True, **more)


@pytest.mark.parametrize("status", [0, 1, 2, 74])
def test_the_status_of_the_child_is_returned(status: int) -> None:
    ran = python(f"print('child', flush=True); os._exit({status})")
    assert ran.communicate()[0] == f"child\nparent {status}\n"
    assert ran.returncode == status


@pytest.mark.slow
def test_a_child_that_uses_up_its_processor_time_is_stopped() -> None:
    ran = python("while True: pass")
    assert "TimeoutError: no end after 1 s of processor time" in ran.communicate(timeout=60)[1]


def test_waiting_costs_no_processor_time() -> None:
    ran = python("import time; time.sleep(1.5); print('done')")
    assert ran.communicate()[0] == "done\nparent 0\n"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGPIPE, signal.SIGKILL])
def test_the_parent_dies_of_the_signal_that_the_child_died_of(number) -> None:
    ran = python(f"signal.signal({number}, 0) if {number} != 9 else 0; os.kill(os.getpid(), {number})", preexec_fn=_no_core)
    ran.communicate()
    assert ran.returncode == -number


def _no_core() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_a_signal_to_end_reaches_the_child() -> None:
    ran = python("import time; print(os.getpid(), flush=True); time.sleep(60)")
    child = int(ran.stdout.readline())
    ran.terminate()
    ran.communicate(timeout=30)
    assert ran.returncode == -signal.SIGTERM
    time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_memory_has_a_limit_too() -> None:
    ran = python(f"bytearray({worker_process._SEARCH_MEMORY})")
    assert "MemoryError" in ran.communicate()[1]


def test_a_system_that_cannot_fork_sets_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert worker_process.fork_with_limit(1) is None

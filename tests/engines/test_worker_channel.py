"""Messages between processes come through in pieces, and garbage is known as such."""

import signal
import time

import pytest
from hypothesis import strategies as st

from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError
from ctxkit.engines.isolation import run_forked
from ctxkit.engines.process_limits import ProcessLimits
from ctxkit.engines.worker_channel import ERROR_DECODERS, check_seconds, signal_name

# The runner of the tests may have threads, which the function does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
LIMITS = ProcessLimits(wall=5.0)
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

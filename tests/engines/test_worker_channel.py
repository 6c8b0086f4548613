"""Messages between processes come through in pieces, and garbage is known as such."""

import marshal
import signal
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.worker_interface import WorkerDiedError, WorkerLimitError
from ctxkit.engines.isolation import run_forked
from ctxkit.engines.process_limits import ProcessLimits
from ctxkit.engines.worker_channel import (
    ERROR_DECODERS,
    HEADER,
    LONGEST,
    check_seconds,
    decode_error,
    pack_message,
    signal_name,
    take_message,
)

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

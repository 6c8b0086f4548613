"""Messages between processes come through in pieces, and garbage is known as such."""

import marshal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.engines.frames import HEADER, LONGEST, decode_error, pack_message, take_message

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

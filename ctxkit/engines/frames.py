"""Encode messages between two processes: a kind and a plain value, preceded by their length."""

import marshal
from typing import Any

from ctxkit.core import errors
from ctxkit.core.text.limits import WorkerDiedError

LONGEST = 1 << 30
"""Maximum size of a message in bytes; a larger length is garbage."""
HEADER = 8
"""Bytes of the length before a message."""


def pack_message(kind: str, value: Any) -> bytes:
    """Return a message as bytes; ``value`` is None, a number, a string, bytes, or a plain collection of these."""
    data = marshal.dumps((kind, value))
    return len(data).to_bytes(HEADER, "big") + data


def take_message(buffer: bytearray) -> tuple[str, Any] | None:
    """Remove and return the next message of the buffer; None if it is incomplete.

    Raise WorkerDiedError if the bytes are not a message.
    """
    if len(buffer) < HEADER:
        return None
    size = int.from_bytes(buffer[:HEADER], "big")
    if size > LONGEST:
        raise WorkerDiedError("sent garbage")
    if len(buffer) < HEADER + size:
        return None
    try:
        with memoryview(buffer) as view:
            message = marshal.loads(view[HEADER : HEADER + size])
    except (ValueError, EOFError, TypeError, MemoryError):
        raise WorkerDiedError("sent garbage") from None
    if not isinstance(message, tuple) or len(message) != 2 or not isinstance(message[0], str):
        raise WorkerDiedError("sent garbage")
    del buffer[: HEADER + size]
    return message


def decode_error(value: Any) -> Exception:
    """Return the CtxkitError that a process raised, with its class, message and hint."""
    if not (isinstance(value, tuple) and len(value) == 3 and all(isinstance(part, str) for part in value)):
        return WorkerDiedError("sent garbage")
    name, message, hint = value
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.CtxkitError):
        return kind(message, hint=hint)
    return WorkerDiedError(message, hint=hint)

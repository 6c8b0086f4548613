"""Messages between two processes: a kind and a plain value, behind their length."""

import marshal
from typing import Any

from ctxkit.core import trouble
from ctxkit.core.isolation import WorkerDied

LONGEST = 1 << 30
"""Bytes of a message; a longer one is garbage."""
HEADER = 8
"""Bytes before a message that give its length."""


def pack(kind: str, value: Any) -> bytes:
    """Return a message as bytes; ``value`` is None, a number, a string, bytes, or a plain collection of them."""
    data = marshal.dumps((kind, value))
    return len(data).to_bytes(HEADER, "big") + data


def take(held: bytearray) -> tuple[str, Any] | None:
    """Take the next message off what came, None while it is not whole; raises WorkerDied if it is not a message."""
    if len(held) < HEADER:
        return None
    size = int.from_bytes(held[:HEADER], "big")
    if size > LONGEST:
        raise WorkerDied("sent garbage")
    if len(held) < HEADER + size:
        return None
    try:
        with memoryview(held) as view:
            message = marshal.loads(view[HEADER : HEADER + size])
    except (ValueError, EOFError, TypeError, MemoryError):
        raise WorkerDied("sent garbage") from None
    if not isinstance(message, tuple) or len(message) != 2 or not isinstance(message[0], str):
        raise WorkerDied("sent garbage")
    del held[: HEADER + size]
    return message


def trouble_of(value: Any) -> Exception:
    """Return the Trouble that a process was in, as it was raised there: its class, its message and its hint."""
    if not (isinstance(value, tuple) and len(value) == 3 and all(isinstance(part, str) for part in value)):
        return WorkerDied("sent garbage")
    name, message, hint = value
    kind = getattr(trouble, name, None)
    if isinstance(kind, type) and issubclass(kind, trouble.Trouble):
        return kind(message, hint=hint)
    return WorkerDied(message, hint=hint)

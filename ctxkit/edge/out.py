"""Write data to stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Any

from ctxkit.core.errors import InputOutputError

FLUSH_SECONDS = 0.05
"""Seconds after which pieces are flushed that were written one after the other."""


def write(pieces: Iterable[bytes]) -> int:
    """Write and flush bytes unchanged, also between pieces that come slowly; return how many."""
    if sys.stdout is None:
        raise InputOutputError("stdout is closed")
    out = sys.stdout.buffer
    size, flushed = 0, monotonic()
    for piece in pieces:
        size += len(piece)
        count = out.write(piece) if piece else 0
        if count != len(piece):  # an unbuffered stdout may take a part only
            view = memoryview(piece)[count:]
            while view:
                view = view[out.write(view) :]
        if monotonic() - flushed > FLUSH_SECONDS:  # the next piece may take long
            out.flush()
            flushed = monotonic()
    out.flush()
    return size


def write_text(text: str) -> None:
    """Write content as UTF-8."""
    write((text.encode("utf-8", "replace"),))


def write_listing(text: str) -> None:
    """Write a table or a list as UTF-8, with terminal control characters escaped."""
    from ctxkit.core.text.escapes import escape_controls

    write_text(escape_controls(text))


def write_json(value: Mapping[str, Any]) -> None:
    """Write a JSON object on one line."""
    import orjson

    write((orjson.dumps(value), b"\n"))


def make_content_member(data: bytes) -> dict[str, str]:
    """Return bytes as a JSON member: ``content``, or ``content_base64`` if they are not UTF-8."""
    try:
        return {"content": data.decode("utf-8")}
    except UnicodeDecodeError:
        from base64 import b64encode

        return {"content_base64": b64encode(data).decode("ascii")}

"""Keep what a process prints after the command that left it behind has ended, in a process of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import BlobWriter, Store
    from ctxkit.edge.output_pipe import OutputPipe
    from ctxkit.edge.redaction import Redaction

MAX_STORED = 16 << 20
"""Bytes of late output that are stored; the rest is counted."""
MAX_ID = 64
"""Bytes of the id of an entry."""


def keep_late_output(pipe: OutputPipe, redaction: Redaction, store: Callable[[], Store] | None, label: Label) -> str:
    """Start a process that reads a pipe to its end, so that its writers never get SIGPIPE.

    Return what happens to its output, and how to read it. Without a ``store`` it is lost.
    """
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            _detach(pipe.descriptor, writer)
            _read_to_end(pipe, redaction, store, label, writer)
        finally:
            os._exit(0)
    os.close(writer)
    pipe.close()
    with open(reader, "rb") as file:
        entry = file.read(MAX_ID).decode("ascii", "replace")
    return f"is kept: ctxkit cache get {entry}" if entry else "is not kept"


def describe_late_output(where: str, *, is_sandboxed: bool) -> str:
    """Return the line about a process that a command left behind, and what happens to its output."""
    until, end = ("until then", ", and ends with this sandbox") if is_sandboxed else ("from now on", "")
    return f"[ctxkit: a process that the command started still runs{end}; what it prints {until} {where}]"


def _detach(*kept: int) -> None:
    """Leave the session of the command, and close what a host or a make may wait for, except descriptors ``kept``."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    start = 3
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


def _read_to_end(
    pipe: OutputPipe, redaction: Redaction, store: Callable[[], Store] | None, label: Label, announced: int
) -> None:
    """Store the beginning of what comes, and read the rest."""
    entry: BlobWriter | None = None
    try:
        if store is not None:
            entry = store().open_writer()
            os.write(announced, entry.name_unfinished(_rename(label, "after its end")).encode())
    except Exception:  # whatever it is, the pipe is read
        entry = None
    os.close(announced)
    chunks, left_out = pipe.read_all(), 0
    if entry is not None:
        left_out = _store(redaction.apply(chunks), entry)
    for chunk in chunks:
        left_out += len(chunk)
    if entry is not None:
        rest = f", without {left_out:,} more bytes" if left_out else ""
        entry.commit(_rename(label, f"after its end{rest}"))


def _store(chunks: Iterable[bytes], entry: BlobWriter) -> int:
    """Write at most ``MAX_STORED`` bytes; return how many more came."""
    left_out = 0
    try:
        for chunk in chunks:
            kept = chunk[: max(MAX_STORED - entry.size, 0)]
            if kept:
                entry.write(kept)
            left_out += len(chunk) - len(kept)
    except Exception:  # a full disk, or content that cannot be masked
        return left_out
    return left_out


def _rename(label: Label, when: str) -> Label:
    return label._replace(name=f"{when}: {label.name}")

"""Show the progress of long reads on stderr, only on a terminal and after one second."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from time import monotonic
from typing import Any, TypeVar

from ctxkit.core.text.quantity import format_size, pluralize

Item = TypeVar("Item")
AFTER, EVERY = 1.0, 0.2
"""Seconds before the first output, and between two outputs."""


def show_progress(chunks: Iterable[Item], what: str, measure: Callable[[Any], int] = len) -> Iterator[Item]:
    """Yield the chunks, and show the bytes read if that takes long; ``measure`` returns the bytes of a chunk."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from chunks
        return
    is_shown, size, due = False, 0, monotonic() + AFTER
    what = _display_name(what)
    for chunk in chunks:
        size += measure(chunk)
        if monotonic() > due:
            print(f"\r\x1b[Kctxkit: {what}: {format_size(size)} read", end="", file=sys.stderr, flush=True)
            is_shown, due = True, monotonic() + EVERY
        yield chunk
    if is_shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def clear_line() -> None:
    """Clear a line that a terminal may show of the progress."""
    if sys.stderr is not None and sys.stderr.isatty():
        _write_line("\r\x1b[K")


def announce_run(chunks: Iterable[bytes], write: Callable[[str], None]) -> Iterator[bytes]:
    """Yield the output of a command, and ``write`` now and then a line which says that the command still runs.

    A terminal shows the progress of the read instead.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        yield from chunks
        return
    start, lines, times = monotonic(), 0, _list_times()
    due = next(times)
    for chunk in chunks:
        lines += chunk.count(b"\n")
        if monotonic() - start >= due:
            write(_format_run_line(due, lines))
            due = next(times)
        yield chunk


def _format_run_line(seconds: int, lines: int) -> str:
    time = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min" if seconds < 3600 else f"{seconds // 3600} h"
    return f"[ctxkit: still running after {time}, {pluralize(lines, 'line')} so far]"


def _list_times() -> Iterator[int]:
    """Yield the seconds after which a run is announced: 10 seconds, 1 minute, 10 minutes, then each hour."""
    yield from (10, 60, 600)
    yield from count(3600, 3600)


def _display_name(what: str) -> str:
    """Return the name of the source, safe for a terminal."""
    from ctxkit.core.redaction.masking import mask_secrets
    from ctxkit.core.text.escapes import escape_line

    return escape_line(mask_secrets(what))


def show_steps(steps: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield steps that may take minutes each, and show the number of the current step."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from steps
        return
    from threading import Timer

    due = monotonic() + AFTER
    for number, step in enumerate(steps, 1):
        line = f"\r\x1b[Kctxkit: {what}: part {number} of {len(steps)}"
        timer = Timer(max(due - monotonic(), 0), _write_line, (line,))
        timer.daemon = True
        timer.start()
        try:
            yield step
        finally:
            timer.cancel()
            timer.join()
            if monotonic() >= due:
                _write_line("\r\x1b[K")


def _write_line(line: str) -> None:
    print(line, end="", file=sys.stderr, flush=True)


class ReadProgress:
    """Shows the bytes read; call it with the bytes of each piece, and ``clear`` at the end."""

    def __init__(self, what: str) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._what, self._size, self._is_shown = _display_name(what) if self._is_terminal else "", 0, False
        self._due = monotonic() + AFTER

    def __call__(self, size: int) -> None:
        """Add the bytes of a piece."""
        self._size += size
        if self._is_terminal and monotonic() > self._due:
            print(f"\r\x1b[Kctxkit: {self._what}: {format_size(self._size)} read", end="", file=sys.stderr, flush=True)
            self._is_shown, self._due = True, monotonic() + EVERY

    def clear(self) -> None:
        """Clear the line."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

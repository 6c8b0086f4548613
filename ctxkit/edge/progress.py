"""Progress of long reading: on stderr, only on a terminal, only past one second."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, TypeVar

from ctxkit.core.text.measure import format_size

Item = TypeVar("Item")
AFTER, EVERY = 1.0, 0.2
"""Seconds before the first sign of life, and between two."""


def show_progress(chunks: Iterable[Item], what: str, measure: Callable[[Any], int] = len) -> Iterator[Item]:
    """Yield the chunks, saying how much came when that takes long; ``measure`` gives the bytes of one."""
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


def _display_name(what: str) -> str:
    """Return what is read as a terminal may show it."""
    from ctxkit.core.redaction.masking import mask_secrets
    from ctxkit.core.text.escapes import escape_line

    return escape_line(mask_secrets(what))


def show_steps(steps: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield steps of which each may take minutes, saying which of them it is while it lasts."""
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
    """Say how much was read by somebody who calls it with the bytes of each piece; ``clear`` wipes the line."""

    def __init__(self, what: str) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._what, self._size, self._is_shown = _display_name(what) if self._is_terminal else "", 0, False
        self._due = monotonic() + AFTER

    def __call__(self, size: int) -> None:
        """Count a piece."""
        self._size += size
        if self._is_terminal and monotonic() > self._due:
            print(f"\r\x1b[Kctxkit: {self._what}: {format_size(self._size)} read", end="", file=sys.stderr, flush=True)
            self._is_shown, self._due = True, monotonic() + EVERY

    def clear(self) -> None:
        """Leave no trace."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

"""Progress of long reading: on stderr, only on a terminal, only past one second."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Timer
from time import monotonic
from typing import Any, TypeVar

from ctxkit.core.measure import size_of

Item = TypeVar("Item")
AFTER, EVERY = 1.0, 0.2
"""Seconds before the first sign of life, and between two."""


def watched(chunks: Iterable[Item], what: str, measure: Callable[[Any], int] = len) -> Iterator[Item]:
    """Yield the chunks, saying how much came when that takes long; ``measure`` gives the bytes of one."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from chunks
        return
    said, size, due = False, 0, monotonic() + AFTER
    for chunk in chunks:
        size += measure(chunk)
        if monotonic() > due:
            print(f"\r\x1b[Kctxkit: {what}: {size_of(size)} read", end="", file=sys.stderr, flush=True)
            said, due = True, monotonic() + EVERY
        yield chunk
    if said:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def stepped(steps: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield steps of which each may take minutes, saying which of them it is while it lasts."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from steps
        return
    due = monotonic() + AFTER
    for number, step in enumerate(steps, 1):
        line = f"\r\x1b[Kctxkit: {what}: part {number} of {len(steps)}"
        timer = Timer(max(due - monotonic(), 0), _show, (line,))
        timer.daemon = True
        timer.start()
        try:
            yield step
        finally:
            timer.cancel()
            timer.join()
            if monotonic() >= due:
                _show("\r\x1b[K")


def _show(line: str) -> None:
    print(line, end="", file=sys.stderr, flush=True)

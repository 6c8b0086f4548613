"""Progress of long reading: on stderr, only on a terminal, only past one second."""

import sys
from collections.abc import Callable, Iterable, Iterator
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

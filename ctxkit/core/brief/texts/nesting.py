"""Headings with their levels, as entries inside each other."""

from collections.abc import Iterable
from dataclasses import replace

from ctxkit.core.brief.outline import Entry


def nest_entries(entries: Iterable[tuple[int, Entry]]) -> tuple[Entry, ...]:
    """Return entries, given in order with their levels, each below the last one of a higher level (a lower number).

    What an entry has already below it comes before what is nested into it.
    """
    top: list[Entry] = []
    stack: list[tuple[int, Entry, list[Entry]]] = []

    def fold() -> None:
        _, entry, below = stack.pop()
        (stack[-1][2] if stack else top).append(replace(entry, children=(*entry.children, *below)))

    for level, entry in entries:
        while stack and stack[-1][0] >= level:
            fold()
        stack.append((level, entry, []))
    while stack:
        fold()
    return tuple(top)

"""Nesting of entries by their heading levels."""

from collections.abc import Iterable

from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import replace


def nest_entries(entries: Iterable[tuple[int, Entry]]) -> tuple[Entry, ...]:
    """Return ordered entries with levels as a tree: each below the last entry with a lower level number.

    Existing children of an entry come before the nested entries.
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

"""Recognize a map of stored content by its form: header, hint, and the number of lines of what it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.core.text.retrieval_hint import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ctxkit.core.store.store_interface import Store

_HEADER = re.compile(r"\(([\d,]{1,20}) lines?\b")
_REF = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])")
_HINTS = (PREFIX, 'Use the "read_result" tool')
_MARKS = (": a map, not the content", ": head and tail, not the content")
MAX_LINE = 8192
"""Maximum characters of a header or a hint."""


def is_map_of_stored(content: bytes, store: Callable[[], Store]) -> bool:
    """Return whether content has the form of a map of stored content, and the number of lines of that content."""
    lines = content.decode("utf-8", "replace").rstrip("\n").split("\n")
    last = lines[-1]
    header = next((line for line in lines[:2] if line.startswith("# ")), lines[0] if len(lines) == 1 else "")
    if len(header) > MAX_LINE or len(last) > MAX_LINE:
        return False
    if len(lines) > 1 and not (any(mark in header for mark in _MARKS) and last.startswith(_HINTS)):
        return False
    totals = {int(number.replace(",", "") or 0) for number in _HEADER.findall(header)}
    return any(total in totals for total in _count_lines(last, store))


def _count_lines(line: str, store: Callable[[], Store]) -> Iterator[int]:
    """Yield the numbers of lines of the stored contents that a line names."""
    for ref in _REF.findall(line):
        try:
            yield store().open(store().find(ref), quietly=True).lines.total
        except Exception:  # not stored, or the store is unreadable: treat as ordinary content
            continue

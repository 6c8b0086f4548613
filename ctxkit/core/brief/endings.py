"""The last lines of a document, as many as fit so many tokens."""

from ctxkit.core.brief.document import InputDocument

FRAME_TOKENS = 150
"""Tokens kept for everything but the end: the map is never worse than the end at its size less these."""


def read_last_lines(document: InputDocument) -> list[tuple[int, str]]:
    """Return number and text of the last lines, as many as fill the target less AROUND."""
    room = max(document.target - FRAME_TOKENS, 0)
    total = document.lines.total
    rows = list(document.lines.enumerate_lines(max(total - room, 1) if room else total + 1))
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if document.count("\n".join(text for _, text in rows[middle:])) <= room:
            high = middle
        else:
            low = middle + 1
    return rows[low:]

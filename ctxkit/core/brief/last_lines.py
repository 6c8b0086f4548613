"""The last lines of a document that fit into the token target."""

from ctxkit.core.brief.document import InputDocument

FRAME_TOKENS = 150
"""Tokens reserved for everything except the end."""


def read_last_lines(document: InputDocument) -> list[tuple[int, str]]:
    """Return the numbers and texts of the last lines that fit into the target less FRAME_TOKENS."""
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

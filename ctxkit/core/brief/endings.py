"""The last lines of a document that fit into the token target."""

import re
from collections.abc import Iterator

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.error_lines import find_error_lines
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.ansi import strip_escapes

FRAME_TOKENS = 150
"""Tokens reserved for everything except the end, so a briefing quotes at least the end of this reduced size."""
NUMBERED, QUOTED = 3, 20
"""Number of error lines listed by number, and number of error lines quoted if they fit."""
WIDEST = 4_000
"""Maximum number of characters quoted from a line; a longer line shows its end."""
ESCAPE = 64
"""Number of bytes before the end of a line in which an escape sequence may begin; valid sequences are shorter."""
_OPEN_ESCAPE = re.compile(rb"(?:(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*|\x1b(?:\][^\x07\x1b\n]*)?)\Z")
"""Pattern of an incomplete escape sequence (ECMA-48: CSI and OSC)."""


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


def make_ending_outline(document: InputDocument, name: str) -> Outline:
    """Return an outline of the end verbatim, and of the first line and the error lines before it."""
    end = read_last_lines(document) or _cut_last_line(document, max(document.target - FRAME_TOKENS, 0))
    first = end[0][0] if end else document.lines.total + 1
    tail = Section("", tuple(_quote_end(end)), noun="lines", bare=True)
    head = Section("", tuple(_describe_head(document, first)), noun="lines")
    troubled = any(len(entry.children) > 1 for entry in head.entries)
    return Outline(name, (head, tail), urgent=troubled)


def _cut_last_line(document: InputDocument, room: int) -> list[tuple[int, str]]:
    """Return the end of the last line, if the whole line does not fit in ``room`` tokens."""
    total, size = document.lines.total, document.lines.size
    if not total or room < 20:
        return []
    start = max(size - min(room * 8, WIDEST), 0)
    before, newline, last = document.read(start, WIDEST).removesuffix(b"\n").rpartition(b"\n")
    if start and not newline:  # the rest of a character or escape sequence that begins before the cut
        last = last[:3].lstrip(bytes(range(0x80, 0xC0))) + last[3:]
        opened = _OPEN_ESCAPE.search(document.read(max(start - ESCAPE, 0), min(ESCAPE, start)))
        last = opened[0] + last if opened else last
    whole = text = strip_escapes(last.decode("utf-8", "replace"))
    while text and document.count(text) > room - 20:
        text = text[len(text) // 4 + 1 :]
    cut = len(text) < len(whole) or not (newline or before or start == 0)
    return [(total, f"[the line begins earlier] {text}" if cut else text)] if text else []


def _quote_end(end: list[tuple[int, str]]) -> Iterator[Entry]:
    """Yield the final lines; lines nearer to the end have a lower rank."""
    for distance, (number, text) in zip(range(len(end), 0, -1), end, strict=True):
        label = text if text.isprintable() else strip_escapes(text)
        yield Entry(label, number, number, rank=distance, verbatim=True)


def _describe_head(document: InputDocument, first: int) -> Iterator[Entry]:
    """Yield an entry on the lines before ``first``, with the first line and the error lines quoted.

    They rank after the final lines and use the space that these leave.
    """
    if first <= 1:
        return
    after = document.lines.total + 1
    error_lines = list(find_error_lines(document.lines, 2, first - 1))
    numbers = ", ".join(str(number) for number, _ in error_lines[:NUMBERED])
    more = f" and {len(error_lines) - NUMBERED:,} more" if len(error_lines) > NUMBERED else ""
    note = f"; signs of trouble at {numbers}{more}" if error_lines else ""
    opening = quote(1, document.lines.at(1), rank=after + 1)
    quotes = (quote(number, text, rank=after) for number, text in error_lines[:QUOTED])
    yield Entry(f"not shown in full{note}", 1, first - 1, after, children=(opening, *quotes))

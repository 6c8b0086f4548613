"""Lines too long to quote: their beginning, samples of the middle, and their end, by bytes."""

from collections.abc import Iterator

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.text.escapes import strip_escapes

HEAD_SHARE, END_SHARE = 70, 24
"""Percentage of the space for the beginning, and for the end, of a line."""
SAMPLE = 90
"""Number of bytes of a sample of the middle."""
MEASURED = 4_096
"""Number of bytes from which the tokens of a byte are estimated."""


def quote_long_lines(document: InputDocument, numbers: list[int], room: int) -> Section:
    """Return a section with parts of the lines ``numbers`` that takes about ``room`` tokens."""
    share = room // max(len(numbers), 1)
    entries = [entry for number in numbers for entry in _quote_line(document, number, share)]
    return Section("Parts of long lines, by bytes from 1" if entries else "", tuple(entries), noun="")


def _quote_line(document: InputDocument, number: int, room: int) -> Iterator[Entry]:
    start, end = document.lines.span(number, number)
    sample = _read(document, start, min(start + MEASURED, end))
    size = room * min(MEASURED, end - start) // max(document.count(sample), 1)
    if size >= end - start:
        yield _make_entry(document, start, end)
        return
    head, tail = size * HEAD_SHARE // 100, size * END_SHARE // 100
    yield _make_entry(document, start, start + head)
    samples = max(size - head - tail, 0) // (SAMPLE * 3 // 2)
    step = (end - start - head - tail) // (samples + 1)
    for index in range(1, samples + 1):
        at = start + head + step * index
        yield _make_entry(document, at, min(at + SAMPLE, end))
    yield _make_entry(document, end - tail, end)


def _make_entry(document: InputDocument, start: int, end: int) -> Entry:
    return Entry(_read(document, start, end), start + 1, end, in_bytes=True)


def _read(document: InputDocument, start: int, end: int) -> str:
    """Return bytes ``start`` to ``end`` as text without partial characters and control sequences."""
    data = document.read(start, end - start)
    data = data[:3].lstrip(bytes(range(0x80, 0xC0))) + data[3:]
    return strip_escapes(" ".join(data.decode("utf-8", "ignore").split()))

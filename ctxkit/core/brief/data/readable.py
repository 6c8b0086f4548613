"""What of a document is read as settings or data, and how to say what could not be."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD_BYTES, InputDocument
from ctxkit.core.brief.outline import Entry, quote
from ctxkit.core.text.measure import pluralize

MAX_BYTES = 5 << 20
"""Bytes up to which a text is read whole; of more, the lines that begin in these."""
MAX_LINES = 150_000
"""Lines that are read."""
GENERIC_SUFFIXES = ("", "txt", "text", "out", "output", "stdout", "lock")
"""Extensions that say nothing of what a file holds."""


def read_lines(document: InputDocument) -> tuple[list[str], list[Entry]]:
    """Return the lines that are read, a byte order mark aside, and a note about those that are not."""
    texts: list[str] = []
    size = 0
    for number, text in document.lines.enumerate_lines():
        if size > MAX_BYTES or number > MAX_LINES:
            last = document.lines.total
            note = Entry("not read: nothing in these lines is in this map", number, last)
            return texts, [note]
        texts.append(text)
        size += len(text) + 1
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    return texts, []


def head_lines(document: InputDocument) -> list[str]:
    """Return the whole lines of the beginning, a byte order mark aside."""
    texts = document.head.removeprefix("\ufeff").split("\n")
    if document.lines.size > HEAD_BYTES and len(texts) > 1:
        texts.pop()
    return texts


def report_bad_lines(
    document: InputDocument, bad_lines: Sequence[tuple[int, str]], bad_count: int, what: str
) -> Iterator[Entry]:
    """Yield what could not be read: the first such line as it stands, of the others the numbers."""
    if not bad_lines:
        return
    number, why = bad_lines[0]
    row = (quote(number, document.lines.at(number), rank=1),)
    yield Entry(f"BROKEN, no {what}: {why}; this line is in no part of the map", number, number, 0, children=row)
    if len(bad_lines) > 1:
        numbers = ", ".join(str(number) for number, _ in bad_lines[1:])
        more = f" and {bad_count - len(bad_lines):,} more" if bad_count > len(bad_lines) else ""
        yield Entry(f"no {what} either: {pluralize(bad_count - 1, 'line')}, {numbers}{more}", rank=1)


def report_repeated_names(repeats: Sequence[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield names that stand twice in one place."""
    for number, name, first in repeats[:6]:
        yield Entry(f"{name} stands here again, first on line {first}", number, number, 1)
    if len(repeats) > 6:
        lines = ", ".join(str(number) for number, _, _ in repeats[6:])
        yield Entry(f"names that stand again: {len(repeats) - 6} more, lines {lines}", rank=2)

"""What of a document is read as settings or data, and how to say what could not be."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.outline import Entry, quote
from ctxkit.core.measure import plural

LARGEST = 5 << 20
"""Bytes up to which a text is read whole; of more, the lines that begin in these."""
LINES = 150_000
"""Lines that are read."""
NAMELESS = ("", "txt", "text", "out", "output", "stdout", "lock")
"""Extensions that say nothing of what a file holds."""


def lines_of(document: Document) -> tuple[list[str], list[Entry]]:
    """Return the lines that are read, a byte order mark aside, and a note about those that are not."""
    texts: list[str] = []
    size = 0
    for number, text in document.lines.numbered():
        if size > LARGEST or number > LINES:
            last = document.lines.total
            note = Entry("not read: nothing in these lines is in this map", number, last)
            return texts, [note]
        texts.append(text)
        size += len(text) + 1
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    return texts, []


def head_lines(document: Document) -> list[str]:
    """Return the whole lines of the beginning, a byte order mark aside."""
    texts = document.head.removeprefix("\ufeff").split("\n")
    if document.lines.size > HEAD and len(texts) > 1:
        texts.pop()
    return texts


def refused(document: Document, bad: Sequence[tuple[int, str]], wrong: int, what: str) -> Iterator[Entry]:
    """Yield what could not be read: the first such line as it stands, of the others the numbers."""
    if not bad:
        return
    number, why = bad[0]
    row = (quote(number, document.lines.at(number), rank=1),)
    yield Entry(f"BROKEN, no {what}: {why}; this line is in no part of the map", number, number, 0, children=row)
    if len(bad) > 1:
        numbers = ", ".join(str(number) for number, _ in bad[1:])
        more = f" and {wrong - len(bad):,} more" if wrong > len(bad) else ""
        yield Entry(f"no {what} either: {plural(wrong - 1, 'line')}, {numbers}{more}", rank=1)


def repeated(twice: Sequence[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield names that stand twice in one place."""
    for number, name, first in twice[:6]:
        yield Entry(f"{name} stands here again, first on line {first}", number, number, 1)
    if len(twice) > 6:
        lines = ", ".join(str(number) for number, _, _ in twice[6:])
        yield Entry(f"names that stand again: {len(twice) - 6} more, lines {lines}", rank=2)

"""Limits on the lines that data kinds read, and entries about lines that they could not read."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry

MAX_BYTES = 5 << 20
"""Maximum size in bytes of text that is read."""
MAX_LINES = 150_000
"""Maximum number of lines that are read."""
GENERIC_SUFFIXES = ("", "txt", "text", "out", "output", "stdout", "lock")
"""Suffixes that do not indicate a format."""


def read_lines(document: InputDocument) -> tuple[list[str], list[Entry]]:
    """Return the lines to read, without a byte order mark, and a note about lines beyond the limits."""
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


def report_repeated_names(repeats: Sequence[tuple[int, str, int]]) -> Iterator[Entry]:
    """Yield entries on names that occur twice in one place."""
    for number, name, first in repeats[:6]:
        yield Entry(f"{name} stands here again, first on line {first}", number, number, 1)
    if len(repeats) > 6:
        lines = ", ".join(str(number) for number, _, _ in repeats[6:])
        yield Entry(f"names that stand again: {len(repeats) - 6} more, lines {lines}", rank=2)

"""How large a workspace may be, so that linting it takes less than 400 MB of memory.

A file of instructions has some hundred lines. What is larger than these limits is a log or a trap.
"""

from ctxkit.core.lint.document import Document
from ctxkit.core.trouble import Malformed

MOST_LINES = 1_100_000
"""Lines of one file, 70 bytes each."""
DENSE_LINES, DENSE_BYTES = 100_000, 10
"""Lines of one file that may have fewer bytes than these on average: each takes 7 microseconds, and a megabyte one
second."""
MOST_STATEMENTS = 600_000
"""Statements of one file, 450 bytes each besides their text."""
MOST_MEMORY = 300 << 20
"""Bytes that the documents of a workspace may take: the program takes 30 MB, comparing them 70 MB more."""
LINE, STATEMENT, TEXT = 70, 450, 3
"""Bytes of a line and of a statement, and times that a text is held: whole, in statements, normalised."""
LONGEST_STATEMENT = 1 << 20
"""Characters of a statement that is compared with others: words take twelve times the memory of their text."""
HINT = "name files or directories that hold less"


def check_lines(path: str, data: bytes) -> None:
    """Raise Malformed for a file of too many lines, before it is read."""
    lines = data.count(b"\n")
    if lines > MOST_LINES:
        raise Malformed(f"{path}: more than {MOST_LINES:,} lines", hint=HINT)
    if lines > DENSE_LINES and lines * DENSE_BYTES > len(data):
        raise Malformed(f"{path}: more than {DENSE_LINES:,} lines, shorter than {DENSE_BYTES} bytes", hint=HINT)


def check_statements(path: str, statements: int) -> None:
    """Raise Malformed for a file of too many statements."""
    if statements > MOST_STATEMENTS:
        raise Malformed(f"{path}: more than {MOST_STATEMENTS:,} statements", hint=HINT)


def memory_of(document: Document) -> int:
    """Return about how many bytes a document takes in memory while it is linted."""
    width = 1 if document.text.isascii() else 4 if max(document.text) > "\uffff" else 2
    return LINE * document.lines + STATEMENT * len(document.units) + TEXT * width * len(document.text)


class Memory:
    """Add up what documents take."""

    def __init__(self) -> None:
        self._taken = 0

    def take(self, document: Document) -> Document:
        """Count a document, and return it; raises Malformed when all together take too much."""
        self._taken += memory_of(document)
        if self._taken > MOST_MEMORY:
            raise Malformed(f"{document.path}: too much text, or too many lines, to lint at once", hint=HINT)
        return document

"""Limit the size of a workspace, so that linting takes less than 400 MB of memory.

A file of instructions has some hundred lines. A file over these limits is a log or an attack.
"""

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.lint.document.markdown import MarkdownDocument

MAX_LINES = 1_100_000
"""Maximum lines of a file, 70 bytes of memory each."""
DENSE_LINES, DENSE_BYTES = 100_000, 10
"""Number of lines from which a file needs at least this mean number of bytes per line.

Each line takes 7 microseconds, so a megabyte of short lines takes one second.
"""
MAX_STATEMENTS = 600_000
"""Maximum statements of a file, 450 bytes of memory each besides their text."""
MAX_MEMORY = 300 << 20
"""Maximum bytes of memory of all documents: the program takes 30 MB, their comparison 70 MB more."""
LINE_BYTES, STATEMENT_BYTES, TEXT_COPIES = 70, 450, 3
"""Bytes of memory of a line and of a statement, and copies of the text: complete, in statements, normalized."""
LONGEST_STATEMENT = 1 << 20
"""Maximum characters of a statement that is compared: words take twelve times the memory of their text."""
HINT = "name files or directories that hold less"


def check_lines(path: str, data: bytes) -> None:
    """Raise MalformedInputError for a file of too many lines, before it is parsed."""
    lines = data.count(b"\n")
    if lines > MAX_LINES:
        raise MalformedInputError(f"{path}: more than {MAX_LINES:,} lines", hint=HINT)
    if lines > DENSE_LINES and lines * DENSE_BYTES > len(data):
        raise MalformedInputError(
            f"{path}: more than {DENSE_LINES:,} lines, shorter than {DENSE_BYTES} bytes", hint=HINT
        )


def check_statements(path: str, statements: int) -> None:
    """Raise MalformedInputError for a file of too many statements."""
    if statements > MAX_STATEMENTS:
        raise MalformedInputError(f"{path}: more than {MAX_STATEMENTS:,} statements", hint=HINT)


def estimate_document_memory(document: MarkdownDocument) -> int:
    """Return the approximate bytes of memory of a document during linting."""
    width = 1 if document.text.isascii() else 4 if max(document.text) > "\uffff" else 2
    return (
        LINE_BYTES * document.lines + STATEMENT_BYTES * len(document.units) + TEXT_COPIES * width * len(document.text)
    )


class MemoryBudget:
    """Sums the memory of documents."""

    def __init__(self) -> None:
        self._used = 0

    def add(self, document: MarkdownDocument) -> MarkdownDocument:
        """Add a document and return it; raise MalformedInputError if the sum is too large."""
        self._used += estimate_document_memory(document)
        if self._used > MAX_MEMORY:
            raise MalformedInputError(f"{document.path}: too much text, or too many lines, to lint at once", hint=HINT)
        return document

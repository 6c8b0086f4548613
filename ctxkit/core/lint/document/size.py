"""How large a workspace may be, so that linting it takes less than 400 MB of memory.

A file of instructions has some hundred lines. What is larger than these limits is a log or a trap.
"""

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.lint.document.markdown import MarkdownDocument

MAX_LINES = 1_100_000
"""Lines of one file, 70 bytes each."""
DENSE_LINES, DENSE_BYTES = 100_000, 10
"""Lines of one file that may have fewer bytes than these on average: each takes 7 microseconds, and a megabyte one
second."""
MAX_STATEMENTS = 600_000
"""Statements of one file, 450 bytes each besides their text."""
MAX_MEMORY = 300 << 20
"""Bytes that the documents of a workspace may take: the program takes 30 MB, comparing them 70 MB more."""
LINE_BYTES, STATEMENT_BYTES, TEXT_COPIES = 70, 450, 3
"""Bytes of a line and of a statement, and times that a text is held: whole, in statements, normalised."""
LONGEST_STATEMENT = 1 << 20
"""Characters of a statement that is compared with others: words take twelve times the memory of their text."""
HINT = "name files or directories that hold less"


def check_lines(path: str, data: bytes) -> None:
    """Raise Malformed for a file of too many lines, before it is read."""
    lines = data.count(b"\n")
    if lines > MAX_LINES:
        raise MalformedInputError(f"{path}: more than {MAX_LINES:,} lines", hint=HINT)
    if lines > DENSE_LINES and lines * DENSE_BYTES > len(data):
        raise MalformedInputError(
            f"{path}: more than {DENSE_LINES:,} lines, shorter than {DENSE_BYTES} bytes", hint=HINT
        )


def check_statements(path: str, statements: int) -> None:
    """Raise Malformed for a file of too many statements."""
    if statements > MAX_STATEMENTS:
        raise MalformedInputError(f"{path}: more than {MAX_STATEMENTS:,} statements", hint=HINT)


def estimate_document_memory(document: MarkdownDocument) -> int:
    """Return about how many bytes a document takes in memory while it is linted."""
    width = 1 if document.text.isascii() else 4 if max(document.text) > "\uffff" else 2
    return (
        LINE_BYTES * document.lines + STATEMENT_BYTES * len(document.units) + TEXT_COPIES * width * len(document.text)
    )


class MemoryBudget:
    """Add up what documents take."""

    def __init__(self) -> None:
        self._used = 0

    def add(self, document: MarkdownDocument) -> MarkdownDocument:
        """Count a document, and return it; raises Malformed when all together take too much."""
        self._used += estimate_document_memory(document)
        if self._used > MAX_MEMORY:
            raise MalformedInputError(f"{document.path}: too much text, or too many lines, to lint at once", hint=HINT)
        return document

"""Documents for the tests of runs."""

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines


def make_document(text: str, target: int = 2_000, name: str = "log") -> InputDocument:
    """Return a document whose tokens are three characters."""
    data = text.encode()
    return InputDocument(
        lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda part: len(part) // 3, target, name
    )

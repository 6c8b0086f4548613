"""Find out whether content moves a terminal's cursor back over what it wrote."""

MAX_SIZE = 8 << 20
"""Bytes above which content is not drawn: a log of that size is read by its lines."""
CURSOR_CONTROL = (
    r"\r(?![\r\n]|\Z)|\x08|\x1b[78Mc]|\x1b\[(?:[0-9;]{0,16}[A-Hdfsu]|[12][JK]|\?(?:1049|1047|47)[hl])"
)
"""Pattern of a control that moves the cursor, or erases what stands before it.

An erasure of the rest of a line is none: ``grep --color`` and compilers print one after each color. A carriage return
before a newline is none either.
"""
_DOCUMENT_START = rb"(?:\xef\xbb\xbf)?\s{0,99}(?:<[?!]|<[A-Za-z][^<>]{0,999}>\s{0,99}[<\n]|[\[{]\s{0,99}[\"{\[])"
"""Pattern of the beginning of XML or JSON, which no program draws."""


def has_redraws(data: bytes) -> bool:
    """Return whether content moves the cursor of a terminal, so that its screen shows less than its bytes.

    The content is complete. Carriage returns in content without a newline end lines, as on old Macs.
    """
    if b"\x1b" not in data and b"\x08" not in data and data.count(b"\r") == data.count(b"\r\n"):
        return False
    if len(data) > MAX_SIZE or b"\n" not in data:
        return False
    import re

    moves = re.search(CURSOR_CONTROL.encode(), data) is not None
    return moves and re.match(_DOCUMENT_START, data) is None and _is_text(data)


def _is_text(data: bytes) -> bool:
    """Return whether at most one byte in 500 is NUL, and one in 100 is not UTF-8."""
    if data.count(0) > max(len(data) // 500, 1):
        return False
    return len(data.decode("utf-8", "ignore").encode()) >= len(data) - len(data) // 100

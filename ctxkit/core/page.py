"""As much of a part as fits, and how to read on."""

from collections.abc import Callable

from ctxkit.core.budget import Budget
from ctxkit.core.largest import largest
from ctxkit.core.lines import Lines, Read, whole_characters
from ctxkit.core.part import rows
from ctxkit.core.tokenizer import Tokenizer

Way = Callable[[str], str]
"""Return the command that reads a range, given as ``--lines 46:200`` or ``--bytes 1:4096``."""
DENSEST = 64
"""Bytes of a token, on average, that no real text exceeds: more than this for each token never fits."""


def lines_page(lines: Lines, start: int, end: int, count: Tokenizer, budget: Budget, way: Way) -> bytes | None:
    """Return lines ``start`` to ``end``, as they are, if they fit; else as many as fit the target and the way on.

    When the first line alone is too long, its beginning comes and the way on is in bytes, to the end
    of the range. None when not even that fits.
    """
    first, stop = lines.span(start, end)
    if stop - first <= budget.available * DENSEST:
        whole = b"".join(lines.raw(start, end))
        if count(whole.decode("utf-8", "replace")) <= budget.available:
            return whole
    return _lines(lines, start, end, count, budget.target(), way) or bytes_page(
        lines.read, first + 1, stop, count, budget, way
    )


def bytes_page(read: Read, start: int, end: int, count: Tokenizer, budget: Budget, way: Way) -> bytes | None:
    """Return bytes ``start`` to ``end`` (from 1), as they are, if they fit; else as many as do and the way on.

    The cut falls between characters.
    """
    data = read(start - 1, min(end - start + 1, budget.available * DENSEST))
    if len(data) == end - start + 1 and count(data.decode("utf-8", "replace")) <= budget.available:
        return data
    while data := whole_characters(data):
        following = start + len(data)
        page = data + f"\n[bytes {following}-{end} follow: {way(f'--bytes {following}:{end}')}]\n".encode()
        if count(page.decode("utf-8", "replace")) <= budget.target():
            return page
        data = data[: len(data) * 3 // 4]
    return None


def _lines(lines: Lines, start: int, end: int, count: Tokenizer, target: int, way: Way) -> bytes | None:
    found = [row for _, row in rows(lines, start, min(end, start + target))]
    return largest(
        1,
        len(found),
        lambda number: _page(found[:number], start, end, way),
        lambda page: count(page.decode("utf-8", "replace")) <= target,
    )


def _page(found: list[bytes], start: int, end: int, way: Way) -> bytes:
    following = start + len(found)
    rest = f"[lines {following}-{end} follow: {way(f'--lines {following}:{end}')}]\n" if following <= end else ""
    return b"".join(found) + rest.encode()

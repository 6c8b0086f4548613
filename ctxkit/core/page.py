"""As much of a part as fits, and how to read on."""

from collections.abc import Callable

from ctxkit.core.budget import Budget
from ctxkit.core.lines import Lines, Read, whole_characters
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
    page = _lines(lines, start, end, count, budget.target(), way)
    if page is not None:
        return page.encode("utf-8", "replace")
    return bytes_page(lines.read, first + 1, stop, count, budget, way)


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


def _lines(lines: Lines, start: int, end: int, count: Tokenizer, target: int, way: Way) -> str | None:
    texts = lines.texts(start, min(end, start + target))
    low, high, best = 1, len(texts), None
    while low <= high:
        middle = (low + high) // 2
        text = _page(texts[:middle], start, end, way)
        if count(text) <= target:
            low, best = middle + 1, text
        else:
            high = middle - 1
    return best


def _page(texts: list[str], start: int, end: int, way: Way) -> str:
    following = start + len(texts)
    rest = f"[lines {following}-{end} follow: {way(f'--lines {following}:{end}')}]\n" if following <= end else ""
    return "\n".join(texts) + "\n" + rest

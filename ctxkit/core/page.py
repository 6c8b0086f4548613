"""As much of a part as fits, and how to read on."""

from collections.abc import Callable

from ctxkit.core.budget import Budget
from ctxkit.core.lines import Lines, Read
from ctxkit.core.tokenizer import Tokenizer

Way = Callable[[str], str]
"""Return the command that reads a range, given as ``--lines 46:200`` or ``--bytes 1:4096``."""
DENSEST = 64
"""Bytes of a token, on average, that no real text exceeds: more than this for each token never fits."""


def lines_page(lines: Lines, start: int, end: int, count: Tokenizer, budget: Budget, way: Way) -> str | None:
    """Return lines ``start`` to ``end`` if they fit; else as many as fit the target and the way on.

    When the first line alone is too long, its beginning comes and the way on is in bytes. None
    when not even that fits.
    """
    first, stop = lines.span(start, end)
    if stop - first <= budget.available * DENSEST:
        whole = b"".join(lines.raw(start, end)).decode("utf-8", "replace")
        if count(whole) <= budget.available:
            return whole
    return _lines(lines, start, end, count, budget.target(), way) or bytes_page(
        lines.read, first + 1, lines.span(start, start)[1], count, budget, way
    )


def bytes_page(read: Read, start: int, end: int, count: Tokenizer, budget: Budget, way: Way) -> str | None:
    """Return bytes ``start`` to ``end`` (from 1) as text if they fit; else whole characters that do, and the way on."""
    data = read(start - 1, min(end - start + 1, budget.available * DENSEST))
    whole = data.decode("utf-8", "replace")
    if len(data) == end - start + 1 and count(whole) <= budget.available:
        return whole
    while data:
        text = data.decode("utf-8", "ignore")
        following = start + len(text.encode())
        page = f"{text}\n[bytes {following}-{end} follow: {way(f'--bytes {following}:{end}')}]\n"
        if following > start and count(page) <= budget.target():
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

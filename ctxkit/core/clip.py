"""Beginning and end of content that may not be stored, with the gap between them named."""

from collections import deque

from ctxkit.core.brief.outline import plain
from ctxkit.core.lines import Marks
from ctxkit.core.measure import plural, size_of
from ctxkit.core.tokenizer import Tokenizer

PER_TOKEN = 16
"""Bytes kept for each token of the target: four times the mean, so that sparse text fills it too."""


class Ends:
    """Keep the first and the last bytes of a stream, and count its lines."""

    def __init__(self, target: int) -> None:
        self._room = max(target, 1) * PER_TOKEN
        self._first = bytearray()
        self._last: deque[bytes] = deque()
        self._kept = 0
        self._marks = Marks()

    def take(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._marks.update(chunk)
        if len(self._first) < self._room:
            self._first += chunk[: self._room - len(self._first)]
        self._last.append(chunk)
        self._kept += len(chunk)
        while self._kept - len(self._last[0]) > self._room:
            self._kept -= len(self._last.popleft())

    @property
    def size(self) -> int:
        """Return the bytes seen."""
        return self._marks.size

    @property
    def total(self) -> int:
        """Return the lines seen."""
        return self._marks.total

    def first(self) -> list[str]:
        """Return the whole lines at the beginning that were kept."""
        rows = _rows(bytes(self._first))
        return rows if len(self._first) == self.size else rows[:-1]

    def last(self) -> list[str]:
        """Return the whole lines at the end that were kept."""
        data = b"".join(self._last)
        rows = _rows(data[-self._room :])
        return rows if len(data) == self.size <= self._room else rows[1:]


def _rows(data: bytes) -> list[str]:
    return [plain(row) for row in data.removesuffix(b"\n").decode("utf-8", "replace").split("\n")]


def clipped(ends: Ends, name: str, preface: str, count: Tokenizer, target: int) -> str | None:
    """Return the most of both ends that takes at most ``target`` tokens, a third of it the beginning.

    None when not even the line that says so fits.
    """
    first, last = ends.first(), ends.last()
    low, high, best = 0, min(max(2 * len(first), 2 * len(last)) + 2, 3 * target), None
    while low <= high:
        middle = (low + high) // 2
        text = _text(ends, first[: middle // 3], last[max(len(last) - (middle - middle // 3), 0) :], name, preface)
        if count(text) <= target:
            low, best = middle + 1, text
        else:
            high = middle - 1
    return best


def _text(ends: Ends, first: list[str], last: list[str], name: str, preface: str) -> str:
    last = last[max(len(first) + len(last) - ends.total, 0) :]
    start, end = len(first) + 1, ends.total - len(last)
    header = f"# {name} ({plural(ends.total, 'line')}, {size_of(ends.size)}): beginning and end; nothing is stored"
    gap = [f"[lines {start}-{end} are not shown and not stored]"] if start <= end else []
    return "\n".join([*([preface] if preface else []), header, *first, *gap, *last]) + "\n"

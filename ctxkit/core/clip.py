"""Beginning and end of content that may not be stored, with the gap between them named."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.brief.outline import plain
from ctxkit.core.largest import largest
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

    def characters(self) -> tuple[str, str]:
        """Return beginning and end as they were kept, for lines too long to be kept whole."""
        tail = b"".join(self._last)[-self._room :]
        return _text(bytes(self._first)), _text(tail)


def _text(data: bytes) -> str:
    return "\n".join(_rows(data))


def _rows(data: bytes) -> list[str]:
    return [plain(row) for row in data.removesuffix(b"\n").decode("utf-8", "replace").split("\n")]


class Cut(NamedTuple):
    """Hold what is shown of both ends; ``lines`` are the first and the last of those between, none where they cross.

    ``octets`` are the bytes between, where no line is short enough to be shown whole.
    """

    first: list[str]
    last: list[str]
    lines: tuple[int, int]
    octets: int | None = None


def clipped(ends: Ends, size: int, name: str, preface: str, count: Tokenizer, target: int) -> str | None:
    """Return the most of both ends that takes at most ``target`` tokens, a third of it the beginning.

    ``size`` is that of the content in bytes, as it came. None when not even the line that says so fits.
    """
    header = f"# {name} ({plural(ends.total, 'line')}, {size_of(size)}): beginning and end; nothing is stored"
    above = [preface, header] if preface else [header]

    def rendered(cut: Cut) -> str:
        start, end = cut.lines
        gap = [f"[lines {start}-{end} are not shown and not stored]"] if start <= end else []
        if cut.octets is not None:
            gap = [f"[{plural(cut.octets, 'byte')} are not shown and not stored]"]
        return "\n".join([*above, *cut.first, *gap, *cut.last]) + "\n"

    return fit_ends(ends, count, target, rendered)


def fit_ends(ends: Ends, count: Tokenizer, target: int, rendered: Callable[[Cut], str]) -> str | None:
    """Return what ``rendered`` makes of the most of both ends that then takes at most ``target`` tokens."""

    def fits(text: str) -> bool:
        return count(text) <= target

    first, last = ends.first(), ends.last()
    if first or last:
        most = min(max(2 * len(first), 2 * len(last)) + 2, 3 * target)
        return largest(0, most, lambda rows: rendered(_lines(ends, first, last, rows)), fits)
    start, end = ends.characters()
    return largest(0, len(start), lambda width: rendered(_characters(ends, start, end, width)), fits)


def _lines(ends: Ends, first: list[str], last: list[str], rows: int) -> Cut:
    """Take so many whole lines, a third of them from the beginning."""
    first = first[: rows // 3]
    last = last[max(len(last) - (rows - rows // 3), len(first) + len(last) - ends.total, 0) :]
    return Cut(first, last, (len(first) + 1, ends.total - len(last)))


def _characters(ends: Ends, start: str, end: str, width: int) -> Cut:
    """Take so many characters, where no line is short enough to be shown whole."""
    start, end = start[: width // 3], end[len(end) - (width - width // 3) :]
    left = max(ends.size - len(start.encode()) - len(end.encode()), 0)
    return Cut([start] if start else [], [end] if end else [], (1, 0), left)

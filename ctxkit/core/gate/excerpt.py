"""Show the beginning and the end of content that may not be stored, with the gap between them named."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.text.ansi import strip_escapes
from ctxkit.core.text.bisection import find_largest
from ctxkit.core.text.lines import LineIndex
from ctxkit.core.text.measure import format_size, pluralize
from ctxkit.core.tokens.tokenizer import Tokenizer

BYTES_PER_TOKEN = 16
"""Bytes kept for each token of the target: four times the mean, so that text of few tokens fills it too."""


class EndsBuffer:
    """Keep the first and the last bytes of a stream, and count its lines."""

    def __init__(self, target: int) -> None:
        self._capacity = max(target, 1) * BYTES_PER_TOKEN
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._marks = LineIndex()

    def add(self, chunk: bytes) -> None:
        """Add the next bytes."""
        self._marks.update(chunk)
        if len(self._head) < self._capacity:
            self._head += chunk[: self._capacity - len(self._head)]
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) > self._capacity:
            self._tail_size -= len(self._tail.popleft())

    @property
    def size(self) -> int:
        """Return the number of bytes added."""
        return self._marks.size

    @property
    def line_count(self) -> int:
        """Return the number of lines added."""
        return self._marks.total

    def first_lines(self) -> list[str]:
        """Return the complete lines at the beginning that are in the buffer."""
        rows = _split_rows(bytes(self._head))
        return rows if len(self._head) == self.size else rows[:-1]

    def last_lines(self) -> list[str]:
        """Return the complete lines at the end that are in the buffer."""
        data = b"".join(self._tail)
        rows = _split_rows(data[-self._capacity :])
        return rows if len(data) == self.size <= self._capacity else rows[1:]

    def characters(self) -> tuple[str, str]:
        """Return beginning and end of the content as text, for lines that are too long to show complete."""
        tail = b"".join(self._tail)[-self._capacity :]
        return _decode_lines(bytes(self._head)), _decode_lines(tail)


def _decode_lines(data: bytes) -> str:
    return "\n".join(_split_rows(data))


def _split_rows(data: bytes) -> list[str]:
    return [strip_escapes(row) for row in data.removesuffix(b"\n").decode("utf-8", "replace").split("\n")]


class Excerpt(NamedTuple):
    """Lines shown of both ends, and the gap between them.

    ``omitted_lines`` are the first and the last line of the gap; the gap is empty if the first is after the last.
    ``omitted_bytes`` is its size in bytes if no line is short enough to show complete.
    """

    first: list[str]
    last: list[str]
    omitted_lines: tuple[int, int]
    omitted_bytes: int | None = None


def make_excerpt(ends: EndsBuffer, size: int, name: str, preface: str, count: Tokenizer, target: int) -> str | None:
    """Return the largest excerpt of both ends within ``target`` tokens, a third of it from the beginning.

    ``size`` is the size of the original content in bytes. Return None if not even the header fits.
    """
    header = (
        f"# {name} ({pluralize(ends.line_count, 'line')}, {format_size(size)}): beginning and end; nothing is stored"
    )
    header_lines = [preface, header] if preface else [header]

    def render(excerpt: Excerpt) -> str:
        start, end = excerpt.omitted_lines
        gap = [f"[lines {start}-{end} are not shown and not stored]"] if start <= end else []
        if excerpt.omitted_bytes is not None:
            gap = [f"[{pluralize(excerpt.omitted_bytes, 'byte')} are not shown and not stored]"]
        return "\n".join([*header_lines, *excerpt.first, *gap, *excerpt.last]) + "\n"

    return fit_excerpt(ends, count, target, render)


def fit_excerpt(ends: EndsBuffer, count: Tokenizer, target: int, render: Callable[[Excerpt], str]) -> str | None:
    """Return the largest rendered excerpt of both ends that takes at most ``target`` tokens, or None."""

    def fits(text: str) -> bool:
        return count(text) <= target

    first, last = ends.first_lines(), ends.last_lines()
    if first or last:
        most = min(max(2 * len(first), 2 * len(last)) + 2, 3 * target)
        return find_largest(0, most, lambda rows: render(_excerpt_lines(ends, first, last, rows)), fits)
    start, end = ends.characters()
    return find_largest(0, len(start), lambda width: render(_excerpt_characters(ends, start, end, width)), fits)


def _excerpt_lines(ends: EndsBuffer, first: list[str], last: list[str], rows: int) -> Excerpt:
    """Return an excerpt of ``rows`` complete lines, a third of them from the beginning."""
    first = first[: rows // 3]
    last = last[max(len(last) - (rows - rows // 3), len(first) + len(last) - ends.line_count, 0) :]
    return Excerpt(first, last, (len(first) + 1, ends.line_count - len(last)))


def _excerpt_characters(ends: EndsBuffer, start: str, end: str, width: int) -> Excerpt:
    """Return an excerpt of ``width`` characters, for content without a line short enough to show complete."""
    start, end = start[: width // 3], end[len(end) - (width - width // 3) :]
    omitted = max(ends.size - len(start.encode()) - len(end.encode()), 0)
    return Excerpt([start] if start else [], [end] if end else [], (1, 0), omitted)

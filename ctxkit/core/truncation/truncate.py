"""Truncate content to limits: whole lines of its beginning, its end, or both."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from ctxkit.core.text.lines import trim_partial_character
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.text.search import find_largest
from ctxkit.core.truncation.ends import EarlierGap, Ends, Gap, LimitName, TruncationLimits, count_lines, format_markers

Mode = Literal["tail", "head", "middle"]
MAX_CHARACTER = 4
"""Bytes of the longest character."""
BOTH_ENDS = 3
"""Lines that both ends and the line between them need at least."""


class ShownParts(NamedTuple):
    """The parts of content that are shown; ``is_partial`` if a line is not shown whole."""

    first: bytes
    last: bytes
    is_partial: bool = False


class Truncated(NamedTuple):
    """Truncated content, the limit that it would exceed otherwise, and the gap.

    ``is_named`` if the content has the line that names the gap.
    """

    content: bytes
    truncated_by: LimitName
    gap: Gap
    parts: ShownParts
    is_named: bool


def truncate_ends(
    ends: Ends, limits: TruncationLimits, mode: Mode, hint: Hint | None = None, earlier: EarlierGap | None = None
) -> Truncated:
    """Return content that exceeds limits truncated to them, given its ends.

    Show whole lines; if no line fits, show a part of one. The content contains a line that names the gap unless the
    limits are too small for it. A ``hint`` says how to read stored content.
    """
    search = _Search(ends, limits, mode, hint, earlier)
    return search.find(_cut_lines) or search.find(cut_characters) or search.find_least()


Cut = Callable[[Ends, int, int], ShownParts]
"""Returns the parts with at most as many bytes of the beginning and of the end."""


class _Search:
    """A search for the largest parts within limits."""

    def __init__(
        self, ends: Ends, limits: TruncationLimits, mode: Mode, hint: Hint | None, earlier: EarlierGap | None
    ) -> None:
        self._ends, self._limits, self._hint, self._earlier = ends, limits, hint, earlier
        self._mode = "tail" if mode == "middle" and limits.max_lines < BOTH_ENDS else mode
        self._most = min(limits.most_bytes, len(ends.head), ends.size - (earlier.size if earlier else 1))

    def find(self, cut: Cut) -> Truncated | None:
        """Return the largest parts that a function cuts; None if there is none."""
        best, width = self._widen(lambda size: cut(self._ends, self._head(size), self._tail(size)))
        if best is None:
            return None
        if self._mode == "middle":  # the other end may leave room, such as a line that is too long for its half
            first = len(best.parts.first)
            longer, _ = self._widen(lambda size: cut(self._ends, first, size), self._tail(width), self._most - first)
            if longer is not None and len(longer.content) > len(best.content):
                return longer
        return best

    def find_least(self) -> Truncated:
        """Return one character, whatever its size."""
        for width in range(1, 8):
            parts = cut_characters(self._ends, self._head(2 * width), self._tail(2 * width))
            if parts.first or parts.last:
                return Truncated(parts.first + parts.last, "tokens", self._find_gap(parts), parts, False)
        raise AssertionError("content that exceeds limits is not empty")

    def _head(self, width: int) -> int:
        return {"head": width, "middle": width // 2, "tail": 0}[self._mode]

    def _tail(self, width: int) -> int:
        return width - self._head(width)

    def _widen(
        self, cut: Callable[[int], ShownParts], least: int = 1, most: int | None = None
    ) -> tuple[Truncated | None, int]:
        """Return the largest parts within the limits, and their width."""
        reasons: dict[int, LimitName] = {}

        def render(width: int) -> tuple[int, ShownParts, bytes, bool]:
            """Return the content of a width, with its parts."""
            parts = cut(width)
            content, is_named = self._render(parts)
            return width, parts, content, is_named

        def fits(candidate: tuple[int, ShownParts, bytes, bool]) -> bool:
            """Return whether the content is within the limits, and note the limit that it exceeds."""
            excess = self._limits.find_excess(candidate[2])
            if excess:
                reasons[candidate[0]] = excess
            return excess is None

        candidate = find_largest(least, max(self._most if most is None else most, least), render, fits)
        if candidate is None or not (candidate[1].first or candidate[1].last):
            return None, 0
        width, parts, content, is_named = candidate
        reason = reasons.get(width + 1) or self._default_reason()
        return Truncated(content, reason, self._find_gap(parts), parts, is_named), width

    def _default_reason(self) -> LimitName:
        """Return the limit that the content exceeds if no wider parts were tried."""
        if self._ends.total_lines > self._limits.max_lines:
            return "lines"
        return "bytes" if self._ends.size > self._limits.max_bytes else "tokens"

    def _render(self, parts: ShownParts) -> tuple[bytes, bool]:
        """Return the content with the longest line that names the gap and leaves room; also whether it has one."""
        first, last = parts.first, parts.last
        for marker in format_markers(self._find_gap(parts), self._hint):
            if self._limits.leaves_room(marker, share=4 if b":" in marker else 2):
                newline = b"\n" if first and not first.endswith(b"\n") else b""
                return first + newline + marker + last, True
        newline = b"\n" if first and last and not first.endswith(b"\n") else b""
        return first + newline + last, False

    def _find_gap(self, parts: ShownParts) -> Gap:
        """Return what the parts do not show; it includes a gap of an earlier truncation."""
        if parts.is_partial:
            end = self._ends.size - len(parts.last)
            return Gap("bytes", len(parts.first) + 1, end, self._ends.size, self._ends.source_size)
        first, last = count_lines(parts.first), count_lines(parts.last)
        total = self._ends.total_lines
        if (earlier := self._earlier) and first < earlier.line <= total - last:
            total = earlier.gap.total
        return Gap("lines", first + 1, total - last, total)


def _cut_lines(ends: Ends, head: int, tail: int) -> ShownParts:
    """Return the whole lines within the first ``head`` and the last ``tail`` bytes."""
    first = ends.head[: ends.head.rfind(b"\n", 0, head) + 1] if head else b""
    return ShownParts(first, _cut_last_lines(ends, tail) if tail else b"")


def _cut_last_lines(ends: Ends, tail: int) -> bytes:
    data = ends.tail
    start = len(data) - tail
    if start <= 0:
        return data if len(data) == ends.size else data[data.find(b"\n") + 1 or len(data) :]
    newline = data.find(b"\n", start - 1)
    return data[newline + 1 :] if newline >= 0 else b""


def cut_characters(ends: Ends, head: int, tail: int) -> ShownParts:
    """Return the whole characters within the first ``head`` and the last ``tail`` bytes."""
    first = trim_partial_character(ends.head[:head]) if head else b""
    last = ends.tail[-tail:] if tail else b""
    return ShownParts(first, _trim_start(last), is_partial=True)


def _trim_start(data: bytes) -> bytes:
    """Return the bytes without the rest of a character at their beginning."""
    for at in range(min(MAX_CHARACTER, len(data))):
        if data[at] & 0xC0 != 0x80:
            return data[at:]
    return data if len(data) >= MAX_CHARACTER else b""

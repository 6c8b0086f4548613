"""Truncate content to limits: whole lines of its beginning, its end, or both."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from ctxkit.core.text.lines import find_largest, trim_partial_character
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.core.tokens.vocabulary import Tokenizer

Mode = Literal["tail", "head", "middle"]
_MAX_CHARACTER = 4
"""Bytes of the longest character."""
_BOTH_ENDS = 3
"""Lines that both ends and the line between them need at least."""


class ShownParts(NamedTuple):
    """The parts of content that are shown; ``is_partial`` if a line is not shown whole."""

    first: bytes
    last: bytes
    is_partial: bool = False


LimitName = Literal["lines", "bytes", "tokens"]


class Gap(NamedTuple):
    """Lines or bytes of the content that are not shown: ``start`` to ``end`` of ``total``, counted from 1.

    ``source_size`` is the size of the content in bytes if it is not UTF-8; the other numbers are then of its text.
    """

    unit: Literal["lines", "bytes"]
    start: int
    end: int
    total: int
    source_size: int = 0

    def describe(self) -> str:
        """Return the gap in words."""
        text = " of the text as UTF-8" if self.source_size and self.unit == "bytes" else ""
        return f"{self.unit} {self.start:,}-{self.end:,} of {self.total:,}{text} are not shown"


class Truncated(NamedTuple):
    """Truncated content, the limit that it would exceed otherwise, and the gap.

    ``is_named`` if the content has the line that names the gap.
    """

    content: bytes
    truncated_by: LimitName
    gap: Gap
    parts: ShownParts
    is_named: bool


MAX_LINES, MAX_BYTES = 2_000, 51_200
"""Default limits (seed: MaxLines: 2000, MaxBytes: 50 * 1024)."""


def _count_nothing(_: str) -> int:
    return 0


class TruncationLimits(NamedTuple):
    """The most lines, bytes and tokens of truncated content; ``count`` counts the tokens of a text, at the high end."""

    max_lines: int = MAX_LINES
    max_bytes: int = MAX_BYTES
    max_tokens: int | None = None
    count: Tokenizer = _count_nothing

    @property
    def most_bytes(self) -> int:
        """Return the number of bytes of content that truncated content can contain."""
        return self.max_bytes if self.max_tokens is None else min(self.max_bytes, self.max_tokens * BYTES_PER_TOKEN)

    def find_excess(self, data: bytes) -> LimitName | None:
        """Return the first limit that content exceeds, None if it is within all of them."""
        if count_lines(data) > self.max_lines:
            return "lines"
        if len(data) > self.max_bytes:
            return "bytes"
        if self.max_tokens is not None and self.count(decode_content(data)) > self.max_tokens:
            return "tokens"
        return None

    def leaves_room(self, marker: bytes, share: int = 4) -> bool:
        """Return whether a line takes at most one ``share``-th of each limit, and leaves at least one other line."""
        tokens = None if self.max_tokens is None else self.max_tokens // share
        part = TruncationLimits(self.max_lines - 1, self.max_bytes // share, tokens, self.count)
        return part.find_excess(marker) is None


class ContentEnds:
    """The first and the last bytes of content, its size and its lines; ``capacity`` is the size of each end.

    ``source_size`` is the size in bytes of the original if the content is its text in UTF-8, otherwise 0.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._head = bytearray()
        self._chunks: deque[bytes] = deque()
        self._chunks_size = 0
        self._newlines, self._last = 0, b""
        self.size = self.source_size = 0

    def add(self, chunk: bytes) -> None:
        """Add the next bytes of the content."""
        if not chunk:
            return
        self.size += len(chunk)
        self._newlines += chunk.count(b"\n")
        self._last = chunk[-1:]
        if len(self._head) < self._capacity:
            self._head += chunk[: self._capacity - len(self._head)]
        self._chunks.append(chunk)
        self._chunks_size += len(chunk)
        while self._chunks_size - len(self._chunks[0]) >= self._capacity:
            self._chunks_size -= len(self._chunks.popleft())

    @property
    def head(self) -> bytes:
        """Return the first bytes."""
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        """Return the last bytes."""
        data = b"".join(self._chunks)
        return data[max(len(data) - self._capacity, 0) :]

    @property
    def total_lines(self) -> int:
        """Return the number of lines; a last line without a newline counts."""
        return self._newlines + (self._last not in (b"", b"\n"))


class WholeContent:
    """Content in memory: both of its ends are the whole."""

    def __init__(self, data: bytes, source_size: int = 0) -> None:
        self.head = self.tail = data
        self.source_size = source_size
        self.size, self.total_lines = len(data), count_lines(data)


Ends = ContentEnds | WholeContent


class EarlierGap(NamedTuple):
    """A gap that an earlier truncation left, the ref of the content if it was stored, and the place of its marker.

    ``line`` is the number of the marker's line, and ``size`` the number of its bytes.
    """

    gap: Gap
    ref: str
    line: int
    size: int


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
        self._mode = "tail" if mode == "middle" and limits.max_lines < _BOTH_ENDS else mode
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
    for at in range(min(_MAX_CHARACTER, len(data))):
        if data[at] & 0xC0 != 0x80:
            return data[at:]
    return data if len(data) >= _MAX_CHARACTER else b""


LEAST_BYTES, LEAST_TOKENS = 4, 8
"""Smallest limits: any character takes at most 4 bytes, and at most 8 tokens in any vocabulary or estimate."""
MOST_BYTES = 64 << 20
"""Largest limit in bytes: truncated content is in memory."""
BYTES_PER_TOKEN = 16
"""Bytes considered for each token of a limit: four times the mean, so that text of few tokens fills it too."""
_MAX_HINT_LINES = 120
"""Maximum number of lines that the hint asks for."""
_NOT_STORED = " and not stored"
_MARKER = re.compile(
    rb"^\[(?P<unit>lines|bytes) (?P<start>[\d,]{1,20})-(?P<end>[\d,]{1,20}) of (?P<total>[\d,]{1,20}) are not shown"
    rb"(?P<rest>\]| and not stored\]|\. To read a part: [^\n]{1,2000}\])\r?$",
    re.MULTILINE,
)
_REF = re.compile(r"\[ref ([0-9a-f]{12,64})\]|\bcache get ([0-9a-f]{12,64})\b")


def format_markers(gap: Gap, hint: Hint | None) -> Iterator[bytes]:
    """Yield the lines that can name a gap, the longest first; without a hint the content is not stored."""
    if hint is None:
        yield _encode(f"[{gap.describe()}{_NOT_STORED}]")
    else:
        for stored_hint in dict.fromkeys((hint, hint.without_alternative())):
            yield _encode(f"[{gap.describe()}. {fill_hint(stored_hint, gap)}]")
    yield _encode(f"[{gap.describe()}]")


def fill_hint(hint: Hint, gap: Gap) -> str:
    """Return the hint that reads a gap, or the beginning of a gap that is long."""
    if gap.unit == "bytes" and gap.source_size:
        return hint.for_bytes(1, gap.source_size)
    if gap.unit == "bytes":
        return hint.for_bytes(gap.start, gap.end)
    return hint.for_lines(gap.start, min(gap.end, gap.start + _MAX_HINT_LINES - 1))


def _encode(line: str) -> bytes:
    return f"{line}\n".encode("utf-8", "replace")


def find_earlier_gap(data: bytes, total_lines: int) -> EarlierGap | None:
    """Return the gap that a marker in content of ``total_lines`` lines names, None if there is none.

    The lines before and after a marker must be those that it says are shown, or the line is ordinary content.
    """
    line = 1
    at = 0
    for match, _ in zip(_MARKER.finditer(data), range(8), strict=False):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        gap = _read_gap(match)
        is_consistent = gap.start == line and gap.total - gap.end == total_lines - line
        if is_consistent if gap.unit == "lines" else line in (1, total_lines):
            ref = _REF.search(match["rest"].decode("utf-8", "replace"))
            return EarlierGap(gap, (ref[1] or ref[2]) if ref else "", line, match.end() - match.start())
    return None


def _read_gap(match: re.Match[bytes]) -> Gap:
    start, end, total = (int(match[name].replace(b",", b"") or b"0") for name in ("start", "end", "total"))
    return Gap("lines" if match["unit"] == b"lines" else "bytes", start, end, total)


def count_lines(data: bytes) -> int:
    """Return the number of lines; a last line without a newline counts."""
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))

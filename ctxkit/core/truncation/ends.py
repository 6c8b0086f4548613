"""The limits of truncated content, its beginning and its end, and the gap between them with the line that names it."""

import re
from collections import deque
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.core.tokens.vocabulary import Tokenizer

MAX_LINES, MAX_BYTES = 2_000, 51_200
"""Default limits (seed: MaxLines: 2000, MaxBytes: 50 * 1024)."""
LEAST_BYTES, LEAST_TOKENS = 4, 8
"""Smallest limits: any character takes at most 4 bytes, and at most 8 tokens in any vocabulary or estimate."""
MOST_BYTES = 64 << 20
"""Largest limit in bytes: truncated content is in memory."""
BYTES_PER_TOKEN = 16
"""Bytes considered for each token of a limit: four times the mean, so that text of few tokens fills it too."""
LimitName = Literal["lines", "bytes", "tokens"]


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
_MAX_HINT_LINES = 120
"""Maximum number of lines that the hint asks for."""
_NOT_STORED = " and not stored"
_MARKER = re.compile(
    rb"^\[(?P<unit>lines|bytes) (?P<start>[\d,]{1,20})-(?P<end>[\d,]{1,20}) of (?P<total>[\d,]{1,20}) are not shown"
    rb"(?P<rest>\]| and not stored\]|\. To read a part: [^\n]{1,2000}\])\r?$",
    re.MULTILINE,
)
_REF = re.compile(r"\[ref ([0-9a-f]{12,64})\]|\bcache get ([0-9a-f]{12,64})\b")


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


class EarlierGap(NamedTuple):
    """A gap that an earlier truncation left, the ref of the content if it was stored, and the place of its marker.

    ``line`` is the number of the marker's line, and ``size`` the number of its bytes.
    """

    gap: Gap
    ref: str
    line: int
    size: int


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

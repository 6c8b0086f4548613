"""The gap in truncated content, and the line that names it."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ctxkit.core.text.retrieval_hint import Hint

MAX_HINT_LINES = 120
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
    return hint.for_lines(gap.start, min(gap.end, gap.start + MAX_HINT_LINES - 1))


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

"""The limits of truncated content, in lines, bytes and tokens."""

from typing import Literal, NamedTuple

from ctxkit.core.tokens.token_count import decode_content
from ctxkit.core.tokens.tokenizer import Tokenizer

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


def count_lines(data: bytes) -> int:
    """Return the number of lines; a last line without a newline counts."""
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))

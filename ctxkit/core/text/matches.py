"""Find the matches of a pattern in content of any size."""

import re
from collections.abc import Callable, Iterator

PIECE = 1 << 20
"""Number of bytes read at a time."""
CONTEXT = 16
"""Number of bytes before a match that a pattern may look at."""


def iterate_matches(
    pattern: re.Pattern[bytes], read: Callable[[int, int], bytes], size: int, longest: int, *, piece: int = PIECE
) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield each match in the first ``size`` bytes with the byte offset of the text that it is in.

    A match, with what it looks at after it, is found as a whole if it has at most ``longest`` bytes.
    """
    base = after = start = 0
    data = b""
    while True:
        chunk = read(after, min(piece, size - after)) if after < size else b""
        after += len(chunk)
        data += chunk
        limit = len(data) - longest if chunk and after < size else len(data)
        for match in pattern.finditer(data, start):
            if match.start() > limit:
                break
            start = max(match.end(), start)
            yield base, match
        if limit == len(data):
            return
        start = max(start, limit)
        cut = max(start - CONTEXT, 0)
        base, data, start = base + cut, data[cut:], start - cut

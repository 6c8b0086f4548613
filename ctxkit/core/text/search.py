"""Search by halves for a size or a common beginning, and for a pattern in content of any size."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

Candidate = TypeVar("Candidate")


def find_largest(
    least: int, most: int, make: Callable[[int], Candidate], fits: Callable[[Candidate], bool]
) -> Candidate | None:
    """Return the result of ``make`` for the largest size that fits, None if no size fits.

    Sizes range from ``least`` to ``most``. The result has been passed to ``fits``.
    """
    best: Candidate | None = None
    while least <= most:
        middle = (least + most) // 2
        candidate = make(middle)
        if fits(candidate):
            least, best = middle + 1, candidate
        else:
            most = middle - 1
    return best


def find_largest_number(least: int, most: int, passes: Callable[[int], bool]) -> int | None:
    """Return the largest number from ``least`` to ``most`` that passes, None if none does.

    If a number passes, each smaller one has to pass.
    """
    return find_largest(least, most, int, passes)


def measure_common_prefix(first: str, second: str) -> int:
    """Return the number of characters that two texts begin with in common, by binary search."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


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

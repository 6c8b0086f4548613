"""The lines that fit: as many of the first as possible, then later ones that are short enough for what is left."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ctxkit.core.text.search import find_largest_number

TRIES = 8
"""Number of later lines that are tried."""
Line = tuple[int, str]
Result = TypeVar("Result")


def pack_lines(
    least: int, order: Sequence[Line], make: Callable[[Sequence[Line]], Result], fits: Callable[[Result], bool]
) -> Result | None:
    """Return what ``make`` makes of the lines that fit, None if not even the first ``least`` of them do."""
    number = find_largest_number(least, len(order), lambda number: fits(make(order[:number])))
    if number is None:
        return None
    lines = list(order[:number])
    result = make(lines)
    for line in order[number + 1 : number + 1 + TRIES]:
        candidate = make([*lines, line])
        if fits(candidate):
            lines.append(line)
            result = candidate
    return result

"""Find the largest size that fits, and the largest number that passes, by binary search."""

from collections.abc import Callable
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
